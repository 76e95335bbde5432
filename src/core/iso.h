/* The pipeline: volume and isovalue -> mesh. The only file that knows the order of the stages.
 *
 *    iso_set_volume -> [bricks]  -> iso_count: classify -> scan (vertices, triangles) -> compact -> counts known
 *                                -> caller allocates the mesh -> iso_emit: generate -> mesh
 *
 * Counting and emitting are two calls, because only the count tells how large the mesh is. The caller owns the mesh's
 * memory (malloc, a mapped OpenGL buffer, device memory). A mesh is never truncated. While the user drags the value, the
 * buffers of the previous value are usually large enough. Then iso_fuse counts and writes in one call. Its order may vary
 * unless iso_is_ordered:
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
 * auxiliary ops after STAGE_COUNT work on the volume or the surface; no change of the value waits for them. Their rungs are
 * chosen and timed like those of the stages. */
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
    double ms;      /* of the last run: CUDA events, or the CPU's monotonic clock */
    uint64_t bytes; /* least traffic: each input read once, each output written once */
    uint64_t runs;  /* since iso_open; if it changed, `ms` is new */
};

struct iso_counts {
    uint64_t vertices, triangles; /* of the mesh; a soup has three vertices per triangle */
    uint64_t shared_vertices;     /* vertices of the mesh with shared vertices */
    uint64_t units, active_units; /* strips: all that compact saw, and those kept; after iso_fuse: bricks */
};

/* ISO_MARK_AUX, ISO_MARK_AUX_END: time marks of the auxiliary ops (iso.c has those of the stages). ISO_MARK_COPY,
 * ISO_MARK_COPY_END: those of the fused rung's copy of the volume.
 * ISO_RESULT_BYTES: size of `results`, the most that an op writes there.
 * ISO_LOWER_BOUND_MAX: the most values, and the most queries, that iso_lower_bound takes. */
enum {
    ISO_MARK_AUX = 8,
    ISO_MARK_AUX_END,
    ISO_MARK_COPY,
    ISO_MARK_COPY_END,
    ISO_RESULT_BYTES = 16384,
    ISO_LOWER_BOUND_MAX = 1024
};

/* A copy of the volume in the layout of a fused rung (fused.h). It is made before the second surface of a volume, because
 * a single one is not worth it, and only if four times its size is free. */
struct volume_copy {
    struct buffer buffer;
    const struct fused_rung *rung; /* it was made by this one, also for others with the same `copy`; NULL: there is none */
    bool earned;                   /* iso_fuse has made a surface of this volume */
    bool refused;                  /* there was too little memory */
    bool fresh;                    /* between iso_fuse_begin and iso_fuse_end: it was just made */
    struct stage_stats stats;
};

struct iso {
    struct exec exec;
    const struct backend_ops *ops;
    struct grid grid;       /* what the stages see, in the backend's memory; voxels NULL: no volume */
    struct grid original;   /* the volume before smoothing */
    bool owned;             /* CUDA: `original` is our copy; CPU: borrowed from the caller */
    struct buffer smoothed; /* sigma > 0: voxels of `grid`, float32; else `grid` is `original` */
    float sigma;
    const struct rung *rung[STAGE_ALL]; /* the chosen rung of each stage */
    const struct rung *aux_rung;        /* runs between iso_aux_begin and iso_aux_end */
    struct bricks bricks;
    bool bricks_stale;
    enum topology topology; /* of the tables */
    bool exact;             /* vertices may lie on voxels */
    size_t longest;         /* voxels of the longest axis, if `grid` is a block of a larger volume; else 0 */
    float value;            /* of the last count */
    bool counted;           /* iso_emit may run */
    bool fusing;            /* the last value went to iso_fuse, not to iso_count */
    struct strips strips;
    struct iso_counts counts;
    struct cell_counts cells; /* after an ordered iso_fuse */
    struct stage_stats stage[STAGE_ALL];
    struct buffer tables, ranges, words, list, scratch, fused, results;
    uint64_t brick_capacity;      /* active bricks that fit into `fused` */
    bool fused_is_clear;          /* the state at its head is as the rungs require (fused.h) */
    struct mesh_buffers fuse_out; /* between iso_fuse_begin and iso_fuse_end */
    bool fuse_is_empty;           /* between them: there is nothing to wait for */
    struct volume_copy copy;
};

/* ---- opening and choosing ------------------------------------------------------------------------------------------ */

