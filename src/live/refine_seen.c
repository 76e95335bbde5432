#include "refine_seen.h"

#include "blocks.h"
#include "vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 2.0 /* voxels in memory */

struct ray {
    double from[3], to[3]; /* in voxels in memory; clipped to the view and the volume */
};

/* ---- lines of sight ---------------------------------------------------------------------------------------------- */

/* Row r of the matrix minus `times` row 3: the plane where coordinate r of the picture is `times`. */
static void plane_of(const struct refine_view *view, int r, double times, double plane[4])
{
    const float *m = view->clip_from_voxel;
    for (int a = 0; a < 4; a++) plane[a] = m[4 * a + r] - times * m[4 * a + 3];
}

/* Clips the line at + t way, t from range[0] to range[1], to where plane . p >= 0. */
static void clip(const double plane[4], const double at[3], const double way[3], double range[2])
{
    const double value = vector_dot(plane, at) + plane[3], slope = vector_dot(plane, way);
    if (slope > 0) range[0] = fmax(range[0], -value / slope);
    else if (slope < 0) range[1] = fmin(range[1], -value / slope);
    else if (value < 0) range[1] = -INFINITY;
}

/* Makes the line of sight through the point (x, y) of the picture, each from -1 to 1, from the eye on. Returns false if
 * it misses the volume. */
static bool ray_of(const struct refine_view *view, const struct grid *shown, double x, double y, struct ray *ray)
{
    const size_t n[3] = { shown->nx, shown->ny, shown->nz };
    double side[2][4], near[4], depth[4], w[4], way[3], part[2][3], at[3], range[2] = { -INFINITY, INFINITY };
    plane_of(view, 0, x, side[0]);
    plane_of(view, 1, y, side[1]);
    plane_of(view, 2, -1, near);
    plane_of(view, 2, 0, depth);
    vector_cross(side[0], side[1], way); /* in both planes */
    vector_cross(side[1], way, part[0]);
    vector_cross(way, side[0], part[1]);
    const double squared = vector_dot(way, way);
    if (!(squared > 0)) return false;
    for (int a = 0; a < 3; a++) at[a] = -(side[0][3] * part[0][a] + side[1][3] * part[1][a]) / squared;
    for (int a = 0; a < 4; a++) w[a] = view->clip_from_voxel[4 * a + 3];
    const double grows = vector_dot(depth, way) * (vector_dot(w, at) + w[3]) -
                         (vector_dot(depth, at) + depth[3]) * vector_dot(w, way);
    for (int a = 0; a < 3 && grows < 0; a++) way[a] = -way[a]; /* so that depth, z / w, grows along it */
    clip(near, at, way, range);
    clip(w, at, way, range);
    for (int a = 0; a < 3; a++) {
        double low[4] = { 0 }, high[4] = { 0, 0, 0, (double)n[a] - 1 };
        low[a] = 1, high[a] = -1;
        clip(low, at, way, range);
        clip(high, at, way, range);
    }
    if (!(range[0] <= range[1])) return false;
    for (int a = 0; a < 3; a++) ray->from[a] = at[a] + range[0] * way[a], ray->to[a] = at[a] + range[1] * way[a];
    return true;
}

/* ---- what they meet ---------------------------------------------------------------------------------------------- */

/* Walks along the line, at most a voxel along each axis at a time, until the nearest voxel is on the other side of the
 * surface than the first one. Sets p to that place. Places are in units of 2^-24 voxels, plus half a voxel, so that the
 * whole part is the nearest voxel. */
ISO_FN bool meets(const struct grid *g, const struct ray *ray, float value, double p[3])
{
    const size_t n[3] = { g->nx, g->ny, g->nz };
    enum { BITS = 24 };
    const double unit = 1 << BITS;
    int64_t at[3], step[3];
    double most = 1;
    for (int a = 0; a < 3; a++) most = fmax(most, fabs(ray->to[a] - ray->from[a]));
    const int64_t steps = (int64_t)ceil(most);
    for (int a = 0; a < 3; a++) {
        const double last = (double)n[a] - 1;
        at[a] = (int64_t)((fmin(fmax(ray->from[a], 0), last) + 0.5) * unit);
        step[a] = ((int64_t)((fmin(fmax(ray->to[a], 0), last) + 0.5) * unit) - at[a]) / steps;
    }
    bool first = false, met = false;
    for (int64_t i = 0; i <= steps && !met; i++) {
        const size_t x = (size_t)(at[0] >> BITS), y = (size_t)(at[1] >> BITS), z = (size_t)(at[2] >> BITS);
        const bool inside = grid_value(g, (z * n[1] + y) * n[0] + x) >= value;
        met = i && inside != first;
        first = inside;
        for (int a = 0; a < 3 && !met; a++) at[a] += step[a];
    }
    for (int a = 0; a < 3; a++) p[a] = (double)at[a] / unit - 0.5;
    return met;
}

int refine_seen_make(struct refine_seen *seen, const struct refine_view *view, const struct grid *shown, float value,
                     int threads, struct err *err)
{
    const int nx = view->width / REFINE_RAYS_APART + 1, ny = view->height / REFINE_RAYS_APART + 1;
    *seen = (struct refine_seen){ malloc((size_t)nx * ny * sizeof *seen->at), (size_t)nx * ny };
    if (!seen->at) return err_set(err, ERR_FAILED, "not enough memory for %zu lines of sight", seen->count);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            float *at = seen->at[(size_t)j * nx + i];
            struct ray ray;
            double p[3];
            bool met = ray_of(view, shown, (2.0 * i + 1) / nx - 1, (2.0 * j + 1) / ny - 1, &ray);
            if (met) GRID_TYPED(shown, met = meets(&GRID, &ray, value, p))
            for (int a = 0; a < 3; a++) at[a] = met ? (float)p[a] : NAN;
        }
    return ERR_NONE;
}

void refine_seen_free(struct refine_seen *seen)
{
    free(seen->at);
    *seen = (struct refine_seen){ NULL, 0 };
}

/* ---- in which blocks --------------------------------------------------------------------------------------------- */

void refine_seen_mark(const struct refine_seen *seen, const struct level *level, bool *is_seen)
{
    uint32_t n[3];
    blocks_count(&level->grid, n);
    memset(is_seen, 0, (size_t)n[0] * n[1] * n[2] * sizeof *is_seen);
    for (size_t i = 0; i < seen->count; i++) {
        uint32_t from[3], to[3];
        if (isnan(seen->at[i][0])) continue;
        for (int a = 0; a < 3; a++) {
            const double place = seen->at[i][a] - level->offset[a], block = (double)level->scale * BLOCK_CELLS;
            from[a] = (uint32_t)fmin(fmax((place - MARGIN) / block, 0), n[a]);
            to[a] = (uint32_t)fmin(fmax((place + MARGIN) / block + 1, 0), n[a]);
        }
        for (uint32_t z = from[2]; z < to[2]; z++)
            for (uint32_t y = from[1]; y < to[1]; y++)
                for (uint32_t x = from[0]; x < to[0]; x++) is_seen[((size_t)z * n[1] + y) * n[0] + x] = true;
    }
}
