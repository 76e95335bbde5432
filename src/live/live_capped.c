/* Caps of the drawn surface. They are made whenever it changes, and take a few milliseconds, like contours. */
#include "live_parts.h"

#include <math.h>
#include <stdlib.h>

/* Finds the voxels that the stages read, in host memory. False: not possible now. */
static bool find_voxels(struct live *live, struct grid *grid, void **copy, struct err *err)
{
    const bool cpu = live->iso.exec.backend == BACKEND_CPU;
    *copy = NULL;
    *grid = cpu ? live->grid : live->volume.grid;                       /* a job that has the pipeline only reads them, */
    if (cpu) return !live->work.lent || live->work.task != LIVE_SMOOTH; /* except this one */
    if (!(live->sigma > 0)) return true;
    return !live->work.lent && !iso_voxels_host(&live->iso, &live->volume.grid, grid, copy, err);
}

static bool read_full(struct live *live, struct capped *c, struct capped_of of, struct err *err)
{
    struct grid grid;
    void *copy;
    if (capped_knows(c, of)) return true;
    if (!find_voxels(live, &grid, &copy, err)) return false;
    grid.margin = live->setup->exact_positions ? 0 : grid_margin(&grid);
    const int code = capped_read(c, &grid, of, err);
    free(copy);
    return !code;
}

/* Decided by the surfaces and values of the present wish. */
enum caps_side live_capped_side(const struct live *live, unsigned surface)
{
    const struct live_wish *wish = live->wish;
    double shown[LIVE_SURFACES];
    for (int i = 0; i < LIVE_SURFACES; i++) shown[i] = wish->use[i] == LIVE_SHOWN ? wish->value[i] : NAN;
    return caps_side_of(wish->value[surface], shown, LIVE_SURFACES);
}

static struct caps_desc describe_full(const struct live *live, const struct live_surface *s)
{
    return (struct caps_desc){ volume_iso(&live->volume, s->made.value),
                               live_capped_side(live, live_surface_number(live, s)), live->setup->topology };
}

static void open_capped(struct live *live, struct capped *c)
{
    if (!c->mesh.target) capped_open(c, live->host.target, &live->coarse.iso.exec);
}

/* Reads the border of the voxels that the full surface was made from. Returns whether it is known. */
static bool knows_full(struct live *live, struct live_surface *s, struct err *err)
{
    const struct capped_of of = { live->grid_epoch + 1, 0 };
    return !isnan(s->made.value) && s->made.epoch == live->epoch && read_full(live, &s->capped, of, err);
}

/* Returns whether the caps belong to the present surface, or to what the filter keeps of it. If not yet, those of the
 * surface before stay. */
static bool update_full(struct live *live, struct live_surface *s, const struct filtered *left, struct err *err)
{
    const struct caps_desc desc = describe_full(live, s);
    return knows_full(live, s, err) && !capped_update(&s->capped, &desc, left, err);
}

static bool update_coarse(struct live *live, struct live_surface *s, struct err *err)
{
    const struct capped_of of = { s->coarse.epoch, s->coarse.sigma };
    const struct caps_desc desc = { s->coarse.value, live_capped_side(live, live_surface_number(live, s)),
                                    TOPOLOGY_TRILINEAR };
    struct grid grid = live->coarse.iso.grid;
    if (!s->coarse.epoch) return false;
    grid.margin = grid_margin(&grid);
    if (!capped_knows(&s->capped_coarse, of) && capped_read(&s->capped_coarse, &grid, of, err)) return false;
    return !capped_update(&s->capped_coarse, &desc, NULL, err);
}

void live_capped_close(struct live_surface *s)
{
    capped_close(&s->capped);
    capped_close(&s->capped_coarse);
}

/* Leaves the surface open. False: live left the backend. */
static bool give_up(struct live *live, const struct err *found)
{
    if (!live_do_without(live, "the surface is shown without caps", found)) return false;
    live->wish->close = live->wish->cut = false;
    live->wish->switched_off = true;
    return true;
}

bool live_capped_describe(struct live *live, struct live_surface *s, struct filtered_by *by, struct err *err)
{
    if (!live->wish->close || live->setup->exact_positions) return true;
    open_capped(live, &s->capped);
    if (!knows_full(live, s, err)) return false;
    by->border = &s->capped.border;
    by->surface = describe_full(live, s);
    return true;
}

/* Whether the surface has no triangles, and the filter would leave it out if it were closed. */
static bool leaves_box_out(const struct live *live, const struct live_surface *s)
{
    return !s->mesh.triangles &&
           component_filter_leaves_none(&live->wish->filter[live_surface_number(live, s)], &live->volume);
}

bool live_capped_choose(struct live *live, struct live_surface *s, bool coarse, const struct filtered *left)
{
    struct capped *c = coarse ? &s->capped_coarse : &s->capped;
    struct err err = { 0 };
    s->drawn.caps = NULL;
    s->drawn.caps_version = 0;
    const bool close = live->wish->close, open = left && !left->by[0].border;
    if (!coarse && leaves_box_out(live, s)) return true;
    if (!close && (open || !live->wish->cut)) live_capped_close(s);
    if (open || !(close || live->wish->cut)) return true;
    open_capped(live, c);
    const uint64_t before = c->mesh.version;
    if (coarse) update_coarse(live, s, &err);
    else update_full(live, s, left, &err);
    if (err.code) {
        live_capped_close(s);
        return give_up(live, &err);
    }
    if (c->mesh.version != before) live_log(live, "caps: %llu triangles", (unsigned long long)c->mesh.triangles);
    if (c->mesh.triangles) s->drawn.caps = &c->mesh, s->drawn.caps_version = c->mesh.version;
    return true;
}