/* Opens the pipeline on a backend. device: CUDA ordinal, -1 for the default. threads: of the CPU, 0 for OMP_NUM_THREADS,
 * or one per core. Errors: ERR_CUDA, ERR_FAILED, and there is nothing to close. */
int iso_open(struct iso *iso, enum backend backend, int device, int threads, struct err *err);

/* Frees everything. A zeroed or closed iso is allowed. */
void iso_close(struct iso *iso);

/* Chooses the rung of a stage by name; NULL: the default. Error: ERR_USAGE; it lists the valid names, or says why this
 * machine cannot run the rung. */
int iso_set_rung(struct iso *iso, enum stage stage, const char *name, struct err *err);

/* Like iso_set_rung, but also sets fused to "none" if it would replace this stage. NULL: changes nothing. */
int iso_force_rung(struct iso *iso, enum stage stage, const char *name, struct err *err);

/* iso_force_rung on a list of rungs that is to be given to a pipeline later. */
void iso_list_rung(const struct rung *list[STAGE_ALL], enum backend backend, enum stage stage, const struct rung *rung);

/* Chooses how the surface passes through ambiguous cells (mc_tables.h): like the trilinear interpolant (the default), or by
 * the fixed rule. */
int iso_set_topology(struct iso *iso, enum topology topology, struct err *err);

extern const char *const topology_name[TOPOLOGY_COUNT];

/* exact: a vertex may lie on a voxel whose value is the isovalue; triangles between such vertices may have no area.
 * Otherwise vertices keep a ten-thousandth of an edge away from voxels. */
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

/* Like iso_set_volume. Reports to `progress` (NULL: none). If it cancels, that is an error, too. */
int iso_upload(struct iso *iso, const struct grid *host, const struct progress *progress, struct err *err);

/* A volume that is handed from one pipeline to another, for instance from one that uploaded it on another thread. */
struct iso_volume {
    struct grid grid; /* voxels NULL: none */
    enum backend backend;
    int device;
    struct stage_stats upload;
};

/* Moves the volume of `iso` into `volume`; `iso` then has none. */
void iso_give_volume(struct iso *iso, struct iso_volume *volume);

/* Moves `volume` into `iso`. False: nothing moved, because there is none or it belongs to another backend or device. */
bool iso_take_volume(struct iso *iso, struct iso_volume *volume);

/* Frees a volume that no pipeline has taken. */
void iso_drop_volume(struct iso_volume *volume);

/* Smooths the original volume by a Gaussian of `sigma` voxels, 0 (off) to ISO_MAX_SIGMA. Stages and statistics see the
 * result. part: the fraction of sigma for x, y and z, 0 to 1; NULL: 1 for all. On the CPU, *done (may be NULL) grows to
 * iso_smooth_work() meanwhile. On error the volume is as before; if memory ran out (CAUSE_ROOM) it may also be unsmoothed:
 * see iso->sigma. */
#define ISO_MAX_SIGMA 5.0f
int iso_smooth(struct iso *iso, float sigma, const float part[3], size_t *done, struct err *err);
size_t iso_smooth_work(const struct grid *grid);

/* Bytes of backend memory that iso_smooth needs besides `grid`. */
uint64_t iso_smooth_bytes(const struct iso *iso, const struct grid *grid, float sigma, const float part[3]);

/* Goes back to the original volume. */
void iso_unsmooth(struct iso *iso);

/* Whether the volume has cells: at least two voxels along every axis. */
bool iso_has_cells(const struct iso *iso);

/* ---- a block of a larger volume (iso_slab.c) ----------------------------------------------------------------------- */

/* Sets a block of a volume whose longest axis has `longest` voxels; block->first is its position in the volume. Where the
 * volume continues beyond a side of the block, results less than two voxels from that side may differ. All others are bit
 * for bit those of the whole volume. */
int iso_set_block(struct iso *iso, const struct grid *block, size_t longest, struct err *err);

struct volume; /* volume.h */

struct iso_surface { /* for functions that need the voxels of a mesh again */
    struct iso *iso; /* made the mesh, or could make it */
    const struct volume *volume;
    float value; /* of the surface; stored units */
};

struct iso_layer { /* what one or more layers of bricks own */
    uint64_t vertices, triangles;
    uint64_t bricks; /* active ones; 0 from the stages */
};

/* Sets before[i] to the sum of all layers below layer i, in the order of the mesh, for i from 0 to iso->bricks.nz. Call it
 * after iso_count (not of a soup) or after iso_fuse by an ordered rung. */
int iso_layers(struct iso *iso, struct iso_layer *before, struct err *err);

