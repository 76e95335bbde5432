#include "ops.h"

#include "kernels/marching_squares.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(struct segment)); }

/* What must come out, by a walk round each cell; see marching_squares.h. Independent of the tables there. */
struct walk {
    const struct sample *sample;
    unsigned axis;
    size_t index;
};

static size_t slice_dim(const struct walk *w, unsigned k)
{
    const size_t dims[3] = { w->sample->grid.nx, w->sample->grid.ny, w->sample->grid.nz };
    return dims[w->axis == 0 ? k + 1 : w->axis == 1 ? 2 * k : k];
}

static float value_at(const struct walk *w, size_t u, size_t v)
{
    const struct grid *g = &w->sample->grid;
    const size_t i = w->index;
    const size_t x = w->axis == 0 ? i : u, y = w->axis == 0 ? u : w->axis == 1 ? i : v, z = w->axis == 2 ? i : v;
    return grid_value(g, (z * g->ny + y) * g->nx + x);
}

static const size_t corner[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } }; /* counter-clockwise */

/* Where the contour crosses from corner k to the next, in cell (u, v). */
static void cross(const struct walk *w, size_t u, size_t v, unsigned k, float to[2])
{
    const size_t *p = corner[k % 4], *q = corner[(k + 1) % 4];
    const size_t *low = p[0] + p[1] < q[0] + q[1] ? p : q, *high = low == p ? q : p;
    const float a = value_at(w, u + low[0], v + low[1]), b = value_at(w, u + high[0], v + high[1]), iso = w->sample->iso;
    float t = (iso / 2 - a / 2) / (b / 2 - a / 2);
    if (isnan(t)) t = 0.5f; /* beside NaN, or an infinite value at the lower end */
    to[0] = (float)(u + low[0]) + (high[0] > low[0] ? t : 0), to[1] = (float)(v + low[1]) + (high[1] > low[1] ? t : 0);
}

static bool inside(const struct walk *w, size_t u, size_t v, unsigned k)
{
    return value_at(w, u + corner[k % 4][0], v + corner[k % 4][1]) >= w->sample->iso;
}

static size_t walk_cell(const struct walk *w, size_t u, size_t v, struct segment *to)
{
    size_t count = 0;
    for (unsigned k = 0; k < 4; k++) {
        if (!inside(w, u, v, k) || inside(w, u, v, k + 1)) continue;
        unsigned back = k + 1;
        while (!inside(w, u, v, back + 1)) back++;
        float from[2], end[2];
        cross(w, u, v, back, from);
        cross(w, u, v, k, end);
        to[count++] = (struct segment){ from[0], from[1], end[0], end[1] };
    }
    /* case 9: the walk meets corner 1 first, and 1 is the lower; case 6: it meets 3 first, but 0 is the lower */
    if (count == 2 && inside(w, u, v, 1)) {
        const struct segment swap = to[0];
        to[0] = to[1], to[1] = swap;
    }
    return count;
}

static size_t walk_slice(const struct walk *w, struct segment *to)
{
    size_t count = 0;
    for (size_t v = 0; v + 1 < slice_dim(w, 1); v++)
        for (size_t u = 0; u + 1 < slice_dim(w, 0); u++) count += walk_cell(w, u, v, to + count);
    return count;
}

static uint64_t marching_squares_run(struct env *env, const struct walk *w, struct segment *got, uint64_t capacity)
{
    const struct marching_squares_rung *rung = (const struct marching_squares_rung *)env->rung;
    uint64_t count = 0;
    const struct marching_squares_desc d = { w->sample->device,
                                             w->axis,
                                             w->index,
                                             w->sample->iso,
                                             env_memory(env, NULL, capacity * sizeof *got),
                                             capacity,
                                             env_memory(env, NULL, sizeof count) };
    const size_t bytes = rung->scratch ? rung->scratch(&d, &env->exec) : 0;
    void *scratch = env_memory(env, NULL, bytes);
    env_ran(env, rung->run(&d, scratch, &env->exec));
    env_take(env, d.segments, got, capacity * sizeof *got);
    env_take(env, d.count, &count, sizeof count);
    env_take(env, scratch, NULL, bytes);
    return count;
}

static void marching_squares_case(struct env *env, const struct walk *w)
{
    const struct marching_squares_rung *rung = (const struct marching_squares_rung *)env->rung;
    const size_t nu = slice_dim(w, 0), nv = slice_dim(w, 1);
    struct segment *want = malloc((2 * nu * nv + 1) * sizeof *want), *got = malloc((2 * nu * nv + 1) * sizeof *got);
    const size_t count = walk_slice(w, want);
    uint64_t found = marching_squares_run(env, w, got, count);
    env_expect(env, found == count, "%s, axis %u at %zu: %llu segments, not %zu", w->sample->name, w->axis, w->index,
               (unsigned long long)found, count);
    if (!rung->ordered) qsort(want, count, sizeof *want, compare), qsort(got, count, sizeof *got, compare);
    env_expect(env, !memcmp(want, got, count * sizeof *want), "%s, axis %u at %zu: segments differ", w->sample->name,
               w->axis, w->index);
    if (count) { /* too little room: all are counted, and none is written beyond, which the guards see */
        found = marching_squares_run(env, w, got, count / 2);
        env_expect(env, found == count, "%s: %llu segments with room for %zu", w->sample->name, (unsigned long long)found,
                   count / 2);
    }
    free(want), free(got);
}

static void marching_squares_sample(struct env *env, const struct sample *sample)
{
    const size_t dims[3] = { sample->grid.nx, sample->grid.ny, sample->grid.nz };
    for (unsigned axis = 0; axis < 3; axis++)
        for (size_t index = 0; index<dims[axis]; index += dims[axis]> 1 ? dims[axis] - 1 : 1)
            marching_squares_case(env, &(struct walk){ sample, axis, index });
}

/* All 16 cases beside each other, so that also the two with two segments come. */
static void marching_squares_cases(struct env *env)
{
    uint8_t voxels[2 * 32];
    for (unsigned c = 0; c < 16; c++)
        for (unsigned k = 0; k < 4; k++) voxels[(k >> 1) * 32 + 2 * c + (k & 1)] = c >> k & 1 ? 200 : 100;
    struct sample sample = { .grid = { voxels, VOXEL_UINT8, 32, 2, 1 },
                             .device = { NULL, VOXEL_UINT8, 32, 2, 1 },
                             .iso = 140,
                             .name = "all cases" };
    sample.device.voxels = env_memory(env, voxels, sizeof voxels);
    marching_squares_case(env, &(struct walk){ &sample, 2, 0 });
    env_take(env, (void *)sample.device.voxels, NULL, sizeof voxels);
}

void op_marching_squares(struct env *env)
{
    each_sample(env, marching_squares_sample);
    marching_squares_cases(env);

    enum { LONG = 65536 * 256 + 2 }; /* more than 2^16 blocks of 256 cells, a few of them crossed */
    if (env->exec.backend != BACKEND_CUDA) return;
    uint8_t *voxels = calloc(2, LONG);
    for (size_t i = 0; i < LONG; i += 65521) voxels[i] = 100;
    struct sample sample = { .grid = { voxels, VOXEL_UINT8, LONG, 2, 1 },
                             .device = { NULL, VOXEL_UINT8, LONG, 2, 1 },
                             .iso = 50,
                             .name = "a long slice" };
    sample.device.voxels = env_memory(env, voxels, 2 * LONG);
    marching_squares_case(env, &(struct walk){ &sample, 2, 0 });
    env_take(env, (void *)sample.device.voxels, NULL, 2 * LONG);
    free(voxels);
}
