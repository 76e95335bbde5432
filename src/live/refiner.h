/* Makes the surface in view of a volume whose finer levels stay in its file. It plans (refine_plan.h), reads and makes
 * block after block (refine.h), and keeps the voxels that it has read (blocks.h) for the next view. For one thread at a
 * time. */
#ifndef ISO_REFINER_H
#define ISO_REFINER_H

#include "refine.h"
#include "refine_plan.h"
#include "progress.h"
#include "setup.h"

#ifdef __cplusplus
extern "C" {
#endif

struct refiner { /* zero is a closed one; do not move an open one */
    struct levels levels;
    struct blocks blocks;
    struct grid shown; /* the voxels in memory; borrowed */
    struct iso iso;
    uint64_t cache;          /* bytes that voxels and a surface may take together */
    struct refine_mesh mesh; /* the surface at `value` in some blocks of `level`; in voxels of the volume in memory */
    int level;
    float value;
    bool *has;        /* whether `mesh` has the block of each number; NULL: there is no mesh */
    size_t kept;      /* number of blocks in `mesh` */
    uint64_t version; /* grows when the mesh changes */
    bool is_open;
};

struct refined {
    int level;      /* read and written atomically meanwhile; -1: no finer level was worth it */
    uint64_t lacks; /* bytes of cache that a finer level would need; 0: there is enough */
    size_t blocks;  /* in view: in the mesh, or visited by refiner_look */
    size_t made;    /* of these, missing from the mesh before */
    uint64_t read;  /* blocks read from the file */
    size_t hidden;  /* likely blocks in view that the mesh lacks: work for REFINE_ALL */
    bool full;      /* those do not fit, or are not expected to, judging by the surface in others; hidden is 0 then */
    size_t left;    /* blocks that may hold surface where coarser voxels have none: work for refiner_look */
    size_t found;   /* blocks with surface among those that refiner_look visited, or that were read earlier in a row */
};

enum refine_part { REFINE_SEEN, REFINE_ALL }; /* what no nearer surface hides, or all if it fits */

struct refine_desc { /* what to make */
    struct refine_view view;
    float value; /* stored units */
    enum refine_part part;
    const struct progress *progress; /* called before each block and while it is read */
};

/* Opens the levels of the file that `setup` names. `shown` was loaded from that file and must outlive the refiner.
 * Takes setup->cache bytes; if that is 0, what setup->load.memory leaves, but at least a quarter of it. Three quarters
 * are for voxels. A growing surface may take up to half, and then leaves less for voxels. Errors: as levels_open; there
 * is nothing to close then. */
int refiner_open(struct refiner *refiner, const struct setup *setup, const struct volume *shown, struct err *err);
void refiner_close(struct refiner *refiner);

/* Makes the part of the surface in view, at one level, in blocks that are known to hold surface or where coarser voxels
 * have it. It is then in refiner->mesh, together with what other views of the same surface and level have made, as long
 * as that fits. So a view that comes back costs nothing. `to` is zero. Errors: as refine_block; ERR_FAILED "cancelled"
 * if the progress says so. Blocks that were made stay. */
int refiner_make(struct refiner *refiner, const struct refine_desc *desc, struct refined *to, struct err *err);

/* Looks at the blocks that are left, whatever desc->part is. If some have surface (to->found), adds it as refiner_make
 * does for all. */
int refiner_look(struct refiner *refiner, const struct refine_desc *desc, struct refined *to, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
