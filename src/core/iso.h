/* The pipeline: volume and isovalue -> mesh. The only file that knows the order of the stages.
 *
 *    iso_set_volume -> [bricks]  -> iso_count: classify -> scan (vertices, triangles) -> compact -> counts known
 *                                -> caller makes room -> iso_emit: generate -> mesh
 *
 * Counting and emitting are two calls because only the count knows how much room the mesh needs; the caller owns that
 * room (malloc, a mapped OpenGL buffer, device memory), and nothing is ever cut off. Where the value is dragged, the room
 * of the value before mostly does, and iso_fuse makes all in one call, in any order unless iso_is_ordered:
 *
 *    iso_set_volume -> [bricks] -> iso_fuse -> mesh, or the counts to make room for and call again */
#ifndef ISO_ISO_H
#define ISO_ISO_H

#include "error.h"
#include "kernels/bricks.h"
#include "kernels/classify.h"
#include "kernels/compact.h"
#include "kernels/fused.h"
#include "kernels/gaussian.h"
#include "kernels/generate.h"
#include "kernels/histogram.h"
#include "kernels/reduce.h"
#include "kernels/scan.h"
#include "kernels/lower_bound.h"
#include "kernels/tally.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fused is all of the stages between, in one go: where its rung is not "none", iso_fuse can stand in for them. The sides are
 * ops that serve the volume or the surface, and which no value waits for: their rungs are chosen and their runs timed as
 * those of the stages (iso_side.c). */
enum stage {
    STAGE_BRICKS,
    STAGE_CLASSIFY,
    STAGE_SCAN,
    STAGE_COMPACT,
    STAGE_GENERATE,
    STAGE_FUSED,
    STAGE_COUNT,
    SIDE_UPLOAD = STAGE_COUNT,
    SIDE_REDUCE,
    SIDE_HISTOGRAM,
    SIDE_LOWER_BOUND,
    SIDE_GAUSSIAN,
    SIDE_MARCHING_SQUARES,
    SIDE_GEMV,
    SIDE_SORT,
    SIDE_GEMM,
    STAGE_ALL
};

extern const char *const stage_name[STAGE_ALL]; /* also the op's name in ladders[] */

struct stage_stats {
    double ms;      /* last run; events on CUDA, monotonic clock on the CPU */
    uint64_t bytes; /* that the stage must move at least: each input read once, each output written once */
    uint64_t runs;  /* how often it ran since iso_open; a change says that `ms` is new */
};

struct iso_counts {
    uint64_t vertices, triangles; /* of the mesh; a soup has three vertices per triangle */
    uint64_t crossed_edges;       /* the vertices that a mesh without a soup has */
    uint64_t units, active_units; /* strips that compact had to look at, and kept; after iso_fuse, bricks */
};

struct mesh_buffers {
    struct mesh_out mesh;
    uint64_t vertices, triangles;
}; /* backend memory, and how many fit */

/* Time marks: the pipeline uses those below. Bytes of `results`: totals, a summary, a tally, or 1024 bins. */
enum { ISO_MARK_SIDE = 8, ISO_MARK_SIDE_END, ISO_RESULT_BYTES = 16384, ISO_LOWER_BOUND_MAX = 1024 };

struct iso_buffer {
    void *memory;
    size_t bytes;
}; /* kept between runs, only ever grown */

struct iso {
    struct exec exec;
    const struct backend_ops *ops;
    struct grid grid;           /* what the stages see, in the backend's memory; voxels NULL: no volume */
    struct grid original;       /* the volume as it came */
    bool owned;                 /* CUDA: a copy of ours; CPU: borrowed from the volume */
    struct iso_buffer smoothed; /* where sigma > 0: the voxels of `grid`, float32; else they are original's */
    float sigma;
    const struct rung *side_rung;       /* between iso_side_begin and iso_side_end: what runs */
    const struct rung *rung[STAGE_ALL]; /* the chosen rung of each stage; each is one of its table's rows */
    struct bricks bricks;
    bool bricks_stale;
    float value;  /* of the last count */
    bool counted; /* iso_emit may run */
    bool fusing;  /* the last value was asked of iso_fuse, not of iso_count */
    struct strips strips;
    struct iso_counts counts;
    struct tally tally; /* of an ordered iso_fuse */
    struct stage_stats stage[STAGE_ALL];
    struct iso_buffer tables, ranges, words, list, scratch, fused, results;
    uint64_t brick_capacity;      /* active bricks that `fused` has room for */
    bool fused_is_clear;          /* the state at its head is as the rungs ask */
    struct mesh_buffers fuse_out; /* between iso_fuse_begin and iso_fuse_end, */
    bool fuse_is_empty;           /* with nothing to wait for */
};

