/* Rungs side by side: their outcomes and measurements. `isoscope bench` and `isoscope ladder` share this. */
#ifndef ISO_RUNG_ROWS_H
#define ISO_RUNG_ROWS_H

#include "iso.h"
#include "rounds.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RUNG_ROWS = 32, RUNG_WHY = 256 }; /* most rungs of a ladder on one backend; bytes of a clause */

enum outcome {
    OUTCOME_RIGHT,   /* the result matches the reference; only these rungs are timed */
    OUTCOME_WRONG,   /* the result differs */
    OUTCOME_FAILED,  /* the backend reported an error */
    OUTCOME_SKIPPED, /* the rung cannot run on this machine, with this input, or in free memory */
    OUTCOMES
};
extern const char *const outcome_name[OUTCOMES]; /* right, wrong, failed, skipped */

struct draw_guests;

struct rung_row {
    const struct rung *rung;
    const struct draw_guests *guests; /* its owner (draw_guests.h); NULL: the backend */
    enum stage stage;                 /* pipeline rungs only */
    bool idle;                        /* does nothing, like the bricks rung "none" */
    enum outcome outcome;
    char why[RUNG_WHY];  /* a clause, unless OUTCOME_RIGHT */
    unsigned cases;      /* how many were right; 0: only one size was checked, which is not counted */
    int runs;            /* timed runs */
    struct work own;     /* of the op */
    struct work change;  /* pipeline rungs only: all stages that a change of the isovalue runs */
    uint64_t operations; /* of one run; 0: unknown */
    double error;        /* the largest of floating-point results, as op_near() measures it; NAN: results are exact */
    double measured;     /* for an op that does not measure rates (`measure` in op.h); NAN: it does */
    double predicted;    /* what the rung's comment predicts for `measured`; NAN: nothing is claimed */
    double speedup;      /* cost (row_cost) of the first rung that is not idle / cost of this rung; NAN: unknown */
};

/* Lists the rungs of a ladder on one backend, without outcomes. Returns the number of rungs. */
size_t rows_list(struct rung_row rows[RUNG_ROWS], const struct ladder *ladder, enum backend backend);

/* Appends a rung, unless there is no room; returns the number of rungs. */
size_t rows_add(struct rung_row rows[RUNG_ROWS], size_t count, const struct rung *rung);

/* Removes all rows but that of `only`, or none if `only` is NULL. Returns the number of rows. */
size_t rows_keep(struct rung_row *rows, size_t count, const struct rung *only);

/* Sets outcome and clause. */
void row_judge(struct rung_row *row, enum outcome outcome, const char *why);

/* Whether the row has a time. */
static inline bool row_timed(const struct rung_row *row)
{
    return row->outcome == OUTCOME_RIGHT && !row->idle && row->own.us.median > 0;
}

/* What rungs are compared by: `measured` if it is set, else the median time. */
static inline double row_cost(const struct rung_row *row)
{
    return row->measured == row->measured ? row->measured : row->own.us.median; /* NAN is not equal to itself */
}

/* Sets the speedups from the costs (row_cost). */
void rows_compare(struct rung_row *rows, size_t count);

/* The first row that is wrong or failed; commands report it in their exit code. NULL: none. */
const struct rung_row *rows_fault(const struct rung_row *rows, size_t count);

/* Add a cell to a row of a table: the name, with a star if it is the default; and a sign for the outcome. */
void rows_put_rung(struct table_cells *cells, const struct rung *rung);
void rows_put_outcome(struct table_cells *cells, enum outcome outcome);

#ifdef __cplusplus
}
#endif
#endif
