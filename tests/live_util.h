/* For tests of live without a window: small files, the surfaces in them, and a hash that knows a mesh in any order. */
#ifndef ISO_LIVE_UTIL_H
#define ISO_LIVE_UTIL_H

#include "check.h"
#include "fake_backends.h"
#include "live.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A random number from 0 to n - 1. */
static inline int choose(int n)
{
    assert(n > 0);
    return (int)(check_random() % (uint64_t)n);
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

enum { FILES = 3 }; /* the last does not exist */
enum { VALUES = 5, SIGMAS = 3 };

static char folder[] = "/tmp/test_live_XXXXXX";
static char file_path[FILES][64];
static const char *const file_name[FILES] = { "a_9x8x7_uint8.raw", "b_8x9x6_uint8.raw", "absent_4x4x4_uint8.raw" };
static const size_t file_dims[FILES][3] = { { 9, 8, 7 }, { 8, 9, 6 }, { 4, 4, 4 } };
static const double values[VALUES] = { 40.5, 100.5, 128, 160.25, 300 }; /* of the last there is no surface */
static const float sigmas[SIGMAS] = { 0, 0.5f, 1.25f };

static uint8_t voxel(int file, size_t x, size_t y, size_t z)
{
    const size_t n = x * 37 + y * 101 + z * 53 + (size_t)file * 19; /* bumps, and something of a ball */
    const double dx = (double)x - 4, dy = (double)y - 4, dz = (double)z - 3;
    return (uint8_t)fmax(0, fmin(255, 230 - 14 * (dx * dx + dy * dy + dz * dz) + (double)(n % 23)));
}

static void write_files(void)
{
    if (!mkdtemp(folder)) exit(1);
    for (int f = 0; f < FILES; f++) {
        snprintf(file_path[f], sizeof file_path[f], "%s/%s", folder, file_name[f]);
        FILE *file = f < FILES - 1 ? fopen(file_path[f], "wb") : NULL;
        for (size_t z = 0; file && z < file_dims[f][2]; z++)
            for (size_t y = 0; y < file_dims[f][1]; y++)
                for (size_t x = 0; x < file_dims[f][0]; x++) fputc(voxel(f, x, y, z), file);
        if (file) fclose(file);
    }
}

static void remove_files(void)
{
    for (int f = 0; f < FILES; f++) remove(file_path[f]);
    rmdir(folder);
}

/* ---- meshes -------------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * 0x100000001b3;
    return h;
}

/* A hash that does not depend on the order of triangles, nor on whether they share vertices. */
static uint64_t hash_mesh(const struct vertex *vertices, const uint32_t *indices, uint64_t triangles)
{
    uint64_t sum = triangles;
    for (uint64_t t = 0; t < triangles; t++) {
        uint64_t corner[3], h = 0xcbf29ce484222325;
        int first = 0;
        for (int c = 0; c < 3; c++) corner[c] = mix(h, &vertices[indices[3 * t + c]], sizeof *vertices);
        for (int c = 1; c < 3; c++) first = corner[c] < corner[first] ? c : first;
        for (int c = 0; c < 3; c++) h = mix(h, &corner[(first + c) % 3], sizeof corner[0]);
        sum += h;
    }
    return sum;
}

/* The hash of the surface in `file`, made by a pipeline opened only for that. */
static uint64_t expected(int file, double value, float sigma, const char *gaussian)
{
    static struct {
        int file;
        double value;
        float sigma;
        const char *gaussian;
        uint64_t hash;
    } known[1024];
    static int count;
    for (int i = 0; i < count; i++)
        if (known[i].file == file && known[i].value == value && known[i].sigma == sigma &&
            !strcmp(known[i].gaussian, gaussian))
            return known[i].hash;
    const struct fake_backends before = fake_backends;
    struct volume volume;
    struct mesh_host mesh;
    struct iso iso;
    struct err err = { 0 };
    fake_backends.fail_alloc = 0;
    fake_backends.free_bytes = 0;
    int code = load_volume(&volume, file_path[file], &(struct load_desc){ .dims = { 0 } }, &err);
    if (!code) code = iso_open(&iso, BACKEND_CPU, -1, 1, &err);
    if (!code) code = iso_set_volume(&iso, &volume.grid, &err);
    if (!code) code = iso_set_rung(&iso, AUX_GAUSSIAN, gaussian, &err);
    if (!code) code = iso_smooth(&iso, sigma, NULL, NULL, &err);
    if (!code) code = iso_extract(&iso, volume_iso(&volume, value), &mesh, &err);
    if (code) {
        printf("%s\n", err.text);
        exit(1);
    }
    const uint64_t hash = hash_mesh(mesh.vertices, mesh.indices, mesh.triangle_count);
    mesh_host_free(&mesh);
    iso_close(&iso);
    volume_free(&volume);
    fake_backends = before;
    if (count == 1024) exit(1);
    known[count].file = file, known[count].value = value, known[count].sigma = sigma;
    known[count].gaussian = gaussian, known[count++].hash = hash;
    return hash;
}

#endif
