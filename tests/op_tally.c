#include "ops.h"

static void tally_case(struct env *env, const struct sample *sample)
{
    const struct tally_rung *rung = (const struct tally_rung *)env->rung;
    struct truth truth = truth_of(env, sample);
    struct tally want = { 0, 0 }, got;
    for (size_t i = 0; i < truth.n; i++) {
        want.voxels_inside += truth.inside[i];
        want.active_cells += truth.triangles[i] != 0; /* every case but all and none has a triangle */
    }
    for (unsigned width = 1; width <= 32; width += 31) {
        struct strips_sample s = strips_of(env, sample, &truth, width);
        struct tally *out = env_memory(env, NULL, sizeof *out);
        env_ran(env, rung->run(&s.strips, out, &env->exec));
        env_take(env, out, &got, sizeof got);
        env_expect(env, got.voxels_inside == want.voxels_inside && got.active_cells == want.active_cells,
                   "%s, width %u: %llu inside, %llu active, not %llu and %llu", sample->name, width,
                   (unsigned long long)got.voxels_inside, (unsigned long long)got.active_cells,
                   (unsigned long long)want.voxels_inside, (unsigned long long)want.active_cells);
        strips_free(env, &s);
    }
    truth_free(&truth);
}

void op_tally(struct env *env) { each_sample(env, tally_case); }
