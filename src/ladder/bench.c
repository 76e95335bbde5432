#include "bench.h"

#include "timing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_outcome_name[BENCH_OUTCOMES] = { "same", "other", "failed", "skipped" };

#define PIECE ((size_t)4 << 20) /* bytes of a mesh that are compared at once */

/* ---- one run ------------------------------------------------------------------------------------------------------- */

enum { COLUMN_CHANGE = STAGE_COUNT, COLUMN_WALL, COLUMNS }; /* before them one per stage */

struct sample {
    double ms[COLUMNS];
};

static void note_stages(const struct iso *iso, const uint64_t runs_before[STAGE_COUNT], struct sample *sample)
{
    sample->ms[COLUMN_CHANGE] = 0;
    for (int s = 0; s < STAGE_COUNT; s++) {
        const bool ran = iso->stage[s].runs != runs_before[s]; /* an empty surface runs no generate */
        sample->ms[s] = ran ? iso->stage[s].ms : 0;
        if (s != STAGE_BRICKS) sample->ms[COLUMN_CHANGE] += sample->ms[s];
    }
}

/* Count, make room, emit; or, where fused, all in one go and again only where the room does not do. */
static int make_mesh(struct bench *b, float value, struct err *err)
{
    struct iso *iso = b->iso;
    bool fits = false;
    if (!iso_is_fused(iso)) {
        if (iso_count(iso, value, err) || iso_reserve_mesh(iso, &b->buffer, &b->out, err)) return err->code;
        return iso_emit(iso, &b->out.mesh, err);
    }
    if (iso_fuse(iso, value, &b->out, &fits, err)) return err->code;
    if (fits) return ERR_NONE;
    if (iso_reserve_mesh(iso, &b->buffer, &b->out, err)) return err->code;
    return iso_fuse(iso, value, &b->out, &fits, err);
}

/* One change of the isovalue, as the window does it. */
static int run_once(struct bench *b, float value, struct sample *sample, struct err *err)
{
    uint64_t runs_before[STAGE_COUNT];
    for (int s = 0; s < STAGE_COUNT; s++) runs_before[s] = b->iso->stage[s].runs;
    const double start = timing_ms();
    if (make_mesh(b, value, err)) return err->code;
    sample->ms[COLUMN_WALL] = timing_ms() - start;
    note_stages(b->iso, runs_before, sample);
    return ERR_NONE;
}

static uint64_t change_bytes(const struct iso *iso, const struct sample *sample)
{
    uint64_t bytes = 0;
    for (int s = STAGE_BRICKS + 1; s < STAGE_COUNT; s++)
        if (sample->ms[s] > 0) bytes += iso->stage[s].bytes;
    return bytes;
}

/* ---- statistics ---------------------------------------------------------------------------------------------------- */

struct bench_times bench_times_of(double *ms, int n)
{
    const double median = timing_median(ms, (size_t)n);
    return (struct bench_times){ 1e3 * median, 1e3 * ms[0], 1e3 * ms[(9 * n + 9) / 10 - 1] };
}

/* Of one column. */
static struct bench_times times_of(const struct sample *samples, int n, int column, double *spare)
{
    for (int i = 0; i < n; i++) spare[i] = samples[i].ms[column];
    return bench_times_of(spare, n);
}

double bench_rate(const struct bench_work *work)
{
    return work->bytes && work->us.median > 0 ? 1e-3 * (double)work->bytes / work->us.median : NAN;
}

/* Room for `n` samples and, behind them, for sorting `runs` numbers. */
static struct sample *alloc_samples(size_t n, int runs, double **spare, struct err *err)
{
    struct sample *samples = malloc(n * sizeof *samples + (size_t)runs * sizeof **spare);
    if (!samples) err_set(err, ERR_FAILED, "no memory for the times of %zu runs", n);
    else *spare = (double *)(samples + n);
    return samples;
}

/* ---- one isovalue -------------------------------------------------------------------------------------------------- */

/* Warm-ups and runs; rebuild: with new bricks each time. */
static int run_often(struct bench *b, float value, bool rebuild, struct sample *samples, struct err *err)
{
    for (int i = -BENCH_WARM_UPS; i < b->runs; i++) {
        if (rebuild) b->iso->bricks_stale = true;
        if (run_once(b, value, &samples[i < 0 ? 0 : i], err)) return err->code;
    }
    return ERR_NONE;
}

