#include "iso.h"

#include "backend_fail.h"
#include "trace.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const stage_name[STAGE_ALL] = { "bricks",    "classify",    "scan",       "compact",
                                            "generate",  "fused",       "upload",     "reduce",
                                            "histogram", "lower_bound", "gaussian",   "marching_squares",
                                            "gemv",      "sort",        "components", "gemm" };

const char *const topology_name[TOPOLOGY_COUNT] = { "trilinear", "fixed" };

/* Time marks around the stages, below ISO_MARK_AUX. Generate has its own pair, because the caller allocates before it. */
enum { MARK_BRICKS, MARK_BRICKS_END, MARK_CLASSIFY, MARK_SCAN, MARK_COMPACT, MARK_COUNTED, MARK_EMIT, MARK_EMITTED };

enum { MIN_BRICK_CAPACITY = 4096 };

struct totals {
    uint64_t vertices, triangles, active_strips;
};

/* ---- small helpers ------------------------------------------------------------------------------------------------- */

int iso_fail(const struct iso *iso, int code, const char *doing, struct err *err)
{
    return backend_fail(iso->ops, code, doing, err);
}

bool iso_is_lost(struct iso *iso) { return iso->ops->sync(&iso->exec) != 0; }

void iso_drop_working(struct iso *iso)
{
    struct buffer *buffers[] = { &iso->ranges, &iso->words, &iso->list, &iso->scratch, &iso->fused, &iso->copy.buffer };
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) buffer_release(buffers[i], iso->ops);
    iso->bricks_stale = true;
    iso->counted = iso->fused_is_clear = false;
    iso->copy.rung = NULL;
}

bool iso_has_cells(const struct iso *iso)
{
    const struct grid *g = &iso->grid;
    return g->voxels && g->nx > 1 && g->ny > 1 && g->nz > 1;
}

/* Records the time between two marks of a finished stage. */
static void note_time(struct iso *iso, enum stage stage, int from, int to, uint64_t bytes)
{
    struct stage_stats *stats = &iso->stage[stage];
    if (iso->ops->elapsed(&iso->exec, from, to, &stats->ms)) stats->ms = 0;
    stats->bytes = bytes;
    stats->runs++;
    const int waited = from >= MARK_CLASSIFY && to < MARK_COUNTED ? MARK_COUNTED : to; /* one wait for a whole count */
    iso_trace(iso, stage, iso->rung[stage], from, to, waited);
}

static void push(const struct iso *iso, enum stage stage) { trace_push(stage_name[stage], iso->rung[stage]->name); }

/* ---- opening and choosing ------------------------------------------------------------------------------------------ */

int iso_open(struct iso *iso, enum backend backend, int device, int threads, struct err *err)
{
    char text[256];
    memset(iso, 0, sizeof *iso);
    iso->ops = backends[backend];
    if (!iso->ops->available(text, sizeof text)) {
        err_set(err, ERR_CUDA, "the %s backend cannot run here: %s; use --backend cpu", iso->ops->name, text);
        memset(iso, 0, sizeof *iso);
        return ERR_CUDA;
    }
    int code = iso->ops->open(&iso->exec, device, threads);
    if (code) {
        const int kind = backend == BACKEND_CUDA ? ERR_CUDA : ERR_FAILED;
        err_set(err, kind, "the %s backend did not open: %s", iso->ops->name, iso->ops->explain(code));
        memset(iso, 0, sizeof *iso);
        return kind;
    }

    if (buffer_reserve(&iso->results, iso->ops, &iso->exec, ISO_RESULT_BYTES, "the result buffer", err) ||
        iso_set_topology(iso, TOPOLOGY_TRILINEAR, err)) {
        iso_close(iso);
        return ERR_FAILED;
    }
    for (int stage = 0; stage < STAGE_ALL; stage++)
        iso->rung[stage] = ladder_find(ladder_of(stage_name[stage]), backend, NULL);
    return ERR_NONE;
}

void iso_close(struct iso *iso)
{
    if (!iso->ops) return;
    iso->ops->sync(&iso->exec);
    iso_drop_working(iso);
    buffer_release(&iso->tables, iso->ops);
    buffer_release(&iso->results, iso->ops);
    buffer_release(&iso->smoothed, iso->ops);
    if (iso->owned) iso->ops->free((void *)iso->original.voxels);
    iso->ops->close(&iso->exec);
    memset(iso, 0, sizeof *iso);
}

