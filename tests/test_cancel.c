/* What of the CPU's passes over strips and meshes is cancelled before it begins does nothing, and never reads what a pass
 * before it did not write; what is not gives the same as if it could not be. */
#include "check.h"
#include "kernels/compact.h"
#include "kernels/components.h"
#include "kernels/count_cells.h"
#include "kernels/gemv.h"
#include "kernels/parts.h"
#include "kernels/scan.h"
#include "kernels/sort.h"
#include "kernels/triangles.h"

#include <string.h>

enum { N = 40000, VERTICES = N, POISON = 0xee }; /* some pieces */

static struct exec x;
static bool cancel;
static uint32_t indices[3 * N], keys[N], out[3 * N], values[N];

static bool is_poison(const void *memory, size_t bytes)
{
    const unsigned char *at = memory;
    while (bytes && *at == POISON) at++, bytes--;
    return !bytes;
}

static void make(void)
{
    for (size_t i = 0; i < N; i++) keys[i] = (uint32_t)check_random();
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) indices[i] = (uint32_t)(check_random() % VERTICES);
}

static void cancelled_sorts(void)
{
    const struct sort_desc d = { .n = N, .key = SORT_UINT32, .keys_in = keys, .keys_out = out, .values_out = values };
    for (const struct sort_rung *rung = sort_cpu + 1; rung->rung.name; rung++) { /* but the textbook */
        const size_t bytes = rung->scratch(&d, &x);
        void *scratch = aligned_alloc(256, scratch_round(bytes));
        if (!CHECK(scratch)) return;
        check_subject(rung->rung.name);
        memset(out, POISON, sizeof out), memset(values, POISON, sizeof values), memset(scratch, POISON, bytes);
        CHECK(!rung->run(&d, scratch, &x));
        CHECK(is_poison(out, sizeof out) && is_poison(values, sizeof values) && is_poison(scratch, N * sizeof(uint64_t)));
        free(scratch);
    }
}

static void cancelled_components(void)
{
    const struct components_desc d = { .vertices = VERTICES, .triangles = N, .indices = indices, .labels = values };
    for (const struct components_rung *rung = components_cpu + 1; rung->rung.name; rung++) {
        check_subject(rung->rung.name);
        memset(values, POISON, sizeof values);
        CHECK(!rung->run(&d, NULL, &x));
        CHECK(is_poison(values, sizeof values));
    }
}

/* Every strip owns vertices. */
static void cancelled_strips(void)
{
    const struct strips s = { .width = 32,
                              .per_row = N,
                              .count = N,
                              .nx = 32 * N,
                              .ny = 1,
                              .nz = 1,
                              .inside = keys,
                              .inner = keys,
                              .vertices = keys,
                              .triangles = keys };
    static uint64_t scratch[64], total;
    struct cell_counts counts;
    memset(out, POISON, sizeof out), memset(&total, POISON, sizeof total), memset(&counts, POISON, sizeof counts);
    for (const struct scan_rung *rung = scan_cpu + 1; rung->rung.name; rung++) {
        check_subject("scan");
        CHECK(!rung->run(keys, out, &total, N, scratch, &x) && is_poison(out, sizeof out) &&
              is_poison(&total, sizeof total));
    }
    for (const struct compact_rung *rung = compact_cpu + 1; rung->rung.name; rung++) {
        check_subject("compact");
        CHECK(!rung->run(&s, out, &total, scratch, &x) && is_poison(out, sizeof out) && is_poison(&total, sizeof total));
    }
    check_subject("count_cells");
    CHECK(!count_cells_cpu(&s, &counts, &x) && is_poison(&counts, sizeof counts));
}

static void cancelled_products(void)
{
    static float a[3 * N], vector[N];
    for (int trans = 0; trans < 2; trans++) {
        const struct gemv_desc d = { .m = trans ? 3 : N,
                                     .n = trans ? N : 3,
                                     .alpha = 1,
                                     .a = a,
                                     .x = vector,
                                     .y = (float *)(void *)out,
                                     .lda = trans ? N : 3,
                                     .trans = trans };
        memset(out, POISON, sizeof out);
        for (const struct gemv_rung *rung = gemv_cpu + 1; rung->rung.name; rung++) {
            check_subject(trans ? "gemv, transposed" : "gemv");
            CHECK(!rung->run(&d, NULL, &x) && is_poison(out, sizeof out));
        }
    }
}

/* Labels, numbers, orders and starts are poison, and point far away. */
static void cancelled_passes(void)
{
    static struct vertex vertices[VERTICES];
    static uint32_t poison[3 * N];
    static uint8_t keep[1];
    struct part part;
    const struct parts_desc d = { .vertices = vertices,
                                  .indices = indices,
                                  .labels = poison,
                                  .numbers = poison,
                                  .vertex_count = VERTICES,
                                  .triangles = N,
                                  .count = 1,
                                  .area_step = 1,
                                  .volume_step = 1,
                                  .parts = &part };
    check_subject("passes");
    memset(poison, POISON, sizeof poison), memset(&part, POISON, sizeof part), memset(out, POISON, sizeof out);
    CHECK(!parts_cpu.mark_roots(values, out, VERTICES, &x));
    CHECK(!parts_cpu.measure(&d, &x));
    CHECK(!parts_cpu.mark_kept(&d, keep, out, &x));
    CHECK(!parts_cpu.gather_kept(indices, poison, poison, out, N, &x));
    CHECK(!gather_triangles_cpu(indices, poison, out, N, &x));
    CHECK(!corner_sums_cpu(vertices, poison, (float *)(void *)out, N, &x));
    CHECK(!shift_indices_cpu(indices, 1, out, 3 * (size_t)N, &x));
    CHECK(is_poison(out, sizeof out) && is_poison(&part, sizeof part));
}

/* By each rung that can be cancelled, but is not. */
static void others_are_whole(void)
{
    static uint32_t first[2][N], want[N], got[N];
    const struct sort_desc d = { .n = N, .key = SORT_UINT32, .keys_in = keys, .keys_out = out, .values_out = values };
    check_subject("not cancelled");
    for (const struct sort_rung *rung = sort_cpu; rung->rung.name; rung++) {
        void *scratch = aligned_alloc(256, scratch_round(rung->scratch(&d, &x)));
        if (!CHECK(scratch)) return;
        CHECK(!rung->run(&d, scratch, &x));
        if (rung == sort_cpu) memcpy(first[0], out, sizeof first[0]), memcpy(first[1], values, sizeof first[1]);
        CHECK(!memcmp(first[0], out, sizeof first[0]) && !memcmp(first[1], values, sizeof first[1]));
        free(scratch);
    }
    for (const struct components_rung *rung = components_cpu; rung->rung.name; rung++) {
        const struct components_desc c = { .vertices = VERTICES, .triangles = N / 4, .indices = indices, .labels = got };
        CHECK(!rung->run(&c, NULL, &x));
        if (rung == components_cpu) memcpy(want, got, sizeof want);
        CHECK(!memcmp(want, got, sizeof want));
    }
}

int main(void)
{
    check_seed(5);
    make();
    if (!CHECK(!backend_cpu.open(&x, -1, 2))) return 1;
    x.cancel = &cancel;
    others_are_whole();
    cancel = true;
    cancelled_sorts();
    cancelled_components();
    cancelled_strips();
    cancelled_products();
    cancelled_passes();
    CHECK(backend_cpu.sync(&x));
    backend_cpu.close(&x);
    return check_summary("test_cancel");
}
