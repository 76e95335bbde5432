#include "ladder.h"

#include "bench.h"
#include "draw_guests.h"
#include "ladder_cases.h"
#include "launched.h"
#include "op_grid.h"
#include "timing.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define CHECKS_MS 500 /* after which a size is not checked again */

static void skip_all(struct ladder_result *r, const struct err *err)
{
    char why[ERR_SENTENCE];
    for (size_t i = 0; i < r->rows; i++) row_judge(&r->row[i], OUTCOME_SKIPPED, err_sentence(err, why));
}

/* ---- ops with a description ------------------------------------------------------------------------------------------ */

struct timing {
    struct op_case *c;
    struct ladder_result *result;
};

static int run_row(void *context, size_t i, double *ms)
{
    const struct timing *t = context;
    struct rung_row *row = &t->result->row[i];
    const int code = row->outcome == OUTCOME_RIGHT ? op_case_run(t->c, row->rung, ms) : 0;
    if (code) row_judge(row, OUTCOME_FAILED, op_case_explain(t->c, code));
    return 0; /* continue with the others */
}

/* Rungs run in turns and share the largest scratch. */
static bool reserve_most(struct op_case *c, const struct ladder_result *r)
{
    size_t most = 0;
    for (size_t i = 0; i < r->rows; i++) {
        const size_t bytes = r->row[i].outcome == OUTCOME_RIGHT ? op_case_scratch(c, r->row[i].rung) : 0;
        if (bytes > most) most = bytes;
    }
    return op_case_reserve(c, most);
}

/* Runs once more: other rungs have since overwritten what this one had left for `measured` to read. */
static void measure_row(struct op_case *c, struct rung_row *row)
{
    double ms;
    if (!c->op->measured || op_case_run(c, row->rung, &ms)) return;
    row->measured = c->op->measured(c, row->rung, row->own.us.median);
    if (c->op->predicted) row->predicted = c->op->predicted(c, row->rung);
}

/* If memory is short, the table has no times. */
static void time_rows(struct op_case *c, struct ladder_result *r, const struct ladder_plan *plan)
{
    struct rounds rounds = { .count = r->rows, .columns = 1, .runs = plan->runs, .hurry = plan->hurry };
    struct timing timing = { c, r };
    if (!reserve_most(c, r) || rounds_run(&rounds, run_row, &timing, NULL)) rounds.done = 0;
    for (size_t i = 0; i < r->rows && rounds.done; i++) {
        struct rung_row *row = &r->row[i];
        if (row->outcome != OUTCOME_RIGHT) continue;
        row->own = (struct work){ rounds_times(&rounds, i, 0), c->bytes };
        row->operations = c->operations, row->runs = rounds.done;
        measure_row(c, row);
    }
    rounds_free(&rounds);
}

static bool has_guests(const struct ladder_result *r, const struct ladder_plan *plan)
{
    return plan->guests && !strcmp(r->op->op, "draw");
}

/* Appends the guests' rungs to the backend's. */
static void add_guests(struct ladder_result *r, const struct draw_guests *guests)
{
    for (const struct rung *rung = guests->rung; rung->name && r->rows < RUNG_ROWS; rung++) {
        r->rows = rows_add(r->row, r->rows, rung);
        r->row[r->rows - 1].guests = guests;
    }
}

/* Checks again while the rung is right: one that has a race is right whenever its threads do not meet. */
static enum outcome check_row(struct op_case *c, const struct rung *rung, int checks)
{
    const double start = timing_ms();
    enum outcome outcome;
    do outcome = op_case_check(c, rung);
    while (outcome == OUTCOME_RIGHT && --checks > 0 && timing_ms() - start < CHECKS_MS);
    return outcome;
}

static void measure_op(struct iso *iso, struct ladder_result *r, const struct ladder_plan *plan)
{
    _Alignas(max_align_t) unsigned char param[OP_PARAM];
    struct op_case c;
    if (plan->shape) r->op->at_shape(param, plan->shape);
    else r->op->at_size(param, r->size);
    const int code = op_case_open(&c, r->op, param, iso->ops, &iso->exec);
    if (code) skip_all(r, &c.err);
    else if (has_guests(r, plan)) draw_guests_join(&c, plan->guests);
    for (size_t i = 0; i < r->rows && !code; i++) {
        const enum outcome outcome = check_row(&c, r->row[i].rung, plan->checks);
        row_judge(&r->row[i], outcome, outcome == OUTCOME_RIGHT ? "" : c.why);
        if (outcome == OUTCOME_RIGHT) r->row[i].error = c.error;
        if (outcome == OUTCOME_RIGHT && plan->runs && !r->row[i].guests) launched_list(&r->launches[i], &c, r->row[i].rung);
    }
    if (!code && plan->runs) time_rows(&c, r, plan);
    op_case_close(&c);
}

/* ---- stages of the pipeline ------------------------------------------------------------------------------------------ */

