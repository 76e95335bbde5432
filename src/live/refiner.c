#include "refiner.h"

#include "voxels.h"

#include <string.h>

int refiner_open(struct refiner *r, const struct setup *setup, const struct volume *shown, struct err *err)
{
    const uint64_t cache = setup->cache ? setup->cache : voxels_memory(&setup->load) / 4;
    memset(r, 0, sizeof *r);
    int code = levels_open(&r->levels, setup->file, &setup->load, shown, err);
    if (code) return code;
    r->room = cache / 2;
    code = blocks_open(&r->blocks, &r->levels, cache - r->room, err);
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

static int make(struct refiner *r, const struct refine_plan *plan, float value, const struct progress *progress,
                struct refined *to, struct err *err)
{
    struct share share = { .all = progress, .blocks = (double)plan->count };
    const struct progress reading = { tell, &share };
    int code = ERR_NONE;
    r->blocks.progress = &reading;
    for (size_t i = 0; i < plan->count && !code; i++) {
        share.block = (double)i;
        if (!tell(&share, 0)) code = err_set(err, ERR_FAILED, "cancelled");
        else code = refine_block(&r->blocks, plan->block[i], &r->iso, value, r->room, &to->mesh, err);
    }
    r->blocks.progress = NULL;
    return code;
}

int refiner_make(struct refiner *r, const struct refine_view *view, float value, const struct progress *progress,
                 struct refined *to, struct err *err)
{
    struct refine_plan plan;
    const uint64_t reads = r->blocks.reads;
    int code = refine_plan_make(&plan, &r->blocks, view, value, err);
    to->limited = plan.limited, to->blocks = plan.count;
    __atomic_store_n(&to->level, plan.level, __ATOMIC_RELEASE);
    if (!code) code = make(r, &plan, value, progress, to, err);
    if (!code && plan.level >= 0) refine_place(&to->mesh, &r->levels.level[plan.level]);
    to->read = r->blocks.reads - reads;
    refine_plan_free(&plan);
    if (code) refine_mesh_free(&to->mesh);
    return code;
}
