/* Shapes with closed forms, to compare meshes with (lengths in units of the field; one unit is S = (n - 1) / 2 voxels if
 * all axes have n voxels):
 *
 *    sphere  r = 0.8          area 4 pi r^2         volume 4/3 pi r^3
 *    torus   R = 0.6, r = .27 area 4 pi^2 R r       volume 2 pi^2 R r^2
 *
 * Rows are independent, and each is written by one thread from the same numbers. So the bytes do not depend on the number
 * of threads. */
#include "synth.h"
#include "row.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static void sphere_row(const void *state, const struct synth_row *row, float *values)
{
    (void)state;
    for (size_t i = 0; i < row->nx; i++) {
        const double x = synth_at(i, row->nx);
        values[i] = (float)(0.8 - sqrt(x * x + row->y * row->y + row->z * row->z));
    }
}

static void torus_row(const void *state, const struct synth_row *row, float *values)
{
    (void)state;
    for (size_t i = 0; i < row->nx; i++) {
        const double x = synth_at(i, row->nx), from_ring = sqrt(x * x + row->y * row->y) - 0.6;
        values[i] = (float)(0.27 - sqrt(from_ring * from_ring + row->z * row->z));
    }
}

/* Three periods along each axis of the triply periodic minimal surface that A. Schoen found. */
static void gyroid_row(const void *state, const struct synth_row *row, float *values)
{
    (void)state;
    const double k = 3 * PI, sy = sin(k * row->y), cy = cos(k * row->y), sz = sin(k * row->z), cz = cos(k * row->z);
    for (size_t i = 0; i < row->nx; i++) {
        const double x = k * synth_at(i, row->nx);
        values[i] = (float)(sin(x) * cy + sy * cz + sz * cos(x));
    }
}

/* S. R. Marschner, R. J. Lobb, "An evaluation of reconstruction filters for volume rendering", Visualization 1994: nearly
 * all of its energy lies just below the Nyquist frequency of 40^3 samples. This shows how good normals are. */
static void marschner_lobb_row(const void *state, const struct synth_row *row, float *values)
{
    (void)state;
    const double fm = 6, alpha = 0.25, sz = sin(PI * row->z / 2);
    for (size_t i = 0; i < row->nx; i++) {
        const double x = synth_at(i, row->nx), r = sqrt(x * x + row->y * row->y);
        const double ripple = cos(2 * PI * fm * cos(PI * r / 2));
        values[i] = (float)((1 - sz + alpha * (1 + ripple)) / (2 * (1 + alpha)));
    }
}

#define BALLS 14

struct ball {
    float x, y, z, radius;
};

static void *metaballs_prepare(uint64_t seed)
{
    struct ball *balls = malloc(BALLS * sizeof *balls);
    for (int b = 0; balls && b < BALLS; b++) {
        const double radius = 0.32 + 0.26 * synth_fraction(&seed), room = 0.94 - radius;
        balls[b].radius = (float)radius; /* balls end inside the volume: the surface is closed */
        balls[b].x = (float)(room * (2 * synth_fraction(&seed) - 1));
        balls[b].y = (float)(room * (2 * synth_fraction(&seed) - 1));
        balls[b].z = (float)(room * (2 * synth_fraction(&seed) - 1));
    }
    return balls;
}

/* Sum of (1 - d^2/R^2)^3, after G. Wyvill et al., "Soft objects", 1986. */
static void metaballs_row(const void *state, const struct synth_row *row, float *values)
{
    const struct ball *balls = state;
    memset(values, 0, row->nx * sizeof *values);
    for (int b = 0; b < BALLS; b++) {
        const float y = (float)row->y - balls[b].y, z = (float)row->z - balls[b].z;
        const float across = y * y + z * z, scale = 1 / (balls[b].radius * balls[b].radius);
        if (across * scale >= 1) continue;
        for (size_t i = 0; i < row->nx; i++) {
            const float x = (float)synth_at(i, row->nx) - balls[b].x, q = 1 - (x * x + across) * scale;
            values[i] += q > 0 ? 200 * q * q * q : 0;
        }
    }
}

static void noise_row(const void *state, const struct synth_row *row, float *values)
{
    (void)state;
    const uint64_t first = ((uint64_t)row->k * row->ny + row->j) * row->nx;
    for (size_t i = 0; i < row->nx; i++) {
        uint64_t hash = row->seed * 0xd1342543de82ef95 + first + i;
        hash = synth_random(&hash); /* one step decorrelates neighbours */
        values[i] = (float)(hash >> 56);
    }
}

/* ---- filling ----------------------------------------------------------------------------------------------------- */

static void store_row(enum voxel_type type, void *voxels, size_t at, const float *values, size_t n)
{
    if (type == VOXEL_FLOAT32) {
        memcpy((float *)voxels + at, values, n * sizeof *values);
        return;
    }
    uint8_t *to = (uint8_t *)voxels + at;
    for (size_t i = 0; i < n; i++) {
        const float clamped = values[i] < 0 ? 0 : values[i] > 255 ? 255 : values[i];
        to[i] = (uint8_t)(clamped + 0.5f);
    }
}

