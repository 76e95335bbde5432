#include "ops.h"

#include <stdio.h>
#include <stdlib.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static struct brick_range brute_range(const struct grid *g, size_t i, size_t j, size_t k)
{
    struct brick_range r = { INFINITY, -INFINITY };
    for (size_t z = k * BRICK_Z; z < least(g->nz, (k + 1) * BRICK_Z + 1); z++)
        for (size_t y = j * BRICK_Y; y < least(g->ny, (j + 1) * BRICK_Y + 1); y++)
            for (size_t x = i * BRICK_X; x < least(g->nx, (i + 1) * BRICK_X + 1); x++) {
                float v = grid_value(g, (z * g->ny + y) * g->nx + x);
                if (isnan(v)) v = -INFINITY;
                r.min = fminf(r.min, v);
                r.max = fmaxf(r.max, v);
            }
    return r;
}

static void bricks_case(struct env *env, const struct sample *sample)
{
    const struct bricks_rung *rung = (const struct bricks_rung *)env->rung;
    const struct grid *g = &sample->grid;
    struct bricks b = bricks_for(g);
    const size_t n = b.nx * b.ny * b.nz;
    if (!rung->run) return; /* keeps no ranges */
    b.range = env_memory(env, NULL, n * sizeof *b.range);
    env_ran(env, rung->run(&sample->device, &b, &env->exec));
    struct brick_range *got = malloc(n * sizeof *got);
    env_take(env, b.range, got, n * sizeof *got);
    for (size_t i = 0; i < n; i++) {
        const struct brick_range want = brute_range(g, i % b.nx, i / b.nx % b.ny, i / b.nx / b.ny);
        env_expect(env, got[i].min == want.min && got[i].max == want.max, "%s: brick %zu is %g..%g, not %g..%g",
                   sample->name, i, got[i].min, got[i].max, want.min, want.max);
    }
    free(got);
}

/* Rows longer than what a rung folds at once, which no sample has: 32 bricks of 32 voxels on the CPU. */
static void long_rows(struct env *env)
{
    static const size_t lengths[] = { 1023, 1024, 1025, 1026, 1056, 1057, 2049 };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (enum voxel_type type = VOXEL_UINT8; type < VOXEL_TYPE_COUNT; type++) {
            const size_t bytes = lengths[i] * 6 * 5 * voxel_bytes(type);
            uint8_t *voxels = malloc(bytes);
            uint32_t state = (uint32_t)i + 1;
            for (size_t at = 0; at < bytes; at++) {
                state = state * 1664525u + 1013904223u; /* Numerical Recipes' generator; floats get NaN among them */
                voxels[at] = (uint8_t)(state >> 24);
            }
            struct sample sample = { { voxels, type, lengths[i], 6, 5 }, { 0 }, 0.0f, "" };
            snprintf(sample.name, sizeof sample.name, "%zux6x5 noise, type %d", lengths[i], (int)type);
            sample.device = sample.grid;
            sample.device.voxels = env_memory(env, voxels, bytes);
            bricks_case(env, &sample);
            env_take(env, (void *)sample.device.voxels, NULL, bytes);
            free(voxels);
        }
}

void op_bricks(struct env *env)
{
    each_sample(env, bricks_case);
    long_rows(env);
}
