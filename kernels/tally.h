/* tally: strips -> how many voxels are inside and how many cells the surface crosses. For reports, not for the frame. */
#ifndef ISO_TALLY_H
#define ISO_TALLY_H

#include "rung.h"
#include "strips.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tally {
    uint64_t voxels_inside, active_cells;
};

struct tally_rung {
    struct rung rung;
    int (*run)(const struct strips *strips, struct tally *out, struct exec *x); /* out: backend memory */
};

extern const struct tally_rung tally_cpu[], tally_cuda[];

#ifdef __cplusplus
}
#endif
#endif
