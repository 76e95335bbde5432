/* Compares all rungs of an op on one backend, with generated input: checks each rung, then times the right ones in
 * turns. Pipeline stages are measured like `isoscope bench --compare`, other ops as their struct op says. */
#ifndef ISO_LADDER_H
#define ISO_LADDER_H

#include "op.h"
#include "kernels/launches.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ladder_result {
    const struct ladder *ladder;
    const struct op *op;
    enum backend backend;
    size_t size;
    uint64_t shape[OP_AXES]; /* used instead of the size; zeros: no shape, or axes that the op does not have */
    unsigned block;          /* requested threads per block; 0: each rung's own */
    struct rung_row row[RUNG_ROWS];
    size_t rows;
    struct launches launches[RUNG_ROWS]; /* of each row that was timed on CUDA; stages: with uint8 voxels */
};

struct ladder_plan {
    int threads;                      /* 0: OMP_NUM_THREADS, or one per core */
    int runs;                         /* 0: do not time */
    bool hurry;                       /* may stop early if runs are slow */
    bool cases;                       /* if runs is 0: check the op's quick cases before the size */
    int checks;                       /* of the size, at most, in half a second: a race can be right by luck; 0: one */
    const uint64_t *shape;            /* [op->axes], used instead of the size; NULL: none */
    unsigned block;                   /* threads per block; 0: each rung's own */
    const struct rung *only;          /* the rung to measure; NULL: all */
    const struct draw_guests *guests; /* rungs that take part in `draw`; NULL: none */
};

/* Measures `op` at `size`. If a rung fails, that is its outcome. All rungs are skipped if the input cannot be made or
 * needs more memory than is free. Error: only if the backend cannot be opened. */
int ladder_measure(struct ladder_result *result, const struct op *op, enum backend backend, size_t size,
                   const struct ladder_plan *plan, struct err *err);

/* The size as text, with the op's unit: "4096 floats", "512 x 64 x 128 rows and columns". Returns `to`. */
const char *ladder_size(char to[128], const struct ladder_result *result);

/* 10^9 operations per second; NAN if the rung was not timed. */
double ladder_speed(const struct rung_row *row);

#ifdef __cplusplus
}
#endif
#endif
