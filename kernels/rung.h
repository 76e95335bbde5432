/* A ladder is an op with several implementations, its rungs, from the textbook one up.
 *
 * Each op X has a row type `struct X_rung` that starts with a `struct rung`, and one const table of rows per backend, at
 * the foot of X_cpu.c and X_cuda.cu. A row whose name is NULL ends the table. The first row is the textbook; exactly one
 * row is the default. If a row has `scratch`, that tells how many more bytes a run needs. Their address is a multiple of
 * 256, as all memory from a backend's alloc() is.
 *
 * Command line, panel, tests and docs read the tables, so a new rung is one function and one row in one file. */
#ifndef ISO_RUNG_H
#define ISO_RUNG_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rung {
    const char *name; /* what --rung OP=NAME takes and the panel shows; NULL closes the table */
    const char *idea; /* one line: what it does differently from the row above */
    bool is_default;
    /* One clause on why the rung cannot run here, NULL if it can. The member may be NULL: it always can. */
    const char *(*unavailable)(const struct exec *x);
    bool is_library; /* a vendor's implementation: the ceiling to compare with */
    /* Wrong by design, a lesson: `isoscope ladder` shows that it is, and unavailable() keeps all others from using it. */
    bool is_wrong;
};

struct ladder {
    const char *op;
    const char *job;                  /* what the op does for the viewer, one line */
    const void *table[BACKEND_COUNT]; /* rows of `row_bytes`, each starting with a struct rung */
    size_t row_bytes;
    const char *alias; /* another name that commands take, such as a former one; NULL: none */
};

extern const struct ladder ladders[]; /* every op, in the order of the pipeline; closed by op NULL */

/* The i-th rung of a ladder, NULL past the end. A backend that was not built has empty tables. The last may be one that was
 * appended. */
const struct rung *ladder_rung(const struct ladder *ladder, enum backend backend, size_t i);

/* The rung of that name; name NULL gives the default. NULL if there is none. */
const struct rung *ladder_find(const struct ladder *ladder, enum backend backend, const char *name);

/* One clause on why the rung cannot run here, NULL if it can. */
static inline const char *rung_unavailable(const struct rung *rung, const struct exec *x)
{
    return rung->unavailable ? rung->unavailable(x) : NULL;
}

/* The ladder of the op with that name or alias, NULL if there is none. */
const struct ladder *ladder_of(const char *op);

/* Puts a rung behind those of the table, in place of one that was appended before; NULL takes it away. It must be of the
 * op's row type, and live as long as anything can have found it. Any thread may look rungs up meanwhile. */
void ladder_append(const struct ladder *ladder, enum backend backend, const struct rung *rung);

#ifdef __cplusplus
}
#endif
#endif
