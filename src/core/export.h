/* A surface as a file for other programs: PLY, STL or OBJ, in the volume's world coordinates.
 *
 *    export_format_of(path) -> export_make: extract, then voxels -> world, by gemm -> export_write -> export_free
 *
 * Triangles turn counter-clockwise seen from outside, the side of the lower values, and normals point there, also in volumes
 * with left-handed axes. The same volume and value give the same file, byte for byte, for any number of threads and any rung
 * of the CPU, and on CUDA if the volume's axes are parallel to the world's. For oblique axes CUDA rounds a sum once that the
 * CPU rounds twice: the last bit of a coordinate may differ. */
#ifndef ISO_EXPORT_H
#define ISO_EXPORT_H

#include "component_list.h"
#include "volume.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct export_file;

struct export_section { /* a part of a file: a record per vertex or per triangle */
    bool of_triangles;
    size_t most;                                                     /* bytes of a record, at most */
    char *(*put)(const struct export_file *e, uint64_t i, char *at); /* writes record i at `at`, returns its end */
};

enum { EXPORT_SECTIONS = 3 };

struct export_format {
    const char *name, *ending; /* name NULL closes the table */
    void (*head)(const struct export_file *e, FILE *file);
    struct export_section section[EXPORT_SECTIONS]; /* up to the first without put */
};

struct export_file { /* zero is an empty one */
    const struct export_format *format;
    struct mesh_host mesh; /* positions in the world, relative to the origin */
    double origin[3];      /* added in double while writing, to keep all digits of the rest */
    double normal[3][3];   /* world from voxel, for normals; of any scale */
    bool flipped;          /* the world mirrors the voxels: triangles turn round */
    int decimals;          /* of coordinates in text: a millionth of a voxel */
    int threads;
    uint64_t vertices, triangles, bytes; /* of the file */
    uint64_t left_out;                   /* triangles of the parts that the filter left out */
    double make_ms, write_ms;
    char note[256]; /* what a user of the file should know; "": nothing */
};

extern const struct export_format export_formats[];

/* Finds the format by the ending of `path`. Error: NULL and ERR_USAGE, with the endings. */
const struct export_format *export_format_of(const char *path, struct err *err);

/* Extracts what `filter` keeps of the surface at `value` (real units) and moves it into the world. Keeps iso->counts, but
 * not the times. A surface without triangles is no error. On error there is nothing to free. */
int export_make(struct export_file *e, struct iso *iso, const struct volume *volume, const struct component_filter *filter,
                double value, struct err *err);

/* Moves the vertices of e->mesh into the world, relative to the origin (export_transform.c; export_make calls it). Adds to
 * e->note if another gemm rung than the chosen one had to be used. */
int export_transform(struct export_file *e, struct iso *iso, const struct volume *volume, struct err *err);

/* Writes e->mesh in e->format to `path`, atomically (replace.h); needs no backend. Error: ERR_FAILED, also if `progress`
 * cancels. */
int export_write(struct export_file *e, const char *path, const struct progress *progress, struct err *err);

/* Frees the mesh. */
void export_free(struct export_file *e);

/* A name that no file in the current folder has: `name` without its ending, `middle`, a number where that is needed,
 * `ending`. Where `middle` is "" there is always a number. */
void export_free_name(char path[512], const char *name, const char *middle, const char *ending);

#ifdef __cplusplus
}
#endif
#endif
