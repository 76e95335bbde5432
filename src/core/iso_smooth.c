/* What the stages see: the volume as it came, or smoothed.
 *
 * A smoothed volume stays float32, at four bytes a voxel (and four more while it is made), whatever the type of the file.
 * Rounded back to uint8, smooth slopes become stairs, and the surface shows bands: of the bonsai at 40.5, sigma 2, that
 * turns the normals by 3.7 degrees on average, and one in six by more than 5. */
#include "iso.h"

#include <assert.h>

size_t iso_smooth_work(const struct grid *grid) { return GAUSSIAN_ROW * grid->ny * grid->nz; }

/* `smoothed` becomes the pipeline's. */
static void put_in_place(struct iso *iso, struct iso_buffer smoothed, float sigma)
{
    iso_release(iso, &iso->smoothed);
    iso->smoothed = smoothed;
    iso->sigma = sigma;
    iso->grid = iso->original;
    if (sigma > 0) iso->grid.voxels = smoothed.memory, iso->grid.type = VOXEL_FLOAT32;
    iso->bricks_stale = true;
    iso->counted = false;
}

void iso_unsmooth(struct iso *iso) { put_in_place(iso, (struct iso_buffer){ NULL, 0 }, 0); }

/* For the result beside the one before, which is what there is until then; where they do not fit, that one goes. */
static int make_room(struct iso *iso, const struct iso_demand demand[2], struct err *err)
{
    const uint64_t bytes = demand[0].bytes + demand[1].bytes;
    if (bytes > iso->ops->memory_free()) iso_drop_working(iso);
    if (bytes > iso->ops->memory_free()) iso_unsmooth(iso);
    const int code = iso_reserve_all(iso, demand, 2, "the smoothed volume", err);
    if (!code || err->cause != CAUSE_MEMORY) return code;
    const struct err found = *err;
    err_set(err, code, "%.*s: take a smaller volume, or do without smoothing", err_found(&found), found.text);
    return err_blame(err, code, CAUSE_ROOM);
}

static int run(struct iso *iso, struct gaussian_desc *desc, void *scratch, struct err *err)
{
    static const char doing[] = "smoothing the volume";
    const struct gaussian_rung *rung = (const struct gaussian_rung *)iso->rung[SIDE_GAUSSIAN];
    const uint64_t bytes = (uint64_t)grid_voxels(&desc->grid) * (voxel_bytes(desc->grid.type) + sizeof *desc->out);
    int code = rung->open ? rung->open(desc, &iso->exec) : 0;
    if (code) return iso_fail(iso, code, doing, err);
    iso_side_begin(iso, SIDE_GAUSSIAN, &rung->rung);
    code = rung->run(desc, scratch, &iso->exec);
    code = iso_side_end(iso, SIDE_GAUSSIAN, code, bytes, doing, err);
    if (rung->close) rung->close(desc);
    return code;
}

int iso_smooth(struct iso *iso, float sigma, size_t *done, struct err *err)
{
    const struct gaussian_rung *rung = (const struct gaussian_rung *)iso->rung[SIDE_GAUSSIAN];
    struct iso_buffer out = { NULL, 0 }, scratch = { NULL, 0 };
    struct gaussian_desc desc = { .grid = iso->original, .sigma = sigma, .done = done };
    assert(sigma >= 0 && sigma <= ISO_MAX_SIGMA);
    if (!(sigma > 0) || !iso->original.voxels) {
        if (iso->sigma > 0) iso_unsmooth(iso);
        return ERR_NONE;
    }
    const struct iso_demand demand[] = { { &out, (uint64_t)grid_voxels(&desc.grid) * sizeof *desc.out },
                                         { &scratch, rung->scratch ? rung->scratch(&desc, &iso->exec) : 0 } };
    int code = make_room(iso, demand, err);
    desc.out = out.memory;
    if (!code) code = run(iso, &desc, scratch.memory, err);
    iso_release(iso, &scratch);
    if (code) iso_release(iso, &out);
    else put_in_place(iso, out, sigma);
    return code;
}
