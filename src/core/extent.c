#include "extent.h"

#include <math.h>

#define MOST_VOXELS 256 /* along the longest axis */

static void extend(const double (*plane)[4], double *most, size_t planes, const double point[3])
{
    for (size_t i = 0; i < planes; i++) {
        const double value = plane[i][0] * point[0] + plane[i][1] * point[1] + plane[i][2] * point[2] + plane[i][3];
        most[i] = fmax(most[i], value);
    }
}

size_t extent_pick(const struct grid *grid)
{
    const size_t widest = grid->nx > grid->ny ? grid->nx : grid->ny, longest = widest > grid->nz ? widest : grid->nz;
    return (longest + MOST_VOXELS - 1) / MOST_VOXELS;
}

/* Finds the first and the last picked voxel of a row that are enclosed. Returns false if there is none. */
static bool find_ends(const struct extent_of *of, size_t y, size_t z, size_t ends[2])
{
    const struct grid *g = of->grid;
    const size_t row = (z * g->ny + y) * g->nx, last = (g->nx - 1) / of->pick * of->pick;
    for (ends[0] = 0; ends[0] <= last && !(grid_value(g, row + ends[0]) >= of->iso);) ends[0] += of->pick;
    if (ends[0] > last) return false;
    for (ends[1] = last; !(grid_value(g, row + ends[1]) >= of->iso);) ends[1] -= of->pick;
    return true;
}

/* A linear function is largest at one end of a row, so only the ends are looked at. */
bool extent_most(const struct extent_of *of, const double (*plane)[4], double *most, size_t planes)
{
    const struct grid *g = of->grid;
    bool any = false;
    for (size_t i = 0; i < planes; i++) most[i] = -INFINITY;
    for (size_t z = 0; z < g->nz; z += of->pick)
        for (size_t y = 0; y < g->ny; y += of->pick) {
            size_t ends[2];
            if (!find_ends(of, y, z, ends)) continue;
            for (int e = 0; e < 2; e++) {
                double point[3] = { (double)ends[e], (double)y, (double)z };
                for (int a = 0; a < 3; a++) point[a] = fmax(of->low[a], fmin(of->high[a], point[a] * of->step));
                extend(plane, most, planes, point);
            }
            any = true;
        }
    const double half = 0.5 * of->step * (double)of->pick;
    for (size_t i = 0; i < planes; i++)
        most[i] += half * sqrt(plane[i][0] * plane[i][0] + plane[i][1] * plane[i][1] + plane[i][2] * plane[i][2]);
    return any;
}
