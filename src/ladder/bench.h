/* Times the stages of the pipeline, warm and with kept buffers, as while a value is dragged in the window. */
#ifndef ISO_BENCH_H
#define ISO_BENCH_H

#include "rounds.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bench {
    struct iso *iso;         /* with a volume */
    int runs;                /* timed, after the warm-ups */
    struct buffer buffer;    /* the mesh, in the backend's memory; zero at the start, as is `out` */
    struct mesh_buffers out; /* in `buffer` */
};

struct bench_point { /* one isovalue */
    uint64_t vertices, triangles;
    uint64_t active_cells;          /* 0: not known, as after an unordered fused rung */
    struct work stage[STAGE_COUNT]; /* bricks: only by bench_bricks */
    struct work change;             /* all stages that a change of the isovalue runs */
    double first_us;                /* wall time of the very first run, with bricks, allocation and cold caches */
    struct times wall;              /* the change by the monotonic clock, waits included */
};

/* Outcomes as words about a mesh: same, other, failed, skipped. Same: as that of the default rungs, bit for bit; a soup corner
 * by corner; an unordered fused rung by its counts. */
extern const char *const bench_outcome_name[OUTCOMES];

/* Times a change of the isovalue with the chosen rungs: classify, scan, compact and generate, or fused. */
int bench_change(struct bench *bench, float value, struct bench_point *point, struct err *err);

/* Times building the bricks. */
int bench_bricks(struct bench *bench, float value, struct work *work, struct err *err);

/* Checks all rungs of a stage, then times those that are right, in turns; other stages keep the chosen rungs. Fills
 * rows[0 .. *count - 1], *count at most RUNG_ROWS. bench->runs 0: checks only. */
int bench_compare(struct bench *bench, float value, enum stage stage, struct rung_row *rows, size_t *count,
                  struct err *err);

void bench_close(struct bench *bench); /* frees the mesh; may be called twice, and measuring may go on */

#ifdef __cplusplus
}
#endif
#endif
