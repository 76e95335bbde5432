/* A coarse level: every 2nd, 4th, ... voxel of the volume. It makes surfaces that follow the mouse where full ones are
 * too slow.
 *
 * Voxels are picked, not averaged, and not the largest of each block. So the coarse surface passes through values that
 * the full one passes through too, and does not jump when the full one replaces it. The largest value would keep thin
 * bright structures whole, but make the surface up to a step thicker everywhere. With picked voxels, structures thinner
 * than a step break up while the value moves. */
#ifndef ISO_COARSE_H
#define ISO_COARSE_H

#include "iso.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COARSE_VOXELS ((size_t)1 << 21) /* most voxels of a level: a few milliseconds on two cores */

struct coarse_level {
    struct grid grid; /* voxels: owned, from malloc */
    unsigned step;    /* voxels of the volume per voxel of the level, a power of two; 0: there is no level */
};

/* Picks a level of at most `most` voxels from a volume in host memory. There is none (step 0) if the volume has no more
 * than an eighth of `most` voxels, if every step would leave an axis without cells, or if memory is short. */
void coarse_pick(struct coarse_level *level, const struct grid *grid, size_t most);

/* The same with this step, however few voxels the volume has. */
void coarse_pick_step(struct coarse_level *level, const struct grid *grid, unsigned step);
void coarse_drop(struct coarse_level *level);

struct coarse {                   /* of one volume */
    struct coarse_level level;    /* of the original volume */
    struct coarse_level smoothed; /* of the volume smoothed by sigma; step 0: unknown, so `level` is smoothed instead */
    float sigma;                  /* of `smoothed`, voxels of the volume */
    float part[3];                /* factor of sigma for each axis, as for iso_smooth; 1 until the caller changes it */
    struct iso iso;               /* always the CPU's */
    uint64_t epoch;               /* changes with the levels */
};

struct coarse_mesh {    /* one coarse surface */
    struct mesh mesh;   /* in voxels of the level */
    unsigned step;      /* of that level */
    float value, sigma; /* what it was made with; stored units, voxels of the volume */
    uint64_t epoch;     /* of the levels that it was made from; 0: not made */
};

/* threads: as for iso_open. */
int coarse_open(struct coarse *coarse, int threads, struct err *err);
void coarse_close(struct coarse *coarse); /* call it after its meshes are closed */

/* Takes ownership of the level, which replaces the one before. */
void coarse_take(struct coarse *coarse, struct coarse_level *level);

/* The same for a level that was picked from the volume smoothed by sigma. */
void coarse_take_smoothed(struct coarse *coarse, struct coarse_level *level, float sigma);

/* Makes the mesh at `value` (stored units) of the volume smoothed by sigma (voxels of the volume), unless it exists. If
 * no level of that sigma was taken, the original level is smoothed by sigma divided by its step. That is quick, and
 * nearly the same if sigma is larger than a step. After an error there is no level any more. */
int coarse_update(struct coarse *coarse, struct coarse_mesh *mesh, float value, float sigma, struct err *err);

uint64_t coarse_bytes(const struct coarse *coarse); /* of memory, without the meshes */

#ifdef __cplusplus
}
#endif
#endif
