/* The team whose members exchange files. Nobody waits: a process that comes before another has ended reports that. */
#include "team.h"

#include "pieces.h"
#include "plan.h"

#include <stdlib.h>
#include <string.h>

static int agree(struct team *team, int code, struct err *err)
{
    (void)team, (void)err;
    return code;
}

/* ---- the counts -------------------------------------------------------------------------------------------------- */

struct counts {
    struct iso_layer *layer; /* of all parts */
    struct plan_share share; /* layers of this part that have not been read yet */
};

static int take_counts(void *context, const struct journal_record *r, struct err *err)
{
    struct counts *c = context;
    if (r->begin != c->share.begin || r->end > c->share.end || r->n != (r->end - r->begin) * sizeof *c->layer)
        return err_set(err, ERR_FAILED, "the counts of layers %llu to %llu are damaged", (unsigned long long)r->begin,
                       (unsigned long long)r->end);
    memcpy(c->layer + r->begin, r->bytes, (size_t)r->n);
    c->share.begin = (size_t)r->end;
    return ERR_NONE;
}

static int sum(struct team *team, uint64_t *values, size_t n, struct err *err)
{
    const size_t layers = n * sizeof *values / sizeof(struct iso_layer);
    char path[PATH_MAX];
    bool *there = calloc((size_t)team->size, sizeof *there), all = true;
    int code = there ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for %d parts", team->size);
    for (int k = 0; k < team->size && !code; k++) {
        struct counts c = { (struct iso_layer *)values, plan_even(layers, (size_t)k, (size_t)team->size) };
        const struct journal_take take = { take_counts, &c };
        code = journal_read(ledger_path(path, team->ledger, "count", k), team->ledger->job, &take, err);
        there[k] = c.share.begin == c.share.end;
        all = all && there[k];
    }
    if (!code && !all) code = team_refuse_missing(team, there, "count", err);
    free(there);
    return code;
}

/* ---- the pieces -------------------------------------------------------------------------------------------------- */

struct written {
    struct pieces pieces;
    uint64_t end; /* of the layers that have been written */
};

static int take_written(void *context, const struct journal_record *r, struct err *err)
{
    struct written *w = context;
    w->end = r->end;
    return pieces_append(&w->pieces, r->bytes, (size_t)r->n) ? ERR_NONE
                                                             : err_set(err, ERR_FAILED, "not enough memory for a part");
}

/* The process that finishes has no part of its own. */
static int gather(struct team *team, uint64_t end, const void *bytes, size_t n, const struct team_take *take,
                  struct err *err)
{
    char path[PATH_MAX];
    int code = ERR_NONE;
    (void)end, (void)bytes, (void)n;
    for (int k = 0; k < team->size && !code; k++) {
        struct written w = { .end = 0 };
        const struct journal_take all = { take_written, &w };
        code = journal_read(ledger_path(path, team->ledger, "write", k), team->ledger->job, &all, err);
        if (!code) code = take->take(take->context, k, w.end, w.pieces.bytes, w.pieces.n, err);
        pieces_free(&w.pieces);
    }
    return code;
}

void team_files(struct team *team, int rank, int size)
{
    static const struct team_ops ops = { agree, sum, gather };
    *team = (struct team){ .rank = rank, .size = size, .local = 1, .ops = &ops };
}
