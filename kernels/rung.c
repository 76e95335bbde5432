#include "ladders.h"

#include <string.h>

#define ROW(op, job, alias) { #op, job, { op##_cpu, op##_cuda }, sizeof op##_cpu[0], alias },
const struct ladder ladders[] = { LADDERS(ROW){ .op = NULL } };
#undef ROW

/* The rung that was appended to each ladder, for each backend. This is the only state that ladders have; code that
 * lists rungs finds an appended one as if it were in the table. */
#define ONE(op, job, alias) LADDER_##op,
enum { LADDERS(ONE) LADDER_COUNT };
#undef ONE
static const struct rung *appended[LADDER_COUNT][BACKEND_COUNT];

void ladder_append(const struct ladder *ladder, enum backend backend, const struct rung *rung)
{
    __atomic_store_n(&appended[ladder - ladders][backend], rung, __ATOMIC_RELEASE);
}

const struct rung *ladder_rung(const struct ladder *ladder, enum backend backend, size_t i)
{
    const char *row = ladder->table[backend];
    while (i && ((const struct rung *)row)->name) row += ladder->row_bytes, i--;
    if (((const struct rung *)row)->name) return (const struct rung *)row;
    return i ? NULL : __atomic_load_n(&appended[ladder - ladders][backend], __ATOMIC_ACQUIRE);
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
