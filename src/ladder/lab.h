/* The laboratory: all rungs of an op side by side, on made-up input, each checked before it is timed.
 *
 * To add an op: one file lab_X.c with a `const struct lab_op lab_X`, and its name in the list in lab_ops.c. The stages of
 * the pipeline need a row there only: they are checked and timed as `isoscope bench --compare` does it. */
#ifndef ISO_LAB_H
#define ISO_LAB_H

#include "bench.h"
#include "machine.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LAB_BUFFERS = 24, LAB_WHY = 256 };

struct lab;

struct lab_op {
    const char *op;             /* in ladders[] */
    const char *unit;           /* what a size counts */
    size_t size[BACKEND_COUNT]; /* default: larger than the caches, where memory is what bounds it */
    const char *operation;      /* what counts as one operation: "flop", or "number" where an op does no arithmetic */
    const char *library;        /* bound by arithmetic: the rung that is the ceiling, "": none; NULL: the copy rate is */

    /* Makes the input in the backend's memory and on the host what comes out, by the plainest code there is; sets bytes
     * and operations. Memory is asked of the functions below, so there is nothing to close. 0, or lab->err is set.
     * NULL: a stage of the pipeline; the members below are then not used. */
    int (*open)(struct lab *lab);
    size_t (*scratch)(const struct lab *lab, const struct rung *rung); /* bytes; NULL: none needs any */
    int (*before)(struct lab *lab, const struct rung *rung); /* before every run, not timed; NULL: nothing to do */
    int (*run)(struct lab *lab, const struct rung *rung);    /* queues one run, returns the backend's code */
    /* After a run into poisoned outputs; false: `why` gets one clause. */
    bool (*check)(struct lab *lab, const struct rung *rung, char why[LAB_WHY]);
    bool (*any_block)(const struct rung *rung); /* takes exec.block; NULL: none does */
    void (*close)(struct lab *lab); /* of what open made by other means, also where open failed; NULL: nothing */
};

extern const struct lab_op *const lab_ops[];    /* in the order of ladders[]; closed by NULL */
const struct lab_op *lab_op_of(const char *op); /* NULL if there is none */

/* ---- one op at one size on one backend, while it is measured --------------------------------------------------------- */

struct lab {
    struct iso iso; /* who computes; with a volume where the op needs one */
    size_t size;
    void *state;                /* the adaptor's own, from lab_host */
    void *scratch;              /* backend memory, for the rung that runs */
    uint64_t bytes, operations; /* of one run: inputs read once, outputs written once */
    struct volume volume;       /* from lab_volume */
    struct {
        void *memory;
        size_t bytes;
        bool output, host;
    } buffer[LAB_BUFFERS];
    int buffers;
    size_t scratch_bytes;
    struct err err; /* the first that went wrong */
};

void *lab_host(struct lab *lab, size_t bytes);                    /* NULL: no memory, and err is set */
void *lab_input(struct lab *lab, const void *from, size_t bytes); /* backend memory with the bytes at `from` */
void *lab_output(struct lab *lab, size_t bytes);                  /* backend memory, poisoned before the checked run */
int lab_read(struct lab *lab, void *to, const void *from, size_t bytes); /* to the host; the backend's code */

/* Vessels of `size` voxels along each axis, on the host and the backend. *value, unless NULL, gets a good isovalue. */
int lab_volume(struct lab *lab, double *value);

/* A fixed sequence of numbers from [-1, 1), the same every time. */
void lab_random(float *to, size_t n);

/* ---- what was found -------------------------------------------------------------------------------------------------- */

enum lab_outcome { LAB_RIGHT, LAB_WRONG, LAB_FAILED, LAB_SKIPPED, LAB_OUTCOMES }; /* only right ones are timed */
extern const char *const lab_outcome_name[LAB_OUTCOMES];

struct lab_row {
    const struct rung *rung;
    enum lab_outcome outcome;
    char why[LAB_WHY]; /* unless right: one clause */
    bool idle;         /* does nothing, as the bricks rung "none" */
    int runs;          /* that were timed */
    struct bench_work work;
    uint64_t operations;
    double speedup; /* first rung that does anything / this, by the medians; NAN: one of the two has no time */
};

struct lab_result {
    const struct ladder *ladder;
    const struct lab_op *op;
    enum backend backend;
    size_t size;
    unsigned block; /* threads per block that were asked for; 0: the rungs' own */
    struct lab_row row[BENCH_MOST_RUNGS];
    size_t rows;
};

struct lab_plan {
    int threads; /* 0: one per core */
    int runs;    /* 0: do not time */
    bool fewer;  /* may stop early where the runs take long */
};

/* Checks all rungs, then times the right ones in turns. What goes wrong with a rung is its outcome; where the input could
 * not be made, all are skipped. Error: only where the backend cannot be opened. */
int lab_measure(struct lab_result *result, const struct lab_op *op, enum backend backend, size_t size, unsigned block,
                const struct lab_plan *plan, struct err *err);

/* 10^9 operations per second, NAN where there is no time. */
double lab_speed(const struct lab_row *row);

#ifdef __cplusplus
}
#endif
#endif