int bench_change(struct bench *bench, float value, struct bench_point *point, struct err *err)
{
    struct iso *iso = bench->iso;
    struct tally tally;
    double *spare;
    struct sample *samples = alloc_samples((size_t)bench->runs, bench->runs, &spare, err);
    if (!samples) return ERR_FAILED;
    int code = run_once(bench, value, samples, err);
    const double first = samples[0].ms[COLUMN_WALL];
    if (!code) code = run_often(bench, value, false, samples, err);
    if (!code) code = iso_tally(iso, &tally, err);
    if (!code) {
        *point = (struct bench_point){ .vertices = iso->counts.vertices,
                                       .triangles = iso->counts.triangles,
                                       .active_cells = tally.active_cells,
                                       .first_us = 1e3 * first };
        for (int s = STAGE_BRICKS + 1; s < STAGE_COUNT; s++) {
            point->stage[s].us = times_of(samples, bench->runs, s, spare);
            point->stage[s].bytes = samples[0].ms[s] > 0 ? iso->stage[s].bytes : 0;
        }
        point->change.us = times_of(samples, bench->runs, COLUMN_CHANGE, spare);
        point->change.bytes = change_bytes(iso, &samples[0]);
        point->wall = times_of(samples, bench->runs, COLUMN_WALL, spare);
    }
    free(samples);
    return code;
}

int bench_bricks(struct bench *bench, float value, struct bench_work *work, struct err *err)
{
    double *spare;
    struct sample *samples = alloc_samples((size_t)bench->runs, bench->runs, &spare, err);
    if (!samples) return ERR_FAILED;
    const int code = run_often(bench, value, true, samples, err);
    if (!code) {
        work->us = times_of(samples, bench->runs, STAGE_BRICKS, spare);
        work->bytes = work->us.median > 0 ? bench->iso->stage[STAGE_BRICKS].bytes : 0;
    }
    free(samples);
    return code;
}

/* ---- the rungs of a stage, side by side ---------------------------------------------------------------------------- */

/* The mesh that all rungs have to give, by the default ones. The chosen rungs stay. */
static int make_reference(struct bench *b, float value, struct mesh_host *mesh, struct err *err)
{
    const struct rung *chosen[STAGE_COUNT];
    memcpy(chosen, b->iso->rung, sizeof chosen);
    iso_set_all(b->iso, false);
    int code = iso_count(b->iso, value, err);
    if (!code) code = iso_mesh_host(b->iso, mesh, err);
    for (int s = 0; s < STAGE_COUNT; s++)
        if (iso_set_rung(b->iso, (enum stage)s, chosen[s]->name, code ? NULL : err) && !code) code = ERR_FAILED;
    return code;
}

/* Whether `bytes` of the backend's memory are those at `host`. */
static int same_bytes(struct iso *iso, const void *memory, const void *host, uint64_t bytes, bool *same, struct err *err)
{
    char *piece = malloc(PIECE);
    if (!piece) {
        err_set(err, ERR_FAILED, "no memory to compare meshes");
        return err_blame(err, ERR_FAILED, CAUSE_MEMORY);
    }
    int code = 0;
    *same = true;
    for (uint64_t at = 0; at < bytes && *same && !code; at += PIECE) {
        const size_t n = bytes - at < PIECE ? (size_t)(bytes - at) : PIECE;
        code = iso->ops->download(piece, (const char *)memory + at, n, &iso->exec);
        *same = !code && !memcmp(piece, (const char *)host + at, n);
    }
    free(piece);
    return code ? err_set(err, ERR_FAILED, "reading the mesh back failed: %s", iso->ops->explain(code)) : ERR_NONE;
}

/* Into poisoned memory, where the mesh of the run before would pass for this one's. */
static int emit_poisoned(struct bench *b, float value, struct err *err)
{
    const int code = b->iso->ops->fill(b->buffer.memory, 0xa5, b->buffer.bytes, &b->iso->exec);
    if (code) return err_set(err, ERR_FAILED, "clearing the mesh failed: %s", b->iso->ops->explain(code));
    return iso_is_fused(b->iso) ? make_mesh(b, value, err) : iso_emit(b->iso, &b->out.mesh, err);
}

