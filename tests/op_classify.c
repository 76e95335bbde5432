#include "ops.h"

#include <stdlib.h>
#include <string.h>

/* Ranges from the textbook, so that the states are right whatever rung of bricks is under test elsewhere. */
static struct bricks device_bricks(struct env *env, const struct sample *sample)
{
    struct bricks b = bricks_for(&sample->grid);
    const size_t bytes = b.nx * b.ny * b.nz * sizeof *b.range;
    struct exec host = { .backend = BACKEND_CPU, .threads = 1 };
    const struct bricks_rung *textbook = (const struct bricks_rung *)ladder_find(ladder_of("bricks"), BACKEND_CPU,
                                                                                 "textbook");
    b.range = malloc(bytes);
    textbook->run(&sample->grid, &b, &host);
    void *device = env_memory(env, b.range, bytes);
    free(b.range);
    b.range = device;
    return b;
}

static void classify_with(struct env *env, const struct sample *sample, const struct bricks *bricks,
                          const struct strips_sample *want)
{
    const struct classify_rung *rung = (const struct classify_rung *)env->rung;
    const size_t bytes = want->strips.count * sizeof(uint32_t);
    static const char *const what[3] = { "inside bits", "vertex counts", "triangle counts" };
    const uint32_t *truth[3] = { want->strips.inside, want->strips.vertices, want->strips.triangles };
    uint32_t *memory[3], *got = malloc(bytes), *expected = malloc(bytes);
    for (int a = 0; a < 3; a++) memory[a] = env_memory(env, NULL, bytes);
    struct strips out = want->strips;
    out.inside = memory[0], out.vertices = memory[1], out.triangles = memory[2];
    out.first_vertex = out.first_triangle = NULL; /* must not be touched */
    env_ran(env, rung->run(&sample->device, sample->iso, bricks, env->device_tables, &out, &env->exec));
    for (int a = 0; a < 3; a++) {
        env_take(env, memory[a], got, bytes);
        env->ops->download(expected, truth[a], bytes, &env->exec);
        env_expect(env, !memcmp(got, expected, bytes), "%s, %s bricks: %s differ", sample->name,
                   bricks->range ? "with" : "without", what[a]);
    }
    free(got);
    free(expected);
}

static void classify_case(struct env *env, const struct sample *sample)
{
    struct truth truth = truth_of(env, sample);
    struct strips_sample want = strips_of(env, sample, &truth, ((const struct classify_rung *)env->rung)->width);
    struct bricks none = bricks_for(&sample->grid), bricks = device_bricks(env, sample);
    env_expect(env, !sample->all_cases || truth.cases == 256, "%s: noise reaches %u of the 256 cases", sample->name,
               truth.cases);
    classify_with(env, sample, &none, &want);
    classify_with(env, sample, &bricks, &want);
    env_take(env, bricks.range, NULL, bricks.nx * bricks.ny * bricks.nz * sizeof *bricks.range);
    strips_free(env, &want);
    truth_free(&truth);
}

void op_classify(struct env *env)
{
    each_sample(env, classify_case);
    each_thin_sample(env, classify_case);
}
