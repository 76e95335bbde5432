#include "iso.h"

#include "timing.h"
#include "trace.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const stage_name[STAGE_ALL] = { "bricks",   "classify",         "scan",   "compact",   "generate",
                                            "fused",    "upload",           "reduce", "histogram", "lower_bound",
                                            "gaussian", "marching_squares", "gemv",   "sort",      "gemm" };

/* Time marks around the stages, below ISO_MARK_SIDE. Generate has its own pair, since the caller makes room in between. */
enum { MARK_BRICKS, MARK_BRICKS_END, MARK_CLASSIFY, MARK_SCAN, MARK_COMPACT, MARK_COUNTED, MARK_EMIT, MARK_EMITTED };

enum { MIN_BRICK_CAPACITY = 4096 };

struct totals {
    uint64_t vertices, triangles, active_strips;
};

/* ---- small helpers ------------------------------------------------------------------------------------------------- */

int iso_fail(const struct iso *iso, int code, const char *doing, struct err *err)
{
    err_set(err, ERR_FAILED, "%s failed on the %s backend: %s", doing, iso->ops->name, iso->ops->explain(code));
    return err_blame(err, ERR_FAILED, CAUSE_BACKEND);
}

static int starve(const struct iso *iso, uint64_t bytes, size_t at_hand, const char *what, struct err *err)
{
    err_set(err, ERR_FAILED,
            "there is no room for %s on the %s backend (%.1f MiB needed, %.1f MiB free): choose a smaller "
            "volume, or a rung that needs less",
            what, iso->ops->name, (double)bytes / 1048576.0, (double)at_hand / 1048576.0);
    return err_blame(err, ERR_FAILED, CAUSE_MEMORY);
}

bool iso_is_lost(struct iso *iso) { return iso->ops->sync(&iso->exec) != 0; }

int iso_reserve_all(struct iso *iso, const struct iso_demand *demand, int n, const char *what, struct err *err)
{
    uint64_t more = 0;
    for (int i = 0; i < n; i++)
        if (demand[i].bytes > demand[i].buffer->bytes &&
            __builtin_add_overflow(more, demand[i].bytes - demand[i].buffer->bytes, &more))
            more = UINT64_MAX;
    if (!more) return ERR_NONE;
    const size_t at_hand = iso->ops->memory_free();
    if (more > at_hand) return starve(iso, more, at_hand, what, err);
    for (int i = 0; i < n; i++) {
        struct iso_buffer *buffer = demand[i].buffer;
        if (demand[i].bytes <= buffer->bytes) continue;
        iso->ops->free(buffer->memory);
        *buffer = (struct iso_buffer){ NULL, 0 };
        const int code = iso->ops->alloc(&buffer->memory, (size_t)demand[i].bytes);
        if (code && iso_is_lost(iso)) return iso_fail(iso, code, "making room", err);
        if (code) return starve(iso, more, at_hand, what, err); /* in pieces, or somebody else was quicker */
        buffer->bytes = (size_t)demand[i].bytes;
    }
    return ERR_NONE;
}

int iso_reserve(struct iso *iso, struct iso_buffer *buffer, uint64_t bytes, const char *what, struct err *err)
{
    const struct iso_demand demand = { buffer, bytes };
    return iso_reserve_all(iso, &demand, 1, what, err);
}

void iso_release(struct iso *iso, struct iso_buffer *buffer)
{
    iso->ops->free(buffer->memory);
    *buffer = (struct iso_buffer){ NULL, 0 };
}

void iso_drop_working(struct iso *iso)
{
    struct iso_buffer *buffers[] = { &iso->ranges, &iso->words, &iso->list, &iso->scratch, &iso->fused };
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) iso_release(iso, buffers[i]);
    iso->bricks_stale = true;
    iso->counted = iso->fused_is_clear = false;
}

static size_t grid_bytes(const struct grid *grid) { return grid_voxels(grid) * voxel_bytes(grid->type); }

static bool has_cells(const struct grid *grid) { return grid->voxels && grid->nx > 1 && grid->ny > 1 && grid->nz > 1; }