int iso_set_topology(struct iso *iso, enum topology topology, struct err *err)
{
    const struct mc_tables *const tables = mc_tables_of(topology);
    if (iso->tables.memory && iso->topology == topology) return ERR_NONE;
    if (buffer_reserve(&iso->tables, iso->ops, &iso->exec, sizeof *tables, "the case tables", err)) return ERR_FAILED;
    const int code = iso->ops->upload(iso->tables.memory, tables, sizeof *tables, &iso->exec);
    if (code) return iso_fail(iso, code, "uploading the case tables", err);
    iso->topology = topology;
    iso->counted = false;
    return ERR_NONE;
}

void iso_set_exact(struct iso *iso, bool exact)
{
    iso->exact = exact;
    iso->counted = false;
}

float iso_margin(const struct iso *iso, const struct grid *grid)
{
    return iso->exact ? 0 : margin_for(iso->longest ? iso->longest : grid_longest(grid));
}

static void set_rung(struct iso *iso, enum stage stage, const struct rung *rung)
{
    assert(rung);
    if (iso->rung[stage] == rung) return;
    iso->rung[stage] = rung;
    if (stage < STAGE_COUNT) iso->counted = false;
    if (stage == STAGE_BRICKS) iso->bricks_stale = true;
}

int iso_set_rung(struct iso *iso, enum stage stage, const char *name, struct err *err)
{
    const struct ladder *ladder = ladder_of(stage_name[stage]);
    const struct rung *rung = ladder_find(ladder, iso->exec.backend, name);
    if (!rung) {
        char names[256] = "";
        for (size_t i = 0; (rung = ladder_rung(ladder, iso->exec.backend, i)); i++) {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", rung->name);
        }
        return err_set(err, ERR_USAGE, "stage %s has no rung '%s' on the %s backend; it has %s", stage_name[stage], name,
                       iso->ops->name, names);
    }
    const char *why = rung_unavailable(rung, &iso->exec);
    if (why)
        return err_set(err, ERR_USAGE, "the rung '%s' of stage %s cannot run here: %s; use '%s'", rung->name,
                       stage_name[stage], why, ladder_find(ladder, iso->exec.backend, NULL)->name);
    set_rung(iso, stage, rung);
    return ERR_NONE;
}

/* Whether the fused rung would replace the stage. */
static bool is_fusible(enum stage stage) { return stage != STAGE_BRICKS && stage < STAGE_FUSED; }

int iso_force_rung(struct iso *iso, enum stage stage, const char *name, struct err *err)
{
    if (!name) return ERR_NONE;
    const int code = iso_set_rung(iso, stage, name, err);
    return code || !is_fusible(stage) ? code : iso_set_rung(iso, STAGE_FUSED, "none", err);
}

void iso_list_rung(const struct rung *list[STAGE_ALL], enum backend backend, enum stage stage, const struct rung *rung)
{
    list[stage] = rung;
    if (is_fusible(stage)) list[STAGE_FUSED] = ladder_find(ladder_of(stage_name[STAGE_FUSED]), backend, "none");
}

void iso_set_all(struct iso *iso, bool textbook)
{
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        const struct ladder *ladder = ladder_of(stage_name[stage]);
        set_rung(iso, (enum stage)stage,
                 textbook ? ladder_rung(ladder, iso->exec.backend, 0) : ladder_find(ladder, iso->exec.backend, NULL));
    }
}

uint64_t iso_memory(const struct iso *iso)
{
    return (iso->owned ? grid_bytes(&iso->original) : 0) + iso->smoothed.bytes + iso->tables.bytes + iso->ranges.bytes +
           iso->words.bytes + iso->list.bytes + iso->scratch.bytes + iso->fused.bytes + iso->results.bytes +
           iso->copy.buffer.bytes;
}

/* ---- the stages ---------------------------------------------------------------------------------------------------- */