/* device: CUDA ordinal, -1 for the default; threads: CPU, 0 for one per core. Errors: ERR_CUDA, ERR_FAILED. */
int iso_open(struct iso *iso, enum backend backend, int device, int threads, struct err *err);
void iso_close(struct iso *iso);

/* Chooses a rung by name; NULL: the default. Error: ERR_USAGE, and the sentence lists the valid names, or says that this
 * machine cannot run the rung. */
int iso_set_rung(struct iso *iso, enum stage stage, const char *name, struct err *err);

/* The same for who asks for a rung to see it at work: where the fused rung would stand in for the stage, it makes way.
 * A NULL asks for nothing. */
int iso_choose_rung(struct iso *iso, enum stage stage, const char *name, struct err *err);

/* The same on a list of rungs that a pipeline is to have later. */
void iso_list_rung(const struct rung *list[STAGE_ALL], enum backend backend, enum stage stage, const struct rung *rung);

/* Every stage to its first row (the textbook), or to its default. The sides stay. */
void iso_set_all(struct iso *iso, bool textbook);

/* iso_upload.c: takes the host grid: the CPU backend borrows its voxels, CUDA copies them. The old volume is dropped only
 * when the new one is in place. It is not smoothed. */
int iso_set_volume(struct iso *iso, const struct grid *host, struct err *err);

/* The same, telling `progress` (load.h) how far it is, which may stop it: an error, and the old volume stays. */
struct progress;
int iso_upload(struct iso *iso, const struct grid *host, const struct progress *progress, struct err *err);

/* A volume that was uploaded on another thread, by a pipeline there, which gives it away. It is taken by one of the same
 * backend and device (false: it is not), or dropped. */
struct iso_volume {
    struct grid grid; /* voxels NULL: none */
    enum backend backend;
    int device;
    struct stage_stats upload;
};
void iso_give_volume(struct iso *iso, struct iso_volume *volume);
bool iso_take_volume(struct iso *iso, struct iso_volume *volume);
void iso_drop_volume(struct iso_volume *volume);

/* iso_smooth.c: stages and statistics see the volume smoothed by a Gaussian of sigma voxels, 0 to ISO_MAX_SIGMA; 0: as it
 * came. It is always the original that is smoothed. *done (NULL: nobody asks) grows to iso_smooth_work(), on the CPU. An
 * error leaves the volume as it was, but for want of memory it may be left unsmoothed: iso->sigma says so. Where there is
 * no room the cause is CAUSE_ROOM. */
#define ISO_MAX_SIGMA 5.0f
int iso_smooth(struct iso *iso, float sigma, size_t *done, struct err *err);
size_t iso_smooth_work(const struct grid *grid);
void iso_unsmooth(struct iso *iso);

/* Bytes of the backend's memory that the volume's copy (CUDA) and the working buffers hold now. */
uint64_t iso_memory(const struct iso *iso);

/* Finds how many vertices and triangles the surface at `value` (stored units, volume_iso()) has. NaN: ERR_USAGE. An
 * infinite value has no surface, nor has a grid with an axis of one voxel, since it has no cells: counts are 0. */
int iso_count(struct iso *iso, float value, struct err *err);

/* Writes the mesh of the last count. `mesh` is in the backend's memory and has room for counts. */
int iso_emit(struct iso *iso, const struct mesh_out *mesh, struct err *err);

/* Whether the chosen rungs let iso_fuse stand in for the stages: it needs a fused rung and bricks with ranges. */
bool iso_is_fused(const struct iso *iso);

/* Whether they give vertices and triangles in the order of the stages, always the same. */
bool iso_is_ordered(const struct iso *iso);

/* Counts and writes in one go, with one wait at the end. Vertices and triangles come in any order unless iso_is_ordered.
 * counts is set; *fits false: they exceed the room, whose content is undefined; make room and call again. Only where
 * iso_is_fused. */
int iso_fuse(struct iso *iso, float value, const struct mesh_buffers *out, bool *fits, struct err *err);

/* The same in two calls, between which the mesh can be handed to OpenGL and its drawing be queued, with nothing waiting:
 * `draw`, in the backend's memory or NULL, says how much there is to draw, and says nothing where it does not fit. The end
 * waits and sets counts. *counted false: only the bricks are known, for which there was too little room, and now is not. */
int iso_fuse_begin(struct iso *iso, float value, const struct mesh_buffers *out, struct draw_command *draw,
                   struct err *err);
int iso_fuse_end(struct iso *iso, bool *fits, bool *counted, struct err *err);

