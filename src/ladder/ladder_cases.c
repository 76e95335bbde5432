#include "ladder_cases.h"

#include <stdio.h>

enum { THREADS = 3 }; /* few of the sizes are multiples of it */

struct checked {
    struct op_walk walk; /* first: add() gets a pointer to it */
    struct rung_row *rows;
    size_t count;
    const struct op *op;
    const struct backend_ops *ops;
    struct exec *exec;
};

static void check_row(struct rung_row *row, struct op_case *c)
{
    char why[OP_NAME + RUNG_WHY + 8];
    if (row->rung->is_wrong || row->outcome != OUTCOME_RIGHT) return;
    const enum outcome outcome = op_case_check(c, row->rung);
    row->cases += outcome == OUTCOME_RIGHT;
    if (outcome != OUTCOME_WRONG && outcome != OUTCOME_FAILED) return;
    snprintf(why, sizeof why, "at %s: %s", c->name, c->why);
    row_judge(row, outcome, why);
}

static void check_case(struct op_walk *walk, const void *param)
{
    const struct checked *k = (const struct checked *)walk;
    struct op_case c;
    const int code = op_case_open(&c, k->op, param, k->ops, k->exec);
    for (size_t i = 0; i < k->count && !code; i++) check_row(&k->rows[i], &c);
    op_case_close(&c);
}

void ladder_cases(struct rung_row *rows, size_t count, const struct op *op, const struct backend_ops *ops, struct exec *x)
{
    struct checked k = { { x->backend, true, check_case }, rows, count, op, ops, x };
    const int threads = x->threads;
    x->threads = THREADS;
    op->cases(&k.walk);
    x->threads = threads;
}
