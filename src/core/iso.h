/* The pipeline: volume and isovalue -> mesh. The only file that knows the order of the stages.
 *
 *    iso_set_volume -> [bricks]  -> iso_count: classify -> scan (vertices, triangles) -> compact -> counts known
 *                                -> caller allocates the mesh -> iso_emit: generate -> mesh
 *
 * Counting and emitting are two calls because only the count tells how large the mesh is. The caller owns the mesh's memory
 * (malloc, a mapped OpenGL buffer, device memory), and nothing is ever cut off. While the value is dragged, the buffers of
 * the value before are mostly large enough; iso_fuse then counts and writes in one call, in any order unless
 * iso_is_ordered:
 *
 *    iso_set_volume -> [bricks] -> iso_fuse -> mesh, or the counts to allocate for and call again
 *
 * Errors are ERR_FAILED unless a function names another code. */
#ifndef ISO_ISO_H
#define ISO_ISO_H

#include "buffer.h"
#include "mesh.h"
#include "mesh_host.h"
#include "progress.h"
#include "kernels/bricks.h"
#include "kernels/classify.h"
#include "kernels/compact.h"
#include "kernels/count_cells.h"
#include "kernels/fused.h"
#include "kernels/gaussian.h"
#include "kernels/generate.h"
#include "kernels/histogram.h"
#include "kernels/reduce.h"
#include "kernels/scan.h"
#include "kernels/lower_bound.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ops that the pipeline runs. FUSED replaces the stages from CLASSIFY to GENERATE unless its rung is "none". The
 * auxiliary ops behind STAGE_COUNT serve the volume or the surface; no value waits for them. Their rungs are chosen and
 * timed like those of the stages. */
enum stage {
    STAGE_BRICKS,
    STAGE_CLASSIFY,
    STAGE_SCAN,
    STAGE_COMPACT,
    STAGE_GENERATE,
    STAGE_FUSED,
    STAGE_COUNT,
    AUX_UPLOAD = STAGE_COUNT,
    AUX_REDUCE,
    AUX_HISTOGRAM,
    AUX_LOWER_BOUND,
    AUX_GAUSSIAN,
    AUX_MARCHING_SQUARES,
    AUX_GEMV,
    AUX_SORT,
    AUX_COMPONENTS,
    AUX_GEMM,
    STAGE_ALL
};

extern const char *const stage_name[STAGE_ALL]; /* also the op's name in ladders[] */

struct stage_stats {
    double ms;      /* last run; events on CUDA, monotonic clock on the CPU */
    uint64_t bytes; /* least traffic: each input read once, each output written once */
    uint64_t runs;  /* since iso_open; a change says that `ms` is new */
};

struct iso_counts {
    uint64_t vertices, triangles; /* of the mesh; a soup has three vertices per triangle */
    uint64_t shared_vertices;     /* vertices of the mesh with shared vertices */
    uint64_t units, active_units; /* strips that compact looked at, and kept; after iso_fuse: bricks */
};

/* Time marks of the auxiliary ops; iso.c has those of the stages below. Bytes of `results`: the largest that an op writes
 * there. Values and queries that iso_lower_bound takes at most. */
enum { ISO_MARK_AUX = 8, ISO_MARK_AUX_END, ISO_RESULT_BYTES = 16384, ISO_LOWER_BOUND_MAX = 1024 };

struct iso {
    struct exec exec;
    const struct backend_ops *ops;
    struct grid grid;       /* what the stages see, in the backend's memory; voxels NULL: no volume */
    struct grid original;   /* the volume as it came, before smoothing */
    bool owned;             /* CUDA: `original` is our copy; CPU: borrowed from the caller */
    struct buffer smoothed; /* sigma > 0: voxels of `grid`, float32; else `grid` is `original` */
    float sigma;
    const struct rung *rung[STAGE_ALL]; /* the chosen rung of each stage */
    const struct rung *aux_rung;        /* what runs between iso_aux_begin and iso_aux_end */
    struct bricks bricks;
    bool bricks_stale;
    enum topology topology; /* of the tables */
    bool exact;             /* vertices may lie on voxels */
    size_t longest;         /* axis of the volume that `grid` is a block of, in voxels; 0: the grid is the volume */
    float value;            /* of the last count */
    bool counted;           /* iso_emit may run */
    bool fusing;            /* the last value went to iso_fuse, not to iso_count */
    struct strips strips;
    struct iso_counts counts;
    struct cell_counts cells; /* of an ordered iso_fuse */
    struct stage_stats stage[STAGE_ALL];
    struct buffer tables, ranges, words, list, scratch, fused, results;
    uint64_t brick_capacity;      /* active bricks that fit into `fused` */
    bool fused_is_clear;          /* the state at its head is as the rungs ask */
    struct mesh_buffers fuse_out; /* between iso_fuse_begin and iso_fuse_end */
    bool fuse_is_empty;           /* between them: nothing to wait for */
};

