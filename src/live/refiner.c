#include "refiner.h"

#include "voxels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for voxels next to a surface of this many bytes. Voxels give way, because they can be read again. */
static uint64_t voxel_room(const struct refiner *r, uint64_t surface)
{
    const uint64_t quarter = r->cache / 4, left = surface < r->cache ? r->cache - surface : 0;
    return left < quarter ? quarter : left < 3 * quarter ? left : 3 * quarter;
}

/* Three quarters of the memory, less the volume, if the memory is known; otherwise a quarter. The last quarter is for
 * the volume's surfaces. */
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

/* Moves those of the plan's first blocks that the mesh lacks to the front. Returns how many they are. */
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

/* Keeps the mesh if surface and level are the same for another view; otherwise begins a new one. */
static int begin(struct refiner *r, int level, float value, struct err *err)
{
    uint32_t n[3];
    if (r->has && r->level == level && r->value == value) return ERR_NONE;
    forget(r);
    blocks_count(&r->levels.level[level].grid, n);
    const size_t count = (size_t)n[0] * n[1] * n[2];
    r->has = calloc(count + 1, sizeof *r->has);
    r->level = level, r->value = value;
    return r->has ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for a list of %zu blocks", count);
}

/* Adds the surface in a block. A block that fails leaves nothing. */
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

struct walk { /* over blocks `from` to `to` - 1 of a plan */
    const struct refine_plan *plan;
    size_t from, to;
    float value;
    const struct progress *all; /* progress of the walk, which never goes back: */
    double begun, some, most;   /* blocks before the present ones, number of present ones; most told so far */
};

static bool tell(void *context, double fraction)
{
    struct walk *w = context;
    w->most = fmax(w->most, (w->begun + fraction * w->some) / (double)(w->to - w->from));
    return progress_tell(w->all, w->most);
}

static int cancelled(struct err *err) { return err_set(err, ERR_FAILED, "cancelled"); }

/* Number of blocks in the row of block i of the plan, from i on. */
static size_t row_length(const struct walk *w, size_t i)
{
    const struct block_key *block = w->plan->block;
    const uint32_t *at = block[i].at;
    size_t n = 1;
    while (i + n < w->to && block[i + n].at[1] == at[1] && block[i + n].at[2] == at[2]) n++;
    return n;
}

/* Requests the row that begins with block i of the plan, if there is one. Returns its number of blocks. */
static size_t ask_row(struct refiner *r, const struct walk *w, size_t i)
{
    const size_t n = i < w->to ? row_length(w, i) : 0;
    if (n) blocks_ask(&r->blocks, &w->plan->block[i], n, w->value, r->iso.exec.threads);
    return n;
}

/* Reads the row that begins with block *i of the plan, and moves *i behind it. The next rows are read while its surface
 * is made, so that the disk is always busy. */
static int read_row(struct refiner *r, struct walk *w, size_t *i, struct err *err)
{
    const struct block_key *first = &w->plan->block[*i];
    const size_t n = ask_row(r, w, *i);
    size_t ahead = *i + n;
    *i = ahead;
    for (int row = 1; row < BLOCK_ROWS; row++) ahead += ask_row(r, w, ahead);
    w->some = (double)n;
    const int code = blocks_read_row(&r->blocks, first, n, w->value, r->iso.exec.threads, err);
    w->some = 1;
    if (!code) ask_row(r, w, ahead); /* into the place that has become free */
    return code;
}

/* Makes the surface of the walk's blocks; with `found`, only counts those that have surface. */
static int visit(struct refiner *r, struct walk *w, size_t *found, struct err *err)
{
    const struct progress reading = { tell, w };
    int code = ERR_NONE;
    r->blocks.progress = &reading;
    w->some = 1;
    for (size_t i = w->from, row = w->from; i < w->to && !code; i++) {
        const struct block_key key = w->plan->block[i];
        bool some = false;
        w->begun = (double)(i - w->from);
        if (!tell(w, 0)) code = cancelled(err);
        if (i == row && !code) code = read_row(r, w, &row, err);
        if (code) break;
        code = found ? refine_look(&r->blocks, key, &r->iso, w->value, &some, err) : add(r, &key, err);
        if (found) *found += some;
    }
    r->blocks.progress = NULL;
    blocks_ask_no_more(&r->blocks);
    return code;
}

