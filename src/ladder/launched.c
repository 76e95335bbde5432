#include "launched.h"

#include "mine.h"
#include "op_grid.h"

enum { MOST_CASES = 8 }; /* two shapes, for ops that have four cases per shape */

/* Replaces sync(), which the description of fused calls between its runs: a stream cannot be waited for while it is
 * recorded. */
static int sync_later(struct exec *x)
{
    (void)x;
    return 0;
}

void launched_list(struct launches *to, struct op_case *c, const struct rung *rung)
{
    const struct backend_ops *const ops = c->ops;
    struct backend_ops recording = *ops;
    struct launches found;
    to->count = 0;
    if (c->exec->backend != BACKEND_CUDA || mine_is(rung)) return; /* a rung from a library has a CUDA runtime of its own */
    if (c->op->before && c->op->before(c, rung)) return;
    if (cuda_launches_begin(c->exec)) return;
    recording.sync = sync_later;
    c->ops = &recording;
    const int code = c->op->run(c, rung);
    c->ops = ops;
    if (!cuda_launches_end(c->exec, &found) && !code) *to = found;
}

/* ---- stages ---------------------------------------------------------------------------------------------------------- */

struct search {
    struct op_walk walk; /* first: add() gets a pointer to it */
    struct launches *launches;
    const struct rung_row *rows;
    size_t count;
    const struct op *op;
    struct iso *iso;
    int cases; /* tried */
};

/* Later cases replace earlier ones, because their strips are 32 wide, like the pipeline's. */
static void try_row(struct search *s, size_t i, struct op_case *c)
{
    const struct rung *rung = s->rows[i].rung;
    struct launches found;
    if (s->rows[i].outcome != OUTCOME_RIGHT || (c->op->refuses && c->op->refuses(c, rung))) return;
    if (!op_case_reserve(c, op_case_scratch(c, rung))) return;
    launched_list(&found, c, rung);
    if (found.count) s->launches[i] = found;
}

/* Every stage's struct of parameters begins with a struct grid_case. Rows are whole strips, as those of the volumes that are
 * timed: for rows of other lengths a rung may launch the kernels of another one. */
static void try_case(struct op_walk *walk, const void *param)
{
    struct search *s = (struct search *)walk;
    const struct grid_case *g = param;
    struct op_case c;
    if (s->cases == MOST_CASES || g->type != VOXEL_UINT8 || g->field != FIELD_NOISE || g->n[0] % BRICK_X) return;
    s->cases++;
    if (!op_case_open(&c, s->op, param, s->iso->ops, &s->iso->exec))
        for (size_t i = 0; i < s->count; i++) try_row(s, i, &c);
    op_case_close(&c);
}

void launched_by_stage(struct launches *launches, const struct rung_row *rows, size_t count, const struct op *op,
                       struct iso *iso)
{
    struct search s = { { iso->exec.backend, true, try_case }, launches, rows, count, op, iso, 0 };
    if (iso->exec.backend == BACKEND_CUDA) op->cases(&s.walk);
}
