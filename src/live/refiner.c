#include "refiner.h"

#include "voxels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For voxels beside a surface of so many bytes: they can be read again, it cannot. */
static uint64_t voxel_room(const struct refiner *r, uint64_t surface)
{
    const uint64_t quarter = r->cache / 4, left = surface < r->cache ? r->cache - surface : 0;
    return left < quarter ? quarter : left < 3 * quarter ? left : 3 * quarter;
}

/* Three quarters of the memory beside the volume, where it is known how much that is: the last quarter is for its
 * surfaces. */
static uint64_t memory_left(const struct load_desc *desc, const struct volume *shown)
{
    const uint64_t quarter = voxels_memory(desc) / 4, taken = grid_bytes(&shown->grid);
    return desc->memory && taken < 2 * quarter ? 3 * quarter - taken : quarter;
}

/* ---- the mesh of what was made ----------------------------------------------------------------------------------- */

static void forget(struct refiner *r)
{
    refine_mesh_free(&r->mesh);
    free(r->has);
    r->has = NULL, r->kept = 0;
    r->version++;
}

static bool has(const struct refiner *r, const struct block_key *key)
{
    return r->has[blocks_number(&r->levels.level[key->level].grid, key->at)];
}

/* Those of the plan's first blocks that are to be made, moved to its front; the mesh has the others. */
static size_t missing(const struct refiner *r, struct refine_plan *plan, size_t first)
{
    size_t n = 0;
    for (size_t i = 0; i < first; i++) {
        const struct block_key key = plan->block[i];
        if (has(r, &key)) continue;
        plan->block[i] = plan->block[n];
        plan->block[n++] = key;
    }
    return n;
}

/* Keeps the mesh for another view of the same surface at the same level, else begins one. */
static int begin(struct refiner *r, int level, float value, struct err *err)
{
    uint32_t n[3];
    if (r->has && r->level == level && r->value == value) return ERR_NONE;
    forget(r);
    blocks_count(&r->levels.level[level].grid, n);
    const size_t count = (size_t)n[0] * n[1] * n[2];
    r->has = calloc(count + 1, sizeof *r->has);
    r->level = level, r->value = value;
    return r->has ? ERR_NONE : err_set(err, ERR_FAILED, "no memory for a list of %zu blocks", count);
}