static int update_bricks(struct iso *iso, struct err *err)
{
    const struct bricks_rung *rung = (const struct bricks_rung *)iso->rung[STAGE_BRICKS];
    if (!iso->bricks_stale) return ERR_NONE;
    iso->bricks = bricks_for(&iso->grid);
    const uint64_t bytes = (uint64_t)iso->bricks.nx * iso->bricks.ny * iso->bricks.nz * sizeof(struct brick_range);
    iso->ops->mark(&iso->exec, MARK_BRICKS);
    if (rung->run) {
        if (buffer_reserve(&iso->ranges, iso->ops, &iso->exec, bytes, "the ranges of the bricks", err)) return ERR_FAILED;
        iso->bricks.range = iso->ranges.memory;
        push(iso, STAGE_BRICKS);
        const int code = rung->run(&iso->grid, &iso->bricks, &iso->exec);
        trace_pop();
        if (code) return iso_fail(iso, code, "the bricks stage", err);
    }
    iso->ops->mark(&iso->exec, MARK_BRICKS_END);
    const int code = iso->ops->sync(&iso->exec);
    if (code) return iso_fail(iso, code, "the bricks stage", err);
    note_time(iso, STAGE_BRICKS, MARK_BRICKS, MARK_BRICKS_END, rung->run ? grid_bytes(&iso->grid) + bytes : 0);
    iso->bricks_stale = false;
    return ERR_NONE;
}

/* Lays out the strips for the chosen rungs. Reserves strips, list and scratch. */
static int update_strips(struct iso *iso, struct err *err)
{
    const struct classify_rung *classify = (const struct classify_rung *)iso->rung[STAGE_CLASSIFY];
    const struct scan_rung *scan = (const struct scan_rung *)iso->rung[STAGE_SCAN];
    const struct compact_rung *compact = (const struct compact_rung *)iso->rung[STAGE_COMPACT];
    const struct grid *g = &iso->grid;
    const size_t per_row = (g->nx + classify->width - 1) / classify->width, n = per_row * g->ny * g->nz;
    if (n > UINT32_MAX)
        return err_set(err, ERR_FAILED,
                       "the classify rung '%s' would need %zu strips, more than 32-bit indices allow: choose a "
                       "rung that packs 32 voxels into a strip",
                       classify->rung.name, n);

    const size_t scan_bytes = scan->scratch ? scan->scratch(n, &iso->exec) : 0;
    const size_t compact_bytes = compact->scratch ? compact->scratch(n, &iso->exec) : 0;
    const size_t array = scratch_round(n * sizeof(uint32_t));
    const struct buffer_demand demand[] = { { &iso->words, STRIP_ARRAYS * (uint64_t)array },
                                            { &iso->list, n * sizeof(uint32_t) },
                                            { &iso->scratch, scan_bytes > compact_bytes ? scan_bytes : compact_bytes } };
    if (buffer_reserve_all(demand, 3, iso->ops, &iso->exec, "the strips", err)) return ERR_FAILED;

    char *memory = iso->words.memory;
    uint32_t *words[STRIP_ARRAYS];
    for (int i = 0; i < STRIP_ARRAYS; i++) words[i] = (uint32_t *)(memory + (size_t)i * array);
    iso->strips = (struct strips){ classify->width, per_row,  n,        g->nx,    g->ny,    g->nz,
                                   words[0],        words[1], words[2], words[3], words[4], words[5] };
    return ERR_NONE;
}

/* Queues classify, both scans and compact, with marks between them. Returns the backend's code. */
static int queue_count(struct iso *iso, struct totals *totals)
{
    const struct classify_rung *classify = (const struct classify_rung *)iso->rung[STAGE_CLASSIFY];
    const struct scan_rung *scan = (const struct scan_rung *)iso->rung[STAGE_SCAN];
    const struct compact_rung *compact = (const struct compact_rung *)iso->rung[STAGE_COMPACT];
    const struct backend_ops *ops = iso->ops;
    const struct strips *s = &iso->strips;
    struct exec *x = &iso->exec;
    push(iso, STAGE_CLASSIFY);
    int code = ops->mark(x, MARK_CLASSIFY);
    if (!code) code = classify->run(&iso->grid, iso->value, &iso->bricks, iso->tables.memory, s, x);
    trace_pop();
    push(iso, STAGE_SCAN);
    if (!code) code = ops->mark(x, MARK_SCAN);
    if (!code) code = scan->run(s->vertices, s->first_vertex, &totals->vertices, s->count, iso->scratch.memory, x);
    if (!code) code = scan->run(s->triangles, s->first_triangle, &totals->triangles, s->count, iso->scratch.memory, x);
    trace_pop();
    push(iso, STAGE_COMPACT);
    if (!code) code = ops->mark(x, MARK_COMPACT);
    if (!code) code = compact->run(s, iso->list.memory, &totals->active_strips, iso->scratch.memory, x);
    if (!code) code = ops->mark(x, MARK_COUNTED);
    trace_pop();
    return code;
}