/* Whether the mesh that the chosen rungs give is `want`, with its numbers and bit for bit. Fills outcome and why. */
static int compare_mesh(struct bench *b, float value, const struct mesh_host *want, struct bench_rung *r, struct err *err)
{
    const struct mesh_out *mesh = &b->out.mesh;
    bool same_vertices, same_indices;
    r->outcome = BENCH_SKIPPED;
    if (iso_reserve_mesh(b->iso, &b->buffer, &b->out, err)) return err->code;
    r->outcome = BENCH_FAILED;
    if (emit_poisoned(b, value, err) ||
        same_bytes(b->iso, mesh->vertices, want->vertices, want->vertex_count * sizeof(struct vertex), &same_vertices,
                   err) ||
        same_bytes(b->iso, mesh->indices, want->indices, 12 * want->triangle_count, &same_indices, err))
        return err->code;
    r->outcome = same_vertices && same_indices ? BENCH_SAME : BENCH_OTHER;
    if (r->outcome == BENCH_OTHER)
        snprintf(r->why, sizeof r->why, "the counts are right, but not the %s", same_vertices ? "triangles" : "vertices");
    return ERR_NONE;
}

/* One run. On an error the outcome is what the error means; else outcome and why are filled. */
static int check_rung(struct bench *b, float value, const struct mesh_host *shared, struct bench_rung *r, struct err *err)
{
    struct iso *iso = b->iso;
    const bool fused = iso_is_fused(iso);
    const bool soup = !fused && ((const struct generate_rung *)iso->rung[STAGE_GENERATE])->soup;
    const uint64_t vertices = soup ? 3 * shared->triangle_count : shared->vertex_count;
    r->outcome = BENCH_SKIPPED;
    if (r->stage == STAGE_FUSED && ((const struct fused_rung *)r->rung)->run && !fused)
        return err_set(err, ERR_USAGE, "the bricks rung '%s' keeps no ranges, which it needs",
                       iso->rung[STAGE_BRICKS]->name);
    if (!fused && iso_prepare(iso, err)) return err->code;
    r->outcome = BENCH_FAILED;
    if (fused ? make_mesh(b, value, err) : iso_count(iso, value, err)) return err->code;
    r->outcome = BENCH_OTHER;
    if (iso->counts.vertices != vertices || iso->counts.triangles != shared->triangle_count) {
        snprintf(r->why, sizeof r->why,
                 "%" PRIu64 " vertices and %" PRIu64 " triangles, where the default rungs have %" PRIu64 " and %" PRIu64,
                 iso->counts.vertices, iso->counts.triangles, vertices, shared->triangle_count);
        return ERR_NONE;
    }
    r->outcome = BENCH_SAME;
    if (!iso_is_ordered(iso)) return ERR_NONE; /* the counts must do */
    if (!soup) return compare_mesh(b, value, shared, r, err);
    struct mesh_host corners;
    r->outcome = BENCH_SKIPPED;
    if (mesh_host_soup(shared, &corners, err)) return err->code;
    const int code = compare_mesh(b, value, &corners, r, err);
    mesh_host_free(&corners);
    return code;
}

/* Chooses the rung, also if it is the chosen one already: its work is to be done again. */
static int choose(struct iso *iso, const struct bench_rung *r, struct err *err)
{
    if (iso_set_rung(iso, r->stage, r->rung->name, err)) return err->code;
    if (r->stage == STAGE_BRICKS) iso->bricks_stale = true;
    return ERR_NONE;
}

/* What goes wrong with a rung is its outcome, and too little memory says nothing against it. A backend that has failed for
 * good is an error. */
static int check_rungs(struct bench *b, float value, struct bench_rung *rungs, size_t n, struct err *err)
{
    struct mesh_host want;
    if (make_reference(b, value, &want, err)) return err->code;
    int code = ERR_NONE;
    for (size_t i = 0; i < n && !code; i++) {
        struct err why = { 0 };
        const char *unavailable = rung_unavailable(rungs[i].rung, &b->iso->exec);
        if (unavailable) {
            rungs[i].outcome = BENCH_SKIPPED;
            snprintf(rungs[i].why, sizeof rungs[i].why, "%s", unavailable);
            continue;
        }
        code = choose(b->iso, &rungs[i], err);
        if (code || !check_rung(b, value, &want, &rungs[i], &why)) continue;
        snprintf(rungs[i].why, sizeof rungs[i].why, "%.255s", why.text);
        if (why.cause == CAUSE_MEMORY) rungs[i].outcome = BENCH_SKIPPED;
        if (iso_is_lost(b->iso)) code = err_set(err, why.code, "%s", why.text);
    }
    mesh_host_free(&want);
    return code;
}

