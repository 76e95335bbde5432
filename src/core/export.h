/* Writes surfaces as a file for other programs, in the volume's world coordinates. export_formats has a row per format.
 *
 *    export_format_of(path) -> export_open -> export_add for each value: extract, edit (export_edit.h), normals from the
 *    voxels (export_normals.c), voxels -> world by gemm (export_transform.c) -> export_write -> export_free
 *
 * Triangles are counter-clockwise seen from outside, and normals point outwards, also in volumes with left-handed axes.
 * Outside is the side of the lower values (of the higher ones if edit.below). The same volume and value give the same file,
 * byte for byte, for any number of threads and any CPU rung. The same holds for CUDA if the volume's axes are parallel to
 * the world's. For oblique axes the last bit of a coordinate may differ, because CUDA rounds a sum once where the CPU
 * rounds it twice. */
#ifndef ISO_EXPORT_H
#define ISO_EXPORT_H

#include "export_edit.h"
#include "iso.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

struct export_format; /* export_format.h */

struct export_look { /* zero: the format's default */
    bool coloured;
    float colour[3];    /* linear r, g, b, if coloured */
    float transparency; /* 0: opaque, to 1 */
};

struct export_part {                       /* the surface at one value */
    double value;                          /* real units */
    struct export_look look;               /* in formats that support it */
    struct mesh_host mesh;                 /* positions in the world, relative to the origin */
    float *normals;                        /* 3 per vertex, from malloc: in the world, unit, outwards */
    bool turned;                           /* outwards is towards higher values */
    uint64_t first_vertex, first_triangle; /* totals of the parts before it */
};

struct export_file { /* zero is an empty one */
    const struct export_format *format;
    struct export_edit edit;   /* for parts added later */
    struct export_look look;   /* for parts added later */
    struct export_part *parts; /* none is empty */
    size_t count;
    char unit[VOLUME_UNIT]; /* of the world; "": not known */
    double origin[3];       /* of the world's coordinates: where voxel (0, 0, 0) lies */
    double centre[3];       /* of the volume's box */
    double shift[3];        /* added to the positions, in double, while writing; usually the origin */
    double normal[3][3];    /* voxel to world, for normals; of any scale */
    bool flipped;           /* the world mirrors the voxels: turn triangles over */
    bool wide;              /* 32-bit floats are too coarse for the coordinates */
    int decimals;           /* of coordinates in text: to a millionth of a voxel */
    int threads;
    uint64_t vertices, triangles, bytes; /* of the file */
    struct export_edited edited;
    double make_ms, write_ms;
    char note[256]; /* what users of the file should know; "": nothing */
};

extern const struct export_format *const export_formats[]; /* NULL closes the table */

/* Finds the format, including PVTP (export_pieces.h), by the extension of `path`. Error: NULL and ERR_USAGE, with the known
 * extensions. */
const struct export_format *export_format_of(const char *path, struct err *err);

/* Begins a file without parts, in the world of `volume`. e->edit and e->look are kept; all else in `e` must have been
 * freed. Error: ERR_FAILED, and there is nothing to free. */
int export_open(struct export_file *e, const struct iso *iso, const struct volume *volume, struct err *err);

/* Extracts the surface at `value` (real units), edits it, moves it into the world, and adds it as a part. A surface without
 * triangles adds no part. Preserves iso->counts, but not the times. On error `e` is freed. */
int export_add(struct export_file *e, struct iso *iso, const struct volume *volume, double value, struct err *err);

/* Writes all parts in e->format to `path`, atomically (replace.h); needs no backend. Error: ERR_FAILED, also if the format
 * cannot hold them, or if `progress` cancels. */
int export_write(struct export_file *e, const char *path, const struct progress *progress, struct err *err);

/* Frees the parts. */
void export_free(struct export_file *e);

/* Makes a file name that is not yet used in the current folder: `name` without its extension (without both of "a.nii.gz"
 * and "a.ome.tif"), `middle`, a number if needed, `ending`. If `middle` is "", there is always a number. */
void export_free_name(char path[512], const char *name, const char *middle, const char *ending);

/* Writes what a name says about which frame it is, "_frame2"; "" if the volume is the file's only one. Returns `to`. */
const char *export_frame_name(char to[32], const struct volume *volume, uint64_t frame);

#ifdef __cplusplus
}
#endif
#endif
