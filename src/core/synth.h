/* Procedural volumes: the demo, test shapes with closed-form area and volume, and noise. */
#ifndef ISO_SYNTH_H
#define ISO_SYNTH_H

#include "progress.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row of voxels along x. Fields are defined on [-1, 1]^3 with voxel centres at both ends of each axis; an axis of one
 * voxel lies at 0. Length 1 in the field is (n - 1) / 2 voxels. */
struct synth_row {
    size_t nx, ny, nz; /* voxels of the volume */
    size_t j, k;       /* which row: voxel y and z */
    double y, z;       /* the same in [-1, 1] */
    uint64_t seed;
    float *scratch; /* nx values */
};

struct synth {
    const char *name, *idea;         /* NULL name closes the table */
    enum voxel_type type;            /* VOXEL_UINT8 (values are rounded and clamped) or VOXEL_FLOAT32 */
    double iso;                      /* a good first value, real units */
    void *(*prepare)(uint64_t seed); /* makes state for all rows, freed by free(); NULL: none needed */
    void (*row)(const void *state, const struct synth_row *row, float *values); /* writes nx values */
};

/* To add a field: write its row function in synth.c and a line in the table at the foot of that file. */
extern const struct synth synths[];

/* Makes a volume of dims[0] x dims[1] x dims[2] voxels of the field `name`. The same name, dims and seed give the same
 * bytes for any number of threads (0: OMP_NUM_THREADS, or one per core). Reports to `progress` from one thread (NULL:
 * none). Errors: ERR_USAGE for bad dims or an unknown name, with a list of names; ERR_FAILED for memory or if cancelled.
 * The volume is then empty. */
int synth_volume(struct volume *volume, const char *name, const uint64_t dims[3], uint64_t seed, int threads,
                 const struct progress *progress, struct err *err);

/* The same some slices at a time, so that the volume need not fit in memory. `volume` has no voxels. */
struct synth_field {
    const struct synth *synth;
    struct volume volume;
    void *state;
    uint64_t seed;
    int threads;
};
int synth_open(struct synth_field *field, const char *name, const uint64_t dims[3], uint64_t seed, int threads,
               struct err *err);
void synth_close(struct synth_field *field);

/* Makes slices `from` to `to` - 1 at `voxels`. Error: ERR_FAILED, for memory or if cancelled. */
int synth_slices(const struct synth_field *field, size_t from, size_t to, void *voxels, const struct progress *progress,
                 struct err *err);

/* Position of voxel i of n in [-1, 1]; exactly symmetric about 0. */
static inline double synth_at(size_t i, size_t n)
{
    return n > 1 ? (2.0 * (double)i - (double)(n - 1)) / (double)(n - 1) : 0;
}

/* The next number of a seeded sequence (splitmix64); and as a fraction in [0, 1). */
static inline uint64_t synth_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static inline double synth_fraction(uint64_t *state) { return (double)(synth_random(state) >> 11) * 0x1p-53; }

/* The field of synth_vessels.c. */
void *vessels_prepare(uint64_t seed);
void vessels_row(const void *state, const struct synth_row *row, float *values);

#ifdef __cplusplus
}
#endif
#endif
