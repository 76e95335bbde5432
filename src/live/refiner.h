/* Makes the surface in view of a volume whose finer levels stay in its file: plans (refine_plan.h), reads and makes block after block
 * (refine.h), and keeps what it has read (blocks.h) for the next view. For one thread at a time. */
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
    struct iso iso;
    uint64_t room; /* bytes that a surface may take */
    bool is_open;
};

struct refined {
    struct refine_mesh mesh; /* in voxels of the volume in memory */
    int level;               /* read and written atomically while it is made; -1: no finer level was worth it */
    bool limited;            /* a finer one would be, but exceeds the cache */
    size_t blocks;           /* in view that may hold surface, */
    uint64_t read;           /* and of these those that came from the file */
};

/* Opens the levels of the file that `setup` names and `shown` came from, and takes half of setup->cache bytes for voxels, half for the
 * surface; 0: a quarter of what a volume may take. Errors: as levels_open, and there is nothing to close. */
int refiner_open(struct refiner *refiner, const struct setup *setup, const struct volume *shown, struct err *err);
void refiner_close(struct refiner *refiner);

/* Makes the surface at `value` (stored units) in view, at one level. `to` is zero, and freed by the caller in any case. Errors: as
 * refine_block; ERR_FAILED "cancelled" by `progress`, which is asked before each block and while it is read. The mesh is then empty. */
int refiner_make(struct refiner *refiner, const struct refine_view *view, float value, const struct progress *progress,
                 struct refined *to, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
