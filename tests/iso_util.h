/* Helpers of the pipeline tests: open a backend, make fields and noise, compare meshes. */
#ifndef ISO_ISO_UTIL_H
#define ISO_ISO_UTIL_H

#include "check.h"

#include "iso.h"
#include "volume.h"

#include <stdlib.h>
#include <string.h>

/* Opens the backend that argv[1] names, cpu or cuda, with 3 threads. Returns 0, or the exit code of a test that cannot
 * run. */
static inline int open_backend(struct iso *iso, int argc, char **argv)
{
    char text[256];
    struct err err = { 0 };
    const enum backend backend = argc > 1 && !strcmp(argv[1], "cuda") ? BACKEND_CUDA : BACKEND_CPU;
    if (!backends[backend]->available(text, sizeof text)) {
        printf("skipped: no %s backend: %s\n", backends[backend]->name, text);
        return 77;
    }
    if (!iso_open(iso, backend, -1, 3, &err)) return 0;
    printf("%s\n", err.text);
    return 1;
}

/* ---- fields on [-1, 1]^3, voxel centres at both ends ---------------------------------------------------------------- */

static inline double sphere(double x, double y, double z) { return 0.8 - sqrt(x * x + y * y + z * z); }

static inline double torus(double x, double y, double z)
{
    const double ring = sqrt(x * x + y * y) - 0.6;
    return 0.27 - sqrt(ring * ring + z * z);
}

static inline struct volume field_volume(double (*field)(double, double, double), size_t n)
{
    struct volume v;
    struct err err;
    const uint64_t dims[3] = { n, n, n };
    if (volume_alloc(&v, VOXEL_FLOAT32, dims, &err)) abort();
    float *to = (float *)v.grid.voxels;
    const double h = 2.0 / (double)(n - 1);
    for (size_t i = 0; i < n * n * n; i++)
        to[i] = (float)field(-1 + h * (double)(i % n), -1 + h * (double)(i / n % n), -1 + h * (double)(i / n / n));
    for (int a = 0; a < 3; a++) v.direction[a][a] = h, v.origin[a] = -1;
    return v;
}

/* Sets the volume and extracts the surface at `value` into a new `mesh`. */
static inline bool extract(struct iso *iso, const struct grid *grid, float value, struct mesh_host *mesh)
{
    struct err err = { 0 };
    *mesh = (struct mesh_host){ 0 };
    if (!iso_set_volume(iso, grid, &err) && !iso_count(iso, value, &err) && !iso_mesh_host(iso, mesh, &err)) return true;
    printf("%s\n", err.text);
    return false;
}

/* ---- noise and meshes ----------------------------------------------------------------------------------------------- */

/* Floats are tenths from 0 to 99.9; some equal an isovalue. */
static inline struct volume noise_volume(enum voxel_type type, const uint64_t dims[3])
{
    struct volume v;
    struct err err;
    if (volume_alloc(&v, type, dims, &err)) abort();
    uint8_t *bytes = (uint8_t *)v.grid.voxels;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++)
        if (type == VOXEL_FLOAT32) ((float *)v.grid.voxels)[i] = (float)(check_random() % 1000) / 10;
        else
            for (size_t b = 0; b < voxel_bytes(type); b++) bytes[i * voxel_bytes(type) + b] = (uint8_t)check_random();
    return v;
}

/* Bit for bit. */
static inline bool same_mesh(const struct mesh_host *a, const struct mesh_host *b)
{
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count) return false;
    if (!a->vertex_count) return true;
    return !memcmp(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices) &&
           !memcmp(a->indices, b->indices, 12 * a->triangle_count);
}

#endif