/* ---- opening and choosing ------------------------------------------------------------------------------------------ */

/* Opens the pipeline on a backend. device: CUDA ordinal, -1 for the default. threads: of the CPU, 0 for one per core.
 * Errors: ERR_CUDA, ERR_FAILED, and there is nothing to close. */
int iso_open(struct iso *iso, enum backend backend, int device, int threads, struct err *err);

/* Frees everything; a zeroed or closed iso is fine. */
void iso_close(struct iso *iso);

/* Chooses the rung of a stage by name; NULL: the default. Error: ERR_USAGE, with the valid names, or why this machine
 * cannot run the rung. */
int iso_set_rung(struct iso *iso, enum stage stage, const char *name, struct err *err);

/* Like iso_set_rung, and switches the fused rung off if it would keep the stage from running. NULL: changes nothing. */
int iso_force_rung(struct iso *iso, enum stage stage, const char *name, struct err *err);

/* iso_force_rung for a list of rungs that a pipeline will get later. */
void iso_list_rung(const struct rung *list[STAGE_ALL], enum backend backend, enum stage stage, const struct rung *rung);

/* Chooses how the surface passes through ambiguous cells (mc_tables.h): as the trilinear interpolant, which is where a
 * pipeline starts, or by the fixed rule. */
int iso_set_topology(struct iso *iso, enum topology topology, struct err *err);

extern const char *const topology_name[TOPOLOGY_COUNT];

/* Lets vertices lie on voxels, where the value there is the isovalue, instead of keeping them a ten-thousandth of an edge
 * away. Triangles between such vertices may have no area. */
void iso_set_exact(struct iso *iso, bool exact);

/* Returns the margin (grid.h) of the pipeline's surfaces in `grid`. */
float iso_margin(const struct iso *iso, const struct grid *grid);

/* Sets every stage to its first rung (the textbook), or to its default. Auxiliary ops keep theirs. */
void iso_set_all(struct iso *iso, bool textbook);

/* ---- the volume (iso_upload.c, iso_smooth.c) ----------------------------------------------------------------------- */

/* Sets the volume, unsmoothed. The CPU backend borrows the voxels of `host`, CUDA copies them. On error the old volume
 * stays. */
int iso_set_volume(struct iso *iso, const struct grid *host, struct err *err);

/* Leaves the pipeline without a volume. */
void iso_leave_volume(struct iso *iso);

/* Like iso_set_volume; reports to `progress` (NULL: none), which may cancel: an error too. */
int iso_upload(struct iso *iso, const struct grid *host, const struct progress *progress, struct err *err);

/* A volume on its way from one pipeline to another, for instance from one that uploaded it on another thread. */
struct iso_volume {
    struct grid grid; /* voxels NULL: none */
    enum backend backend;
    int device;
    struct stage_stats upload;
};

/* Moves the volume of `iso` into `volume`; `iso` then has none. */
void iso_give_volume(struct iso *iso, struct iso_volume *volume);

/* Moves `volume` into `iso`. False, and nothing moves: there is none, or it is another backend's or device's. */
bool iso_take_volume(struct iso *iso, struct iso_volume *volume);

/* Frees a volume that no pipeline takes. */
void iso_drop_volume(struct iso_volume *volume);

/* Smooths the original volume by a Gaussian of `sigma` voxels, 0 (off) to ISO_MAX_SIGMA; stages and statistics see the
 * result. part: 0 to 1 for x, y and z, how much of sigma the axis has; NULL: all of it. On the CPU *done (NULL: none) grows
 * to iso_smooth_work() meanwhile. On error the volume is as before; short of memory (CAUSE_ROOM) it may also be unsmoothed,
 * as iso->sigma says. */
#define ISO_MAX_SIGMA 5.0f
int iso_smooth(struct iso *iso, float sigma, const float part[3], size_t *done, struct err *err);
size_t iso_smooth_work(const struct grid *grid);

/* Bytes that iso_smooth takes beside `grid`, on the backend, while it smooths. */
uint64_t iso_smooth_bytes(const struct iso *iso, const struct grid *grid, float sigma, const float part[3]);

