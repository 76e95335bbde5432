#include "ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bricks in a block along each axis. */
enum { IN_X = RANGES_BLOCK / BRICK_X, IN_Y = RANGES_BLOCK / BRICK_Y, IN_Z = RANGES_BLOCK / BRICK_Z };

static size_t blocks_of(size_t voxels) { return (voxels + RANGES_BLOCK - 1) / RANGES_BLOCK; }

uint64_t ranges_bytes(const struct store *store)
{
    const struct grid *g = &store->volume.grid;
    const uint64_t rows = (uint64_t)blocks_of(g->ny) * blocks_of(g->nz);
    return rows * (blocks_of(g->nx) * sizeof(struct brick_range) + sizeof(bool)) + blocks_of(g->nz) * sizeof(size_t);
}

int ranges_open(struct ranges *r, const struct store *store, struct err *err)
{
    const struct grid *g = &store->volume.grid;
    *r = (struct ranges){ store, blocks_of(g->nx), blocks_of(g->ny), blocks_of(g->nz), NULL, NULL, NULL };
    const size_t n = r->nx * r->ny * r->nz;
    r->block = malloc(n * sizeof *r->block);
    r->noted = calloc(r->nz, sizeof *r->noted), r->needed = calloc(r->ny * r->nz, sizeof *r->needed);
    for (size_t i = 0; r->block && i < n; i++) r->block[i] = (struct brick_range){ INFINITY, -INFINITY };
    if (r->block && r->noted && r->needed) return ERR_NONE;
    ranges_close(r);
    return err_set(err, ERR_FAILED, "%s: not enough memory for the ranges of %zu blocks", store->volume.name, n);
}

