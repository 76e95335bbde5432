/* Writes a surface file slab by slab (plan.h). It has the same bytes as from export_write, but the whole mesh is never in
 * memory. For formats whose records all have the same size: once the counts are known, so is the place of each record. */
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
    double value; /* of its surface, if file->count is above 1 */
    struct sink sink;
    struct sink_run run[EXPORT_SECTIONS];
    uint64_t begin[EXPORT_SECTIONS]; /* byte at which the section's first record begins */
    size_t record[EXPORT_SECTIONS];  /* bytes; 0: the file has no such section */
    struct pieces pieces;            /* for the process that finishes the file */
    char *buffer;
    double write_ms;  /* for adding and taking records, without formatting */
    uint64_t written; /* bytes that were added */
};

struct export_share { /* what one of several processes writes; numbers count from the file's first surface */
    struct iso_layer first, end;
    struct iso_layer from; /* what lies before it is already written */
};

/* Approximate memory of an open one. */
#define EXPORT_SLABS_BYTES ((uint64_t)9 << 19)

/* Names of formats that can be written this way: "PLY, STL, VTP and PVTP". */
#define EXPORT_SLABS_FORMATS "PLY, STL, VTP and PVTP"

/* Begins the file `path` of e->vertices vertices and e->triangles triangles, in its full length. e's world must be as
 * export_open set it. `share`: the part of the file that will be added here. `common`: the file that all processes write;
 * NULL: this process is alone. w->pieces may already hold the pieces of what lies before share->from. `e` and `path` must
 * outlive `w`. Error: ERR_FAILED, and there is nothing to close. */
int export_slabs_open(struct export_slabs *w, struct export_file *e, const char *path, const struct replace_common *common,
                      const struct export_share *share, struct err *err);

/* Begins another surface, at `value`, of a file that `owner` opened and will close; file->count is the number of its
 * surfaces. Error: ERR_FAILED, and there is nothing to close. */
int export_slabs_join(struct export_slabs *w, const struct export_slabs *owner, const struct export_share *share,
                      double value, struct err *err);

/* Ends a surface that export_slabs_join began. */
void export_slabs_part(struct export_slabs *w);

/* Moves the slab's own vertices, and all that follow them in the mesh, from voxel coordinates of the whole into the world.
 * Sets the normals of its own vertices. block: the voxels that were read. iso: for gemm. Error: ERR_FAILED. */
int export_slabs_place(struct export_file *e, const struct slab_mesh *m, const struct grid *block, struct iso *iso,
                       const struct volume *volume, struct err *err);

/* Writes what the slab owns of such a mesh. Slabs must come in order. Error: ERR_FAILED. */
int export_slabs_add(struct export_slabs *w, const struct slab_mesh *m, struct err *err);

/* Waits until everything that was added is on disk, except w->pieces. Error: ERR_FAILED. */
int export_slabs_sync(struct export_slabs *w, struct err *err);

/* Writes the pieces of a share. Error: ERR_FAILED, also if some are missing. */
int export_slabs_take(struct export_slabs *w, const struct export_share *share, const uint8_t *bytes, size_t n,
                      struct err *err);

/* Writes everything that is not a record, and ends the file. Error: ERR_FAILED; the file is then removed, unless it is
 * common. */
int export_slabs_close(struct export_slabs *w, struct err *err);

/* Closes without finishing the file. */
void export_slabs_abandon(struct export_slabs *w);

/* Closes a common file that the other processes continue to write. */
void export_slabs_leave(struct export_slabs *w);

#ifdef __cplusplus
}
#endif
#endif