/* Goes back to the original volume. */
void iso_unsmooth(struct iso *iso);

/* Whether the volume has cells: at least two voxels along every axis. */
bool iso_has_cells(const struct iso *iso);

/* ---- a block of a larger volume (iso_slab.c) ----------------------------------------------------------------------- */

/* Sets a block of a volume whose longest axis has `longest` voxels; block->first says where it lies in it. What lies two
 * voxels or more from where the volume goes on beyond the block then has the bits that it has in the whole. */
int iso_set_block(struct iso *iso, const struct grid *block, size_t longest, struct err *err);

struct volume; /* volume.h */

struct iso_surface { /* for what looks at the voxels again after a mesh was made */
    struct iso *iso; /* has made it, or would, */
    const struct volume *volume;
    float value; /* at this; stored units */
};

struct iso_layer { /* a layer of bricks, or several; what it owns */
    uint64_t vertices, triangles;
    uint64_t bricks; /* active ones; 0 of the stages */
};

/* Sets before[i] to the sums of all layers below layer i, iso->bricks.nz + 1 of them, in the order of the mesh. After
 * iso_count without a soup, or iso_fuse by an ordered rung. */
int iso_layers(struct iso *iso, struct iso_layer *before, struct err *err);

/* Counts what layers begin to end - 1 of the grid have of voxels inside and active cells; a cell is its lowest voxel's.
 * After the same. CPU only. */
int iso_layer_cells(struct iso *iso, size_t begin, size_t end, struct cell_counts *cells, struct err *err);

/* Writes the mesh at `value` to `out`, in host memory, in the order of the stages; the fused rung is one that keeps it, or
 * none. *fits: as for iso_fuse. */
int iso_make_block(struct iso *iso, float value, const struct mesh_buffers *out, bool *fits, struct err *err);

/* ---- stage by stage ------------------------------------------------------------------------------------------------ */

/* Allocates the working memory of iso_count for the chosen rungs; runs no stage. Error: short of memory, or the strips
 * exceed 32 bits. */
int iso_prepare(struct iso *iso, struct err *err);

/* Counts the vertices and triangles of the surface at `value` (stored units, volume_iso()) into iso->counts: 0 at an
 * infinite value and in a volume without cells. Error: ERR_USAGE for NaN. */
int iso_count(struct iso *iso, float value, struct err *err);

/* Writes the mesh of the last iso_count to `mesh`, memory of the backend that holds iso->counts. */
int iso_emit(struct iso *iso, const struct mesh_out *mesh, struct err *err);

/* Makes `buffer` hold a mesh of iso->counts and sets `out` to point into it. Growing loses the content. */
int iso_reserve_mesh(struct iso *iso, struct buffer *buffer, struct mesh_buffers *out, struct err *err);

/* ---- all stages in one go ------------------------------------------------------------------------------------------ */

/* Whether iso_fuse can replace the stages: the fused rung is not "none", and the bricks rung keeps ranges. */
bool iso_is_fused(const struct iso *iso);

/* Whether the chosen rungs write vertices and triangles in the order of the stages, always the same. */
bool iso_is_ordered(const struct iso *iso);

/* Counts and writes the mesh at `value` to `out`; waits once, at the end. Sets iso->counts. *fits false: they exceed `out`,
 * whose content is undefined; grow it and call again. Needs iso_is_fused. */
int iso_fuse(struct iso *iso, float value, const struct mesh_buffers *out, bool *fits, struct err *err);

/* iso_fuse in two calls. In between, OpenGL may be given the mesh, and its drawing be queued, without waiting: `draw`
 * (memory of the backend, or NULL) gets the triangles to draw, 0 if they exceed `out`. iso_fuse_end waits and sets
 * iso->counts. *counted false: too few bricks were reserved, and now they are enough; begin again. */
int iso_fuse_begin(struct iso *iso, float value, const struct mesh_buffers *out, struct draw_command *draw,
                   struct err *err);
int iso_fuse_end(struct iso *iso, bool *fits, bool *counted, struct err *err);

/* ---- the mesh in host memory (iso_host.c) -------------------------------------------------------------------------- */

/* Writes the mesh of the last iso_count or iso_count_host to a new `mesh`; free it by mesh_host_free. On error it is empty:
 * CAUSE_OTHER if the host lacks the memory for it. */
int iso_mesh_host(struct iso *iso, struct mesh_host *mesh, struct err *err);

/* Copies a mesh in the backend's memory to `to`, which has its counts and the memory for it. */
int iso_download_mesh(struct iso *iso, const struct mesh_out *from, const struct mesh_host *to, struct err *err);

