/* A surface as a file for other programs: PLY, STL or OBJ, in the volume's world coordinates.
 *
 *    export_format_of(path) -> export_make: extract, then voxels -> world, by gemm -> export_write -> export_free
 *
 * Triangles turn counter-clockwise seen from outside, where the lower values are, and normals point there, also where the
 * volume's axes are left-handed. The same volume and value give the same file, byte for byte, for any number of threads and
 * any rung of the CPU; on CUDA too where each of the volume's axes is one of the world's. Where they are oblique CUDA rounds
 * sums once where the CPU rounds twice, so that the last bit of a coordinate may differ. */
#ifndef ISO_EXPORT_H
#define ISO_EXPORT_H

#include "iso.h"
#include "load.h"

#ifdef __cplusplus
extern "C" {
#endif

struct export_file;

struct export_section {                                              /* of a file: what each vertex or triangle writes */
    bool of_triangles;                                               /* or of vertices */
    size_t most;                                                     /* bytes that a record takes at most */
    char *(*put)(const struct export_file *e, uint64_t i, char *at); /* returns where it ends */
};

enum { EXPORT_SECTIONS = 3 };

struct export_format {
    const char *name, *ending; /* name NULL closes the table */
    void (*head)(const struct export_file *e, FILE *file);
    struct export_section section[EXPORT_SECTIONS]; /* up to the first without put */
};

struct export_file {
    const struct export_format *format;
    struct mesh_host mesh; /* positions are world ones, from the origin on */
    double origin[3];      /* added in double, so that it costs no digits of the rest */
    double normal[3][3];   /* world from voxel, for normals; of any scale */
    bool flipped;          /* the world is a mirror image of the voxels: triangles turn round */
    int decimals;          /* of coordinates in text: a millionth of a voxel */
    int threads;
    uint64_t vertices, triangles, bytes; /* of the file */
    double make_ms, write_ms;
    char note[256]; /* what somebody who relies on the file should know; "": nothing */
};

extern const struct export_format export_formats[];

/* The format by the ending of the name. NULL: there is none of that ending, and the sentence (ERR_USAGE) lists them. */
const struct export_format *export_format_of(const char *path, struct err *err);

/* Extracts the surface at `value` (real units) and moves it into the world. What `iso` tells of the surface before stays,
 * but for times. On error, or without a surface (no triangle, which is no error), there is nothing to free. */
int export_make(struct export_file *e, struct iso *iso, const struct volume *volume, double value, struct err *err);

/* Writes the file, under its name only when it is whole. Needs no backend. Error: ERR_FAILED, also where it is cancelled. */
int export_write(struct export_file *e, const char *path, const struct progress *progress, struct err *err);

void export_free(struct export_file *e);

/* A name that no file in the current folder has: `name` without its ending, `middle`, a number where that is needed,
 * `ending`. Where `middle` is "" there is always a number. */
void export_free_name(char path[512], const char *name, const char *middle, const char *ending);

#ifdef __cplusplus
}
#endif
#endif