/* Resets the state for a new value. *empty: there is no surface, and nothing to run. */
static int begin(struct iso *iso, float value, bool *empty, struct err *err)
{
    iso->counted = false;
    iso->value = value;
    iso->counts = (struct iso_counts){ .vertices = 0 };
    iso->strips.count = 0;
    iso->cells = (struct cell_counts){ 0, 0, 0 };
    if (value != value) return err_set(err, ERR_USAGE, "the isovalue is not a number: give a finite value");
    iso->grid.margin = iso_margin(iso, &iso->grid);
    *empty = !iso_has_cells(iso) || isinf(value); /* linear interpolation never reaches infinity */
    return ERR_NONE;
}

static int check_totals(uint64_t vertices, uint64_t triangles, struct err *err)
{
    return mesh_host_check("the surface has", vertices, triangles, "choose another isovalue or a smaller volume", err);
}

int iso_prepare(struct iso *iso, struct err *err)
{
    iso->counted = iso->fusing = false;
    return iso_has_cells(iso) ? update_strips(iso, err) : ERR_NONE;
}

int iso_count(struct iso *iso, float value, struct err *err)
{
    bool empty = true;
    if (begin(iso, value, &empty, err)) return ERR_USAGE;
    iso->fusing = false;
    iso->counted = empty;
    if (empty) return ERR_NONE;
    if (update_bricks(iso, err) || update_strips(iso, err)) return ERR_FAILED;

    struct totals totals;
    int code = queue_count(iso, iso->results.memory);
    if (!code) code = iso->ops->download(&totals, iso->results.memory, sizeof totals, &iso->exec);
    if (!code) code = iso->ops->sync(&iso->exec);
    if (code) return iso_fail(iso, code, "counting the surface", err);
    const bool soup = ((const struct generate_rung *)iso->rung[STAGE_GENERATE])->soup;
    const uint64_t vertices = soup ? 3 * totals.triangles : totals.vertices, n = iso->strips.count;
    if (check_totals(vertices, totals.triangles, err)) return ERR_FAILED;

    iso->counts = (struct iso_counts){ vertices, totals.triangles, totals.vertices, n, totals.active_strips };
    note_time(iso, STAGE_CLASSIFY, MARK_CLASSIFY, MARK_SCAN, grid_bytes(&iso->grid) + 16 * n);
    note_time(iso, STAGE_SCAN, MARK_SCAN, MARK_COMPACT, 16 * n);
    note_time(iso, STAGE_COMPACT, MARK_COMPACT, MARK_COUNTED, 8 * n + 4 * totals.active_strips);
    iso->counted = true;
    return ERR_NONE;
}

int iso_emit(struct iso *iso, const struct mesh_out *mesh, struct err *err)
{
    const struct generate_rung *rung = (const struct generate_rung *)iso->rung[STAGE_GENERATE];
    assert(iso->counted);
    if (!iso->counts.active_units) return ERR_NONE;
    const struct generate_desc desc = {
        iso->grid, iso->value, iso->strips, iso->tables.memory, iso->list.memory, (size_t)iso->counts.active_units, *mesh
    };
    push(iso, STAGE_GENERATE);
    iso->ops->mark(&iso->exec, MARK_EMIT);
    int code = rung->run(&desc, &iso->exec);
    iso->ops->mark(&iso->exec, MARK_EMITTED);
    trace_pop();
    if (!code) code = iso->ops->sync(&iso->exec);
    if (code) return iso_fail(iso, code, "generating the mesh", err);
    note_time(iso, STAGE_GENERATE, MARK_EMIT, MARK_EMITTED,
              16 * iso->counts.vertices + 12 * iso->counts.triangles + 24 * iso->counts.active_units);
    return ERR_NONE;
}

int iso_reserve_mesh(struct iso *iso, struct buffer *buffer, struct mesh_buffers *out, struct err *err)
{
    const size_t vertex_bytes = scratch_round(iso->counts.vertices * sizeof(struct vertex));
    if (buffer_reserve(buffer, iso->ops, &iso->exec, vertex_bytes + 12 * iso->counts.triangles, "the mesh", err))
        return ERR_FAILED;
    char *memory = buffer->memory;
    *out = (struct mesh_buffers){ { buffer->memory, memory ? (uint32_t *)(memory + vertex_bytes) : NULL },
                                  iso->counts.vertices,
                                  iso->counts.triangles };
    return ERR_NONE;
}

/* ---- all in one go ------------------------------------------------------------------------------------------------- */