/* Writes the mesh of the last iso_count to `mesh`, which has its counts and the memory for it: by way of the backend's
 * memory, if that is not the host's. */
int iso_emit_host(struct iso *iso, const struct mesh_host *mesh, struct err *err);

/* iso_count for iso_mesh_host alone: on the CPU by an ordered fused rung, which needs little memory. */
int iso_count_host(struct iso *iso, float value, struct err *err);

/* Voxels of a grid in host memory at `value` or above: of a volume without cells, in which no stage runs. */
uint64_t iso_inside_host(const struct grid *grid, float value);

/* iso_count_host and iso_mesh_host in one call: the mesh in the order of the stages. On error it is empty. */
int iso_extract(struct iso *iso, float value, struct mesh_host *mesh, struct err *err);

/* Sets `grid` to the voxels that the stages see, in host memory: those of `host`, the volume as it came, or smoothed ones.
 * *copy: to be freed, or NULL. On error neither is left. */
int iso_voxels_host(struct iso *iso, const struct grid *host, struct grid *grid, void **copy, struct err *err);

/* ---- what is known of the surface and the volume ------------------------------------------------------------------- */

/* Counts voxels inside and active cells; after iso_count, or iso_fuse by an ordered rung. */
int iso_count_cells(struct iso *iso, struct cell_counts *cells, struct err *err);

/* Sets a box of whole bricks around the surface of the last count, in voxel coordinates; the whole grid if there are no
 * ranges or no triangles. */
int iso_bounds(struct iso *iso, double low[3], double high[3], struct err *err);

/* The same at any value (stored units), by the ranges that the last count has left; the whole grid also where no brick has
 * it. */
int iso_bounds_at(struct iso *iso, float value, double low[3], double high[3], struct err *err);

/* Statistics of the present volume, in stored units (iso_aux.c). */
int iso_summary(struct iso *iso, struct summary *summary, struct err *err);
int iso_histogram(struct iso *iso, float lo, float hi, unsigned bins, uint64_t *counts, struct err *err);

/* Sets bounds[i] to the lower bound of queries[i] in `sorted` (lower_bound.h). All arrays are in host memory; `n` and
 * `count` are at most ISO_LOWER_BOUND_MAX. */
int iso_lower_bound(struct iso *iso, const float *sorted, size_t n, const float *queries, size_t count, uint64_t *bounds,
                    struct err *err);

/* Measures a large copy within the backend's memory: GB/s, read plus written, the best of a few. */
int iso_copy_rate(struct iso *iso, double *gb_per_s, struct err *err);

/* ---- running an auxiliary op (iso_aux.c) --------------------------------------------------------------------------- */

/* Surround the run of an auxiliary op's `rung`, which is a span of the trace: the first reserves iso->scratch and starts
 * the clock, the second waits and notes time and `bytes` (least traffic). code: what the rung returned; `doing` begins the
 * sentence if it failed. Unless the first fails, the second must follow on the same thread. */
int iso_aux_begin(struct iso *iso, enum stage aux, const struct rung *rung, uint64_t scratch_bytes, struct err *err);
int iso_aux_end(struct iso *iso, enum stage aux, int code, uint64_t bytes, const char *doing, struct err *err);

/* Adds the run of a stage or auxiliary op between the marks `from` and `to` to the trace's track of the GPU. `last`: the
 * last mark queued before the wait that has just ended. Does nothing on the CPU, where the span on the thread's track is
 * the run. */
void iso_trace(struct iso *iso, enum stage stage, const struct rung *rung, int from, int to, int last);

/* Sets the error of a backend's `code`; see backend_fail.h. */
int iso_fail(const struct iso *iso, int code, const char *doing, struct err *err);

/* ---- memory, and what to do without -------------------------------------------------------------------------------- */

/* Bytes of the backend's memory that the volume's copy (CUDA) and the working buffers hold. */
uint64_t iso_memory(const struct iso *iso);

/* Frees the working buffers, which the next count allocates again. */
void iso_drop_working(struct iso *iso);

/* Whether the backend has stopped for good (a lost GPU, a kernel that went astray). Waits. */
bool iso_is_lost(struct iso *iso);

/* After an error with CAUSE_MEMORY: chooses a rung that needs less, for the first of fused, classify, scan, compact and
 * bricks that has one, and frees the working buffers; `text` gets a sentence on which and why. False: another error, or
 * nothing needs less (iso_lean.c). */
bool iso_use_less(struct iso *iso, const struct err *err, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
