/* All rungs of an op side by side on one backend, on made-up input: each is checked, and those that are right are timed in
 * turns. Stages of the pipeline are checked and timed as `isoscope bench --compare` does it, other ops by their struct op. */
#ifndef ISO_LADDER_H
#define ISO_LADDER_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ladder_result {
    const struct ladder *ladder;
    const struct op *op;
    enum backend backend;
    size_t size;
    unsigned block; /* threads per block that were asked for; 0: the rungs' own */
    struct rung_row row[RUNG_ROWS];
    size_t rows;
};

struct ladder_plan {
    int threads; /* 0: one per core */
    int runs;    /* 0: do not time */
    bool hurry;  /* may stop early where the runs take long */
};

/* Measures `op` at `size`. What goes wrong with a rung is its outcome; where the input cannot be made, or needs more memory
 * than is free, all rungs are skipped for that reason. Error: only if the backend cannot be opened. */
int ladder_measure(struct ladder_result *result, const struct op *op, enum backend backend, size_t size, unsigned block,
                   const struct ladder_plan *plan, struct err *err);

/* 10^9 operations per second, NAN where there is no time. */
double ladder_speed(const struct rung_row *row);

#ifdef __cplusplus
}
#endif
#endif
