/* Rungs side by side: a timer that runs them in turns, what became of each, and the words and cells for both.
 *
 * `isoscope bench` and `isoscope ladder` share all of it. */
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

struct work {        /* what one run does, and how long it takes */
    struct times us; /* by the backend's own clock: events on CUDA */
    uint64_t bytes;  /* inputs read once, outputs written once */
};

/* GB/s; NAN where nothing was moved or no time was measured. */
double work_rate(const struct work *work);

/* Runs `count` things in turns, round after round, so that a drift of the machine affects all alike. */
struct rounds {
    size_t count;
    int columns; /* times that one run reports */
    int runs;    /* that count, after ROUNDS_WARM_UPS */
    bool hurry;  /* may stop after ROUNDS_LEAST runs where they take long */
    int done;    /* runs that were timed */
    double *ms;  /* set by rounds_run; freed by rounds_free */
};

/* Calls run(context, i, ms) for thing i; `ms` gets `columns` times. A result other than 0 ends the rounds and is returned.
 * ERR_FAILED, and err is set, where there is no memory for the times. */
int rounds_run(struct rounds *rounds, int (*run)(void *context, size_t i, double *ms), void *context, struct err *err);

/* Median, minimum and 90th percentile (the smallest time that 90 % do not exceed) of one column of thing i. */
struct times rounds_times(const struct rounds *rounds, size_t i, int column);
void rounds_free(struct rounds *rounds);

/* ---- rungs ----------------------------------------------------------------------------------------------------------- */

enum { RUNG_ROWS = 32, RUNG_WHY = 256 }; /* most rungs of a ladder on one backend */

enum outcome {
    OUTCOME_RIGHT,   /* its result is the reference's; no other rung is timed */
    OUTCOME_WRONG,   /* it gave another result */
    OUTCOME_FAILED,  /* the backend reported an error */
    OUTCOME_SKIPPED, /* it cannot run on this machine, with this input, or in the memory that is free */
    OUTCOMES
};
extern const char *const outcome_name[OUTCOMES]; /* right, wrong, failed, skipped */

struct rung_row {
    const struct rung *rung;
    enum stage stage; /* of the pipeline's rungs only */
    bool idle;        /* does nothing, as the bricks rung "none" */
    enum outcome outcome;
    char why[RUNG_WHY];  /* unless it is right: one clause */
    int runs;            /* that were timed */
    struct work own;     /* of the op */
    struct work change;  /* of the pipeline's rungs only: all stages that a change of the isovalue runs */
    uint64_t operations; /* of one run; 0: not known */
    double speedup;      /* time of the first rung that does anything / time of this one; NAN: one has no time */
};

/* Lists the rungs of a ladder on one backend, none of them judged. Returns how many there are. */
size_t rows_list(struct rung_row rows[RUNG_ROWS], const struct ladder *ladder, enum backend backend);

/* Sets outcome and clause. */
void row_judge(struct rung_row *row, enum outcome outcome, const char *why);

/* Whether the row has a time. */
static inline bool row_timed(const struct rung_row *row)
{
    return row->outcome == OUTCOME_RIGHT && !row->idle && row->own.us.median > 0;
}

/* Fills the speedups, by the medians. */
void rows_compare(struct rung_row *rows, size_t count);

/* The first row that is wrong or failed: a bug that scripts must see in the exit code. NULL: there is none. */
const struct rung_row *rows_fault(const struct rung_row *rows, size_t count);

/* ---- cells and members ------------------------------------------------------------------------------------------------ */

void cells_rung(struct table_cells *cells, const struct rung *rung); /* the name, with a star if it is the default */
void cells_outcome(struct table_cells *cells, enum outcome outcome); /* a sign */
void report_times(struct report *report, const struct times *us, bool known, const char *suffix); /* median, min, p90 */

#ifdef __cplusplus
}
#endif
#endif