bool iso_is_fused(const struct iso *iso)
{
    return iso_fused_rung(iso)->run && ((const struct bricks_rung *)iso->rung[STAGE_BRICKS])->run;
}

bool iso_is_ordered(const struct iso *iso) { return !iso_is_fused(iso) || iso_fused_rung(iso)->totals; }

void iso_use_order(struct iso *iso)
{
    const struct ladder *ladder = ladder_of(stage_name[STAGE_FUSED]);
    const struct rung *rung;
    for (size_t i = 0; !iso_is_ordered(iso) && (rung = ladder_rung(ladder, iso->exec.backend, i)); i++)
        if (((const struct fused_rung *)rung)->totals && !rung_unavailable(rung, &iso->exec))
            set_rung(iso, STAGE_FUSED, rung);
    if (!iso_is_ordered(iso)) iso_set_rung(iso, STAGE_FUSED, "none", NULL);
}

/* Reserves the scratch of the fused rung for brick_capacity bricks. If the rung keeps state in it, clears new memory. */
static int reserve_fused(struct iso *iso, struct err *err)
{
    const size_t bytes = iso_fused_rung(iso)->scratch(&iso->bricks, iso->brick_capacity, &iso->exec);
    const bool grows = bytes > iso->fused.bytes;
    if (buffer_reserve(&iso->fused, iso->ops, &iso->exec, bytes, "the records of the bricks", err)) return ERR_FAILED;
    if (!iso_fused_rung(iso)->keeps_state || (!grows && iso->fused_is_clear)) return ERR_NONE;
    const int code = iso->ops->fill(iso->fused.memory, 0, iso->fused.bytes, &iso->exec);
    iso->fused_is_clear = !code;
    return code ? iso_fail(iso, code, "making the surface", err) : ERR_NONE;
}

int iso_fuse_begin(struct iso *iso, float value, const struct mesh_buffers *out, struct draw_command *draw, struct err *err)
{
    assert(iso_is_fused(iso));
    iso->fuse_out = *out;
    if (begin(iso, value, &iso->fuse_is_empty, err)) return ERR_USAGE;
    iso->fusing = true;
    int code = 0;
    if (iso->fuse_is_empty) {
        if (draw) code = iso->ops->fill(draw, 0, sizeof *draw, &iso->exec);
        return code ? iso_fail(iso, code, "making the surface", err) : ERR_NONE;
    }
    if (update_bricks(iso, err)) return ERR_FAILED;
    if (!iso->brick_capacity) iso->brick_capacity = MIN_BRICK_CAPACITY;
    if (reserve_fused(iso, err) || iso_update_copy(iso, err)) return ERR_FAILED;
    const struct fused_desc desc = { .grid = iso->grid,
                                     .iso = value,
                                     .bricks = iso->bricks,
                                     .tables = iso->tables.memory,
                                     .mesh = out->mesh,
                                     .vertex_capacity = out->vertices,
                                     .triangle_capacity = out->triangles,
                                     .brick_capacity = iso->brick_capacity,
                                     .scratch = iso->fused.memory,
                                     .counts = iso->exec.result,
                                     .draw = draw,
                                     .copy = iso_copy_of(iso) };
    push(iso, STAGE_FUSED);
    code = iso->ops->mark(&iso->exec, MARK_EMIT);
    if (!code) code = iso_fused_rung(iso)->run(&desc, &iso->exec);
    if (!code) code = iso->ops->mark(&iso->exec, MARK_EMITTED);
    trace_pop();
    if (code) iso->fused_is_clear = false;
    return code ? iso_fail(iso, code, "making the surface", err) : ERR_NONE;
}

/* Whether `bricks` active bricks need more scratch than was reserved. */
static bool fused_needs_more(const struct iso *iso, uint64_t bricks)
{
    const struct fused_rung *rung = iso_fused_rung(iso);
    return bricks > iso->brick_capacity &&
           rung->scratch(&iso->bricks, bricks, &iso->exec) > rung->scratch(&iso->bricks, iso->brick_capacity, &iso->exec);
}

/* Takes over the counts and the time of the run. */
static void note_fused(struct iso *iso, const struct fused_counts *counts)
{
    const uint64_t bricks = (uint64_t)iso->bricks.nx * iso->bricks.ny * iso->bricks.nz;
    const uint64_t brick_bytes = (BRICK_X + 1) * (BRICK_Y + 1) * (BRICK_Z + 1) * voxel_bytes(iso->grid.type);
    iso->cells = counts->cells;
    iso->counts = (struct iso_counts){ counts->vertices, counts->triangles, counts->vertices, bricks, counts->bricks };
    note_time(iso, STAGE_FUSED, MARK_EMIT, MARK_EMITTED,
              bricks * sizeof(struct brick_range) + counts->bricks * brick_bytes + 16 * counts->vertices +
                  12 * counts->triangles);
}

