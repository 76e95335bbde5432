/* A mesh drawn in parts, each over the ones before: every CPU rung must show what the textbook shows of the whole mesh.
 * A part of an indexed mesh uses few of its vertices, and a rung must not read the positions of others. */
#include "check.h"
#include "kernels/backend.h"
#include "kernels/draw_triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 80, /* squares along each side of a sheet: a half of it has fewer triangles than all of it vertices */
    VERTICES = (SIDE + 1) * (SIDE + 1),
    TRIANGLES = 2 * SIDE * SIDE,
    WIDTH = 150,
    HEIGHT = 110,
    PIXELS = WIDTH * HEIGHT
};

static struct vertex vertex[VERTICES];
static uint32_t indices[3 * TRIANGLES];

/* A wavy sheet that hides parts of itself and extends beyond the sides of the view. */
static void make_mesh(void)
{
    uint32_t *to = indices;
    for (uint32_t i = 0; i < VERTICES; i++) {
        const float u = (float)(i % (SIDE + 1)) / SIDE, v = (float)(i / (SIDE + 1)) / SIDE;
        vertex[i] = (struct vertex){ 2.4f * u - 1.2f, 1.6f * v - 0.8f + 0.3f * sinf(20 * u), 0.6f * sinf(9 * v + 4 * u),
                                     (uint32_t)check_random() & 0x3fffffffu };
    }
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const uint32_t a = y * (SIDE + 1) + x, b = a + 1, c = a + SIDE + 1, d = c + 1;
            const uint32_t two[6] = { a, b, c, b, d, c };
            memcpy(to, two, sizeof two), to += 6;
        }
}

struct picture {
    float depth[PIXELS];
    uint32_t seen[PIXELS];
};

/* Draws in that many parts, with scratch memory full of garbage. */
static bool draw(const struct draw_rung *rung, struct exec *x, size_t parts, struct picture *to)
{
    struct draw_desc d = { .vertices = vertex,
                           .vertex_count = VERTICES,
                           .width = WIDTH,
                           .height = HEIGHT,
                           .surface = 1,
                           .clip_from_voxel = { [0] = 1, [5] = 1, [10] = 1, [15] = 1 },
                           .view_normal = { [0] = 1, [4] = 1, [8] = 1 },
                           .depth = to->depth,
                           .seen = to->seen };
    for (size_t i = 0; i < parts; i++) {
        const size_t first = TRIANGLES * i / parts, last = TRIANGLES * (i + 1) / parts;
        d.indices = indices + 3 * first, d.triangle_count = last - first, d.over = i > 0;
        const size_t bytes = rung->scratch ? rung->scratch(&d, x) : 0;
        void *scratch = bytes ? aligned_alloc(256, bytes) : NULL;
        if (bytes && !scratch) return false;
        if (scratch) memset(scratch, 0x7f, bytes);
        const int code = rung->run(&d, scratch, x);
        free(scratch);
        if (code) return false;
    }
    return true;
}

/* CUDA's rung `small` asks for the box of a triangle before it knows whether its vertices have places. */
static void check_box_without_places(void)
{
    const struct draw_box screen = { { 0, 0 }, { WIDTH - 1, HEIGHT - 1 } };
    struct draw_point p[3] = { { DRAW_CLIPPED, 0, 0, 0 }, { DRAW_CLIPPED, 9999, 0, 0 }, { DRAW_CLIPPED, 0, 0, 0 } };
    check_subject("box");
    const struct draw_box none = draw_box_of(p, &screen);
    CHECK(draw_is_empty(&none));
    p[0].x = DRAW_FAR; /* lies beyond the picture on both sides */
    const struct draw_box some = draw_box_of(p, &screen);
    CHECK(some.low[0] == 0);
    CHECK(some.high[0] == WIDTH - 1);
}

/* A triangle that reaches out of the view and is seen from the side. The sum of its shares is 0, so its normal points to the
 * viewer. The matrix is one of sheared voxels, with which no infinity would meet its opposite and become NaN. */
static void check_seen_from_the_side(void)
{
    static const struct vertex corner[] = { { 1, 1, 0, 0x10040100 }, { 2, 1, 0, 0x300c0300 }, { 4, 1, 0, 0x10040100 } };
    static const uint32_t index[] = { 0, 1, 2 };
    const struct draw_desc d = { .vertices = corner,
                                 .width = 1,
                                 .height = 1,
                                 .surface = 1,
                                 .clip_from_voxel = { [0] = 1, [5] = 1, [10] = 1, [15] = 1 },
                                 .view_normal = { 1, 1, 1, 1, 2, 1, 1, 1, 2 } };
    float share[3];
    check_subject("seen from the side");
    draw_shares_clipped(&d, index, 0, 0, share);
    for (int i = 0; i < 3; i++) CHECK(share[i] == 0);
    CHECK(draw_seen(&d, index, share, true) == draw_pack(&d, (struct draw_float3){ 0, 0, 1 }, true));
}

int main(void)
{
    static const size_t parts[] = { 1, 2, 5, 33 };
    static struct picture whole, got;
    struct exec x;
    check_seed(31);
    make_mesh();
    check_box_without_places();
    check_seen_from_the_side();
    if (!CHECK(!backend_cpu.open(&x, -1, 2)) || !CHECK(draw(draw_cpu, &x, 1, &whole))) return 1;
    for (const struct draw_rung *rung = draw_cpu; rung->rung.name; rung++) {
        check_subject(rung->rung.name);
        if (rung_unavailable(&rung->rung, &x)) {
            printf("skipped: %s: %s\n", rung->rung.name, rung_unavailable(&rung->rung, &x));
            continue;
        }
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            memset(&got, 0x55, sizeof got);
            CHECK(draw(rung, &x, parts[i], &got));
            CHECK(!memcmp(got.depth, whole.depth, sizeof got.depth));
            CHECK(!memcmp(got.seen, whole.seen, sizeof got.seen));
        }
    }
    backend_cpu.close(&x);
    return check_summary("test_draw_parts");
}
