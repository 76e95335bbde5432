/* The ops beside the pipeline: statistics of the volume, the yardstick, and what their adaptors share. */
#include "iso.h"

#include "timing.h"
#include "trace.h"

#include <assert.h>

_Static_assert((sizeof(uint64_t) + 2 * sizeof(float)) * ISO_LOWER_BOUND_MAX <= ISO_RESULT_BYTES,
               "a search fits the results");

/* A GPU's time marks are on a clock of its own. `last` is taken as now, since the host has waited for it; the events of one
 * wait keep their distances. */
void iso_trace(struct iso *iso, enum stage stage, const struct rung *rung, int from, int to, int last)
{
    double ms, since;
    if (!trace_is_on() || iso->exec.backend == BACKEND_CPU) return;
    if (iso->ops->elapsed(&iso->exec, from, to, &ms) || iso->ops->elapsed(&iso->exec, to, last, &since)) return;
    const double end = timing_ms() - since;
    trace_add(TRACE_CUDA, stage_name[stage], rung->name, end - ms, end);
}

void iso_side_begin(struct iso *iso, enum stage side, const struct rung *rung)
{
    trace_push(stage_name[side], rung->name);
    iso->ops->mark(&iso->exec, ISO_MARK_SIDE);
    iso->side_rung = rung;
}

int iso_side_end(struct iso *iso, enum stage side, int code, uint64_t bytes, const char *doing, struct err *err)
{
    struct stage_stats *stats = &iso->stage[side];
    if (!code) code = iso->ops->mark(&iso->exec, ISO_MARK_SIDE_END);
    if (!code) code = iso->ops->sync(&iso->exec);
    if (!code) code = iso->ops->elapsed(&iso->exec, ISO_MARK_SIDE, ISO_MARK_SIDE_END, &stats->ms);
    trace_pop();
    if (code) return iso_fail(iso, code, doing, err);
    stats->bytes = bytes;
    stats->runs++;
    iso_trace(iso, side, iso->side_rung, ISO_MARK_SIDE, ISO_MARK_SIDE_END, ISO_MARK_SIDE_END);
    return ERR_NONE;
}

/* What an op wrote to the result buffer. */
static int fetch(struct iso *iso, void *to, size_t bytes, const char *doing, struct err *err)
{
    int code = iso->ops->download(to, iso->results.memory, bytes, &iso->exec);
    if (!code) code = iso->ops->sync(&iso->exec);
    return code ? iso_fail(iso, code, doing, err) : ERR_NONE;
}

int iso_summary(struct iso *iso, struct summary *summary, struct err *err)
{
    static const char doing[] = "reducing the volume";
    const struct reduce_rung *rung = (const struct reduce_rung *)iso->rung[SIDE_REDUCE];
    const struct grid *g = &iso->grid;
    const size_t scratch = rung->scratch ? rung->scratch(grid_voxels(g), &iso->exec) : 0;
    if (iso_reserve(iso, &iso->scratch, scratch, "scratch", err)) return ERR_FAILED;
    iso_side_begin(iso, SIDE_REDUCE, &rung->rung);
    const int code = rung->run(g, iso->results.memory, iso->scratch.memory, &iso->exec);
    if (iso_side_end(iso, SIDE_REDUCE, code, grid_voxels(g) * voxel_bytes(g->type), doing, err)) return ERR_FAILED;
    return fetch(iso, summary, sizeof *summary, doing, err);
}

int iso_histogram(struct iso *iso, float lo, float hi, unsigned bins, uint64_t *counts, struct err *err)
{
    static const char doing[] = "the histogram";
    const struct histogram_rung *rung = (const struct histogram_rung *)iso->rung[SIDE_HISTOGRAM];
    const struct grid *g = &iso->grid;
    assert(bins && bins * sizeof *counts <= ISO_RESULT_BYTES && lo < hi);
    const size_t scratch = rung->scratch ? rung->scratch(bins, &iso->exec) : 0;
    if (iso_reserve(iso, &iso->scratch, scratch, "scratch", err)) return ERR_FAILED;
    const struct histogram_desc desc = { lo, hi, bins, iso->results.memory };
    iso_side_begin(iso, SIDE_HISTOGRAM, &rung->rung);
    const int code = rung->run(g, &desc, iso->scratch.memory, &iso->exec);
    if (iso_side_end(iso, SIDE_HISTOGRAM, code, grid_voxels(g) * voxel_bytes(g->type), doing, err)) return ERR_FAILED;
    return fetch(iso, counts, bins * sizeof *counts, doing, err);
}

