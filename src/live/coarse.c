#include "coarse.h"

#include "surface.h"

#include <stdlib.h>
#include <string.h>

static size_t picked(size_t n, size_t step) { return (n - 1) / step + 1; }

/* The smallest step that leaves few enough voxels; 0: none is needed, or an axis would have less than two. */
static unsigned choose_step(const struct grid *g, size_t voxels)
{
    if (grid_voxels(g) <= voxels / 8) return 0;
    for (unsigned step = 2; step < 1u << 20; step *= 2) {
        const size_t nx = picked(g->nx, step), ny = picked(g->ny, step), nz = picked(g->nz, step);
        if (nx < 2 || ny < 2 || nz < 2) return 0;
        if (nx * ny * nz <= voxels) return step;
    }
    return 0;
}

static void pick_row(char *to, const char *from, size_t n, size_t step, size_t bytes)
{
    for (size_t i = 0; i < n; i++) memcpy(to + i * bytes, from + i * step * bytes, bytes);
}

void coarse_pick(struct coarse_level *level, const struct grid *grid, size_t most)
{
    const unsigned step = choose_step(grid, most);
    *level = (struct coarse_level){ .step = 0 };
    if (step) coarse_pick_step(level, grid, step);
}

void coarse_pick_step(struct coarse_level *level, const struct grid *grid, unsigned step)
{
    const size_t bytes = voxel_bytes(grid->type);
    struct grid g = { NULL, grid->type, picked(grid->nx, step), picked(grid->ny, step), picked(grid->nz, step) };
    *level = (struct coarse_level){ .step = 0 };
    if (g.nx < 2 || g.ny < 2 || g.nz < 2) return;
    char *voxels = malloc(grid_voxels(&g) * bytes);
    if (!voxels) return;
    for (size_t z = 0; z < g.nz; z++)
        for (size_t y = 0; y < g.ny; y++)
            pick_row(voxels + (z * g.ny + y) * g.nx * bytes,
                     (const char *)grid->voxels + (z * step * grid->ny + y * step) * grid->nx * bytes, g.nx, step, bytes);
    g.voxels = voxels;
    *level = (struct coarse_level){ g, step };
}

void coarse_drop(struct coarse_level *level)
{
    free((void *)level->grid.voxels);
    *level = (struct coarse_level){ .step = 0 };
}

int coarse_open(struct coarse *coarse, int threads, struct err *err)
{
    memset(coarse, 0, sizeof *coarse);
    coarse->epoch = 1;
    for (int a = 0; a < 3; a++) coarse->part[a] = 1;
    return iso_open(&coarse->iso, BACKEND_CPU, -1, threads, err);
}

void coarse_close(struct coarse *coarse)
{
    iso_close(&coarse->iso);
    coarse_drop(&coarse->smoothed);
    coarse_drop(&coarse->level);
}

static void put_in_place(struct coarse_level *old, struct coarse_level *level)
{
    coarse_drop(old);
    *old = *level;
    *level = (struct coarse_level){ .step = 0 };
}

void coarse_take(struct coarse *coarse, struct coarse_level *level)
{
    struct err unused;
    put_in_place(&coarse->level, level);
    coarse_drop(&coarse->smoothed);
    coarse->epoch++;
    iso_set_volume(&coarse->iso, &coarse->level.grid, &unused); /* borrows: cannot fail */
}

void coarse_take_smoothed(struct coarse *coarse, struct coarse_level *level, float sigma)
{
    struct err unused;
    put_in_place(&coarse->smoothed, level);
    coarse->sigma = sigma;
    coarse->epoch++;
    iso_set_volume(&coarse->iso, &coarse->level.grid, &unused); /* the pipeline may refer to the old one */
}

/* Gives the pipeline the level that comes nearest to the volume smoothed by sigma. */
static int choose_level(struct coarse *coarse, float sigma, struct err *err)
{
    const bool picked = coarse->smoothed.step && coarse->sigma == sigma;
    const struct grid *grid = picked ? &coarse->smoothed.grid : &coarse->level.grid;
    const float rest = picked ? 0 : sigma / (float)coarse->level.step;
    if (coarse->iso.original.voxels == grid->voxels && coarse->iso.sigma == rest) return ERR_NONE;
    const int code = iso_set_volume(&coarse->iso, grid, err);
    return code ? code : iso_smooth(&coarse->iso, rest, coarse->part, NULL, err);
}

int coarse_update(struct coarse *coarse, struct coarse_mesh *mesh, float value, float sigma, struct err *err)
{
    double map;
    if (mesh->epoch == coarse->epoch && mesh->value == value && mesh->sigma == sigma) return ERR_NONE;
    mesh->epoch = 0;
    int code = choose_level(coarse, sigma, err);
    if (!code) code = surface_update(&mesh->mesh, &coarse->iso, value, &map, err);
    if (code) {
        struct coarse_level none = { .step = 0 };
        coarse_take(coarse, &none);
        return code;
    }
    mesh->step = coarse->level.step;
    mesh->value = value;
    mesh->sigma = sigma;
    mesh->epoch = coarse->epoch;
    return ERR_NONE;
}

static uint64_t level_bytes(const struct coarse_level *level)
{
    return level->step ? (uint64_t)grid_voxels(&level->grid) * voxel_bytes(level->grid.type) : 0;
}

uint64_t coarse_bytes(const struct coarse *coarse)
{
    return iso_memory(&coarse->iso) + level_bytes(&coarse->level) + level_bytes(&coarse->smoothed);
}