/* Time between two marks of a stage that has finished. */
static void note_time(struct iso *iso, enum stage stage, int from, int to, uint64_t bytes)
{
    struct stage_stats *stats = &iso->stage[stage];
    if (iso->ops->elapsed(&iso->exec, from, to, &stats->ms)) stats->ms = 0;
    stats->bytes = bytes;
    stats->runs++;
    iso_trace(iso, stage, iso->rung[stage], from, to, from >= MARK_CLASSIFY && to < MARK_COUNTED ? MARK_COUNTED : to);
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

    struct mc_tables tables;
    mc_tables_build(&tables);
    if (iso_reserve(iso, &iso->results, ISO_RESULT_BYTES, "the result buffer", err) ||
        iso_reserve(iso, &iso->tables, sizeof tables, "the case table", err)) {
        iso_close(iso);
        return ERR_FAILED;
    }
    code = iso->ops->upload(iso->tables.memory, &tables, sizeof tables, &iso->exec);
    if (code) {
        iso_fail(iso, code, "uploading the case table", err);
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
    iso_release(iso, &iso->tables);
    iso_release(iso, &iso->results);
    iso_release(iso, &iso->smoothed);
    if (iso->owned) iso->ops->free((void *)iso->original.voxels);
    iso->ops->close(&iso->exec);
    memset(iso, 0, sizeof *iso);
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
        return err_set(err, ERR_USAGE, "stage %s has no rung '%s' on the %s backend: it has %s", stage_name[stage], name,
                       iso->ops->name, names);
    }
    const char *why = rung_unavailable(rung, &iso->exec);
    if (why)
        return err_set(err, ERR_USAGE, "the rung '%s' of stage %s cannot run here: %s; take '%s'", rung->name,
                       stage_name[stage], why, ladder_find(ladder, iso->exec.backend, NULL)->name);
    set_rung(iso, stage, rung);
    return ERR_NONE;
}

/* Whether the fused rung would stand in for the stage. */
static bool is_fusible(enum stage stage) { return stage != STAGE_BRICKS && stage < STAGE_FUSED; }

int iso_choose_rung(struct iso *iso, enum stage stage, const char *name, struct err *err)
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
           iso->words.bytes + iso->list.bytes + iso->scratch.bytes + iso->fused.bytes + iso->results.bytes;
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
        if (iso_reserve(iso, &iso->ranges, bytes, "the ranges of the bricks", err)) return ERR_FAILED;
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

