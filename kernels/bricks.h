/* bricks: voxels -> minimum and maximum of each brick, once per volume.
 *
 * Bricks of 32 x 4 x 4 voxels tile the grid. The range of a brick also covers the next layer of voxels in each
 * direction, so 33 x 5 x 5 where the grid has them: that way it includes every cell and every edge that starts in the
 * brick. A brick whose range lies on one side of the isovalue holds no surface, and classify writes its bits without
 * reading a voxel. */
#ifndef ISO_BRICKS_H
#define ISO_BRICKS_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BRICK_X = 32, BRICK_Y = 4, BRICK_Z = 4 }; /* voxels; BRICK_X is the width of a strip */

struct brick_range {
    float min, max;
}; /* NaN counts as -infinity: it is outside at every isovalue */

struct bricks {
    size_t nx, ny, nz;         /* bricks along each axis, at least 1 */
    struct brick_range *range; /* (nz, ny, nx), x fastest; NULL: unknown, every brick may hold surface */
};

enum brick_state { BRICK_OUTSIDE, BRICK_INSIDE, BRICK_ACTIVE };

/* Return the bricks that cover `grid`, with range NULL. */
struct bricks bricks_for(const struct grid *grid);

struct bricks_rung {
    struct rung rung;
    int (*run)(const struct grid *grid, const struct bricks *bricks, struct exec *x); /* NULL: keep no ranges */
};

extern const struct bricks_rung bricks_cpu[], bricks_cuda[];

/* Return the state of a brick with range `r`. */
ISO_FN enum brick_state brick_state_of(struct brick_range r, float iso)
{
    return r.min >= iso ? BRICK_INSIDE : r.max >= iso ? BRICK_ACTIVE : BRICK_OUTSIDE;
}

/* Return the state of the brick that holds voxel (x, y, z). */
ISO_FN enum brick_state brick_state_at(const struct bricks *b, size_t x, size_t y, size_t z, float iso)
{
    if (!b->range) return BRICK_ACTIVE;
    return brick_state_of(b->range[(z / BRICK_Z * b->ny + y / BRICK_Y) * b->nx + x / BRICK_X], iso);
}

#ifdef __cplusplus
}
#endif
#endif
