#include "levels.h"

#include "load.h"
#include "vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one store, every n-th voxel --------------------------------------------------------------------------------- */

static void add_step(struct levels *l, uint64_t step, uint64_t shown)
{
    const struct store *store = &l->store[0];
    struct grid grid = store->volume.grid;
    grid.nx = (grid.nx - 1) / step + 1, grid.ny = (grid.ny - 1) / step + 1, grid.nz = (grid.nz - 1) / step + 1;
    l->level[l->count++] = (struct level){
        .store = store, .step = step, .grid = grid, .scale = (float)step / (float)shown
    };
}

static int open_thinned(struct levels *l, const char *path, const struct load_desc *desc, const struct volume *shown,
                        struct err *err)
{
    bool is;
    const int code = load_store(&l->store[0], path, desc, &is, err);
    const struct grid *g = &l->store[0].volume.grid;
    if (code || !is) return code;
    l->stores = 1;
    store_read_past(&l->store[0], 0);
    if ((g->nx - 1) / shown->step + 1 != shown->grid.nx || (g->nz - 1) / shown->step + 1 != shown->grid.nz)
        return err_set(err, ERR_INPUT, "%s: the file has changed since it was opened", path);
    for (uint64_t step = 1; step < shown->step && store_has_boxes(&l->store[0], step) && l->count < LEVELS_MOST; step *= 2)
        add_step(l, step, shown->step);
    return ERR_NONE;
}

/* ---- a store for each level -------------------------------------------------------------------------------------- */

/* Finds where voxels of `fine` lie in `shown`. Axes may be oblique. False: there is no common scale, the axes differ in
 * direction, or `fine` is not finer. */
static bool place(struct level *level, const struct volume *fine, const struct volume *shown)
{
    const double scale = volume_spacing(fine, 0) / volume_spacing(shown, 0);
    double axis[3][3], between[3], across[3];
    for (int a = 0; a < 3; a++) {
        double apart = 0;
        between[a] = fine->origin[a] - shown->origin[a];
        for (int i = 0; i < 3; i++) {
            axis[a][i] = shown->direction[i][a];
            apart += fabs(fine->direction[i][a] - scale * axis[a][i]);
        }
        if (!(apart <= 1e-6 * volume_spacing(shown, a))) return false;
    }
    for (int a = 0; a < 3; a++) {
        vector_cross(axis[(a + 1) % 3], axis[(a + 2) % 3], across);
        level->offset[a] = (float)(vector_dot(between, across) / vector_dot(axis[a], across));
    }
    level->scale = (float)scale;
    return scale < 1;
}

static bool is_shown(const struct volume *a, const struct volume *b)
{
    return a->grid.nx == b->grid.nx && a->grid.ny == b->grid.ny && a->grid.nz == b->grid.nz;
}

static int open_chunked(struct levels *l, const char *path, const struct load_desc *desc, const struct volume *shown,
                        struct err *err)
{
    struct load_desc finer = *desc;
    finer.level_given = true;
    for (; finer.level < LEVELS_MOST; finer.level++) {
        struct store *store = &l->store[l->stores];
        bool is;
        const int code = load_store(store, path, &finer, &is, err);
        if (code || !is) return code;
        l->stores++;
        struct level level = { .store = store, .step = 1, .grid = store->volume.grid };
        if (is_shown(&store->volume, shown) || !place(&level, &store->volume, shown)) return ERR_NONE;
        l->level[l->count++] = level;
    }
    return ERR_NONE;
}

/* ---- either ------------------------------------------------------------------------------------------------------ */

int levels_open(struct levels *l, const char *path, const struct load_desc *desc, const struct volume *shown,
                struct err *err)
{
    struct load_desc whole = *desc;
    memset(l, 0, sizeof *l);
    whole.step = 0, whole.thins = false, whole.progress = (struct progress){ NULL, NULL };
    if (!shown->finer) return ERR_NONE;
    const int code = (shown->step > 1 ? open_thinned : open_chunked)(l, path, &whole, shown, err);
    if (code || !l->count) levels_close(l);
    return code;
}

void levels_close(struct levels *l)
{
    for (int i = 0; i < l->stores; i++) store_close(&l->store[i]);
    memset(l, 0, sizeof *l);
}

void levels_name(const struct levels *l, int level, char *text, size_t size)
{
    const unsigned long long step = l->level[level].step;
    const int used = snprintf(text, size, "level %d of 0 to %d", level, l->count);
    if (l->stores > 1 || used < 0 || (size_t)used >= size) return;
    if (step == 1) snprintf(text + used, size - (size_t)used, ", every voxel");
    else snprintf(text + used, size - (size_t)used, ", every %llu%s voxel", step, step == 2 ? "nd" : "th");
}
