#include "ops.h"

#include <stdlib.h>
#include <string.h>

static void histogram_with(struct env *env, const struct sample *sample, float lo, float hi, unsigned bins)
{
    const struct histogram_rung *rung = (const struct histogram_rung *)env->rung;
    const size_t bytes = bins * sizeof(uint64_t), scratch_bytes = rung->scratch ? rung->scratch(bins, &env->exec) : 0;
    uint64_t *want = calloc(bins, sizeof *want), *got = malloc(bytes);
    void *scratch = env_memory(env, NULL, scratch_bytes);
    const struct histogram_desc desc = { lo, hi, bins, env_memory(env, NULL, bytes) };
    env_ran(env, rung->run(&sample->device, &desc, scratch, &env->exec));
    env_take(env, desc.counts, got, bytes);
    env_take(env, scratch, NULL, scratch_bytes);
    for (size_t i = 0; i < grid_voxels(&sample->grid); i++) {
        const unsigned bin = histogram_bin(grid_value(&sample->grid, i), lo, hi, bins);
        if (bin < bins) want[bin]++;
    }
    env_expect(env, !memcmp(got, want, bytes), "%s, %u bins of %g..%g: counts differ", sample->name, bins, lo, hi);
    free(want);
    free(got);
}

static void histogram_case(struct env *env, const struct sample *sample)
{
    histogram_with(env, sample, -0.5f, 255.5f, 256);  /* a bin for each 8-bit value */
    histogram_with(env, sample, 10, 70, 7);           /* values outside, bins not a power of two */
    histogram_with(env, sample, -32768, 65535, 1024); /* all 16-bit values, the most bins in use */
    histogram_with(env, sample, 40, 40.5f, 1);
    if (grid_voxels(&sample->grid) != 4 * 32 * 3) return; /* one shape is enough for tables of several kinds of memory: */
    histogram_with(env, sample, 0, 80, 1537);             /* a bin too many for a copy per warp */
    histogram_with(env, sample, 0, 80, 12289);            /* for one block's shared memory */
    histogram_with(env, sample, -32768, 65535, 98305);    /* for eight blocks' */
}

void op_histogram(struct env *env)
{
    each_sample(env, histogram_case);

    /* the function that every rung shares, against what a person would say */
    env_expect(
        env, histogram_bin(0, 0, 10, 10) == 0 && histogram_bin(9.99f, 0, 10, 10) == 9 && histogram_bin(10, 0, 10, 10) == 9,
        "both ends belong to the first and last bin");
    env_expect(env, histogram_bin(-0.01f, 0, 10, 10) == 10 && histogram_bin(NAN, 0, 10, 10) == 10, "others to none");
    env_expect(env, histogram_bin(0, -3e38f, 3e38f, 2) == 1, "an interval wider than the largest float");
}
