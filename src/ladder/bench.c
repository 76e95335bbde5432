#include "bench.h"

#include "timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_outcome_name[OUTCOMES] = { "same", "other", "failed", "skipped" };

#define PIECE ((size_t)4 << 20) /* bytes of a mesh compared at a time */

/* ---- one run ------------------------------------------------------------------------------------------------------- */

enum { COLUMN_CHANGE = STAGE_COUNT, COLUMN_WALL, COLUMN_COPY, COLUMNS }; /* the times of a run that follow one per stage */

static void note_stages(const struct iso *iso, const uint64_t runs_before[STAGE_COUNT], double ms[COLUMNS])
{
    ms[COLUMN_CHANGE] = 0;
    for (int s = 0; s < STAGE_COUNT; s++) {
        const bool ran = iso->stage[s].runs != runs_before[s]; /* generate does not run for an empty surface */
        ms[s] = ran ? iso->stage[s].ms : 0;
        if (s != STAGE_BRICKS) ms[COLUMN_CHANGE] += ms[s];
    }
}

int bench_mesh(struct bench *b, float value, struct err *err)
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

/* Changes the isovalue once, as the window does; writes the times to `ms`. */
static int run_once(struct bench *b, float value, double ms[COLUMNS], struct err *err)
{
    uint64_t runs_before[STAGE_COUNT];
    const struct volume_copy *copy = &b->iso->copy;
    const uint64_t copies = copy->stats.runs;
    for (int s = 0; s < STAGE_COUNT; s++) runs_before[s] = b->iso->stage[s].runs;
    const double start = timing_ms();
    if (bench_mesh(b, value, err)) return err->code;
    ms[COLUMN_WALL] = timing_ms() - start;
    ms[COLUMN_COPY] = copy->stats.runs != copies ? copy->stats.ms : 0;
    note_stages(b->iso, runs_before, ms);
    return ERR_NONE;
}

static uint64_t change_bytes(const struct iso *iso, const double ms[COLUMNS])
{
    uint64_t bytes = 0;
    for (int s = STAGE_BRICKS + 1; s < STAGE_COUNT; s++)
        if (ms[s] > 0) bytes += iso->stage[s].bytes;
    return bytes;
}

/* ---- one isovalue -------------------------------------------------------------------------------------------------- */

struct again { /* runs of one value */
    struct bench *bench;
    float value;
    bool bricks, copy; /* make them again, too */
    struct err *err;
};

static int run_again(void *context, size_t i, double *ms)
{
    const struct again *a = context;
    (void)i;
    if (a->bricks) a->bench->iso->bricks_stale = true;
    if (a->copy) a->bench->iso->copy.rung = NULL;
    return run_once(a->bench, a->value, ms, a->err);
}

static int run_often(struct rounds *rounds, struct again *again)
{
    *rounds = (struct rounds){ .count = 1, .columns = COLUMNS, .runs = again->bench->runs };
    return rounds_run(rounds, run_again, again, again->err);
}

static void fill_work(struct work *work, const struct rounds *rounds, int column, const struct stage_stats *stats)
{
    work->us = rounds_times(rounds, 0, column);
    work->bytes = work->us.median > 0 ? stats->bytes : 0;
}

static void fill_point(struct bench_point *point, const struct iso *iso, const struct rounds *rounds)
{
    point->vertices = iso->counts.vertices, point->triangles = iso->counts.triangles;
    for (int s = STAGE_BRICKS + 1; s < STAGE_COUNT; s++) {
        fill_work(&point->stage[s], rounds, s, &iso->stage[s]);
        point->change.bytes += point->stage[s].bytes;
    }
    point->change.us = rounds_times(rounds, 0, COLUMN_CHANGE);
    point->wall = rounds_times(rounds, 0, COLUMN_WALL);
}

int bench_change(struct bench *bench, float value, struct bench_point *point, struct err *err)
{
    struct again again = { bench, value, false, false, err };
    struct rounds rounds = { .count = 0 };
    struct cell_counts cells;
    double first[COLUMNS];
    int code = run_once(bench, value, first, err);
    if (!code) code = run_often(&rounds, &again);
    if (!code) code = iso_count_cells(bench->iso, &cells, err);
    if (!code) {
        *point = (struct bench_point){ .active_cells = cells.active, .first_us = 1e3 * first[COLUMN_WALL] };
        fill_point(point, bench->iso, &rounds);
    }
    rounds_free(&rounds);
    return code;
}

