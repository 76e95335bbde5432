#include "refiner.h"

#include "voxels.h"

#include <string.h>

/* For voxels beside a surface of so many bytes: they can be read again, it cannot. */
static uint64_t voxel_room(const struct refiner *r, uint64_t surface)
{
    const uint64_t quarter = r->cache / 4, left = surface < r->cache ? r->cache - surface : 0;
    return left < quarter ? quarter : left < 3 * quarter ? left : 3 * quarter;
}

/* Three quarters of the memory beside the volume, where it is known how much that is: the last quarter is for its surfaces. */
static uint64_t memory_left(const struct load_desc *desc, const struct volume *shown)
{
    const uint64_t quarter = voxels_memory(desc) / 4, taken = grid_bytes(&shown->grid);
    return desc->memory && taken < 2 * quarter ? 3 * quarter - taken : quarter;
}

int refiner_open(struct refiner *r, const struct setup *setup, const struct volume *shown, struct err *err)
{
    const uint64_t cache = setup->cache ? setup->cache : memory_left(&setup->load, shown);
    memset(r, 0, sizeof *r);
    int code = levels_open(&r->levels, setup->file, &setup->load, shown, err);
    if (code) return code;
    r->cache = cache;
    code = blocks_open(&r->blocks, &r->levels, voxel_room(r, 0), err);
    if (!code) code = blocks_guess(&r->blocks, &shown->grid, setup->threads, err);
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
    blocks_close(&r->blocks);
    levels_close(&r->levels);
    memset(r, 0, sizeof *r);
}

struct share { /* of the progress of all: one block's */
    const struct progress *all;
    double block, blocks;
};

static bool tell(void *context, double fraction)
{
    const struct share *share = context;
    return progress_tell(share->all, (share->block + fraction) / share->blocks);
}

static int cancelled(struct err *err) { return err_set(err, ERR_FAILED, "cancelled"); }

/* Blocks `from` to `to` - 1 of the plan: their surface, or, without a mesh, how many have some. The next one is asked for, so that
 * the disk works while a surface is made. */
static int visit(struct refiner *r, const struct refine_plan *plan, size_t from, size_t to, float value,
                 const struct progress *progress, struct refine_mesh *mesh, size_t *found, struct err *err)
{
    struct share share = { .all = progress, .blocks = (double)(to - from) };
    const struct progress reading = { tell, &share };
    int code = ERR_NONE;
    r->blocks.progress = &reading;
    for (size_t i = from; i < to && !code; i++) {
        bool has = false;
        share.block = (double)(i - from);
        if (!tell(&share, 0)) code = cancelled(err);
        if (code) break;
        if (i + 1 < to) blocks_ask(&r->blocks, plan->block[i + 1]);
        if (mesh) {
            code = refine_block(&r->blocks, plan->block[i], &r->iso, value, r->cache / 2, mesh, err);
            r->blocks.budget = voxel_room(r, refine_mesh_bytes(mesh));
        } else code = refine_look(&r->blocks, plan->block[i], &r->iso, value, &has, err);
        *found += has;
    }
    r->blocks.progress = NULL, r->blocks.budget = voxel_room(r, 0);
    return code;
}

int refiner_make(struct refiner *r, const struct refine_view *view, float value, const struct progress *progress,
                 struct refined *to, struct err *err)
{
    struct refine_plan plan;
    const uint64_t reads = r->blocks.reads;
    int code = refine_plan_make(&plan, &r->blocks, view, value, err);
    to->lacks = (plan.lacks + 2) / 3 * 4, to->blocks = plan.likely, to->left = plan.count - plan.likely;
    __atomic_store_n(&to->level, plan.level, __ATOMIC_RELEASE);
    if (!code) code = visit(r, &plan, 0, plan.likely, value, progress, &to->mesh, &to->found, err);
    if (!code && plan.level >= 0) refine_place(&to->mesh, &r->levels.level[plan.level]);
    to->read = r->blocks.reads - reads;
    refine_plan_free(&plan);
    if (code) refine_mesh_free(&to->mesh);
    return code;
}

int refiner_look(struct refiner *r, const struct refine_view *view, float value, const struct progress *progress,
                 struct refined *to, struct err *err)
{
    struct refine_plan plan;
    const uint64_t reads = r->blocks.reads;
    int code = refine_plan_make(&plan, &r->blocks, view, value, err);
    to->blocks = plan.count - plan.likely;
    __atomic_store_n(&to->level, plan.level, __ATOMIC_RELEASE);
    if (!code) code = visit(r, &plan, plan.likely, plan.count, value, progress, NULL, &to->found, err);
    refine_plan_free(&plan);
    if (!code && to->found) code = refiner_make(r, view, value, progress, to, err); /* they are likely now */
    to->read = r->blocks.reads - reads;
    return code;
}
