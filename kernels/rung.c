#include "ladders.h"

#include <string.h>

#define ROW(op, job, alias) { #op, job, { op##_cpu, op##_cuda }, sizeof op##_cpu[0], alias },
const struct ladder ladders[] = { LADDERS(ROW){ .op = NULL } };
#undef ROW

const struct rung *ladder_rung(const struct ladder *ladder, enum backend backend, size_t i)
{
    const struct rung *rung = (const struct rung *)((const char *)ladder->table[backend] + i * ladder->row_bytes);
    return rung->name ? rung : NULL;
}

const struct rung *ladder_find(const struct ladder *ladder, enum backend backend, const char *name)
{
    const struct rung *rung;
    for (size_t i = 0; (rung = ladder_rung(ladder, backend, i)); i++)
        if (name ? !strcmp(rung->name, name) : rung->is_default) return rung;
    return NULL;
}

const struct ladder *ladder_of(const char *op)
{
    for (const struct ladder *ladder = ladders; ladder->op; ladder++)
        if (!strcmp(ladder->op, op) || (ladder->alias && !strcmp(ladder->alias, op))) return ladder;
    return NULL;
}