int iso_lower_bound(struct iso *iso, const float *sorted, size_t n, const float *queries, size_t count, uint64_t *places,
                    struct err *err)
{
    static const char doing[] = "the search";
    const struct lower_bound_rung *rung = (const struct lower_bound_rung *)iso->rung[SIDE_LOWER_BOUND];
    uint64_t *found = iso->results.memory; /* and behind the places what is searched, and what for */
    float *array = (float *)(found + ISO_LOWER_BOUND_MAX), *asked = array + ISO_LOWER_BOUND_MAX;
    const struct lower_bound_desc desc = { array, n, asked, count, found };
    assert(n <= ISO_LOWER_BOUND_MAX && count <= ISO_LOWER_BOUND_MAX);
    const size_t scratch = rung->scratch ? rung->scratch(&desc, &iso->exec) : 0;
    if (iso_reserve(iso, &iso->scratch, scratch, "scratch", err)) return ERR_FAILED;
    int code = iso->ops->upload(array, sorted, n * sizeof *array, &iso->exec);
    if (!code) code = iso->ops->upload(asked, queries, count * sizeof *asked, &iso->exec);
    iso_side_begin(iso, SIDE_LOWER_BOUND, &rung->rung);
    if (!code) code = rung->run(&desc, iso->scratch.memory, &iso->exec);
    const uint64_t bytes = n * sizeof *array + count * (sizeof *asked + sizeof *found);
    if (iso_side_end(iso, SIDE_LOWER_BOUND, code, bytes, doing, err)) return ERR_FAILED;
    return fetch(iso, places, count * sizeof *places, doing, err);
}

int iso_tally(struct iso *iso, struct tally *tally, struct err *err)
{
    const struct tally_rung *rung = (const struct tally_rung *)ladder_find(ladder_of("tally"), iso->exec.backend, NULL);
    *tally = iso->tally;
    if (!iso->strips.count) return ERR_NONE; /* fused, or empty */
    const int code = rung->run(&iso->strips, iso->results.memory, &iso->exec);
    return code ? iso_fail(iso, code, "the tally", err) : fetch(iso, tally, sizeof *tally, "the tally", err);
}

int iso_copy_rate(struct iso *iso, double *gb_per_s, struct err *err)
{
    /* Larger than the caches: 60 MB of L2 on an H200. A GPU that was idle raises its clocks meanwhile: the best of the
     * first four copies gave 3718 GB/s there where later ones gave 4150. */
    const bool cpu = iso->exec.backend == BACKEND_CPU;
    const size_t bytes = cpu ? (size_t)64 << 20 : (size_t)256 << 20;
    const int warm_ups = cpu ? 0 : 20;
    struct iso_buffer from = { NULL, 0 }, to = { NULL, 0 };
    double best = 0;
    int code = 0;
    if (iso_reserve(iso, &from, bytes, "the copy test", err) || iso_reserve(iso, &to, bytes, "the copy test", err)) {
        iso_release(iso, &from);
        return ERR_FAILED;
    }
    code = iso->ops->fill(from.memory, 1, bytes, &iso->exec);
    const double start = timing_ms();
    for (int i = 0; i < warm_ups && !code && timing_ms() - start < 10; i++) /* a GPU queues them at once */
        code = iso->ops->copy(to.memory, from.memory, bytes, &iso->exec);
    for (int i = 0; i < 4 && !code; i++) {
        double ms = 0;
        iso->ops->mark(&iso->exec, ISO_MARK_SIDE);
        code = iso->ops->copy(to.memory, from.memory, bytes, &iso->exec);
        iso->ops->mark(&iso->exec, ISO_MARK_SIDE_END);
        if (!code) code = iso->ops->sync(&iso->exec);
        if (!code) code = iso->ops->elapsed(&iso->exec, ISO_MARK_SIDE, ISO_MARK_SIDE_END, &ms);
        if (ms > 0 && 2e-6 * (double)bytes / ms > best) best = 2e-6 * (double)bytes / ms;
    }
    iso_release(iso, &from);
    iso_release(iso, &to);
    *gb_per_s = best;
    return code ? iso_fail(iso, code, "the copy test", err) : ERR_NONE;
}
