/* parts on the CPU; contract in parts.h. */
#include "parts.h"

#include "cpu_util.h"

static int mark_roots(const uint32_t *labels, uint32_t *flags, size_t n, struct exec *x)
{
    CPU_EACH(x, v, n, { flags[v] = labels[v] == v; })
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
    CPU_EACH(x, i, d->count, { d->parts[i] = part_empty(); })
#pragma omp parallel num_threads(x->threads)
    {
#pragma omp for schedule(static) nowait
        for (size_t t = 0; t < d->triangles; t += CPU_PIECE) measure_triangles(d, t, cpu_piece_end(x, t, d->triangles));
#pragma omp for schedule(static)
        for (size_t v = 0; v < d->vertex_count; v += CPU_PIECE) count_vertices(d, v, cpu_piece_end(x, v, d->vertex_count));
    }
    return 0;
}

/* ---- the triangles of some parts --------------------------------------------------------------------------------- */

static int mark_kept(const struct parts_desc *d, const uint8_t *keep, uint32_t *flags, struct exec *x)
{
    CPU_EACH(x, t, d->triangles, { flags[t] = keep[d->numbers[d->labels[d->indices[3 * t]]]]; })
    return 0;
}

static int gather_kept(const uint32_t *indices, const uint32_t *flags, const uint32_t *starts, uint32_t *out, size_t n,
                       struct exec *x)
{
    CPU_EACH(x, t, n, {
        for (size_t c = 0; c < 3 && flags[t]; c++) out[3 * (size_t)starts[t] + c] = indices[3 * t + c];
    })
    return 0;
}

const struct part_ops parts_cpu = { mark_roots, measure, mark_kept, gather_kept };
