/* Internal to export: what a format is, the steps of making a part, and how numbers are written. */
#ifndef ISO_EXPORT_FORMAT_H
#define ISO_EXPORT_FORMAT_H

#include "export.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- formats ----------------------------------------------------------------------------------------------------- */

struct export_section { /* a part of a file: a record per vertex or per triangle */
    bool of_triangles;
    bool several; /* only in files of several parts */
    size_t most;  /* bytes of a record, at most */
    char *(*put)(const struct export_file *e, const struct export_part *p, uint64_t i, char *at); /* returns the end */
    bool (*begin)(const struct export_file *e, const struct export_part *p, FILE *file);          /* NULL: nothing */
};

enum { EXPORT_SECTIONS = 5 };

struct export_format {
    const char *name, *ending;
    const char *narrow; /* not NULL: coordinates always have 32 bits; if that is too coarse, they are relative to the
                         * box's centre, and this text ends the note. NULL: they then have 64 bits */
    bool single;        /* holds one part */
    bool fixed;         /* all records of a section have the same size (export_slabs.h) */
    bool by_part;       /* each part has its own sections; else a section covers all parts and `begin` gets none */
    int (*check)(const struct export_file *e, struct err *err); /* whether it can hold the parts; NULL: always */
    bool (*head)(const struct export_file *e, FILE *file);
    bool (*tail)(const struct export_file *e, FILE *file); /* NULL: none */
    struct export_section section[EXPORT_SECTIONS];        /* up to the first without `put` */
};

extern const struct export_format export_ply, export_stl, export_obj, export_glb, export_vtp;

/* ---- making a part ----------------------------------------------------------------------------------------------- */

/* Sets the volume's place in the world, and how precisely coordinates must be written (export_world.c). Error:
 * ERR_FAILED. */
int export_set_world(struct export_file *e, const struct volume *volume, struct err *err);

/* Sets e->shift as e->format requires, and adds a note if that is not the origin (export_world.c). */
void export_set_shift(struct export_file *e);

/* Allocates and fills p->normals. Positions must still be voxel coordinates (export_normals.c). Error: ERR_FAILED. */
int export_normals(const struct export_file *e, struct export_part *p, struct iso *iso, const struct volume *volume,
                   struct err *err);

/* Fills normals begin to end - 1 of p->normals from the voxels of `grid`, which may be a block of the volume
 * (grid->first). */
void export_normals_from(const struct export_file *e, const struct export_part *p, const struct grid *grid, uint64_t begin,
                         uint64_t end);

/* Moves the vertices into the world, relative to the origin (export_transform.c). Adds to e->note if the chosen gemm rung
 * could not be used. */
int export_transform(struct export_file *e, struct export_part *p, struct iso *iso, const struct volume *volume,
                     struct err *err);

/* ---- what is put into files -------------------------------------------------------------------------------------- */

static inline double export_position(const struct export_file *e, const struct export_part *p, uint64_t i, int axis)
{
    const struct vertex *v = &p->mesh.vertices[i];
    return (double)(axis == 0 ? v->x : axis == 1 ? v->y : v->z) + e->shift[axis];
}

/* Vertex of the part at corner c (0, 1 or 2) of a triangle, with the orientation that it has in the world. */
static inline uint32_t export_corner(const struct export_file *e, const struct export_part *p, uint64_t triangle, int c)
{
    return p->mesh.indices[3 * triangle + (uint64_t)(e->flipped && c ? 3 - c : c)];
}

static inline char *put_bytes(char *at, const void *from, size_t n) { return (char *)__builtin_memcpy(at, from, n) + n; }

static inline char *put_float(char *at, double value)
{
    const float f = (float)value;
    return put_bytes(at, &f, sizeof f);
}

/* The position as three floats, or doubles in a wide file; the normal as three floats. */
static inline char *put_position(const struct export_file *e, const struct export_part *p, uint64_t i, bool wide, char *at)
{
    for (int a = 0; a < 3; a++) {
        const double x = export_position(e, p, i, a);
        at = wide ? put_bytes(at, &x, sizeof x) : put_float(at, x);
    }
    return at;
}

static inline char *put_normal(const struct export_part *p, uint64_t i, char *at)
{
    return put_bytes(at, &p->normals[3 * i], 3 * sizeof(float));
}

#ifdef __cplusplus
}
#endif
#endif
