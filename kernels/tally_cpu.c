/* tally on the CPU; the contract is in tally.h. */
#include "tally.h"

static int textbook(const struct strips *s, struct tally *out, struct exec *x)
{
    uint64_t inside = 0, active = 0;
#pragma omp parallel for num_threads(x->threads) reduction(+ : inside, active)
    for (size_t i = 0; i < s->count; i++) {
        inside += popcount32(s->inside[i]);
        const struct strip_corners c = strip_cells(s, i, strip_locate(s, i));
        active += popcount32(strip_active(&c));
    }
    out->voxels_inside = inside;
    out->active_cells = active;
    return 0;
}

const struct tally_rung tally_cpu[] = {
    { { "textbook", "population counts, strip by strip", true }, textbook },
    { { NULL, NULL, false }, NULL },
};
