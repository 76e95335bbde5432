/* Auxiliary ops: statistics of the volume, the copy rate, and the code around the run of each op. */
#include "iso.h"

#include "timing.h"
#include "trace.h"
#include "kernels/copy.h"
#include "kernels/ladders.h"

#include <assert.h>

_Static_assert((sizeof(uint64_t) + 2 * sizeof(float)) * ISO_LOWER_BOUND_MAX <= ISO_RESULT_BYTES,
               "a search fits the results");

/* A GPU's time marks have their own clock. The host has waited for `last`, so that mark is taken as now. The events of one
 * wait keep their distances. */
void iso_trace(struct iso *iso, enum stage stage, const struct rung *rung, int from, int to, int last)
{
    double ms, since;
    if (!trace_is_on() || iso->exec.backend == BACKEND_CPU) return;
    if (iso->ops->elapsed(&iso->exec, from, to, &ms) || iso->ops->elapsed(&iso->exec, to, last, &since)) return;
    const double end = timing_ms() - since;
    trace_add(TRACE_CUDA, stage_name[stage], rung->name, end - ms, end);
}

int iso_aux_begin(struct iso *iso, enum stage aux, const struct rung *rung, uint64_t scratch_bytes, struct err *err)
{
    if (buffer_reserve(&iso->scratch, iso->ops, &iso->exec, scratch_bytes, "scratch", err)) return ERR_FAILED;
    trace_push(stage_name[aux], rung->name);
    iso->aux_rung = rung;
    iso->ops->mark(&iso->exec, ISO_MARK_AUX);
    return ERR_NONE;
}

int iso_aux_end(struct iso *iso, enum stage aux, int code, uint64_t bytes, const char *doing, struct err *err)
{
    struct stage_stats *stats = &iso->stage[aux];
    if (!code) code = iso->ops->mark(&iso->exec, ISO_MARK_AUX_END);
    if (!code) code = iso->ops->sync(&iso->exec);
    if (!code) code = iso->ops->elapsed(&iso->exec, ISO_MARK_AUX, ISO_MARK_AUX_END, &stats->ms);
    trace_pop();
    if (code) return iso_fail(iso, code, doing, err);
    stats->bytes = bytes;
    stats->runs++;
    iso_trace(iso, aux, iso->aux_rung, ISO_MARK_AUX, ISO_MARK_AUX_END, ISO_MARK_AUX_END);
    return ERR_NONE;
}

/* Reads what an op wrote to the result buffer. */
static int fetch(struct iso *iso, void *to, size_t bytes, const char *doing, struct err *err)
{
    int code = iso->ops->download(to, iso->results.memory, bytes, &iso->exec);
    if (!code) code = iso->ops->sync(&iso->exec);
    return code ? iso_fail(iso, code, doing, err) : ERR_NONE;
}

int iso_summary(struct iso *iso, struct summary *summary, struct err *err)
{
    static const char doing[] = "reducing the volume";
    const struct reduce_rung *rung = (const struct reduce_rung *)iso->rung[AUX_REDUCE];
    const struct grid *g = &iso->grid;
    if (iso_aux_begin(iso, AUX_REDUCE, &rung->rung, rung->scratch ? rung->scratch(grid_voxels(g), &iso->exec) : 0, err))
        return ERR_FAILED;
    const int code = rung->run(g, iso->results.memory, iso->scratch.memory, &iso->exec);
    if (iso_aux_end(iso, AUX_REDUCE, code, grid_bytes(g), doing, err)) return ERR_FAILED;
    return fetch(iso, summary, sizeof *summary, doing, err);
}

int iso_histogram(struct iso *iso, float lo, float hi, unsigned bins, uint64_t *counts, struct err *err)
{
    static const char doing[] = "the histogram";
    const struct histogram_rung *rung = (const struct histogram_rung *)iso->rung[AUX_HISTOGRAM];
    const struct histogram_desc desc = { lo, hi, bins, iso->results.memory };
    assert(bins && bins * sizeof *counts <= ISO_RESULT_BYTES && lo < hi);
    if (iso_aux_begin(iso, AUX_HISTOGRAM, &rung->rung, rung->scratch ? rung->scratch(bins, &iso->exec) : 0, err))
        return ERR_FAILED;
    const int code = rung->run(&iso->grid, &desc, iso->scratch.memory, &iso->exec);
    if (iso_aux_end(iso, AUX_HISTOGRAM, code, grid_bytes(&iso->grid), doing, err)) return ERR_FAILED;
    return fetch(iso, counts, bins * sizeof *counts, doing, err);
}

