/* A surface file that is written slab by slab (plan.h): the same bytes as export_write, without the whole mesh. For formats
 * whose records all have the same size, so that everything has its place once the counts are known. */
#ifndef ISO_EXPORT_SLABS_H
#define ISO_EXPORT_SLABS_H

#include "export_format.h"
#include "plan.h"
#include "sink.h"
#include "slab_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

struct export_slabs { /* zero is an empty one */
    struct export_file *file;
    double value; /* of its surface, where file->count is several */
    struct sink sink;
    struct sink_run run[EXPORT_SECTIONS];
    uint64_t begin[EXPORT_SECTIONS]; /* bytes: of the section's first record */
    size_t record[EXPORT_SECTIONS];  /* bytes; 0: the file has no such section */
    struct pieces pieces;            /* for whoever finishes the file */
    char *buffer;
    double write_ms;  /* of adding and taking records, without formatting */
    uint64_t written; /* bytes that were added */
};

struct export_share { /* what one of several processes writes; numbers of the whole, with the surfaces before */
    struct iso_layer first, end;
    struct iso_layer from; /* it has written what lies before */
};

/* What one that is open has of memory, about. */
#define EXPORT_SLABS_BYTES ((uint64_t)9 << 19)

/* Names of formats that can be written this way: "PLY, STL, VTP and PVTP". */
#define EXPORT_SLABS_FORMATS "PLY, STL, VTP and PVTP"

/* Begins the file `path` of e->vertices vertices and e->triangles triangles, as export_open has set e's world, in its full
 * length; a share of it will be added. common: where all processes write it; NULL: this one is alone. w->pieces may hold those of what lies before share->from. `e` and `path` must outlive it. Error:
 * ERR_FAILED, and there is nothing to close. */
int export_slabs_open(struct export_slabs *w, struct export_file *e, const char *path, const struct replace_common *common,
                      const struct export_share *share, struct err *err);

/* Begins one more surface, at `value`, of a file that `owner` has opened and closes at the end; file->count says how many
 * it holds. Error: ERR_FAILED, and there is nothing to close. */
int export_slabs_join(struct export_slabs *w, const struct export_slabs *owner, const struct export_share *share,
                      double value, struct err *err);

/* Ends such a surface. */
void export_slabs_part(struct export_slabs *w);

/* Moves what the slab owns of its mesh from voxel coordinates of the whole into the world, with all vertices behind that,
 * and sets the normals of its own vertices. block: the voxels that were read. iso: for gemm. Error: ERR_FAILED. */
int export_slabs_place(struct export_file *e, const struct slab_mesh *m, const struct grid *block, struct iso *iso,
                       const struct volume *volume, struct err *err);

/* Writes what the slab owns of such a mesh; slabs come in their order. Error: ERR_FAILED. */
int export_slabs_add(struct export_slabs *w, const struct slab_mesh *m, struct err *err);

/* Brings all that was added to the disk, but for w->pieces. Error: ERR_FAILED. */
int export_slabs_sync(struct export_slabs *w, struct err *err);

/* Writes the pieces of a share. Error: ERR_FAILED, also if they are not all of them. */
int export_slabs_take(struct export_slabs *w, const struct export_share *share, const uint8_t *bytes, size_t n,
                      struct err *err);

/* Writes what is no record, and ends the file. Error: ERR_FAILED, and none is left, but for a common one. */
int export_slabs_close(struct export_slabs *w, struct err *err);

/* Ends it without that. */
void export_slabs_abandon(struct export_slabs *w);

/* Leaves the file to the others. */
void export_slabs_leave(struct export_slabs *w);

#ifdef __cplusplus
}
#endif
#endif
