/* Rungs side by side: timing in turns, outcomes, and table cells. `isoscope bench` and `isoscope ladder` share all of
 * this. */
#ifndef ISO_ROUNDS_H
#define ISO_ROUNDS_H

#include "error.h"
#include "iso.h"
#include "report.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ROUNDS_WARM_UPS = 3, ROUNDS_LEAST = 5, ROUNDS_MOST = 10000 };

/* ---- times ----------------------------------------------------------------------------------------------------------- */

struct times {
    double median, min, p90; /* microseconds */
};

struct work {        /* the cost of one run */
    struct times us; /* by the backend's clock: events on CUDA */
    uint64_t bytes;  /* inputs read once, outputs written once */
};

/* GB/s; NAN if `bytes` or the time is 0. */
double work_rate(const struct work *work);

/* Runs `count` candidates in turns, round after round: a drift of the machine affects all candidates equally. */
struct rounds {
    size_t count;
    int columns; /* times that one run reports */
    int runs;    /* timed runs, after ROUNDS_WARM_UPS */
    bool hurry;  /* may stop after ROUNDS_LEAST runs if runs are slow */
    int done;    /* timed runs */
    double *ms;  /* set by rounds_run; freed by rounds_free */
};

/* Calls run(context, i, ms) for candidate i; run writes `columns` times to `ms`. Stops at the first result other than 0 and
 * returns it. Returns ERR_FAILED and sets err if there is no memory for the times. */
int rounds_run(struct rounds *rounds, int (*run)(void *context, size_t i, double *ms), void *context, struct err *err);

/* Median, minimum and 90th percentile (the smallest time that 90 % do not exceed) of one column of candidate i. */
struct times rounds_times(const struct rounds *rounds, size_t i, int column);
void rounds_free(struct rounds *rounds);

/* ---- rungs ----------------------------------------------------------------------------------------------------------- */

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
    const struct draw_guests *guests; /* whose it is (draw_guests.h); NULL: the backend's */
    enum stage stage;                 /* pipeline rungs only */
    bool idle;                        /* does nothing, like the bricks rung "none" */
    enum outcome outcome;
    char why[RUNG_WHY];  /* a clause, unless OUTCOME_RIGHT */
    unsigned cases;      /* right ones of all that were checked; 0: only one size was, and not counted */
    int runs;            /* timed runs */
    struct work own;     /* of the op */
    struct work change;  /* pipeline rungs only: all stages that a change of the isovalue runs */
    uint64_t operations; /* of one run; 0: unknown */
    double error;        /* the largest of floating-point results, as op_near() measures it; NAN: results are exact */
    double measured;     /* of an op that measures something else than rates (op.h); NAN: it does not */
    double predicted;    /* the same as the rung's comment has it; NAN: nothing is claimed */
    double speedup;      /* time (or what is measured) of the first rung that is not idle / of this rung; NAN: unknown */
};

/* Lists the rungs of a ladder on one backend, without outcomes. Returns the number of rungs. */
size_t rows_list(struct rung_row rows[RUNG_ROWS], const struct ladder *ladder, enum backend backend);

/* Appends a rung, unless there is no room; returns the number of rungs. */
size_t rows_add(struct rung_row rows[RUNG_ROWS], size_t count, const struct rung *rung);

/* Leaves the row of `only` alone, or all if that is NULL. Returns the number of rows. */
size_t rows_keep(struct rung_row *rows, size_t count, const struct rung *only);

/* Sets outcome and clause. */
void row_judge(struct rung_row *row, enum outcome outcome, const char *why);

/* Whether the row has a time. */
static inline bool row_timed(const struct rung_row *row)
{
    return row->outcome == OUTCOME_RIGHT && !row->idle && row->own.us.median > 0;
}

/* By which rungs are compared: what was measured, else the median time. */
static inline double row_cost(const struct rung_row *row)
{
    return row->measured == row->measured ? row->measured : row->own.us.median; /* NAN is not equal to itself */
}

/* Sets the speedups from the medians, or from what was measured in their place. */
void rows_compare(struct rung_row *rows, size_t count);

/* The first row that is wrong or failed, which commands report in their exit code. NULL: none. */
const struct rung_row *rows_fault(const struct rung_row *rows, size_t count);

/* ---- cells and members ------------------------------------------------------------------------------------------- */

void cells_rung(struct table_cells *cells, const struct rung *rung); /* the name; a star marks the default */
void cells_outcome(struct table_cells *cells, enum outcome outcome); /* a sign */
void report_times(struct report *report, const struct times *us, bool known, const char *suffix); /* median, min, p90 */

#ifdef __cplusplus
}
#endif
#endif
