/* The slabs (plan.h) of a pass over a store, as thick as memory allows, and the pass itself: each slab is used while the
 * next one is read. */
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
    const struct iso *iso;      /* its working memory is part of `memory` */
    uint64_t memory;            /* bytes that the process may take, including a few MiB for itself */
    uint64_t taken;             /* part of it that is used for other things */
    size_t layers;              /* of bricks, the most that a slab owns; 0: as many as are worth it */
    struct plan_slab *slabs;    /* [layers of the volume] */
    size_t count, room;         /* slices of the largest */
    uint64_t need;              /* bytes of memory that counting takes at most */
    size_t chunk;               /* slabs end at multiples of so many slices; 1: anywhere */
    uint64_t kept;              /* bytes of the layer of chunks that a pass keeps; 0: none */
    struct iso_layer *before;   /* for stream_slabs_own: what lies before a slab */
    const struct ranges *noted; /* noted while the slabs were counted; NULL: none */
    struct band band;           /* used by all passes */
    struct stream_times *times; /* the times are added to it; NULL: not wanted */
};

/* Makes sure that the pipeline's rungs number vertices, in the order of the volume; replaces those that do not. Slabs refer
 * to shared vertices by number. Error: ERR_FAILED. */
int stream_slabs_numbered(struct iso *iso, struct err *err);

/* Allocates for all layers of the volume. Error: ERR_FAILED for memory. */
int stream_slabs_open(struct stream_slabs *slabs, struct err *err);
void stream_slabs_close(struct stream_slabs *slabs);

/* Cuts n shares, in order, into slabs to count, without making their meshes. Error: ERR_FAILED if even the thinnest slabs
 * take too much memory. */
int stream_slabs_count(struct stream_slabs *slabs, const struct plan_share *shares, size_t n, struct err *err);

/* Bytes of memory left for other use while slabs are counted. */
uint64_t stream_slabs_left(const struct stream_slabs *slabs);

/* Cuts `count` shares into slabs whose meshes will be made. `layer` says what each layer of the volume owns. Voxels get at
 * most half of the memory, less if meshes need more. Error: the same. */
int stream_slabs_write(struct stream_slabs *slabs, const struct iso_layer *layer, const struct plan_share *shares,
                       size_t count, struct err *err);

/* The room for one mesh, which all meshes use in turn. */
struct iso_layer stream_slabs_room(const struct stream_slabs *slabs);

struct stream_pass {
    bool (*wants)(const void *context, const struct plan_slab *slab); /* NULL: all; slabs it does not want are not read */
    int (*use)(void *context, const struct plan_slab *slab, const struct grid *block, struct err *err);
    void *context;
    const struct ranges *ranges; /* what need not be read; NULL: read all */
    struct progress progress;
    double begun, share; /* of the overall progress: value before this pass, and share of this pass */
    const char *name;    /* of what is made, for the message if it is cancelled */
};

/* How many of the pipeline's threads read while the others use what was read. */
int stream_slabs_readers(const struct iso *iso);

/* Reads the slabs with iso->exec.threads threads. Errors: those of store_read and `use`; ERR_FAILED if cancelled. */
int stream_slabs_pass(struct stream_slabs *slabs, const struct stream_pass *pass, struct err *err);

/* ---- what a slab owns, whose block `iso` has --------------------------------------------------------------------- */

/* After a count: sets layer[i] for each layer of the volume that the slab owns, numbered from slab->begin. Error:
 * ERR_FAILED. */
int stream_slabs_own(const struct stream_slabs *slabs, struct iso *iso, const struct plan_slab *slab,
                     struct iso_layer *layer, struct err *err);

/* The bricks of its block, in host memory. Their ranges are NULL unless the last run has found them. */
struct bricks stream_slabs_bricks(const struct iso *iso);

/* Makes the mesh of m->slab in the memory of m->mesh, which must be enough for the slab's room. Sets its counts and
 * m->skip. Errors: ERR_FAILED; ERR_INPUT if the file has changed: the slab does not own what it did when it was counted, or
 * has values outside the ranges. */
int stream_slabs_make(const struct stream_slabs *slabs, struct iso *iso, float value, struct slab_mesh *m, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