/* Counts the voxels inside and the active cells of brick layers begin to end - 1. A cell belongs to the layer of its lowest
 * voxel. Call it after the same functions as iso_layers. CPU only. */
int iso_layer_cells(struct iso *iso, size_t begin, size_t end, struct cell_counts *cells, struct err *err);

/* Writes the mesh at `value` to `out`, in host memory, in the order of the stages. The fused rung must keep that order or
 * be "none". *fits: as for iso_fuse. */
int iso_make_block(struct iso *iso, float value, const struct mesh_buffers *out, bool *fits, struct err *err);

/* ---- stage by stage ------------------------------------------------------------------------------------------------ */

/* Allocates the working memory of iso_count for the chosen rungs; runs no stage. Error: too little memory, or the number of
 * strips exceeds 32 bits. */
int iso_prepare(struct iso *iso, struct err *err);

/* Counts the vertices and triangles of the surface at `value` (stored units, volume_iso()) into iso->counts. They are 0 at
 * an infinite value and in a volume without cells. Error: ERR_USAGE for NaN. */
int iso_count(struct iso *iso, float value, struct err *err);

/* Writes the mesh of the last iso_count to `mesh`: backend memory with room for iso->counts. */
int iso_emit(struct iso *iso, const struct mesh_out *mesh, struct err *err);

/* Makes `buffer` large enough for a mesh of iso->counts and points `out` into it. If it grows, its content is lost. */
int iso_reserve_mesh(struct iso *iso, struct buffer *buffer, struct mesh_buffers *out, struct err *err);

/* ---- all stages in one go ------------------------------------------------------------------------------------------ */

/* Whether iso_fuse can replace the stages: the fused rung is not "none", and the bricks rung keeps ranges. */
bool iso_is_fused(const struct iso *iso);

/* The chosen fused rung, which may be "none". */
static inline const struct fused_rung *iso_fused_rung(const struct iso *iso)
{
    return (const struct fused_rung *)iso->rung[STAGE_FUSED];
}

/* Whether the chosen rungs write vertices and triangles in the order of the stages, always the same. */
bool iso_is_ordered(const struct iso *iso);

/* Replaces a fused rung without that order by one that has it or, if the backend has none, by the stages. */
void iso_use_order(struct iso *iso);

/* Counts and writes the mesh at `value` to `out`; waits once, at the end. Sets iso->counts. *fits false: they exceed `out`,
 * and its content is undefined; enlarge it and call again. Requires iso_is_fused. */
int iso_fuse(struct iso *iso, float value, const struct mesh_buffers *out, bool *fits, struct err *err);

/* iso_fuse in two calls. In between, the pipeline must count and make no other surface, but the caller may hand the mesh to
 * OpenGL and queue its drawing, without waiting. `draw`
 * (backend memory, or NULL) gets the triangles to draw, 0 if they exceed `out`. iso_fuse_end waits and sets iso->counts.
 * *counted false: too few bricks were reserved; the reserve has been enlarged, so begin again. */
int iso_fuse_begin(struct iso *iso, float value, const struct mesh_buffers *out, struct draw_command *draw,
                   struct err *err);
int iso_fuse_end(struct iso *iso, bool *fits, bool *counted, struct err *err);

/* ---- the fused rung's copy of the volume (iso_copy.c) -------------------------------------------------------------- */

/* Returns the copy that the chosen rung takes; NULL: there is none. */
const void *iso_copy_of(const struct iso *iso);

/* Queues the copy that the chosen rung takes, if it is due (struct volume_copy). iso_fuse_begin calls this. iso_fuse_end
 * calls iso_note_copy, after the wait. surface: one has been made. */
int iso_update_copy(struct iso *iso, struct err *err);
void iso_note_copy(struct iso *iso, bool surface);

/* Call this when the voxels change. */
void iso_forget_copy(struct iso *iso);

/* ---- the mesh in host memory (iso_host.c) -------------------------------------------------------------------------- */

/* Writes the mesh of the last iso_count or iso_count_host to a new `mesh`; free it with mesh_host_free. On error it is
 * empty; the cause is CAUSE_OTHER if the host has too little memory. */
int iso_mesh_host(struct iso *iso, struct mesh_host *mesh, struct err *err);

/* Copies a mesh from backend memory to `to`, whose counts are set and whose memory is allocated. */
int iso_download_mesh(struct iso *iso, const struct mesh_out *from, const struct mesh_host *to, struct err *err);

/* Writes the mesh of the last iso_count or iso_count_host to `mesh`, whose counts are set and whose memory is allocated. It
 * goes through backend memory if that is not host memory. */