static enum stage stage_of(const char *op)
{
    int s = 0;
    while (s < STAGE_COUNT - 1 && strcmp(stage_name[s], op) != 0) s++;
    return (enum stage)s;
}

/* Keeps the volume on the host, because the pipeline uploads it. */
static void plan_grid(struct op_case *c)
{
    grid_plan(c, c->param);
    c->array[GRID_VOXELS].use = OP_HOST;
}

static void fill_grid(struct op_case *c) { grid_fill(c, c->param); }

static int measure_grid(struct iso *iso, struct ladder_result *r, const struct grid_case *g, const struct grid *grid,
                        const struct ladder_plan *plan, struct err *err)
{
    struct bench bench = { .iso = iso, .runs = plan->runs, .only = plan->only };
    int code = iso_set_volume(iso, grid, err);
    if (!code) code = bench_compare(&bench, g->iso, stage_of(r->op->op), r->row, &r->rows, err);
    for (size_t i = 0; i < r->rows && !code; i++)
        if (row_timed(&r->row[i])) r->row[i].runs = plan->runs, r->row[i].operations = grid_voxels(grid);
    bench_close(&bench);
    return code;
}

static void measure_stage(struct iso *iso, struct ladder_result *r, const struct ladder_plan *plan)
{
    const struct op on_host = { .op = r->op->op, .plan = plan_grid, .fill = fill_grid };
    const struct grid_case g = grid_at_size(r->size);
    struct exec host = { .backend = BACKEND_CPU, .threads = 1 };
    struct op_case c;
    int code = op_case_open(&c, &on_host, &g, &backend_cpu, &host);
    const struct grid grid = grid_host(&c, &g);
    if (!code) code = measure_grid(iso, r, &g, &grid, plan, &c.err);
    if (code) skip_all(r, &c.err);
    op_case_close(&c);
    if (!code && plan->runs) launched_by_stage(r->launches, r->row, r->rows, r->op, iso);
}

/* ---- cases ----------------------------------------------------------------------------------------------------------- */

/* Adds the results of the cases to those of the size. Guests have no cases; their rows come last. */
static void merge_cases(struct ladder_result *r, const struct rung_row *found, size_t count)
{
    for (size_t i = 0; i < count && i < r->rows; i++) {
        struct rung_row *row = &r->row[i];
        if (found[i].outcome != OUTCOME_RIGHT) row_judge(row, found[i].outcome, found[i].why);
        row->cases = found[i].cases + (found[i].cases && row->outcome == OUTCOME_RIGHT);
    }
}

static void measure_checked(struct iso *iso, struct ladder_result *r, const struct ladder_plan *plan)
{
    struct rung_row found[RUNG_ROWS];
    const size_t count = plan->cases ? rows_keep(found, rows_list(found, r->ladder, r->backend), plan->only) : 0;
    if (count) ladder_cases(found, count, r->op, iso->ops, &iso->exec);
    if (r->op->in_pipeline) measure_stage(iso, r, plan);
    else measure_op(iso, r, plan);
    merge_cases(r, found, count);
}

/* ---- public functions ------------------------------------------------------------------------------------------------ */

int ladder_measure(struct ladder_result *result, const struct op *op, enum backend backend, size_t size,
                   const struct ladder_plan *plan, struct err *err)
{
    struct ladder_result *r = result;
    struct iso iso;
    *r = (struct ladder_result){
        .ladder = ladder_of(op->op), .op = op, .backend = backend, .size = size, .block = plan->block
    };
    for (int a = 0; plan->shape && a < op->axes; a++) r->shape[a] = plan->shape[a];
    if (iso_open(&iso, backend, -1, plan->threads, err)) return err->code;
    if (backend == BACKEND_CPU) omp_set_num_threads(iso.exec.threads); /* the user's rung may ask for no number */
    iso.exec.block = plan->block;
    r->rows = rows_list(r->row, r->ladder, backend);
    if (has_guests(r, plan)) add_guests(r, plan->guests);
    r->rows = rows_keep(r->row, r->rows, plan->only);
    measure_checked(&iso, r, plan);
    rows_compare(r->row, r->rows);
    iso_close(&iso);
    return ERR_NONE;
}

const char *ladder_size(char to[128], const struct ladder_result *result)
{
    const uint64_t *shape = result->shape;
    int used = snprintf(to, 128, "%zu", result->size);
    if (shape[0]) used = snprintf(to, 128, "%llu", (unsigned long long)shape[0]);
    for (int a = 1; a < OP_AXES && shape[a]; a++)
        used += snprintf(to + used, 128 - (size_t)used, " x %llu", (unsigned long long)shape[a]);
    snprintf(to + used, 128 - (size_t)used, " %s", result->op->unit);
    return to;
}

double ladder_speed(const struct rung_row *row)
{
    return row->operations && row->own.us.median > 0 ? 1e-3 * (double)row->operations / row->own.us.median : NAN;
}
