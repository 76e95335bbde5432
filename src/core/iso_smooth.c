/* The volume that the stages see: the original or a smoothed one.
 *
 * A smoothed volume is float32, four bytes per voxel (and four more while it is made), whatever the type of the file.
 * Rounding it back to uint8 would turn smooth slopes into stairs, and the surface would show bands. On the bonsai at 40.5,
 * sigma 2, it turns normals by 3.7 degrees on average, and one in six by more than 5. */
#include "iso.h"

#include <assert.h>

size_t iso_smooth_work(const struct grid *grid) { return GAUSSIAN_ROW * grid->ny * grid->nz; }

/* Makes `smoothed`, which the pipeline then owns, the volume that the stages see; sigma 0: the original. */
static void install(struct iso *iso, struct buffer smoothed, float sigma)
{
    buffer_release(&iso->smoothed, iso->ops);
    iso->smoothed = smoothed;
    iso->sigma = sigma;
    iso->grid = iso->original;
    if (sigma > 0) iso->grid.voxels = smoothed.memory, iso->grid.type = VOXEL_FLOAT32;
    iso->bricks_stale = true;
    iso->counted = false;
    iso_forget_copy(iso);
}

void iso_unsmooth(struct iso *iso) { install(iso, (struct buffer){ NULL, 0 }, 0); }

/* Reserves the result next to the present volume; if both do not fit, frees the working buffers and then the old result
 * first. */
static int reserve(struct iso *iso, const struct buffer_demand demand[2], struct err *err)
{
    const uint64_t bytes = demand[0].bytes + demand[1].bytes;
    if (bytes > iso->ops->memory_free()) iso_drop_working(iso);
    if (bytes > iso->ops->memory_free()) iso_unsmooth(iso);
    const int code = buffer_reserve_all(demand, 2, iso->ops, &iso->exec, "the smoothed volume", err);
    if (!code || err->cause != CAUSE_MEMORY) return code;
    err_advise(err, "choose a smaller volume, or leave out the smoothing");
    return err_blame(err, code, CAUSE_ROOM);
}

static int run(struct iso *iso, struct gaussian_desc *desc, void *scratch, struct err *err)
{
    static const char doing[] = "smoothing the volume";
    const struct gaussian_rung *rung = (const struct gaussian_rung *)iso->rung[AUX_GAUSSIAN];
    const uint64_t bytes = (uint64_t)grid_voxels(&desc->grid) * (voxel_bytes(desc->grid.type) + sizeof *desc->out);
    int code = rung->open ? rung->open(desc, &iso->exec) : 0;
    if (code) return iso_fail(iso, code, doing, err);
    iso_aux_begin(iso, AUX_GAUSSIAN, &rung->rung, 0, err); /* its scratch is large, and not kept */
    code = rung->run(desc, scratch, &iso->exec);
    code = iso_aux_end(iso, AUX_GAUSSIAN, code, bytes, doing, err);
    if (rung->close) rung->close(desc);
    return code;
}

static struct gaussian_desc describe(const struct grid *grid, float sigma, const float part[3], size_t *done)
{
    struct gaussian_desc desc = { .grid = *grid, .done = done };
    for (int a = 0; a < 3; a++) desc.sigma[a] = part ? sigma * part[a] : sigma;
    return desc;
}

static uint64_t copy_bytes(const struct gaussian_desc *desc)
{
    return (uint64_t)grid_voxels(&desc->grid) * sizeof *desc->out;
}

static uint64_t scratch_bytes(const struct iso *iso, const struct gaussian_desc *desc)
{
    const struct gaussian_rung *rung = (const struct gaussian_rung *)iso->rung[AUX_GAUSSIAN];
    return rung->scratch ? rung->scratch(desc, &iso->exec) : 0;
}

uint64_t iso_smooth_bytes(const struct iso *iso, const struct grid *grid, float sigma, const float part[3])
{
    const struct gaussian_desc desc = describe(grid, sigma, part, NULL);
    return copy_bytes(&desc) + scratch_bytes(iso, &desc);
}

int iso_smooth(struct iso *iso, float sigma, const float part[3], size_t *done, struct err *err)
{
    struct buffer out = { NULL, 0 }, scratch = { NULL, 0 };
    struct gaussian_desc desc = describe(&iso->original, sigma, part, done);
    assert(sigma >= 0 && sigma <= ISO_MAX_SIGMA);
    if (!(sigma > 0) || !iso->original.voxels) {
        if (iso->sigma > 0) iso_unsmooth(iso);
        return ERR_NONE;
    }
    const struct buffer_demand demand[] = { { &out, copy_bytes(&desc) }, { &scratch, scratch_bytes(iso, &desc) } };
    int code = reserve(iso, demand, err);
    desc.out = out.memory;
    if (!code) code = run(iso, &desc, scratch.memory, err);
    buffer_release(&scratch, iso->ops);
    if (code) buffer_release(&out, iso->ops);
    else install(iso, out, sigma);
    return code;
}