/* After iso_count, or iso_fuse by an ordered rung: voxels inside and active cells. */
int iso_tally(struct iso *iso, struct tally *tally, struct err *err);

/* After iso_count or iso_fuse: a box of whole bricks that holds the surface, in voxel coordinates; the whole grid where no
 * ranges are kept, or the surface is empty. */
int iso_bounds(struct iso *iso, double low[3], double high[3], struct err *err);

/* Statistics of the present volume, in stored units. */
int iso_summary(struct iso *iso, struct summary *summary, struct err *err);
int iso_histogram(struct iso *iso, float lo, float hi, unsigned bins, uint64_t *counts, struct err *err);

/* Where each of `count` queries belongs in `sorted` (lower_bound.h), all in host memory, at most ISO_LOWER_BOUND_MAX each. */
int iso_lower_bound(struct iso *iso, const float *sorted, size_t n, const float *queries, size_t count, uint64_t *places,
                    struct err *err);

/* The yardstick: GB/s (read plus written) of a large copy within the backend's memory, best of a few. */
int iso_copy_rate(struct iso *iso, double *gb_per_s, struct err *err);

/* The mesh in host memory, for reports and tests: from malloc, freed by mesh_host_free. */
struct mesh_host {
    struct vertex *vertices;
    uint32_t *indices;
    uint64_t vertex_count, triangle_count;
};
int iso_mesh_host(struct iso *iso, struct mesh_host *mesh, struct err *err);
void mesh_host_free(struct mesh_host *mesh);

/* The same triangles as a soup: what a rung that gives one must write. From malloc too. */
int mesh_host_soup(const struct mesh_host *mesh, struct mesh_host *soup, struct err *err);

/* Counts and mesh in one call, the mesh in host memory, and in the order of the stages; takes little more memory than the
 * mesh where an ordered fused rung runs on the CPU. */
int iso_extract(struct iso *iso, float value, struct mesh_host *mesh, struct err *err);

/* Room for the mesh of the last counts in the backend's memory, kept by the caller between runs and only ever grown:
 * `room` gets the pointers into `buffer`, whose content is undefined. */
int iso_reserve_mesh(struct iso *iso, struct iso_buffer *buffer, struct mesh_buffers *out, struct err *err);

/* Makes a buffer of the backend's memory hold that much; what was in it is lost if it grows. `what` is named in the error. */
int iso_reserve(struct iso *iso, struct iso_buffer *buffer, uint64_t bytes, const char *what, struct err *err);
void iso_release(struct iso *iso, struct iso_buffer *buffer);

/* The same for several at once: all of it is looked at before the first byte is asked for, since half of the room would
 * help nobody. A buffer that cannot grow is lost. */
struct iso_demand {
    struct iso_buffer *buffer;
    uint64_t bytes;
};
int iso_reserve_all(struct iso *iso, const struct iso_demand *demand, int n, const char *what, struct err *err);

/* Frees all that the next count makes anew. */
void iso_drop_working(struct iso *iso);

/* Around the run of a side's rung: what is queued between them is timed, and is a span of the trace. The second waits for
 * it, and notes that it had `bytes` to move at least; code: what the rung returned; `doing` starts the sentence if it
 * failed. Every begin needs its end, on the same thread. Scratch for it can be reserved in iso->scratch. */
void iso_side_begin(struct iso *iso, enum stage side, const struct rung *rung);
int iso_side_end(struct iso *iso, enum stage side, int code, uint64_t bytes, const char *doing, struct err *err);

/* Adds the run of a stage or a side between the marks `from` and `to` to the trace's track of the GPU. `last`: the last mark
 * queued before the wait that has just ended. Does nothing on the CPU, where the span on the thread's track is the run. */
void iso_trace(struct iso *iso, enum stage stage, const struct rung *rung, int from, int to, int last);

/* The sentence of a code that the backend gave. Always ERR_FAILED. */
int iso_fail(const struct iso *iso, int code, const char *doing, struct err *err);

/* Whether the chosen rungs can take the volume: makes the room that iso_count needs. Error: ERR_FAILED, for want of memory
 * or since 32 bits do not number the strips; no stage has run. */
int iso_prepare(struct iso *iso, struct err *err);

/* Whether nothing that is asked of the backend will work any more (a lost GPU, a kernel that went astray). Waits. */
bool iso_is_lost(struct iso *iso);

/* After an error of the functions above for want of memory: chooses a rung that needs less, for the earliest of fused,
 * classify, scan, compact and bricks that has one, and frees the working memory. `text` gets a sentence on which and why.
 * False: it was another error, or nothing needs less. */
bool iso_use_less(struct iso *iso, const struct err *err, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
