#include "ops.h"

#include "kernels/gemv.h"
#include "kernels/order.h"
#include "kernels/sort.h"

#include <stdlib.h>

static uint32_t random_below(uint64_t *state, size_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % n);
}

/* n triangles between `count` vertices, and any order of them. */
static void fill(struct vertex *vertices, size_t count, uint32_t *indices, uint32_t *order, size_t n)
{
    uint64_t state = 20240229;
    for (size_t i = 0; i < count; i++) {
        vertices[i].x = (float)random_below(&state, 1u << 24) / 4096, vertices[i].y = (float)random_below(&state, 2048);
        vertices[i].z = (float)i * 0.37f, vertices[i].normal = random_below(&state, 1u << 30);
    }
    for (size_t i = 0; i < 3 * n; i++) indices[i] = random_below(&state, count);
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    for (size_t i = n; i > 1; i--) { /* Fisher and Yates */
        const size_t j = random_below(&state, i);
        const uint32_t swap = order[i - 1];
        order[i - 1] = order[j], order[j] = swap;
    }
}

static void check_sums(struct env *env, const struct vertex *vertices, const uint32_t *indices, const float *sums, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const struct vertex *a = &vertices[indices[3 * i]], *b = &vertices[indices[3 * i + 1]];
        const struct vertex *c = &vertices[indices[3 * i + 2]];
        const float want[3] = { a->x + b->x + c->x, a->y + b->y + c->y, a->z + b->z + c->z };
        for (int k = 0; k < 3; k++) wrong += !(sums[3 * i + (size_t)k] == want[k]);
    }
    env_expect(env, !wrong, "%zu triangles: %zu sums are wrong", n, wrong);
}

static void check_corners(struct env *env, const uint32_t *indices, const uint32_t *order, const uint32_t *got, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < 3 * n; i++) wrong += got[i] != indices[3 * (size_t)order[i / 3] + i % 3];
    env_expect(env, !wrong, "%zu triangles: %zu corners are wrong", n, wrong);
}

static void order_case(struct env *env, size_t n)
{
    const struct order_rung *rung = (const struct order_rung *)env->rung;
    const size_t count = n / 2 + 3, bytes = 3 * n * sizeof(uint32_t);
    struct vertex *vertices = malloc(count * sizeof *vertices);
    uint32_t *indices = malloc(bytes + 4), *order = malloc(n * sizeof *order + 4), *got = malloc(bytes + 4);
    float *sums = malloc(bytes + 4);
    fill(vertices, count, indices, order, n);
    struct vertex *at_vertices = env_memory(env, vertices, count * sizeof *vertices);
    uint32_t *at_indices = env_memory(env, indices, bytes), *at_order = env_memory(env, order, n * sizeof *order);
    uint32_t *at_got = env_memory(env, NULL, bytes);
    float *at_sums = env_memory(env, NULL, bytes);
    env_ran(env, rung->sums(at_vertices, at_indices, at_sums, n, &env->exec));
    env_ran(env, rung->permute(at_indices, at_order, at_got, n, &env->exec));
    env_take(env, at_sums, sums, bytes), env_take(env, at_got, got, bytes);
    env_take(env, at_vertices, NULL, count * sizeof *vertices), env_take(env, at_indices, NULL, bytes);
    env_take(env, at_order, NULL, n * sizeof *order);
    check_sums(env, vertices, indices, sums, n);
    check_corners(env, indices, order, got, n);
    free(vertices), free(indices), free(order), free(got), free(sums);
}

/* The whole way: by the default rungs of gemv and sort, depths along a view do not rise. */
static void chain_case(struct env *env, size_t n)
{
    const struct order_rung *rung = (const struct order_rung *)env->rung;
    const struct gemv_rung *gemv = (const struct gemv_rung *)ladder_find(ladder_of("gemv"), env->exec.backend, NULL);
    const struct sort_rung *sort = (const struct sort_rung *)ladder_find(ladder_of("sort"), env->exec.backend, NULL);
    const size_t count = n / 2 + 3, bytes = 3 * n * sizeof(uint32_t);
    const float along[3] = { 0.48f, -0.6f, 0.64f };
    struct vertex *vertices = malloc(count * sizeof *vertices);
    uint32_t *indices = malloc(bytes), *order = malloc(n * sizeof *order), *got = malloc(bytes);
    fill(vertices, count, indices, order, n);
    struct vertex *at_vertices = env_memory(env, vertices, count * sizeof *vertices);
    uint32_t *at_indices = env_memory(env, indices, bytes), *at_order = env_memory(env, NULL, n * sizeof *order);
    uint32_t *at_got = env_memory(env, NULL, bytes), *at_keys = env_memory(env, NULL, n * sizeof *order);
    float *at_sums = env_memory(env, NULL, bytes), *at_along = env_memory(env, along, sizeof along);
    float *at_depths = env_memory(env, NULL, n * sizeof *at_depths);
    const struct gemv_desc product = { .m = n, .n = 3, .alpha = 1, .a = at_sums, .lda = 3, .x = at_along, .y = at_depths };
    const struct sort_desc keys = { .n = n,
                                    .key = SORT_FLOAT32,
                                    .descending = true,
                                    .keys_in = (uint32_t *)at_depths,
                                    .keys_out = at_keys,
                                    .values_out = at_order };
    const size_t capacity = 1024 + (gemv->scratch ? gemv->scratch(&product, &env->exec) : 0) +
                            (sort->scratch ? sort->scratch(&keys, &env->exec) : 0);
    void *scratch = env_memory(env, NULL, capacity);
    env_ran(env, rung->sums(at_vertices, at_indices, at_sums, n, &env->exec));
    env_ran(env, gemv->run(&product, scratch, &env->exec));
    env_ran(env, sort->run(&keys, scratch, &env->exec));
    env_ran(env, rung->permute(at_indices, at_order, at_got, n, &env->exec));
    env_take(env, at_got, got, bytes), env_take(env, at_vertices, NULL, count * sizeof *vertices);
    env_take(env, at_indices, NULL, bytes), env_take(env, at_order, NULL, n * sizeof *order);
    env_take(env, at_keys, NULL, n * sizeof *order), env_take(env, at_sums, NULL, bytes);
    env_take(env, at_along, NULL, sizeof along), env_take(env, at_depths, NULL, n * sizeof *at_depths);
    env_take(env, scratch, NULL, capacity);
    size_t rises = 0;
    double last = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double depth = 0;
        for (size_t c = 0; c < 3; c++) {
            const struct vertex *v = &vertices[got[3 * i + c]];
            depth += (double)along[0] * v->x + (double)along[1] * v->y + (double)along[2] * v->z;
        }
        rises += !(depth <= last + 0.01); /* of sums up to 20000, in float */
        last = depth;
    }
    env_expect(env, !rises, "%zu triangles from back to front: %zu lie behind the one before", n, rises);
    free(vertices), free(indices), free(order), free(got);
}

void op_order(struct env *env)
{
    static const size_t sizes[] = { 0, 1, 2, 85, 86, 255, 256, 257, 1000, 100003 }; /* round a block, of corners too */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) order_case(env, sizes[i]);
    chain_case(env, 1);
    chain_case(env, 65537);
}