void ranges_close(struct ranges *r)
{
    free(r->block);
    free(r->noted);
    free(r->needed);
    *r = (struct ranges){ .store = NULL };
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

/* The block of the volume with the brick in column x, row y and layer z of bricks. */
static size_t block_of(const struct ranges *r, size_t x, size_t y, size_t z)
{
    return (z / IN_Z * r->ny + y / IN_Y) * r->nx + x / IN_X;
}

void ranges_note(struct ranges *r, const struct plan_slab *slab, const struct bricks *b)
{
    const struct plan_share own = plan_own(slab);
    for (size_t z = own.begin; z < own.end && b->range; z++) {
        const struct brick_range *range = b->range + (plan_before(slab) + z - own.begin) * b->ny * b->nx;
        for (size_t k = 0; k < b->ny * b->nx; k++) {
            struct brick_range *to = &r->block[block_of(r, k % b->nx, k / b->nx, z)];
            if (range[k].min < to->min) to->min = range[k].min;
            if (range[k].max > to->max) to->max = range[k].max;
        }
        r->noted[z / IN_Z]++;
    }
}

static bool is_known(const struct ranges *r, size_t z)
{
    const size_t layers = plan_layers(r->store->volume.grid.nz);
    return r->noted[z] == min_size(layers - z * IN_Z, IN_Z);
}

/* Whether everything that a brick's range covers was read. It extends one voxel into the next rows of blocks. */
static bool was_read(const struct ranges *r, size_t y, size_t z)
{
    bool read = true;
    for (size_t k = z / IN_Z; k <= (z + 1) / IN_Z && k < r->nz; k++)
        for (size_t j = y / IN_Y; j <= (y + 1) / IN_Y && j < r->ny; j++) read = read && r->needed[k * r->ny + j];
    return read && is_known(r, z / IN_Z);
}

bool ranges_agree(const struct ranges *r, const struct plan_slab *slab, const struct bricks *b)
{
    const struct plan_share own = plan_own(slab);
    bool fine = true;
    for (size_t row = 0; row < (own.end - own.begin) * b->ny && b->range && fine; row++) {
        const size_t y = row % b->ny, z = own.begin + row / b->ny;
        const struct brick_range *range = b->range + (plan_before(slab) * b->ny + row) * b->nx;
        for (size_t x = 0; x < b->nx && was_read(r, y, z); x++) {
            const struct brick_range *noted = &r->block[block_of(r, x, y, z)];
            fine = fine && range[x].min >= noted->min && range[x].max <= noted->max;
        }
    }
    return fine;
}

/* ---- what is needed ---------------------------------------------------------------------------------------------- */

/* Whether blocks of a row hold surface, or may hold it. */
static bool is_active(const struct ranges *r, size_t y, size_t z, const float *values, size_t n)
{
    bool active = !is_known(r, z);
    for (size_t x = 0; x < r->nx; x++)
        for (size_t i = 0; i < n && !active; i++)
            active = brick_state_of(r->block[(z * r->ny + y) * r->nx + x], values[i]) == BRICK_ACTIVE;
    return active;
}

/* Cells reach one voxel beyond their block, and normals two. So the rows around are needed, too. */
void ranges_need(struct ranges *r, const float *values, size_t n)
{
    memset(r->needed, 0, r->ny * r->nz * sizeof *r->needed);
    for (size_t z = 0; z < r->nz; z++)
        for (size_t y = 0; y < r->ny; y++) {
            if (!is_active(r, y, z, values, n)) continue;
            for (size_t k = z ? z - 1 : 0; k <= z + 1 && k < r->nz; k++)
                for (size_t j = y ? y - 1 : 0; j <= y + 1 && j < r->ny; j++) r->needed[k * r->ny + j] = true;
        }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void put(enum voxel_type type, void *row, size_t i, float value)
{
    switch (type) {
    case VOXEL_UINT8: ((uint8_t *)row)[i] = (uint8_t)value; break;
    case VOXEL_INT8: ((int8_t *)row)[i] = (int8_t)value; break;
    case VOXEL_UINT16: ((uint16_t *)row)[i] = (uint16_t)value; break;
    case VOXEL_INT16: ((int16_t *)row)[i] = (int16_t)value; break;
    default: ((float *)row)[i] = value;
    }
}

/* Fills n rows. If a block has NaN, its minimum is -infinity; all its values then lie outside, and the maximum is used. */
static void fill(const struct ranges *r, size_t y, size_t z, char *to, size_t n)
{
    const struct grid *g = &r->store->volume.grid;
    const struct brick_range *block = &r->block[(z * r->ny + y) * r->nx];
    const size_t bytes = g->nx * voxel_bytes(g->type);
    for (size_t i = 0; i < g->nx; i++) {
        const struct brick_range *b = &block[i / RANGES_BLOCK];
        put(g->type, to, i, b->min > -INFINITY ? b->min : b->max);
    }
    for (size_t k = 1; k < n; k++) memcpy(to + k * bytes, to, bytes);
}

/* Reads one slice. Adjacent rows that are needed are read together. */
static int read_slice(const struct ranges *r, size_t slice, char *to, struct err *err)
{
    const struct grid *g = &r->store->volume.grid;
    const size_t z = slice / RANGES_BLOCK, bytes = g->nx * voxel_bytes(g->type);
    const bool *needed = r->needed + z * r->ny;
    int code = ERR_NONE;
    for (size_t y = 0, end; y < r->ny && !code; y = end) {
        for (end = y + 1; end < r->ny && needed[y] && needed[end]; end++) {
        }
        const size_t row = y * RANGES_BLOCK, rows = min_size(end * RANGES_BLOCK, g->ny) - row;
        const struct store_rows run = { slice, 1, row, rows };
        if (needed[y]) code = store_read_rows(r->store, &run, to + row * bytes, 1, err);
        else fill(r, y, z, to + row * bytes, rows);
    }
    return code;
}

/* Whether slices in a layer of blocks should be read row by row. */
static bool has_gaps(const struct ranges *r, size_t z)
{
    bool all = true;
    for (size_t y = 0; y < r->ny; y++) all = all && r->needed[z * r->ny + y];
    return !all && store_seeks(r->store) && !r->store->layout.zarr; /* Zarr chunks would be unpacked for each slice */
}

static int read_slices(const struct ranges *r, size_t from, size_t to, char *voxels, int threads, struct err *err)
{
    const size_t bytes = (size_t)store_slice_bytes(r->store);
    int code = ERR_NONE;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (size_t i = from; i < to; i++) {
        struct err own = { .code = ERR_NONE };
        if (!read_slice(r, i, voxels + (i - from) * bytes, &own)) continue;
#pragma omp critical(ranges_error)
        {
            if (!code && err) *err = own;
            code = own.code;
        }
    }
    return code;
}

int ranges_read(const struct ranges *r, size_t from, size_t to, void *voxels, int threads, struct err *err)
{
    const size_t bytes = (size_t)store_slice_bytes(r->store);
    int code = ERR_NONE;
    for (size_t at = from, end; at < to && !code; at = end) {
        end = min_size(to, (at / RANGES_BLOCK + 1) * RANGES_BLOCK);
        char *here = (char *)voxels + (at - from) * bytes;
        code = has_gaps(r, at / RANGES_BLOCK) ? read_slices(r, at, end, here, threads, err)
                                              : store_read(r->store, at, end, here, threads, err);
    }
    return code;
}

uint64_t ranges_read_bytes(const struct ranges *r, size_t from, size_t to)
{
    const struct grid *g = &r->store->volume.grid;
    const uint64_t row = (uint64_t)g->nx * voxel_bytes(g->type);
    uint64_t bytes = 0;
    for (size_t i = from; i < to; i++) {
        const size_t z = i / RANGES_BLOCK;
        const bool gaps = has_gaps(r, z);
        for (size_t y = 0; y < r->ny; y++)
            if (!gaps || r->needed[z * r->ny + y])
                bytes += row * (min_size((y + 1) * RANGES_BLOCK, g->ny) - y * RANGES_BLOCK);
    }
    return bytes;
}
