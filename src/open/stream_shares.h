/* How processes that make a surface together share its layers, before anything of it is known: by samples. */
#ifndef ISO_STREAM_SHARES_H
#define ISO_STREAM_SHARES_H

#include "plan.h"
#include "store.h"
#include "team.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STREAM_SAMPLES = 64 /* slices, at most */, STREAM_SAMPLE_SLICES = 64 /* that one stands for, at least */ };

struct stream_shares_desc {
    const struct store *store;
    const float *values; /* [n] of the surfaces, stored units */
    size_t n;
    struct team *team;
    int threads;
};

/* Sets bounds[0] to bounds[team->size]: rank k takes layers bounds[k] to bounds[k + 1] - 1 (plan.h). Where single slices
 * can be read, the ranks read one in 64 between them, and all learn where the surfaces cross most edges; elsewhere,
 * and without values, layers are shared evenly. All ranks together. Errors: as store_read, and ERR_FAILED for memory. */
int stream_shares(size_t *bounds, const struct stream_shares_desc *desc, struct err *err);

/* Edges within a slice, along x and y, that the surface at `value` crosses. `slice` has nz 1. */
uint64_t stream_shares_crossed(const struct grid *slice, float value);

#ifdef __cplusplus
}
#endif
#endif