/* Lays out the strips for the chosen rungs and makes room for them, for the list and for scratch. */
static int update_strips(struct iso *iso, struct err *err)
{
    const struct classify_rung *classify = (const struct classify_rung *)iso->rung[STAGE_CLASSIFY];
    const struct scan_rung *scan = (const struct scan_rung *)iso->rung[STAGE_SCAN];
    const struct compact_rung *compact = (const struct compact_rung *)iso->rung[STAGE_COMPACT];
    const struct grid *g = &iso->grid;
    const size_t per_row = (g->nx + classify->width - 1) / classify->width, n = per_row * g->ny * g->nz;
    if (n > UINT32_MAX)
        return err_set(err, ERR_FAILED,
                       "the classify rung '%s' would need %zu strips, and 32 bits number them: choose a "
                       "rung that packs 32 voxels to a strip",
                       classify->rung.name, n);

    const size_t scan_bytes = scan->scratch ? scan->scratch(n, &iso->exec) : 0;
    const size_t compact_bytes = compact->scratch ? compact->scratch(n, &iso->exec) : 0;
    const size_t array = scratch_round(n * sizeof(uint32_t));
    const struct iso_demand demand[] = { { &iso->words, 5 * (uint64_t)array },
                                         { &iso->list, n * sizeof(uint32_t) },
                                         { &iso->scratch, scan_bytes > compact_bytes ? scan_bytes : compact_bytes } };
    if (iso_reserve_all(iso, demand, 3, "the strips", err)) return ERR_FAILED;

    char *memory = iso->words.memory;
    uint32_t *words[5];
    for (int i = 0; i < 5; i++) words[i] = (uint32_t *)(memory + (size_t)i * array);
    iso->strips = (struct strips){ classify->width, per_row,  n,        g->nx,    g->ny,   g->nz,
                                   words[0],        words[1], words[2], words[3], words[4] };
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

/* What every new value starts with. *empty: it needs no more, for there is no surface. */
static int begin(struct iso *iso, float value, bool *empty, struct err *err)
{
    iso->counted = false;
    iso->value = value;
    iso->counts = (struct iso_counts){ .vertices = 0 };
    iso->strips.count = 0;
    iso->tally = (struct tally){ 0, 0 };
    if (value != value) return err_set(err, ERR_USAGE, "the isovalue is not a number: give a finite value");
    *empty = !has_cells(&iso->grid) || isinf(value); /* no linear interpolation meets infinity */
    return ERR_NONE;
}

static int check_totals(uint64_t vertices, uint64_t triangles, struct err *err)
{
    if (vertices <= UINT32_MAX && triangles <= UINT32_MAX) return ERR_NONE;
    return err_set(err, ERR_FAILED,
                   "the surface has %llu vertices and %llu triangles, and 32 bits number them: choose "
                   "another isovalue or a smaller volume",
                   (unsigned long long)vertices, (unsigned long long)triangles);
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
    note_time(iso, STAGE_CLASSIFY, MARK_CLASSIFY, MARK_SCAN, grid_bytes(&iso->grid) + 12 * n);
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

/* ---- all in one go ------------------------------------------------------------------------------------------------- */

static const struct fused_rung *fused_rung(const struct iso *iso)
{
    return (const struct fused_rung *)iso->rung[STAGE_FUSED];
}

bool iso_is_fused(const struct iso *iso)
{
    return fused_rung(iso)->run && ((const struct bricks_rung *)iso->rung[STAGE_BRICKS])->run;
}

bool iso_is_ordered(const struct iso *iso) { return !iso_is_fused(iso) || fused_rung(iso)->ordered; }

/* Scratch for the bricks that there is room for; new memory is cleared, if the rung asks for that. */
static int reserve_fused(struct iso *iso, struct err *err)
{
    const size_t bytes = fused_rung(iso)->scratch(&iso->bricks, iso->brick_capacity, &iso->exec);
    const bool grows = bytes > iso->fused.bytes;
    if (iso_reserve(iso, &iso->fused, bytes, "the records of the bricks", err)) return ERR_FAILED;
    if (!fused_rung(iso)->keeps_state || (!grows && iso->fused_is_clear)) return ERR_NONE;
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
    if (reserve_fused(iso, err)) return ERR_FAILED;
    const struct fused_desc desc = {
        iso->grid,     value,          iso->bricks,         iso->tables.memory, out->mesh,
        out->vertices, out->triangles, iso->brick_capacity, iso->fused.memory,  iso->exec.mailbox,
        draw
    };
    push(iso, STAGE_FUSED);
    code = iso->ops->mark(&iso->exec, MARK_EMIT);
    if (!code) code = fused_rung(iso)->run(&desc, &iso->exec);
    if (!code) code = iso->ops->mark(&iso->exec, MARK_EMITTED);
    trace_pop();
    if (code) iso->fused_is_clear = false;
    return code ? iso_fail(iso, code, "making the surface", err) : ERR_NONE;
}

/* Whether that many active bricks take more scratch than there was. */
static bool fused_needs_more(const struct iso *iso, uint64_t bricks)
{
    const struct fused_rung *rung = fused_rung(iso);
    return bricks > iso->brick_capacity &&
           rung->scratch(&iso->bricks, bricks, &iso->exec) > rung->scratch(&iso->bricks, iso->brick_capacity, &iso->exec);
}

/* What the run found. */
static void note_fused(struct iso *iso, const struct fused_counts *counts)
{
    const uint64_t bricks = (uint64_t)iso->bricks.nx * iso->bricks.ny * iso->bricks.nz;
    const uint64_t brick_bytes = (BRICK_X + 1) * (BRICK_Y + 1) * (BRICK_Z + 1) * voxel_bytes(iso->grid.type);
    iso->tally = counts->tally;
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
    const struct fused_counts counts = *(const struct fused_counts *)iso->exec.mailbox;
    *counted = !fused_needs_more(iso, counts.bricks); /* else the other counts are of some bricks only */
    if (!*counted) iso->brick_capacity = counts.bricks + counts.bricks / 4;
    else if (check_totals(counts.vertices, counts.triangles, err)) return ERR_FAILED;
    else note_fused(iso, &counts);
    *fits = *counted && counts.vertices <= out->vertices && counts.triangles <= out->triangles;
    return ERR_NONE;
}

int iso_fuse(struct iso *iso, float value, const struct mesh_buffers *out, bool *fits, struct err *err)
{
    bool counted = false;
    for (int turn = 0; turn < 2 && !counted; turn++) {
        if (iso_fuse_begin(iso, value, out, NULL, err)) return err->code;
        if (iso_fuse_end(iso, fits, &counted, err)) return err->code;
    }
    return counted ? ERR_NONE : err_set(err, ERR_FAILED, "the surface was counted twice, with different results");
}

/* ---- reports ------------------------------------------------------------------------------------------------------- */

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

int iso_bounds(struct iso *iso, double low[3], double high[3], struct err *err)
{
    const struct bricks *b = &iso->bricks;
    const double last[3] = { (double)iso->grid.nx - 1, (double)iso->grid.ny - 1, (double)iso->grid.nz - 1 };
    const bool known = b->range && !iso->bricks_stale && iso->counts.triangles;
    for (int a = 0; a < 3; a++) low[a] = known ? last[a] : 0, high[a] = known ? 0 : last[a];
    if (!known) return ERR_NONE;

    const size_t n = b->nx * b->ny * b->nz;
    struct brick_range *range = malloc(n * sizeof *range);
    if (!range) return err_set(err, ERR_FAILED, "no memory for the ranges of %zu bricks", n);
    const int code = iso->ops->download(range, b->range, n * sizeof *range, &iso->exec);
    for (size_t i = 0; i < n && !code; i++)
        if (brick_state_of(range[i], iso->value) == BRICK_ACTIVE) grow_to_brick(iso, i, low, high);
    free(range);
    return code ? iso_fail(iso, code, "reading the ranges of the bricks", err) : ERR_NONE;
}

/* ---- the mesh in host memory --------------------------------------------------------------------------------------- */

static int emit_to_host(struct iso *iso, const struct mesh_host *mesh, struct err *err)
{
    const struct mesh_out host = { mesh->vertices, mesh->indices };
    if (iso->exec.backend == BACKEND_CPU) return iso_emit(iso, &host, err);

    const size_t vertex_bytes = mesh->vertex_count * sizeof(struct vertex), index_bytes = 12 * mesh->triangle_count;
    struct iso_buffer buffer = { NULL, 0 };
    if (iso_reserve(iso, &buffer, scratch_round(vertex_bytes) + index_bytes, "the mesh", err)) return ERR_FAILED;
    const struct mesh_out there = { buffer.memory, (uint32_t *)((char *)buffer.memory + scratch_round(vertex_bytes)) };
    int failed = iso_emit(iso, &there, err);
    if (!failed) {
        int code = iso->ops->download(mesh->vertices, there.vertices, vertex_bytes, &iso->exec);
        if (!code) code = iso->ops->download(mesh->indices, there.indices, index_bytes, &iso->exec);
        if (code) failed = iso_fail(iso, code, "downloading the mesh", err);
    }
    iso_release(iso, &buffer);
    return failed;
}

static int mesh_host_alloc(struct mesh_host *mesh, uint64_t vertices, uint64_t triangles, struct err *err)
{
    *mesh = (struct mesh_host){ NULL, NULL, vertices, triangles };
    if (!vertices) return ERR_NONE;
    mesh->vertices = malloc(vertices * sizeof(struct vertex));
    mesh->indices = malloc(3 * triangles * sizeof(uint32_t));
    if (mesh->vertices && mesh->indices) return ERR_NONE;
    mesh_host_free(mesh);
    return err_set(err, ERR_FAILED, "no memory for the mesh (%.1f MiB)",
                   (double)(16 * vertices + 12 * triangles) / 1048576.0);
}

int iso_mesh_host(struct iso *iso, struct mesh_host *mesh, struct err *err)
{
    if (mesh_host_alloc(mesh, iso->counts.vertices, iso->counts.triangles, err)) return ERR_FAILED;
    if (!mesh->vertex_count) return ERR_NONE;
    const int failed = emit_to_host(iso, mesh, err);
    if (failed) mesh_host_free(mesh);
    return failed;
}

int iso_extract(struct iso *iso, float value, struct mesh_host *mesh, struct err *err)
{
    const struct mesh_buffers none = { { NULL, NULL }, 0, 0 };
    bool fits = false;
    *mesh = (struct mesh_host){ NULL, NULL, 0, 0 };
    if (iso->exec.backend != BACKEND_CPU || !iso_is_fused(iso) || !iso_is_ordered(iso)) {
        if (iso_count(iso, value, err)) return err->code;
        return iso_mesh_host(iso, mesh, err);
    }
    if (iso_fuse(iso, value, &none, &fits, err) || mesh_host_alloc(mesh, iso->counts.vertices, iso->counts.triangles, err))
        return err->code;
    const struct mesh_buffers out = { { mesh->vertices, mesh->indices }, mesh->vertex_count, mesh->triangle_count };
    const int failed = fits ? ERR_NONE : iso_fuse(iso, value, &out, &fits, err);
    if (failed) mesh_host_free(mesh);
    return failed;
}

int mesh_host_soup(const struct mesh_host *mesh, struct mesh_host *soup, struct err *err)
{
    const uint64_t corners = 3 * mesh->triangle_count;
    if (mesh_host_alloc(soup, corners, mesh->triangle_count, err)) return ERR_FAILED;
    for (uint64_t i = 0; i < corners; i++) {
        soup->vertices[i] = mesh->vertices[mesh->indices[i]];
        soup->indices[i] = (uint32_t)i;
    }
    return ERR_NONE;
}

void mesh_host_free(struct mesh_host *mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (struct mesh_host){ NULL, NULL, 0, 0 };
}

int iso_reserve_mesh(struct iso *iso, struct iso_buffer *buffer, struct mesh_buffers *out, struct err *err)
{
    const size_t vertex_bytes = scratch_round(iso->counts.vertices * sizeof(struct vertex));
    if (iso_reserve(iso, buffer, vertex_bytes + 12 * iso->counts.triangles, "the mesh", err)) return ERR_FAILED;
    char *memory = buffer->memory;
    *out = (struct mesh_buffers){ { buffer->memory, memory ? (uint32_t *)(memory + vertex_bytes) : NULL },
                                  iso->counts.vertices,
                                  iso->counts.triangles };
    return ERR_NONE;
}

int iso_prepare(struct iso *iso, struct err *err)
{
    iso->counted = iso->fusing = false;
    return has_cells(&iso->grid) ? update_strips(iso, err) : ERR_NONE;
}

/* ---- when memory is short ------------------------------------------------------------------------------------------- */

/* Bytes of working memory that come with a rung; 0 where the last run had no use for its stage. */
static uint64_t rung_bytes(const struct iso *iso, enum stage stage, const struct rung *rung)
{
    const struct grid *g = &iso->grid;
    const struct bricks bricks = bricks_for(g);
    const struct exec *x = &iso->exec;
    const struct rung *classify = stage == STAGE_CLASSIFY ? rung : iso->rung[STAGE_CLASSIFY];
    const size_t width = ((const struct classify_rung *)classify)->width;
    const size_t strips = (g->nx + width - 1) / width * g->ny * g->nz;
    const struct scan_rung *scan = (const struct scan_rung *)rung;
    const struct compact_rung *compact = (const struct compact_rung *)rung;
    const struct fused_rung *fused = (const struct fused_rung *)rung;
    if (stage == STAGE_BRICKS)
        return ((const struct bricks_rung *)rung)->run ? bricks.nx * bricks.ny * bricks.nz * sizeof *bricks.range : 0;
    if (stage == STAGE_FUSED)
        return iso->fusing && fused->run ? fused->scratch(&bricks, iso->brick_capacity, &iso->exec) : 0;
    if (iso->fusing) return 0;
    if (stage == STAGE_CLASSIFY) return strips * 6 * sizeof(uint32_t);
    if (stage == STAGE_SCAN) return scan->scratch ? scan->scratch(strips, x) : 0;
    if (stage == STAGE_COMPACT) return compact->scratch ? compact->scratch(strips, x) : 0;
    return 0;
}

/* The default if none needs less than it. */
static const struct rung *leanest_rung(const struct iso *iso, enum stage stage)
{
    const struct ladder *ladder = ladder_of(stage_name[stage]);
    const struct exec *x = &iso->exec;
    const struct rung *rung, *best = ladder_find(ladder, x->backend, NULL);
    for (size_t i = 0; (rung = ladder_rung(ladder, x->backend, i)); i++)
        if (!rung_unavailable(rung, x) && rung_bytes(iso, stage, rung) < rung_bytes(iso, stage, best)) best = rung;
    return best;
}

bool iso_use_less(struct iso *iso, const struct err *err, char *text, size_t size)
{
    static const enum stage order[] = { STAGE_FUSED, STAGE_CLASSIFY, STAGE_SCAN, STAGE_COMPACT, STAGE_BRICKS };
    if (err->cause != CAUSE_MEMORY || !has_cells(&iso->grid) || iso_is_lost(iso)) return false;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const struct rung *rung = leanest_rung(iso, order[i]);
        if (rung_bytes(iso, order[i], rung) >= rung_bytes(iso, order[i], iso->rung[order[i]])) continue;
        snprintf(text, size, "%.*s; going on with %s=%s in place of %s, which needs more", err_found(err), err->text,
                 stage_name[order[i]], rung->name, iso->rung[order[i]]->name);
        set_rung(iso, order[i], rung);
        iso_drop_working(iso);
        return true;
    }
    return false;
}