/* Adds the surface in a block. Nothing is there of one that fails. */
static int add(struct refiner *r, const struct block_key *key, struct err *err)
{
    const struct level *level = &r->levels.level[key->level];
    const uint64_t first = r->mesh.mesh.vertex_count;
    const int code = refine_block(&r->blocks, *key, &r->iso, r->value, r->cache / 2, &r->mesh, err);
    r->blocks.budget = voxel_room(r, refine_mesh_bytes(&r->mesh));
    if (code) return code;
    refine_place(&r->mesh, first, level);
    r->has[blocks_number(&level->grid, key->at)] = true;
    r->kept++, r->version++;
    return ERR_NONE;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

int refiner_open(struct refiner *r, const struct setup *setup, const struct volume *shown, struct err *err)
{
    const uint64_t cache = setup->cache ? setup->cache : memory_left(&setup->load, shown);
    memset(r, 0, sizeof *r);
    int code = levels_open(&r->levels, setup->file, &setup->load, shown, err);
    if (code) return code;
    r->cache = cache, r->shown = shown->grid;
    code = blocks_open(&r->blocks, &r->levels, voxel_room(r, 0), err);
    if (!code && r->levels.count) code = blocks_guess(&r->blocks, &shown->grid, setup->threads, err);
    if (!code) code = iso_open(&r->iso, BACKEND_CPU, -1, setup->threads, err);
    if (!code) code = refine_prepare(&r->iso, err);
    if (!code) code = iso_set_topology(&r->iso, setup->topology, err);
    iso_set_exact(&r->iso, setup->exact_positions);
    r->is_open = true;
    if (code) refiner_close(r);
    return code;
}

void refiner_close(struct refiner *r)
{
    if (!r->is_open) return;
    iso_close(&r->iso);
    forget(r);
    blocks_close(&r->blocks);
    levels_close(&r->levels);
    memset(r, 0, sizeof *r);
}

/* ---- blocks of a plan -------------------------------------------------------------------------------------------- */

struct share { /* of the progress of all, which never goes back: that of some blocks */
    const struct progress *all;
    double from, some, blocks, most;
};

static bool tell(void *context, double fraction)
{
    struct share *share = context;
    share->most = fmax(share->most, (share->from + fraction * share->some) / share->blocks);
    return progress_tell(share->all, share->most);
}

static int cancelled(struct err *err) { return err_set(err, ERR_FAILED, "cancelled"); }

/* Blocks of the plan that lie in the row of block i, from it on. */
static size_t row_length(const struct refine_plan *plan, size_t i, size_t to)
{
    const uint32_t *at = plan->block[i].at;
    size_t n = 1;
    while (i + n < to && plan->block[i + n].at[1] == at[1] && plan->block[i + n].at[2] == at[2]) n++;
    return n;
}

/* Asks for the row that begins with block i of the plan, if it has one. Returns how many blocks it has. */
static size_t ask_row(struct refiner *r, const struct refine_plan *plan, size_t i, size_t to, float value)
{
    const size_t n = i < to ? row_length(plan, i, to) : 0;
    if (n) blocks_ask(&r->blocks, &plan->block[i], n, value, r->iso.exec.threads);
    return n;
}

/* Reads the row that begins with block i of the plan. The rows after it are read while its surface is made, so that the
 * disk always has something to do. Returns how many blocks it has. */
static size_t read_row(struct refiner *r, const struct refine_plan *plan, size_t i, size_t to, float value,
                       struct share *share, int *code, struct err *err)
{
    const size_t n = ask_row(r, plan, i, to, value);
    size_t ahead = i + n;
    for (int row = 1; row < BLOCK_ROWS; row++) ahead += ask_row(r, plan, ahead, to, value);
    share->some = (double)n;
    *code = blocks_read_row(&r->blocks, &plan->block[i], n, value, r->iso.exec.threads, err);
    share->some = 1;
    if (!*code) ask_row(r, plan, ahead, to, value); /* where row i was */
    return n;
}

/* Blocks `from` to `to` - 1 of the plan: makes their surface, or, with `found`, counts those that have some. */
static int visit(struct refiner *r, const struct refine_plan *plan, size_t from, size_t to, float value,
                 const struct progress *progress, size_t *found, struct err *err)
{
    struct share share = { .all = progress, .some = 1, .blocks = (double)(to - from) };
    const struct progress reading = { tell, &share };
    int code = ERR_NONE;
    r->blocks.progress = &reading;
    for (size_t i = from, row = from; i < to && !code; i++) {
        bool some = false;
        share.from = (double)(i - from);
        if (!tell(&share, 0)) code = cancelled(err);
        if (i == row && !code) row += read_row(r, plan, i, to, value, &share, &code, err);
        if (code) break;
        code = found ? refine_look(&r->blocks, plan->block[i], &r->iso, value, &some, err) : add(r, &plan->block[i], err);
        if (found) *found += some;
    }
    r->blocks.progress = NULL;
    blocks_ask_no_more(&r->blocks);
    return code;
}

/* ---- a view ------------------------------------------------------------------------------------------------------ */

static int plan_for(struct refine_plan *plan, const struct refiner *r, const struct refine_view *view, float value,
                    struct err *err)
{
    struct refine_seen seen = { NULL, 0 };
    int code = view->hides ? refine_seen_make(&seen, view, &r->shown, value, r->iso.exec.threads, err) : ERR_NONE;
    if (!code) code = refine_plan_make(plan, &r->blocks, view, view->hides ? &seen : NULL, value, err);
    else *plan = (struct refine_plan){ .level = -1 };
    refine_seen_free(&seen);
    return code;
}

/* Whether there is room for all likely blocks, and for their surface, if it is as large as in the blocks that the mesh
 * has. */
static bool has_room(const struct refiner *r, const struct refine_plan *plan, float value)
{
    const struct mesh_host *m = &r->mesh.mesh;
    const double bytes = (double)(m->vertex_count * sizeof *m->vertices + m->triangle_count * 3 * sizeof *m->indices);
    const bool same = r->has && r->level == plan->level && r->value == value;
    if (plan->likely_bytes > voxel_room(r, 0)) return false;
    return !same || bytes * (double)plan->likely <= (double)r->cache / 2 * (double)r->kept;
}

/* Makes what the mesh has not of the plan's first blocks. If there is no room for that beside others, the mesh begins
 * anew. */
static int make(struct refiner *r, struct refine_plan *plan, size_t first, float value, const struct progress *progress,
                struct refined *to, struct err *err)
{
    int code = begin(r, plan->level, value, err);
    if (code) return code;
    const size_t n = missing(r, plan, first);
    const size_t others = r->kept - (first - n);
    to->made = n;
    code = visit(r, plan, 0, n, value, progress, NULL, err);
    if (!code || !others || err->cause != CAUSE_VOLUME) return code;
    forget(r);
    return make(r, plan, first, value, progress, to, err);
}

int refiner_make(struct refiner *r, const struct refine_view *view, float value, enum refine_part part,
                 const struct progress *progress, struct refined *to, struct err *err)
{
    struct refine_plan plan;
    const uint64_t reads = r->blocks.reads;
    r->blocks.budget = voxel_room(r, 0); /* what is kept of other views gives way */
    int code = plan_for(&plan, r, view, value, err);
    to->blocks = part == REFINE_ALL && has_room(r, &plan, value) ? plan.likely : plan.seen;
    to->left = plan.count - plan.likely;
    to->lacks = (plan.lacks + 2) / 3 * 4;
    __atomic_store_n(&to->level, plan.level, __ATOMIC_RELEASE);
    if (!code && plan.level >= 0) code = make(r, &plan, to->blocks, value, progress, to, err);
    for (size_t i = plan.seen; i < plan.likely && !code; i++) to->hidden += !has(r, &plan.block[i]);
    to->full = to->hidden && !has_room(r, &plan, value);
    if (to->full) to->hidden = 0;
    to->read = r->blocks.reads - reads;
    refine_plan_free(&plan);
    return code;
}

int refiner_look(struct refiner *r, const struct refine_view *view, float value, const struct progress *progress,
                 struct refined *to, struct err *err)
{
    struct refine_plan plan;
    const uint64_t reads = r->blocks.reads;
    r->blocks.budget = voxel_room(r, 0);
    int code = plan_for(&plan, r, view, value, err);
    const size_t first = has_room(r, &plan, value) ? plan.likely : plan.seen;
    r->blocks.budget = voxel_room(r, refine_mesh_bytes(&r->mesh));
    to->blocks = plan.count - plan.likely;
    if (!code && r->has && r->level == plan.level) to->found = missing(r, &plan, first); /* known when their row was read */
    __atomic_store_n(&to->level, plan.level, __ATOMIC_RELEASE);
    if (!code) code = visit(r, &plan, plan.likely, plan.count, value, progress, &to->found, err);
    refine_plan_free(&plan);
    if (!code && to->found) code = refiner_make(r, view, value, REFINE_ALL, progress, to, err); /* they are likely now */
    to->read = r->blocks.reads - reads;
    return code;
}
