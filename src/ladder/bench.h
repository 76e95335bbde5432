/* Measuring: how long the stages take, warm and with kept buffers, as while a value is dragged in the window. */
#ifndef ISO_BENCH_H
#define ISO_BENCH_H

#include "rounds.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bench {
    struct iso *iso;         /* with a volume */
    int runs;                /* that count, after the warm-ups */
    struct buffer buffer;    /* the mesh, in the backend's memory; zero at the start, as is `out` */
    struct mesh_buffers out; /* in `buffer` */
};

struct bench_point { /* one isovalue */
    uint64_t vertices, triangles;
    uint64_t active_cells;          /* 0: not known, after a fused rung in any order */
    struct work stage[STAGE_COUNT]; /* bricks: only by bench_bricks */
    struct work change;             /* all stages that a change of the isovalue runs */
    double first_us;                /* wall of the very first: with bricks, a mesh buffer and cold caches */
    struct times wall;              /* the same by the monotonic clock, with all waiting in between */
};

/* What the outcomes are called of meshes: same (as by the default rungs, bit for bit; a soup: by corners; fused in any order:
 * in its counts), other, failed, skipped. */
extern const char *const bench_outcome_name[OUTCOMES];

/* Runs classify, scan, compact and generate again and again. The chosen rungs stay. */
int bench_change(struct bench *bench, float value, struct bench_point *point, struct err *err);

/* Builds the bricks again and again. */
int bench_bricks(struct bench *bench, float value, struct work *work, struct err *err);

/* Runs all rungs of a stage in turns, round after round, so that a drift of the machine hits all alike; the other
 * stages keep the chosen rungs. *count gets how many of rows[RUNG_ROWS] were filled. runs 0: only checks them. */
int bench_compare(struct bench *bench, float value, enum stage stage, struct rung_row *rows, size_t *count,
                  struct err *err);

void bench_close(struct bench *bench); /* frees the mesh; again is fine, and so is measuring on */

#ifdef __cplusplus
}
#endif
#endif
