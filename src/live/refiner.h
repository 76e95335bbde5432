/* Makes the surface in view of a volume whose finer levels stay in its file: plans (refine_plan.h), reads and makes block
 * after block (refine.h), and keeps what it has read (blocks.h) for the next view. For one thread at a time. */
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
    struct refine_mesh mesh; /* in voxels of the volume in memory: the surface at `value` in some blocks of a level, */
    int level;
    float value;
    bool *has;        /* which ones, by their numbers; NULL: there is no mesh */
    size_t kept;      /* how many */
    uint64_t version; /* grows when the mesh changes */
    bool is_open;
};

struct refined {
    int level;      /* read and written atomically while it is made; -1: no finer level was worth it */
    uint64_t lacks; /* bytes of cache that a finer one would need; 0: there is enough */
    size_t blocks;  /* in view that the mesh has, or that refiner_look visited, */
    size_t made;    /* of these those that it did not have before, */
    uint64_t read;  /* and those that came from the file */
    size_t hidden;  /* likely blocks in view that the mesh lacks: for REFINE_ALL, */
    bool full;      /* unless there is no room for them all, or so it seems from the surface in others; hidden is 0 then */
    size_t left;    /* those that may hold surface where coarser voxels have none: for refiner_look */
    size_t found;   /* with surface, of those that refiner_look visited, or that were read in the row of others before */
};

enum refine_part { REFINE_SEEN, REFINE_ALL }; /* what nearer surface does not hide, or all, if there is room for it */

struct refine_desc { /* of what is to be made */
    struct refine_view view;
    float value; /* stored units */
    enum refine_part part;
    const struct progress *progress; /* asked before each block and while it is read */
};

/* Opens the levels of the file that `setup` names and `shown`, which must outlive it, came from. Takes setup->cache bytes,
 * or what setup->load.memory leaves, a quarter of it at least: three quarters of them for voxels, and less of these while a
 * surface grows, which may take half. Errors: as levels_open, and there is nothing to close. */
int refiner_open(struct refiner *refiner, const struct setup *setup, const struct volume *shown, struct err *err);
void refiner_close(struct refiner *refiner);

/* Makes the part of the surface in view, at one level, in the blocks where coarser voxels have it, too, or that are known:
 * refiner->mesh has it then, and what other views have left of the same surface and level, while that has room; so nothing
 * is made again for a view that comes back. `to` is zero. Errors: as refine_block; ERR_FAILED "cancelled" by the progress;
 * blocks that were made stay. */
int refiner_make(struct refiner *refiner, const struct refine_desc *desc, struct refined *to, struct err *err);

/* Looks at the blocks that are left, whatever the part; if some have surface (to->found), adds it, as refiner_make of
 * all. */
int refiner_look(struct refiner *refiner, const struct refine_desc *desc, struct refined *to, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
