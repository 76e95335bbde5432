/* Times the stages of the pipeline as when the isovalue is dragged in the window: warm, and with buffers that are kept. */
#ifndef ISO_BENCH_H
#define ISO_BENCH_H

#include "rung_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_RUNS = 20 }; /* unless told otherwise */

struct bench {
    struct iso *iso;         /* with a volume */
    int runs;                /* timed, after the warm-ups */
    struct buffer buffer;    /* the mesh, in backend memory; initialise `buffer` and `out` to zero */
    struct mesh_buffers out; /* in `buffer` */
    const struct rung *only; /* bench_compare: the rung to measure; NULL: all */
};

struct bench_point { /* one isovalue */
    uint64_t vertices, triangles;
    uint64_t active_cells;          /* 0: unknown, as after an unordered fused rung */
    struct work stage[STAGE_COUNT]; /* the bricks by bench_volume, all others by bench_change */
    struct work copy;               /* by bench_volume: of the volume, by the fused rung; bytes 0: it makes none */
    struct work change;             /* all stages that a change of the isovalue runs */
    double first_us;                /* wall time of the first run, with bricks, allocation and cold caches */
    struct times wall;              /* the change by the monotonic clock, waits included */
};

/* Outcomes as words about a mesh: same, other, failed, skipped. "same" means equal to the mesh of the default rungs,
 * bit for bit. Soups are compared corner by corner, unordered fused rungs only by their counts. */
extern const char *const bench_outcome_name[OUTCOMES];

/* Makes the mesh at `value` once, as the window does: count, reserve, emit. A fused rung does all in one call, and
 * needs a second call if the mesh did not fit. */
int bench_mesh(struct bench *bench, float value, struct err *err);

/* Times a change of the isovalue with the chosen rungs: classify, scan, compact and generate, or fused. */
int bench_change(struct bench *bench, float value, struct bench_point *point, struct err *err);

/* Times what runs once per volume: the bricks, and the fused rung's copy. Call it after bench_change. */
int bench_volume(struct bench *bench, float value, struct bench_point *point, struct err *err);

/* Checks all rungs of a stage, then times the right ones in turns. Other stages keep the chosen rungs. Fills rows[0 ..
 * *count - 1]; *count is at most RUNG_ROWS. If bench->runs is 0, it only checks. */
int bench_compare(struct bench *bench, float value, enum stage stage, struct rung_row *rows, size_t *count,
                  struct err *err);

void bench_close(struct bench *bench); /* frees the mesh; may be called twice, and `bench` may be used again */

#ifdef __cplusplus
}
#endif
#endif
