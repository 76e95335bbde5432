#include "rounds.h"

#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_MS 4000 /* with `hurry`, slower rounds stop after ROUNDS_LEAST runs */

/* ---- times ----------------------------------------------------------------------------------------------------------- */

double work_rate(const struct work *work)
{
    return work->bytes && work->us.median > 0 ? 1e-3 * (double)work->bytes / work->us.median : NAN;
}

static double *times_at(const struct rounds *r, size_t i, int column)
{
    return r->ms + (i * (size_t)r->columns + (size_t)column) * (size_t)r->runs;
}

int rounds_run(struct rounds *r, int (*run)(void *context, size_t i, double *ms), void *context, struct err *err)
{
    const size_t columns = (size_t)r->columns, all = r->count * columns * (size_t)r->runs;
    const double start = timing_ms();
    r->done = 0;
    r->ms = calloc(all + columns, sizeof *r->ms);
    if (!r->ms) return err_set(err, ERR_FAILED, "no memory for the times of %zu runs", r->count * (size_t)r->runs);
    double *ms = r->ms + all;
    for (int k = -ROUNDS_WARM_UPS; k < r->runs; k++) {
        if (r->hurry && k >= ROUNDS_LEAST && timing_ms() - start > LONG_MS) break;
        for (size_t i = 0; i < r->count; i++) {
            memset(ms, 0, columns * sizeof *ms);
            const int code = run(context, i, ms);
            if (code) return code;
            for (int c = 0; c < r->columns && k >= 0; c++) times_at(r, i, c)[k] = ms[c];
        }
        if (k >= 0) r->done = k + 1;
    }
    return ERR_NONE;
}

struct times rounds_times(const struct rounds *r, size_t i, int column)
{
    double *ms = times_at(r, i, column);
    const double median = timing_median(ms, (size_t)r->done);
    return (struct times){ 1e3 * median, 1e3 * ms[0], 1e3 * ms[(9 * r->done + 9) / 10 - 1] };
}

void rounds_free(struct rounds *r)
{
    free(r->ms);
    r->ms = NULL;
}

/* ---- rungs ----------------------------------------------------------------------------------------------------------- */

const char *const outcome_name[OUTCOMES] = { "right", "wrong", "failed", "skipped" };

size_t rows_add(struct rung_row rows[RUNG_ROWS], size_t count, const struct rung *rung)
{
    if (count == RUNG_ROWS) return count;
    rows[count] = (struct rung_row){ .rung = rung, .error = NAN, .measured = NAN, .predicted = NAN, .speedup = NAN };
    return count + 1;
}

size_t rows_list(struct rung_row rows[RUNG_ROWS], const struct ladder *ladder, enum backend backend)
{
    const struct rung *rung;
    size_t n = 0;
    while (n < RUNG_ROWS && (rung = ladder_rung(ladder, backend, n))) n = rows_add(rows, n, rung);
    return n;
}

size_t rows_keep(struct rung_row *rows, size_t count, const struct rung *only)
{
    for (size_t i = 0; i < count && only; i++)
        if (rows[i].rung == only) {
            rows[0] = rows[i];
            return 1;
        }
    return count;
}

void row_judge(struct rung_row *row, enum outcome outcome, const char *why)
{
    row->outcome = outcome;
    snprintf(row->why, sizeof row->why, "%.255s", why);
}

void rows_compare(struct rung_row *rows, size_t count)
{
    size_t first = 0;
    while (first < count && rows[first].idle) first++;
    if (first == count || !row_timed(&rows[first])) return;
    for (size_t i = 0; i < count; i++)
        if (row_timed(&rows[i])) rows[i].speedup = row_cost(&rows[first]) / row_cost(&rows[i]);
}

const struct rung_row *rows_fault(const struct rung_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].outcome == OUTCOME_FAILED || (rows[i].outcome == OUTCOME_WRONG && !rows[i].rung->is_wrong))
            return &rows[i];
    return NULL;
}

/* ---- cells and members ------------------------------------------------------------------------------------------- */

void cells_rung(struct table_cells *cells, const struct rung *rung)
{
    cells_print(cells, "%s%s", rung->name, rung->is_default ? " *" : "");
}

void cells_outcome(struct table_cells *cells, enum outcome outcome)
{
    static const char *const signs[OUTCOMES] = { "✓", "✗", "✗", "skipped" };
    cells_text(cells, signs[outcome]);
}

/* Nanoseconds are the third digit of microseconds; further digits are noise. */
void report_times(struct report *report, const struct times *us, bool known, const char *suffix)
{
    const struct {
        const char *name;
        double value;
    } member[] = { { "median", us->median }, { "min", us->min }, { "p90", us->p90 } };
    for (size_t i = 0; i < sizeof member / sizeof member[0]; i++) {
        char name[16];
        snprintf(name, sizeof name, "%s%s", member[i].name, suffix);
        report_measured(report, name, known ? member[i].value : NAN);
    }
}
