/* Measuring: how long the stages take, warm and with kept buffers, as while a value is dragged in the window. */
#ifndef ISO_BENCH_H
#define ISO_BENCH_H

#include "iso.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_WARM_UPS = 3, BENCH_LEAST_RUNS = 5, BENCH_MOST_RUNS = 10000, BENCH_MOST_RUNGS = 32 };

struct bench {
    struct iso *iso;         /* with a volume */
    int runs;                /* that count, after the warm-ups */
    struct buffer buffer;    /* the mesh, in the backend's memory; zero at the start, as is `room` */
    struct mesh_buffers out; /* in `buffer` */
};

struct bench_times {
    double median, min, p90;
}; /* microseconds */

struct bench_work {        /* something done again and again */
    struct bench_times us; /* by the backend's own clock: events on CUDA */
    uint64_t bytes;        /* as in struct stage_stats */
};

struct bench_point { /* one isovalue */
    uint64_t vertices, triangles;
    uint64_t active_cells;                /* 0: not known, after a fused rung in any order */
    struct bench_work stage[STAGE_COUNT]; /* bricks: only by bench_bricks */
    struct bench_work change;             /* all stages that a change of the isovalue runs */
    double first_us;                      /* wall of the very first: with bricks, room and cold caches */
    struct bench_times wall;              /* the same by the monotonic clock, with all waiting in between */
};

enum bench_outcome {
    BENCH_SAME,    /* the default rungs' mesh, bit for bit (a soup: by corners; fused in any order: in its counts); timed */
    BENCH_OTHER,   /* another mesh */
    BENCH_FAILED,  /* an error while it ran */
    BENCH_SKIPPED, /* it cannot take this volume (no room, too many strips), or not run on this machine */
    BENCH_OUTCOMES
};
extern const char *const bench_outcome_name[BENCH_OUTCOMES];

struct bench_rung { /* one rung of a stage, beside the stage's others */
    enum stage stage;
    const struct rung *rung;
    bool idle; /* does nothing, as the bricks rung "none" */
    enum bench_outcome outcome;
    char why[256];            /* unless it is BENCH_SAME: one clause */
    struct bench_work own;    /* the stage */
    struct bench_work change; /* all stages that a change of the isovalue runs, with this rung among them */
    double speedup;           /* textbook / this, by the medians; NAN where one of the two has no time */
};

/* Of n times, which get sorted. The 90th percentile is the smallest that 90 % of them do not exceed. */
struct bench_times bench_times_of(double *ms, int n);

/* GB/s; NAN where nothing was moved or no time was measured. */
double bench_rate(const struct bench_work *work);

/* Runs classify, scan, compact and generate again and again. The chosen rungs stay. */
int bench_change(struct bench *bench, float value, struct bench_point *point, struct err *err);

/* Builds the bricks again and again. */
int bench_bricks(struct bench *bench, float value, struct bench_work *work, struct err *err);

/* Runs all rungs of a stage in turns, round after round, so that a drift of the machine hits all alike; the other
 * stages keep the chosen rungs. *count gets how many of rungs[BENCH_MOST_RUNGS] were filled. runs 0: only checks them. */
int bench_compare(struct bench *bench, float value, enum stage stage, struct bench_rung *rungs, size_t *count,
                  struct err *err);

void bench_close(struct bench *bench); /* frees the room; again is fine, and so is measuring on */

#ifdef __cplusplus
}
#endif
#endif
