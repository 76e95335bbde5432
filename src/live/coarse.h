/* A coarse level: every 2nd, 4th, ... voxel of the volume, for a surface that follows the hand where the full one cannot.
 *
 * Voxels are picked, not averaged and not the largest of each block: the coarse surface then runs through values that the
 * full one runs through too, and does not jump when the full one comes. The largest value would keep thin bright structures
 * whole, but makes all of the surface up to a step thicker; picked, what is thinner than a step breaks up while the value
 * moves. */
#ifndef ISO_COARSE_H
#define ISO_COARSE_H

#include "iso.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COARSE_VOXELS ((size_t)1 << 21) /* of a level at most: a few milliseconds for two cores */

struct coarse_level {
    struct grid grid; /* voxels: owned, from malloc */
    unsigned step;    /* a power of two: voxels of the volume per voxel of this; 0: there is no level */
};

/* Picks the level from a volume in host memory: at most `most` voxels. There is no level (step 0) if the volume has no more
 * than an eighth of that, if every step would leave an axis without cells, or if memory is short. */
void coarse_pick(struct coarse_level *level, const struct grid *grid, size_t most);
void coarse_pick_step(struct coarse_level *level, const struct grid *grid,
                      unsigned step); /* that step, on the same terms */
void coarse_drop(struct coarse_level *level);

struct coarse {                   /* of one volume */
    struct coarse_level level;    /* of the volume as it came */
    struct coarse_level smoothed; /* of the volume smoothed by sigma; step 0: not known, and `level` is smoothed instead */
    float sigma;                  /* of `smoothed`, voxels of the volume */
    float part[3];                /* of sigma that each axis has, as for iso_smooth; 1 until the caller changes it */
    struct iso iso;               /* always the CPU's */
    uint64_t epoch;               /* another after each change of the levels */
};

struct coarse_mesh {    /* of one of its surfaces */
    struct mesh mesh;   /* in voxels of the level */
    unsigned step;      /* of that level */
    float value, sigma; /* that it was made at; stored units, voxels of the volume */
    uint64_t epoch;     /* of the levels that it was made from; 0: it was not made */
};

/* threads: as for iso_open. */
int coarse_open(struct coarse *coarse, int threads, struct err *err);
void coarse_close(struct coarse *coarse); /* after its meshes */

/* Takes the level in place of the one before. */
void coarse_take(struct coarse *coarse, struct coarse_level *level);

/* Takes a level that was picked from the volume smoothed by sigma. */
void coarse_take_smoothed(struct coarse *coarse, struct coarse_level *level, float sigma);

/* Makes the mesh at `value` (stored units) of the volume smoothed by sigma (voxels of the volume), unless it is there.
 * Where no level of that sigma was taken, the first one is smoothed by as much less as it is coarser: that is quick, and
 * nearly the same where sigma is larger than a step. On error there is no level any more. */
int coarse_update(struct coarse *coarse, struct coarse_mesh *mesh, float value, float sigma, struct err *err);

uint64_t coarse_bytes(const struct coarse *coarse); /* of memory, without the meshes */

#ifdef __cplusplus
}
#endif
#endif
