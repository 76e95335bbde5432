/* The slabs (plan.h) that a pass over a store takes, as thick as the memory allows, and the pass: each slab is used while
 * the next is read. */
#ifndef ISO_STREAM_SLABS_H
#define ISO_STREAM_SLABS_H

#include "band.h"
#include "slab_mesh.h"
#include "ranges.h"
#include "stream_times.h"

#ifdef __cplusplus
extern "C" {
#endif

struct stream_slabs {
    const struct store *store;
    const struct iso *iso;      /* what it takes */
    uint64_t memory;            /* bytes that the process may take, with a few MiB for itself */
    uint64_t taken;             /* of which is for something else */
    size_t layers;              /* of bricks, that a slab owns at most; 0: as many as are worth it */
    struct plan_slab *slabs;    /* [layers of the volume] */
    size_t count, room;         /* slices of the largest */
    uint64_t need;              /* bytes of memory that counting takes, at most */
    size_t chunk;               /* of as many slices, with which slabs end; 1: anywhere */
    uint64_t kept;              /* bytes of the layer of chunks that a pass keeps; 0: none */
    struct iso_layer *before;   /* of a slab, for stream_slabs_own */
    const struct ranges *noted; /* while they were counted; NULL: none */
    struct band band;           /* of all passes */
    struct stream_times *times; /* are added to; NULL: nobody asks */
};

/* Gives the pipeline rungs that number vertices, and in the order of the volume, where it has others: slabs share vertices
 * by number. Error: ERR_FAILED. */
int stream_slabs_numbered(struct iso *iso, struct err *err);

/* Reserves for all layers of the volume. Error: ERR_FAILED for memory. */
int stream_slabs_open(struct stream_slabs *slabs, struct err *err);
void stream_slabs_close(struct stream_slabs *slabs);

/* Cuts n shares, in their order, into slabs to count: no mesh is made of them. Error: ERR_FAILED, if even the thinnest take
 * too much. */
int stream_slabs_count(struct stream_slabs *slabs, const struct plan_share *shares, size_t n, struct err *err);

/* Bytes of the memory that are left for other use while slabs are counted. */
uint64_t stream_slabs_left(const struct stream_slabs *slabs);

/* Cuts `count` shares into slabs whose meshes are made, knowing what each layer of the volume owns: half of the memory at
 * most for voxels, or as much less as meshes need. Error: the same. */
int stream_slabs_write(struct stream_slabs *slabs, const struct iso_layer *layer, const struct plan_share *shares,
                       size_t count, struct err *err);

/* The room that each mesh has in turn. */
struct iso_layer stream_slabs_room(const struct stream_slabs *slabs);

struct stream_pass {
    bool (*wants)(const void *context, const struct plan_slab *slab); /* NULL: all; others are not read */
    int (*use)(void *context, const struct plan_slab *slab, const struct grid *block, struct err *err);
    void *context;
    const struct ranges *ranges; /* what need not be read; NULL: all is */
    struct progress progress;
    double begun, share; /* of the progress, before this pass and of it */
    const char *name;    /* of what is made, if it is cancelled */
};

/* How many of the pipeline's threads read, while the others use what was read. */
int stream_slabs_readers(const struct iso *iso);

/* Reads the slabs by iso->exec.threads threads. Errors: those of store_read and `use`; ERR_FAILED if cancelled. */
int stream_slabs_pass(struct stream_slabs *slabs, const struct stream_pass *pass, struct err *err);

/* ---- what a slab owns, whose block `iso` has --------------------------------------------------------------------- */

/* After a count: sets layer[i] of its own layers of the volume, numbered from slab->begin. Error: ERR_FAILED. */
int stream_slabs_own(const struct stream_slabs *slabs, struct iso *iso, const struct plan_slab *slab,
                     struct iso_layer *layer, struct err *err);

/* The bricks of its block, whose ranges are NULL unless the last run has found them, in host memory. */
struct bricks stream_slabs_bricks(const struct iso *iso);

/* Makes the mesh of m->slab in the memory of m->mesh, which is enough for the slab's room, and sets its counts and m->skip.
 * Errors: ERR_FAILED; ERR_INPUT if the slab owns something else than it did when it was counted, or has values out of the
 * ranges: the file has changed. */
int stream_slabs_make(const struct stream_slabs *slabs, struct iso *iso, float value, struct slab_mesh *m, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