/* ---- a view ------------------------------------------------------------------------------------------------------ */

static int plan_for(struct refine_plan *plan, const struct refiner *r, const struct refine_desc *d, struct err *err)
{
    struct refine_seen seen = { NULL, 0 };
    const bool hides = d->view.hides;
    int code = hides ? refine_seen_make(&seen, &d->view, &r->shown, d->value, r->iso.exec.threads, err) : ERR_NONE;
    if (!code) code = refine_plan_make(plan, &r->blocks, &d->view, hides ? &seen : NULL, d->value, err);
    else *plan = (struct refine_plan){ .level = -1 };
    refine_seen_free(&seen);
    return code;
}

/* Whether there is room for all likely blocks and their surface. Assumes as much surface per block as in the mesh so
 * far. */
static bool has_room(const struct refiner *r, const struct refine_plan *plan, float value)
{
    const struct mesh_host *m = &r->mesh.mesh;
    const double bytes = (double)(m->vertex_count * sizeof *m->vertices + m->triangle_count * 3 * sizeof *m->indices);
    const bool same = r->has && r->level == plan->level && r->value == value;
    if (plan->likely_bytes > voxel_room(r, 0)) return false;
    return !same || bytes * (double)plan->likely <= (double)r->cache / 2 * (double)r->kept;
}

/* Makes those of the plan's first blocks that the mesh lacks. If there is no room for them next to blocks of other
 * views, the mesh is started anew. */
static int make(struct refiner *r, struct refine_plan *plan, size_t first, const struct refine_desc *d, struct refined *to,
                struct err *err)
{
    int code = begin(r, plan->level, d->value, err);
    if (code) return code;
    const size_t n = missing(r, plan, first);
    const size_t others = r->kept - (first - n);
    struct walk walk = { .plan = plan, .to = n, .value = d->value, .all = d->progress };
    to->made = n;
    code = visit(r, &walk, NULL, err);
    if (!code || !others || err->cause != CAUSE_VOLUME) return code;
    forget(r);
    return make(r, plan, first, d, to, err);
}

int refiner_make(struct refiner *r, const struct refine_desc *d, struct refined *to, struct err *err)
{
    struct refine_plan plan;
    const uint64_t reads = r->blocks.reads;
    r->blocks.budget = voxel_room(r, 0); /* surface kept from other views gives way */
    int code = plan_for(&plan, r, d, err);
    to->blocks = d->part == REFINE_ALL && has_room(r, &plan, d->value) ? plan.likely : plan.seen;
    to->left = plan.count - plan.likely;
    to->lacks = (plan.lacks + 2) / 3 * 4;
    __atomic_store_n(&to->level, plan.level, __ATOMIC_RELEASE);
    if (!code && plan.level >= 0) code = make(r, &plan, to->blocks, d, to, err);
    for (size_t i = plan.seen; i < plan.likely && !code; i++) to->hidden += !has(r, &plan.block[i]);
    to->full = to->hidden && !has_room(r, &plan, d->value);
    if (to->full) to->hidden = 0;
    to->read = r->blocks.reads - reads;
    refine_plan_free(&plan);
    return code;
}

int refiner_look(struct refiner *r, const struct refine_desc *d, struct refined *to, struct err *err)
{
    struct refine_desc all = *d;
    struct refine_plan plan;
    const uint64_t reads = r->blocks.reads;
    all.part = REFINE_ALL;
    r->blocks.budget = voxel_room(r, 0);
    int code = plan_for(&plan, r, d, err);
    const size_t first = has_room(r, &plan, d->value) ? plan.likely : plan.seen;
    r->blocks.budget = voxel_room(r, refine_mesh_bytes(&r->mesh));
    to->blocks = plan.count - plan.likely;
    if (!code && r->has && r->level == plan.level) to->found = missing(r, &plan, first); /* known when their row was read */
    __atomic_store_n(&to->level, plan.level, __ATOMIC_RELEASE);
    struct walk walk = { .plan = &plan, .from = plan.likely, .to = plan.count, .value = d->value, .all = d->progress };
    if (!code) code = visit(r, &walk, &to->found, err);
    refine_plan_free(&plan);
    if (!code && to->found) code = refiner_make(r, &all, to, err); /* they are likely now */
    to->read = r->blocks.reads - reads;
    return code;
}