/* Round robin. samples[i * runs + k] is the k-th run of rung i. */
static int run_in_turns(struct bench *b, float value, struct bench_rung *rungs, size_t n, struct sample *samples,
                        struct err *err)
{
    for (int k = -BENCH_WARM_UPS; k < b->runs; k++)
        for (size_t i = 0; i < n; i++) {
            if (rungs[i].outcome != BENCH_SAME) continue;
            struct sample *sample = &samples[i * (size_t)b->runs + (size_t)(k < 0 ? 0 : k)];
            if (choose(b->iso, &rungs[i], err) || run_once(b, value, sample, err)) return err->code;
            rungs[i].change.bytes = change_bytes(b->iso, sample);
            rungs[i].own.bytes = rungs[i].stage == STAGE_FUSED    ? rungs[i].change.bytes
                                 : sample->ms[rungs[i].stage] > 0 ? b->iso->stage[rungs[i].stage].bytes
                                                                  : 0;
        }
    return ERR_NONE;
}

static size_t list_rungs(const struct iso *iso, enum stage stage, struct bench_rung *rungs)
{
    const struct ladder *ladder = ladder_of(stage_name[stage]);
    const struct rung *rung;
    size_t n = 0;
    for (; n < BENCH_MOST_RUNGS && (rung = ladder_rung(ladder, iso->exec.backend, n)); n++)
        rungs[n] = (struct bench_rung){ .stage = stage,
                                        .rung = rung,
                                        .speedup = NAN,
                                        .idle = stage == STAGE_BRICKS && !((const struct bricks_rung *)rung)->run };
    return n;
}

/* The textbook is the first rung that does anything. */
static void find_speedups(struct bench_rung *rungs, size_t n)
{
    const struct bench_rung *textbook = rungs;
    while (textbook < rungs + n - 1 && textbook->idle) textbook++;
    if (textbook->outcome != BENCH_SAME || !(textbook->own.us.median > 0)) return;
    for (size_t i = 0; i < n; i++)
        if (rungs[i].outcome == BENCH_SAME && !rungs[i].idle && rungs[i].own.us.median > 0)
            rungs[i].speedup = textbook->own.us.median / rungs[i].own.us.median;
}

static int time_rungs(struct bench *b, float value, struct bench_rung *rungs, size_t n, struct err *err)
{
    double *spare;
    struct sample *samples = alloc_samples(n * (size_t)b->runs, b->runs, &spare, err);
    if (!samples) return ERR_FAILED;
    const int code = run_in_turns(b, value, rungs, n, samples, err);
    for (size_t i = 0; i < n && !code; i++) {
        if (rungs[i].outcome != BENCH_SAME) continue;
        const struct sample *own = &samples[i * (size_t)b->runs];
        const int column = rungs[i].stage == STAGE_FUSED ? (int)COLUMN_CHANGE : (int)rungs[i].stage;
        rungs[i].own.us = times_of(own, b->runs, column, spare);
        rungs[i].change.us = times_of(own, b->runs, COLUMN_CHANGE, spare);
    }
    free(samples);
    return code;
}

int bench_compare(struct bench *bench, float value, enum stage stage, struct bench_rung *rungs, size_t *count,
                  struct err *err)
{
    const struct rung *chosen = bench->iso->rung[stage], *fused = bench->iso->rung[STAGE_FUSED];
    *count = list_rungs(bench->iso, stage, rungs);
    int code = iso_set_rung(bench->iso, STAGE_FUSED, "none", err); /* else the stages would not run */
    if (!code) code = check_rungs(bench, value, rungs, *count, err);
    if (!code && bench->runs) code = time_rungs(bench, value, rungs, *count, err);
    if (!code) find_speedups(rungs, *count);
    int restored = iso_set_rung(bench->iso, stage, chosen->name, code ? NULL : err);
    if (!restored && stage != STAGE_FUSED) restored = iso_set_rung(bench->iso, STAGE_FUSED, fused->name, code ? NULL : err);
    return code ? code : restored;
}

void bench_close(struct bench *bench)
{
    buffer_release(&bench->buffer, bench->iso->ops);
    bench->out = (struct mesh_buffers){ { NULL, NULL }, 0, 0 };
}