int bench_volume(struct bench *bench, float value, struct bench_point *point, struct err *err)
{
    struct again bricks = { bench, value, true, false, err }, copy = { bench, value, false, true, err };
    struct rounds rounds;
    int code = run_often(&rounds, &bricks);
    if (!code) fill_work(&point->stage[STAGE_BRICKS], &rounds, STAGE_BRICKS, &bench->iso->stage[STAGE_BRICKS]);
    rounds_free(&rounds);
    if (code || !bench->iso->copy.rung) return code;
    code = run_often(&rounds, &copy);
    if (!code) fill_work(&point->copy, &rounds, COLUMN_COPY, &bench->iso->copy.stats);
    rounds_free(&rounds);
    return code;
}

/* ---- the rungs of a stage, side by side ---------------------------------------------------------------------------- */

/* Makes the mesh of the default rungs, the reference for all others. Keeps the chosen rungs. */
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

/* Sets *same to whether `bytes` bytes of backend memory at `memory` equal `host`. */
static int same_bytes(struct iso *iso, const void *memory, const void *host, uint64_t bytes, bool *same, struct err *err)
{
    char *piece = malloc(PIECE);
    if (!piece) {
        err_set(err, ERR_FAILED, "not enough memory to compare meshes");
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

/* Poisons the buffer first, or the mesh of an earlier run could pass for this one. */
static int emit_poisoned(struct bench *b, float value, struct err *err)
{
    const int code = b->iso->ops->fill(b->buffer.memory, 0xa5, b->buffer.bytes, &b->iso->exec);
    if (code) return err_set(err, ERR_FAILED, "clearing the mesh failed: %s", b->iso->ops->explain(code));
    return iso_is_fused(b->iso) ? bench_mesh(b, value, err) : iso_emit(b->iso, &b->out.mesh, err);
}

/* Compares the mesh of the chosen rungs with `want`, bit for bit. Fills outcome and why. */
static int compare_mesh(struct bench *b, float value, const struct mesh_host *want, struct rung_row *r, struct err *err)
{
    const struct mesh_out *mesh = &b->out.mesh;
    bool same_vertices = false, same_indices = false;
    r->outcome = OUTCOME_SKIPPED;
    if (iso_reserve_mesh(b->iso, &b->buffer, &b->out, err)) return err->code;
    r->outcome = OUTCOME_FAILED;
    if (emit_poisoned(b, value, err) ||
        same_bytes(b->iso, mesh->vertices, want->vertices, want->vertex_count * sizeof(struct vertex), &same_vertices,
                   err) ||
        same_bytes(b->iso, mesh->indices, want->indices, 12 * want->triangle_count, &same_indices, err))
        return err->code;
    r->outcome = same_vertices && same_indices ? OUTCOME_RIGHT : OUTCOME_WRONG;
    if (r->outcome == OUTCOME_WRONG)
        snprintf(r->why, sizeof r->why, "the counts are right, but not the %s", same_vertices ? "triangles" : "vertices");
    return ERR_NONE;
}

/* Runs once. Fills outcome and why. If an error is returned, the outcome says what it means for the rung. */
static int check_rung(struct bench *b, float value, const struct mesh_host *shared, struct rung_row *r, struct err *err)
{
    struct iso *iso = b->iso;
    const bool fused = iso_is_fused(iso);
    const bool soup = !fused && ((const struct generate_rung *)iso->rung[STAGE_GENERATE])->soup;
    const uint64_t vertices = soup ? 3 * shared->triangle_count : shared->vertex_count;
    r->outcome = OUTCOME_SKIPPED;
    if (r->stage == STAGE_FUSED && ((const struct fused_rung *)r->rung)->run && !fused)
        return err_set(err, ERR_USAGE, "the bricks rung '%s' keeps no ranges, which it needs",
                       iso->rung[STAGE_BRICKS]->name);
    if (!fused && iso_prepare(iso, err)) return err->code;
    r->outcome = OUTCOME_FAILED;
    if (fused ? bench_mesh(b, value, err) : iso_count(iso, value, err)) return err->code;
    r->outcome = OUTCOME_WRONG;
    if (iso->counts.vertices != vertices || iso->counts.triangles != shared->triangle_count) {
        snprintf(r->why, sizeof r->why,
                 "%" PRIu64 " vertices and %" PRIu64 " triangles; the default rungs have %" PRIu64 " and %" PRIu64,
                 iso->counts.vertices, iso->counts.triangles, vertices, shared->triangle_count);
        return ERR_NONE;
    }
    r->outcome = OUTCOME_RIGHT;
    if (!iso_is_ordered(iso)) return ERR_NONE; /* only the counts can be compared */
    if (!soup) return compare_mesh(b, value, shared, r, err);
    struct mesh_host corners;
    r->outcome = OUTCOME_SKIPPED;
    if (mesh_host_soup(shared, &corners, err)) return err->code;
    const int code = compare_mesh(b, value, &corners, r, err);
    mesh_host_free(&corners);
    return code;
}

/* Chooses the rung; the bricks rung also marks the bricks for rebuilding. */
static int choose(struct iso *iso, const struct rung_row *r, struct err *err)
{
    if (iso_set_rung(iso, r->stage, r->rung->name, err)) return err->code;
    if (r->stage == STAGE_BRICKS) iso->bricks_stale = true;
    return ERR_NONE;
}

/* An error of a rung becomes its outcome; too little memory counts as skipped. A lost backend ends the comparison. */
static int check_rungs(struct bench *b, float value, struct rung_row *rows, size_t n, struct err *err)
{
    struct mesh_host want;
    if (make_reference(b, value, &want, err)) return err->code;
    int code = ERR_NONE;
    for (size_t i = 0; i < n && !code; i++) {
        struct err why = { 0 };
        const char *unavailable = rung_unavailable(rows[i].rung, &b->iso->exec);
        if (unavailable) {
            row_judge(&rows[i], OUTCOME_SKIPPED, unavailable);
            continue;
        }
        code = choose(b->iso, &rows[i], err);
        if (code || !check_rung(b, value, &want, &rows[i], &why)) continue;
        row_judge(&rows[i], why.cause == CAUSE_MEMORY ? OUTCOME_SKIPPED : rows[i].outcome, why.text);
        if (iso_is_lost(b->iso)) code = err_set(err, why.code, "%s", why.text);
    }
    mesh_host_free(&want);
    return code;
}

struct comparison {
    struct bench *bench;
    float value;
    struct rung_row *rows;
    struct err *err;
};

static int run_row(void *context, size_t i, double *ms)
{
    const struct comparison *c = context;
    struct rung_row *row = &c->rows[i];
    struct iso *iso = c->bench->iso;
    if (row->outcome != OUTCOME_RIGHT) return ERR_NONE;
    if (choose(iso, row, c->err) || run_once(c->bench, c->value, ms, c->err)) return c->err->code;
    row->change.bytes = change_bytes(iso, ms);
    row->own.bytes = row->stage == STAGE_FUSED ? row->change.bytes : ms[row->stage] > 0 ? iso->stage[row->stage].bytes : 0;
    return ERR_NONE;
}

static int time_rows(struct comparison *c, size_t n)
{
    struct rounds rounds = { .count = n, .columns = COLUMNS, .runs = c->bench->runs };
    const int code = rounds_run(&rounds, run_row, c, c->err);
    for (size_t i = 0; i < n && !code; i++) {
        struct rung_row *row = &c->rows[i];
        if (row->outcome != OUTCOME_RIGHT) continue;
        row->own.us = rounds_times(&rounds, i, row->stage == STAGE_FUSED ? (int)COLUMN_CHANGE : (int)row->stage);
        row->change.us = rounds_times(&rounds, i, COLUMN_CHANGE);
    }
    rounds_free(&rounds);
    return code;
}

int bench_compare(struct bench *bench, float value, enum stage stage, struct rung_row *rows, size_t *count, struct err *err)
{
    const struct rung *chosen = bench->iso->rung[stage], *fused = bench->iso->rung[STAGE_FUSED];
    struct comparison comparison = { bench, value, rows, err };
    *count = rows_list(rows, ladder_of(stage_name[stage]), bench->iso->exec.backend);
    *count = rows_keep(rows, *count, bench->only);
    for (size_t i = 0; i < *count; i++) {
        rows[i].stage = stage;
        rows[i].idle = stage == STAGE_BRICKS && !((const struct bricks_rung *)rows[i].rung)->run;
    }
    int code = iso_set_rung(bench->iso, STAGE_FUSED, "none", err); /* a fused rung would run instead of the stages */
    if (!code) code = check_rungs(bench, value, rows, *count, err);
    if (!code && bench->runs) code = time_rows(&comparison, *count);
    if (!code) rows_compare(rows, *count);
    int restored = iso_set_rung(bench->iso, stage, chosen->name, code ? NULL : err);
    if (!restored && stage != STAGE_FUSED) restored = iso_set_rung(bench->iso, STAGE_FUSED, fused->name, code ? NULL : err);
    return code ? code : restored;
}

void bench_close(struct bench *bench)
{
    buffer_release(&bench->buffer, bench->iso->ops);
    bench->out = (struct mesh_buffers){ { NULL, NULL }, 0, 0 };
}