int iso_emit_host(struct iso *iso, const struct mesh_host *mesh, struct err *err);

/* Like iso_count, but only for a following iso_mesh_host or iso_emit_host. Uses the fused rung if that is ordered. */
int iso_count_host(struct iso *iso, float value, struct err *err);

/* Counts the voxels at or above `value` of a grid in host memory. For volumes without cells, where no stage runs. */
uint64_t iso_inside_host(const struct grid *grid, float value);

/* iso_count_host and iso_mesh_host in one call. The mesh is in the order of the stages; on error it is empty. */
int iso_extract(struct iso *iso, float value, struct mesh_host *mesh, struct err *err);

/* Sets `grid` to the voxels that the stages see, in host memory: those of `host`, the original volume, or smoothed ones.
 * The caller frees *copy, which may be NULL. On error neither is set. */
int iso_voxels_host(struct iso *iso, const struct grid *host, struct grid *grid, void **copy, struct err *err);

/* ---- what is known of the surface and the volume ------------------------------------------------------------------- */

/* Counts the voxels inside and the active cells. Call it after iso_count, or after iso_fuse by an ordered rung. */
int iso_count_cells(struct iso *iso, struct cell_counts *cells, struct err *err);

/* Sets low and high to a box of whole bricks around the surface of the last count, in voxel coordinates. It is the whole
 * grid if there are no ranges or no triangles. */
int iso_bounds(struct iso *iso, double low[3], double high[3], struct err *err);

/* The same at any value (stored units), from the ranges that the last count left. It is also the whole grid if no brick
 * contains the value. */
int iso_bounds_at(struct iso *iso, float value, double low[3], double high[3], struct err *err);

/* Statistics of the present volume, in stored units (iso_aux.c). */
int iso_summary(struct iso *iso, struct summary *summary, struct err *err);
int iso_histogram(struct iso *iso, float lo, float hi, unsigned bins, uint64_t *counts, struct err *err);

/* Sets bounds[i] to the lower bound of queries[i] in `sorted` (lower_bound.h). All arrays are in host memory; `n` and
 * `count` are at most ISO_LOWER_BOUND_MAX. */
int iso_lower_bound(struct iso *iso, const float *sorted, size_t n, const float *queries, size_t count, uint64_t *bounds,
                    struct err *err);

/* Measures a large copy within backend memory. Result: GB/s, read plus written, the best of a few. */
int iso_copy_rate(struct iso *iso, double *gb_per_s, struct err *err);

/* ---- running an auxiliary op (iso_aux.c) --------------------------------------------------------------------------- */

/* Call these around the run of an auxiliary op's `rung`. The run becomes a span of the trace. iso_aux_begin reserves
 * iso->scratch and starts the clock. iso_aux_end waits, and records the time and `bytes` (least traffic). code: what the
 * rung returned. `doing` begins the error message if it failed. Unless iso_aux_begin fails, iso_aux_end must follow on the
 * same thread. */
int iso_aux_begin(struct iso *iso, enum stage aux, const struct rung *rung, uint64_t scratch_bytes, struct err *err);
int iso_aux_end(struct iso *iso, enum stage aux, int code, uint64_t bytes, const char *doing, struct err *err);

/* Adds the run of a stage or auxiliary op, between the marks `from` and `to`, to the trace's GPU track. `last`: the last
 * mark queued before the wait that has just ended. Does nothing on the CPU, where the run is already a span of its
 * thread. */
void iso_trace(struct iso *iso, enum stage stage, const struct rung *rung, int from, int to, int last);

/* Sets the error of a backend's `code`; see backend_fail.h. */
int iso_fail(const struct iso *iso, int code, const char *doing, struct err *err);

/* ---- memory, and what to do without -------------------------------------------------------------------------------- */

/* Bytes of backend memory held by the volume's copy (CUDA) and the working buffers. */
uint64_t iso_memory(const struct iso *iso);

/* Frees the working buffers, which the next count allocates again. */
void iso_drop_working(struct iso *iso);

/* Whether the backend has stopped for good (a lost GPU, a kernel that crashed). Waits. */
bool iso_is_lost(struct iso *iso);

/* After an error with CAUSE_MEMORY: chooses a rung that needs less, for the first of fused, classify, scan, compact and
 * bricks that has one. It also frees the working buffers. `text` gets a sentence that names the rung and the reason. False:
 * the error is another one, or no rung needs less (iso_lean.c). */
bool iso_use_less(struct iso *iso, const struct err *err, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