enum { TILE = 32 /* rows that a thread takes at once */ };

/* Tile number t of the slices from `from` on. */
static void fill_tile(const struct synth_field *f, size_t from, size_t t, void *voxels, float *values)
{
    const struct grid *g = &f->volume.grid;
    const size_t tiles = (g->ny + TILE - 1) / TILE, k = t / tiles, end = min_size((t % tiles + 1) * TILE, g->ny);
    struct synth_row row = { g->nx,   g->ny,         g->nz, t % tiles * TILE, from + k, 0, synth_at(from + k, g->nz),
                             f->seed, values + g->nx };
    for (; row.j < end; row.j++) {
        row.y = synth_at(row.j, g->ny);
        f->synth->row(f->state, &row, values);
        store_row(g->type, voxels, (k * g->ny + row.j) * g->nx, values, g->nx);
    }
}

/* Only the first thread reports progress: the callback need not be thread-safe. */
int synth_slices(const struct synth_field *f, size_t from, size_t to, void *voxels, const struct progress *progress,
                 struct err *err)
{
    const size_t nx = f->volume.grid.nx, tiles = (f->volume.grid.ny + TILE - 1) / TILE * (to - from);
    atomic_size_t done = 0;
    atomic_bool no_memory = false, cancelled = false;
#pragma omp parallel num_threads(f->threads < 1 ? omp_get_max_threads() : f->threads)
    {
        float *values = malloc(2 * nx * sizeof *values); /* the row, and its scratch */
        if (!values) no_memory = true;
#pragma omp for schedule(dynamic, 1)
        for (size_t t = 0; t < tiles; t++) {
            if (!values || no_memory || cancelled) continue;
            fill_tile(f, from, t, voxels, values);
            const size_t now = ++done;
            if (omp_get_thread_num() == 0 && !progress_tell(progress, (double)now / (double)tiles)) cancelled = true;
        }
        free(values);
    }
    if (no_memory) return err_set(err, ERR_FAILED, "not enough memory for a row of %zu voxels", nx);
    return cancelled ? err_set(err, ERR_FAILED, "cancelled") : ERR_NONE;
}

int synth_open(struct synth_field *f, const char *name, const uint64_t dims[3], uint64_t seed, int threads, struct err *err)
{
    *f = (struct synth_field){ .seed = seed, .threads = threads };
    const int found = row_find(name, synths, sizeof *synths, "procedural volume", err);
    if (found < 0) return ERR_USAGE;
    f->synth = &synths[found];
    if (volume_shape(&f->volume, f->synth->type, dims, err)) {
        if (err) err->code = ERR_USAGE; /* the shape came from the command line, not from a file */
        return ERR_USAGE;
    }
    f->state = f->synth->prepare ? f->synth->prepare(seed) : NULL;
    if (f->synth->prepare && !f->state) return err_set(err, ERR_FAILED, "not enough memory to make '%s'", name);
    volume_set_name(&f->volume, name);
    return ERR_NONE;
}

void synth_close(struct synth_field *f)
{
    free(f->state);
    f->state = NULL;
}

int synth_volume(struct volume *volume, const char *name, const uint64_t dims[3], uint64_t seed, int threads,
                 const struct progress *progress, struct err *err)
{
    struct synth_field field;
    memset(volume, 0, sizeof *volume);
    int code = synth_open(&field, name, dims, seed, threads, err);
    if (code) return code;
    code = volume_alloc(volume, field.synth->type, dims, err);
    if (!code) code = synth_slices(&field, 0, volume->grid.nz, (void *)volume->grid.voxels, progress, err);
    synth_close(&field);
    if (code) volume_free(volume);
    else volume_set_name(volume, name);
    return code;
}

/* Isovalues of uint8 fields lie between two values, so no voxel is on the surface. */
const struct synth synths[] = {
    { "vessels", "a branching tree of blood vessels", VOXEL_UINT8, 80.5, vessels_prepare, vessels_row },
    { "sphere", "0.8 - distance to the centre", VOXEL_FLOAT32, 0, NULL, sphere_row },
    { "torus", "0.27 - distance to a ring of radius 0.6", VOXEL_FLOAT32, 0, NULL, torus_row },
    { "gyroid", "a minimal surface, three periods long", VOXEL_FLOAT32, 0, NULL, gyroid_row },
    { "marschner-lobb", "ripples near the sampling limit: a test of normals", VOXEL_FLOAT32, 0.5, NULL,
      marschner_lobb_row },
    { "metaballs", "soft balls that merge", VOXEL_UINT8, 96.5, metaballs_prepare, metaballs_row },
    { "noise", "random voxels: every marching cubes case", VOXEL_UINT8, 127.5, NULL, noise_row },
    { 0 },
};