int iso_fuse_end(struct iso *iso, bool *fits, bool *counted, struct err *err)
{
    const struct mesh_buffers *out = &iso->fuse_out;
    *fits = *counted = true;
    if (iso->fuse_is_empty) return ERR_NONE;
    const int code = iso->ops->sync(&iso->exec);
    if (code) {
        iso->fused_is_clear = false;
        return iso_fail(iso, code, "making the surface", err);
    }
    const struct fused_counts counts = *(const struct fused_counts *)iso->exec.result;
    *counted = !fused_needs_more(iso, counts.bricks); /* else the other counts cover only some of the bricks */
    if (!*counted) iso->brick_capacity = counts.bricks + counts.bricks / 4;
    else if (check_totals(counts.vertices, counts.triangles, err)) return ERR_FAILED;
    else note_fused(iso, &counts);
    *fits = *counted && counts.vertices <= out->vertices && counts.triangles <= out->triangles;
    iso_note_copy(iso, *fits);
    return ERR_NONE;
}

int iso_fuse(struct iso *iso, float value, const struct mesh_buffers *out, bool *fits, struct err *err)
{
    bool counted = false;
    for (int turn = 0; turn < 2 && !counted; turn++) {
        if (iso_fuse_begin(iso, value, out, NULL, err)) return err->code;
        if (iso_fuse_end(iso, fits, &counted, err)) return err->code;
    }
    return counted
               ? ERR_NONE
               : err_set(
                     err, ERR_FAILED,
                     "the surface was counted twice with different results, which should not happen: try --backend cpu");
}

/* ---- bounds ------------------------------------------------------------------------------------------------------- */

static void grow_to_brick(const struct iso *iso, size_t i, double low[3], double high[3])
{
    const struct bricks *b = &iso->bricks;
    const size_t at[3] = { i % b->nx, i / b->nx % b->ny, i / b->nx / b->ny }, size[3] = { BRICK_X, BRICK_Y, BRICK_Z };
    const size_t n[3] = { iso->grid.nx, iso->grid.ny, iso->grid.nz };
    for (int a = 0; a < 3; a++) {
        const double begin = (double)(at[a] * size[a]), end = (double)((at[a] + 1) * size[a]), last = (double)(n[a] - 1);
        if (begin < low[a]) low[a] = begin;
        if (end > high[a]) high[a] = end < last ? end : last;
    }
}

static int whole_grid(const struct iso *iso, double low[3], double high[3])
{
    const size_t n[3] = { iso->grid.nx, iso->grid.ny, iso->grid.nz };
    for (int a = 0; a < 3; a++) low[a] = 0, high[a] = (double)n[a] - 1;
    return ERR_NONE;
}

int iso_bounds_at(struct iso *iso, float value, double low[3], double high[3], struct err *err)
{
    const struct bricks *b = &iso->bricks;
    const double last[3] = { (double)iso->grid.nx - 1, (double)iso->grid.ny - 1, (double)iso->grid.nz - 1 };
    const bool known = b->range && !iso->bricks_stale;
    for (int a = 0; a < 3; a++) low[a] = last[a], high[a] = 0;
    if (!known) return whole_grid(iso, low, high);

    const size_t n = b->nx * b->ny * b->nz;
    struct brick_range *range = malloc(n * sizeof *range);
    if (!range) return err_set(err, ERR_FAILED, "not enough memory for the ranges of %zu bricks", n);
    const int code = iso->ops->download(range, b->range, n * sizeof *range, &iso->exec);
    for (size_t i = 0; i < n && !code; i++)
        if (brick_state_of(range[i], value) == BRICK_ACTIVE) grow_to_brick(iso, i, low, high);
    free(range);
    if (code) return iso_fail(iso, code, "reading the ranges of the bricks", err);
    return low[0] > high[0] ? whole_grid(iso, low, high) : ERR_NONE;
}

int iso_bounds(struct iso *iso, double low[3], double high[3], struct err *err)
{
    return iso->counts.triangles ? iso_bounds_at(iso, iso->value, low, high, err) : whole_grid(iso, low, high);
}
