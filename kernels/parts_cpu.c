/* parts on the CPU; contract in parts.h. */
#include "parts.h"

#include "cpu_util.h"

static int mark_roots(const uint32_t *labels, uint32_t *flags, size_t n, struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t v = 0; v < n; v++) flags[v] = labels[v] == v;
    return 0;
}

/* ---- measure ----------------------------------------------------------------------------------------------------- */

static void sink(int64_t *to, int64_t value)
{
    int64_t now = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (value < now && !__atomic_compare_exchange_n(to, &now, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void rise(int64_t *to, int64_t value)
{
    int64_t now = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (value > now && !__atomic_compare_exchange_n(to, &now, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void add(struct part *to, const struct part *sum)
{
    __atomic_fetch_add(&to->triangles, sum->triangles, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->area, sum->area, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->volume, sum->volume, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->open, sum->open, __ATOMIC_RELAXED);
    for (int a = 0; a < 3; a++) {
        sink(&to->low[a], sum->low[a]);
        rise(&to->high[a], sum->high[a]);
    }
}

/* Triangles in a row mostly belong to one part: they are summed up before others must see it. */
static void measure_triangles(const struct parts_desc *d, size_t begin, size_t end)
{
    struct part sum = part_empty();
    uint32_t of = 0;
    for (size_t t = begin; t < end; t++) {
        const uint32_t number = d->numbers[d->labels[d->indices[3 * t]]];
        if (number != of) {
            add(&d->parts[of], &sum);
            sum = part_empty();
            of = number;
        }
        part_add_triangle(d, t, &sum);
    }
    if (begin < end) add(&d->parts[of], &sum);
}

static void count_vertices(const struct parts_desc *d, size_t begin, size_t end)
{
    uint64_t sum = 0;
    uint32_t of = 0;
    for (size_t v = begin; v < end; v++, sum++) {
        const uint32_t number = d->numbers[d->labels[v]];
        if (number == of) continue;
        __atomic_fetch_add(&d->parts[of].vertices, sum, __ATOMIC_RELAXED);
        sum = 0;
        of = number;
    }
    if (begin < end) __atomic_fetch_add(&d->parts[of].vertices, sum, __ATOMIC_RELAXED);
}

static int measure(const struct parts_desc *d, struct exec *x)
{
    const int parts = x->threads;
#pragma omp parallel for num_threads(parts) schedule(static)
    for (size_t i = 0; i < d->count; i++) d->parts[i] = part_empty();
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int p = 0; p < parts; p++) {
        measure_triangles(d, part_start(d->triangles, p, parts), part_start(d->triangles, p + 1, parts));
        count_vertices(d, part_start(d->vertex_count, p, parts), part_start(d->vertex_count, p + 1, parts));
    }
    return 0;
}

/* ---- the triangles of some parts --------------------------------------------------------------------------------- */

static int mark_kept(const struct parts_desc *d, const uint8_t *keep, uint32_t *flags, struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t t = 0; t < d->triangles; t++) flags[t] = keep[d->numbers[d->labels[d->indices[3 * t]]]];
    return 0;
}

static int gather_kept(const uint32_t *indices, const uint32_t *flags, const uint32_t *starts, uint32_t *out, size_t n,
                       struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t t = 0; t < n; t++)
        for (size_t c = 0; c < 3 && flags[t]; c++) out[3 * (size_t)starts[t] + c] = indices[3 * t + c];
    return 0;
}

const struct part_ops parts_cpu = { mark_roots, measure, mark_kept, gather_kept };
