/* Timing in turns. `isoscope bench` and `isoscope ladder` share it. */
#ifndef ISO_ROUNDS_H
#define ISO_ROUNDS_H

#include "error.h"
#include "report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ROUNDS_WARM_UPS = 3, ROUNDS_LEAST = 5, ROUNDS_MOST = 10000 };

struct times {
    double median, min, p90; /* microseconds */
};

struct work {        /* the cost of one run */
    struct times us; /* by the backend's clock: events on CUDA */
    uint64_t bytes;  /* inputs read once, outputs written once */
};

/* GB/s; NAN if `bytes` or the time is 0. */
double rounds_rate(const struct work *work);

/* Runs `count` candidates in turns, round after round, so that a drift of the machine's speed affects all equally. */
struct rounds {
    size_t count;
    int columns; /* times that one run reports */
    int runs;    /* timed runs, after ROUNDS_WARM_UPS */
    bool hurry;  /* may stop after ROUNDS_LEAST runs if runs are slow */
    int done;    /* timed runs */
    double *ms;  /* set by rounds_run; freed by rounds_free */
};

/* Calls run(context, i, ms) for candidate i, which writes `columns` times to `ms`. Stops at the first result other than
 * 0 and returns it. Returns ERR_FAILED and sets err if there is no memory for the times. */
int rounds_run(struct rounds *rounds, int (*run)(void *context, size_t i, double *ms), void *context, struct err *err);

/* Median, minimum and 90th percentile (the smallest time that 90 % do not exceed) of one column of candidate i. */
struct times rounds_times(const struct rounds *rounds, size_t i, int column);
void rounds_free(struct rounds *rounds);

/* Reports median, min and p90, if `known`. */
void rounds_report(struct report *report, const struct times *us, bool known, const char *suffix);

#ifdef __cplusplus
}
#endif
#endif
