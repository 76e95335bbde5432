/* A ladder is an op with several implementations, its rungs, from the textbook one up.
 *
 * Each op X has a row type `struct X_rung` that starts with a `struct rung`, and per backend one const table of
 * rows, at the foot of X_cpu.c and X_cuda.cu, closed by a row whose name is NULL. The first row is the textbook;
 * exactly one row is the default. Command line, panel, tests and docs read the tables, so that a new rung is one
 * function and one row in one file. */
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
    bool (*available)(void); /* whether this machine has the instructions; NULL: every machine has */
};

struct ladder {
    const char *op;
    const char *job;                  /* what the op does for the viewer, one line */
    const void *table[BACKEND_COUNT]; /* rows of `row_bytes`, each starting with a struct rung */
    size_t row_bytes;
};

extern const struct ladder ladders[]; /* every op, in the order of the pipeline; closed by op NULL */

/* The i-th rung of a ladder, NULL past the end. A backend that was not built has empty tables. */
const struct rung *ladder_rung(const struct ladder *ladder, enum backend backend, size_t i);

/* The rung of that name; name NULL gives the default. NULL if there is none. */
const struct rung *ladder_find(const struct ladder *ladder, enum backend backend, const char *name);

/* Whether the rung can run on this machine. */
static inline bool rung_available(const struct rung *rung)
{
    return !rung->available || rung->available();
}

/* The ladder of that op, NULL if there is none. */
const struct ladder *ladder_of(const char *op);

#ifdef __cplusplus
}
#endif
#endif
