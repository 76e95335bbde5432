#include "launched.h"

#include "op_grid.h"

#include <string.h>

enum { MOST_CASES = 8 }; /* two shapes of the ops that have four cases to a shape */

void launched_list(struct launches *to, struct op_case *c, const struct rung *rung)
{
    struct launches found;
    to->count = 0;
    if (c->exec->backend != BACKEND_CUDA) return;
    if (c->op->before && c->op->before(c, rung)) return;
    if (cuda_launches_begin(c->exec)) return;
    const int code = c->op->run(c, rung);
    if (!cuda_launches_end(c->exec, &found) && !code) *to = found;
}

/* ---- stages ---------------------------------------------------------------------------------------------------------- */

struct search {
    struct op_walk walk; /* first: add() gets a pointer to it */
    struct ladder_result *result;
    struct iso *iso;
    int cases; /* tried */
};

static bool is_missing(const struct ladder_result *r, size_t i)
{
    return r->row[i].outcome == OUTCOME_RIGHT && !r->row[i].idle && !r->launches[i].count;
}

static void try_row(struct ladder_result *r, size_t i, struct op_case *c)
{
    const struct rung *rung = r->row[i].rung;
    if (!is_missing(r, i) || (c->op->refuses && c->op->refuses(c, rung))) return;
    if (op_case_reserve(c, op_case_scratch(c, rung))) launched_list(&r->launches[i], c, rung);
}

/* The parameters of every stage begin with its grid. */
static void try_case(struct op_walk *walk, const void *param)
{
    struct search *s = (struct search *)walk;
    const struct grid_case *g = param;
    struct op_case c;
    size_t missing = 0;
    for (size_t i = 0; i < s->result->rows; i++) missing += is_missing(s->result, i);
    if (!missing || s->cases == MOST_CASES || g->type != VOXEL_UINT8 || g->field != FIELD_NOISE) return;
    s->cases++;
    if (!op_case_open(&c, s->result->op, param, s->iso->ops, &s->iso->exec))
        for (size_t i = 0; i < s->result->rows; i++) try_row(s->result, i, &c);
    op_case_close(&c);
}

void launched_by_stage(struct ladder_result *result, struct iso *iso)
{
    struct search s = { { result->backend, true, try_case }, result, iso, 0 };
    if (result->backend == BACKEND_CUDA) result->op->cases(&s.walk);
}