int iso_lower_bound(struct iso *iso, const float *sorted, size_t n, const float *queries, size_t count, uint64_t *bounds,
                    struct err *err)
{
    static const char doing[] = "the search";
    const struct lower_bound_rung *rung = (const struct lower_bound_rung *)iso->rung[AUX_LOWER_BOUND];
    uint64_t *found = iso->results.memory; /* then the sorted values, then the queries */
    float *array = (float *)(found + ISO_LOWER_BOUND_MAX), *wanted = array + ISO_LOWER_BOUND_MAX;
    const struct lower_bound_desc desc = { array, n, wanted, count, found };
    assert(n <= ISO_LOWER_BOUND_MAX && count <= ISO_LOWER_BOUND_MAX);
    int code = iso->ops->upload(array, sorted, n * sizeof *array, &iso->exec);
    if (!code) code = iso->ops->upload(wanted, queries, count * sizeof *wanted, &iso->exec);
    if (iso_aux_begin(iso, AUX_LOWER_BOUND, &rung->rung, rung->scratch ? rung->scratch(&desc, &iso->exec) : 0, err))
        return ERR_FAILED;
    if (!code) code = rung->run(&desc, iso->scratch.memory, &iso->exec);
    const uint64_t bytes = n * sizeof *array + count * (sizeof *wanted + sizeof *found);
    if (iso_aux_end(iso, AUX_LOWER_BOUND, code, bytes, doing, err)) return ERR_FAILED;
    return fetch(iso, bounds, count * sizeof *bounds, doing, err);
}

int iso_count_cells(struct iso *iso, struct cell_counts *cells, struct err *err)
{
    static const char doing[] = "counting the active cells";
    *cells = iso->cells;
    if (!iso->strips.count) return ERR_NONE; /* fused, or empty */
    const int code = iso->ops->count_cells(&iso->strips, iso->results.memory, &iso->exec);
    return code ? iso_fail(iso, code, doing, err) : fetch(iso, cells, sizeof *cells, doing, err);
}

/* Copies as fast as possible: on the CPU by all threads of the copy op's default rung. */
static int copy_at_best(struct iso *iso, void *to, const void *from, size_t bytes)
{
    if (iso->exec.backend != BACKEND_CPU) return iso->ops->copy(to, from, bytes, &iso->exec);
    const struct copy_rung *rung = (const struct copy_rung *)ladder_find(ladder_of("copy"), BACKEND_CPU, NULL);
    return rung->run(from, to, bytes / sizeof(uint32_t), &iso->exec);
}

int iso_copy_rate(struct iso *iso, double *gb_per_s, struct err *err)
{
    /* Larger than a GPU's caches: an H200 has 60 MB of L2. A CPU's cache may be larger, but then volumes of the base case
     * fit in it, too. An idle GPU raises its clocks during the first copies: on the H200, the best of four gave 3718 GB/s,
     * later ones 4150. */
    const bool cpu = iso->exec.backend == BACKEND_CPU;
    const size_t bytes = cpu ? (size_t)64 << 20 : (size_t)256 << 20;
    const int warm_ups = cpu ? 0 : 20;
    struct buffer from = { NULL, 0 }, to = { NULL, 0 };
    double best = 0;
    int code = 0;
    const struct buffer_demand demand[] = { { &from, bytes }, { &to, bytes } };
    if (buffer_reserve_all(demand, 2, iso->ops, &iso->exec, "the copy test", err)) {
        buffer_release(&from, iso->ops);
        return ERR_FAILED;
    }
    code = iso->ops->fill(from.memory, 1, bytes, &iso->exec);
    const double start = timing_ms();
    for (int i = 0; i < warm_ups && !code && timing_ms() - start < 10; i++) /* a GPU queues them at once */
        code = copy_at_best(iso, to.memory, from.memory, bytes);
    for (int i = 0; i < 4 && !code; i++) {
        double ms = 0;
        iso->ops->mark(&iso->exec, ISO_MARK_AUX);
        code = copy_at_best(iso, to.memory, from.memory, bytes);
        iso->ops->mark(&iso->exec, ISO_MARK_AUX_END);
        if (!code) code = iso->ops->sync(&iso->exec);
        if (!code) code = iso->ops->elapsed(&iso->exec, ISO_MARK_AUX, ISO_MARK_AUX_END, &ms);
        if (ms > 0 && 2e-6 * (double)bytes / ms > best) best = 2e-6 * (double)bytes / ms;
    }
    buffer_release(&from, iso->ops);
    buffer_release(&to, iso->ops);
    *gb_per_s = best;
    return code ? iso_fail(iso, code, "the copy test", err) : ERR_NONE;
}
