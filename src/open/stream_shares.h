/* Divides the layers of a surface among the processes that make it, by samples, before anything of it is known. */
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

/* Sets bounds[0] to bounds[team->size]: rank k takes layers bounds[k] to bounds[k + 1] - 1 (plan.h). If single slices can
 * be read, the ranks together read one slice in 64, and so all learn where the surfaces cross most edges. Otherwise, or
 * without values, each rank gets the same number of layers. All ranks call it together. Errors: as store_read, and
 * ERR_FAILED for memory. */
int stream_shares(size_t *bounds, const struct stream_shares_desc *desc, struct err *err);

/* Returns how many edges within a slice, along x and y, the surface at `value` crosses. `slice` has nz 1. */
uint64_t stream_shares_crossed(const struct grid *slice, float value);

#ifdef __cplusplus
}
#endif
#endif
