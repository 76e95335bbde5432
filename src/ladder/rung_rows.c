#include "rung_rows.h"

#include <math.h>
#include <stdio.h>

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

void rows_put_rung(struct table_cells *cells, const struct rung *rung)
{
    table_print(cells, "%s%s", rung->name, rung->is_default ? " *" : "");
}

void rows_put_outcome(struct table_cells *cells, enum outcome outcome)
{
    static const char *const signs[OUTCOMES] = { "✓", "✗", "✗", "skipped" };
    table_text(cells, signs[outcome]);
}
