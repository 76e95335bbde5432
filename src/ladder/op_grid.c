#include "op_grid.h"

#include "synth.h"

#include "kernels/mc_subcase.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields -------------------------------------------------------------------------------------------------------- */

static const char *const field_name[] = { "noise",    "ball", "empty", "full",    "odd values", "any bytes", "steps",
                                          "constant", "NaN",  "far",   "corners", "rare",       "ripples",   "vessels" };

static uint32_t hash(uint32_t x) /* the same bytes on every machine */
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static float ball_value(const struct grid_case *g, const size_t p[3])
{
    double d = 0;
    for (int a = 0; a < 3; a++) {
        const double c = ((double)p[a] - 0.5 * (double)(g->n[a] - 1)) / (0.5 * (double)g->n[a]);
        d += c * c;
    }
    return (float)(80 - (int)(60 * d) < 0 ? 0 : 80 - (int)(60 * d));
}

/* Either end of the type's range; for floats, values that are hard to compare and to interpolate. */
static float odd_value(enum voxel_type type, uint32_t r)
{
    static const float special[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, FLT_MIN, 40.5f, 1e-45f };
    static const float low[] = { 0, -128, 0, -32768 }, high[] = { 255, 127, 65535, 32767 };
    if (type == VOXEL_FLOAT32) return r % 3 ? (float)(r % 81) : special[r / 3 % 8];
    return r % 3 == 0 ? low[type] : r % 3 == 1 ? high[type] : (float)(r % 81);
}

/* Stored values of the common fields lie around 40; isovalues are 40.5, and 40 for ties. */
static float field_value(const struct grid_case *g, size_t i)
{
    const size_t p[3] = { i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1] };
    const uint32_t r = hash((uint32_t)i + 1000 * (uint32_t)g->field);
    switch (g->field) {
    case FIELD_NOISE: return (float)(r % 81);
    case FIELD_BALL: return ball_value(g, p);
    case FIELD_EMPTY: return (float)(r % 40);
    case FIELD_FULL: return (float)(41 + r % 40);
    case FIELD_ODD: return odd_value(g->type, r);
    case FIELD_STEPS: return (float)(i * 7919 % 2003) - 1000;
    case FIELD_NAN: return i == grid_count(g) / 2 ? NAN : 1234.567f;
    case FIELD_FAR: return 1e6f + (float)(i % 2);
    case FIELD_CORNERS: return p[0] / 2 >> (2 * p[1] + p[0] % 2) & 1 ? 200 : 100;
    case FIELD_RARE: return i % 65521 ? 0 : 100;
    case FIELD_RIPPLES: return sinf(0.05f * (float)p[0]) * cosf(0.07f * (float)p[1]);
    default: return 1234.567f;
    }
}

static void store(void *voxels, enum voxel_type type, size_t i, float value)
{
    switch (type) {
    case VOXEL_UINT8: ((uint8_t *)voxels)[i] = (uint8_t)value; break;
    case VOXEL_INT8: ((int8_t *)voxels)[i] = (int8_t)value; break;
    case VOXEL_UINT16: ((uint16_t *)voxels)[i] = (uint16_t)value; break;
    case VOXEL_INT16: ((int16_t *)voxels)[i] = (int16_t)value; break;
    default: ((float *)voxels)[i] = value; break;
    }
}

/* ---- a grid -------------------------------------------------------------------------------------------------------- */

struct grid_case grid_at_size(size_t size)
{
    struct grid_case g = { { size, size, size }, VOXEL_UINT8, FIELD_VESSELS, 0 };
    for (const struct synth *s = synths; s->name; s++)
        if (!strcmp(s->name, "vessels")) g.iso = (float)s->iso;
    return g;
}

size_t grid_count(const struct grid_case *g) { return op_product(op_product(g->n[0], g->n[1]), g->n[2]); }

void grid_plan(struct op_case *c, const struct grid_case *g)
{
    op_name(c, "%zux%zux%zu %s, %s", g->n[0], g->n[1], g->n[2], voxel_type_name[g->type], field_name[g->field]);
    op_add(c, GRID_VOXELS, OP_INPUT, grid_count(g), voxel_bytes(g->type));
}

static void fill_vessels(struct op_case *c, const struct grid_case *g)
{
    const uint64_t dims[3] = { g->n[0], g->n[1], g->n[2] };
    struct volume volume = { .name = "" };
    if (synth_volume(&volume, "vessels", dims, 0, 0, NULL, &c->err)) return;
    free(c->array[GRID_VOXELS].host);
    c->array[GRID_VOXELS].host = (void *)volume.grid.voxels;
}

void grid_fill(struct op_case *c, const struct grid_case *g)
{
    void *voxels = c->array[GRID_VOXELS].host;
    uint64_t seed = 42;
    if (g->field == FIELD_VESSELS) fill_vessels(c, g);
    else if (g->field == FIELD_BYTES)
        for (size_t i = 0; i < c->array[GRID_VOXELS].bytes; i++) ((uint8_t *)voxels)[i] = (uint8_t)synth_random(&seed);
    else
        for (size_t i = 0; i < grid_count(g); i++) store(voxels, g->type, i, field_value(g, i));
}

static struct grid grid_on(const void *voxels, const struct grid_case *g)
{
    struct grid grid = { voxels, g->type, g->n[0], g->n[1], g->n[2], 0 };
    grid.margin = grid_margin(&grid);
    if (g->field == FIELD_NOISE && (g->type == VOXEL_INT8 || g->type == VOXEL_FLOAT32)) /* as if cut out of a volume */
        grid.first[0] = 7, grid.first[1] = 30, grid.first[2] = 100;
    return grid;
}

struct grid grid_host(const struct op_case *c, const struct grid_case *g) { return grid_on(c->array[GRID_VOXELS].host, g); }

struct grid grid_device(const struct op_case *c, const struct grid_case *g)
{
    return grid_on(c->array[GRID_VOXELS].device, g);
}

/* ---- its truth and its strips -------------------------------------------------------------------------------------- */

static struct strips strips_shape(const struct grid_case *g, unsigned width)
{
    const size_t per_row = (g->n[0] + width - 1) / width;
    return (struct strips){ .width = width,
                            .per_row = per_row,
                            .count = op_product(op_product(per_row, g->n[1]), g->n[2]),
                            .nx = g->n[0],
                            .ny = g->n[1],
                            .nz = g->n[2] };
}

void grid_plan_strips(struct op_case *c, const struct grid_case *g, unsigned width, enum op_use use)
{
    const size_t n = grid_count(g), count = strips_shape(g, width).count;
    grid_plan(c, g);
    op_add(c, GRID_TABLES, OP_INPUT, 1, sizeof(struct mc_tables));
    op_add(c, TRUTH_INSIDE, OP_HOST, n, 1);
    op_add(c, TRUTH_VERTICES, OP_HOST, n, sizeof(uint32_t));
    op_add(c, TRUTH_CELLS, OP_HOST, n, sizeof(uint16_t));
    op_add(c, TRUTH_TOTALS, OP_HOST, 1, sizeof(struct strip_totals));
    for (int a = STRIP_INSIDE; a <= STRIP_LIST; a++) op_add(c, a, use, count, sizeof(uint32_t));
}

static unsigned case_of(const uint8_t *inside, size_t i, size_t up, size_t back)
{
    unsigned index = 0;
    for (unsigned k = 0; k < 8; k++) index |= (unsigned)inside[i + (k & 1) + (k >> 1 & 1) * up + (k >> 2) * back] << k;
    return index;
}

static void fill_truth(struct op_case *c, const struct grid *g, float iso)
{
    const size_t up = g->nx, back = g->nx * g->ny;
    const struct mc_tables *tables = c->array[GRID_TABLES].host;
    uint8_t *inside = c->array[TRUTH_INSIDE].host;
    uint32_t *vertices = c->array[TRUTH_VERTICES].host;
    uint16_t *cells = c->array[TRUTH_CELLS].host;
    struct strip_totals *totals = c->array[TRUTH_TOTALS].host;
    bool seen[256] = { false };
    assert(g->nx && g->ny);
    for (size_t i = 0; i < grid_voxels(g); i++) {
        inside[i] = (double)grid_value(g, i) >= (double)iso;
        totals->inside += inside[i];
    }
    for (size_t i = 0; i < grid_voxels(g); i++) {
        const bool x = i % up + 1 < g->nx, y = i / up % g->ny + 1 < g->ny, z = i / back + 1 < g->nz;
        if (x) vertices[i] += inside[i] != inside[i + 1];
        if (y) vertices[i] += inside[i] != inside[i + up];
        if (z) vertices[i] += inside[i] != inside[i + back];
        if (!x || !y || !z) continue;
        const unsigned index = case_of(inside, i, up, back);
        cells[i] = (uint16_t)mc_cell(tables, g, iso, i, index);
        vertices[i] += tables->subcase[cells[i]].inner;
        totals->active_cells += index != 0 && index != 255;
        totals->cases += !seen[index];
        seen[index] = true;
    }
}

void grid_fill_strips(struct op_case *c, const struct grid_case *g, unsigned width)
{
    const struct strips s = strips_shape(g, width);
    const uint8_t *inside = c->array[TRUTH_INSIDE].host;
    const uint32_t *vertices = c->array[TRUTH_VERTICES].host;
    const uint16_t *cells = c->array[TRUTH_CELLS].host;
    const struct mc_tables *tables = c->array[GRID_TABLES].host;
    struct strip_totals *totals = c->array[TRUTH_TOTALS].host;
    uint32_t *word[STRIP_LIST + 1];
    for (int a = STRIP_INSIDE; a <= STRIP_LIST; a++) word[a] = c->array[a].host;
    grid_fill(c, g);
    const struct grid grid = grid_host(c, g);
    memcpy(c->array[GRID_TABLES].host, mc_tables_of(TOPOLOGY_TRILINEAR), sizeof(struct mc_tables));
    fill_truth(c, &grid, g->iso);
    for (size_t i = 0; i < grid_count(g); i++) {
        const size_t strip = i / g->n[0] * s.per_row + i % g->n[0] / width;
        word[STRIP_INSIDE][strip] |= (uint32_t)inside[i] << (i % g->n[0] % width);
        word[STRIP_VERTICES][strip] += vertices[i];
        const struct mc_subcase *cell = &tables->subcase[cells[i]];
        word[STRIP_INNER][strip] |= (uint32_t)(cell->inner > 0) << (i % g->n[0] % width);
        word[STRIP_TRIANGLES][strip] += cell->triangles;
    }
    for (size_t i = 0; i < s.count; i++) {
        word[STRIP_FIRST_VERTEX][i] = (uint32_t)totals->vertices;
        word[STRIP_FIRST_TRIANGLE][i] = (uint32_t)totals->triangles;
        totals->vertices += word[STRIP_VERTICES][i];
        totals->triangles += word[STRIP_TRIANGLES][i];
        if (word[STRIP_VERTICES][i] | word[STRIP_TRIANGLES][i]) word[STRIP_LIST][totals->strips++] = (uint32_t)i;
    }
}

struct strips grid_device_strips(const struct op_case *c, const struct grid_case *g, unsigned width)
{
    struct strips s = strips_shape(g, width);
    s.inside = c->array[STRIP_INSIDE].device, s.inner = c->array[STRIP_INNER].device;
    s.vertices = c->array[STRIP_VERTICES].device, s.triangles = c->array[STRIP_TRIANGLES].device;
    s.first_vertex = c->array[STRIP_FIRST_VERTEX].device, s.first_triangle = c->array[STRIP_FIRST_TRIANGLE].device;
    return s;
}

const struct strip_totals *grid_strip_totals(const struct op_case *c) { return c->array[TRUTH_TOTALS].host; }

/* ---- the grids to test --------------------------------------------------------------------------------------------- */

static void each_of(struct op_walk *walk, const size_t n[3], size_t type, size_t field, float iso,
                    void (*each)(struct op_walk *walk, const struct grid_case *g))
{
    const struct grid_case g = { { n[0], n[1], n[2] }, (enum voxel_type)type, (enum field)field, iso };
    each(walk, &g);
}

void grid_each(struct op_walk *walk, void (*each)(struct op_walk *walk, const struct grid_case *g))
{
    /* clang-format off */
    static const size_t shapes[][3] = { /* every type and field */
        { 2, 2, 2 },    /* one cell */
        { 3, 5, 7 },    /* no common factors */
        { 31, 4, 3 },   /* one less than a strip */
        { 32, 3, 4 },   /* a strip; its last voxel starts no cell */
        { 33, 5, 5 },   /* a strip and one voxel: exactly a brick */
        { 34, 6, 9 },   /* one cell of a second brick on every axis */
        { 65, 2, 33 },  /* two strips and one voxel, long in z */
        { 2, 67, 5 },   /* thin in x, long in y */
        { 288, 9, 5 },  /* more than 8 bricks along x */
        { 97, 37, 41 }, /* several bricks, all axes prime */
    };
    static const size_t mixed[][3] = { /* around powers of two, each axis with each length; types and fields alternate */
        { 255, 2, 3 },  { 257, 3, 2 },   { 3, 255, 2 },    { 2, 257, 3 },   { 2, 3, 255 },    { 3, 2, 257 },
        { 31, 255, 3 }, { 32, 257, 2 },  { 255, 32, 3 },   { 33, 2, 257 },  { 32, 33, 31 },   { 257, 255, 2 },
        { 3, 257, 32 }, { 257, 31, 33 }, { 33, 32, 255 },
    };
    /* clang-format on */
    /* Quick: noise for all shapes and types, one more field for all shapes but the last, and only the small shapes of
     * `mixed`. */
    const size_t last = sizeof shapes / sizeof shapes[0] - 1, large = 11;
    for (size_t s = 0; s <= last; s++)
        for (size_t type = 0; type < VOXEL_TYPE_COUNT; type++)
            for (size_t field = 0; field < FIELD_COMMON; field++) {
                if (walk->quick && field != FIELD_NOISE && (s == last || (s + type) % FIELD_COMMON != field)) continue;
                each_of(walk, shapes[s], type, field, s % 2 ? 40.5f : 40.0f, each); /* between values, and equal to one */
            }
    for (size_t s = 0; s < (walk->quick ? large : sizeof mixed / sizeof mixed[0]); s++) {
        each_of(walk, mixed[s], s % VOXEL_TYPE_COUNT, FIELD_NOISE, 40.5f, each);
        each_of(walk, mixed[s], s % VOXEL_TYPE_COUNT, 1 + s % (FIELD_COMMON - 1), 40.0f, each);
    }
}

void grid_each_thin(struct op_walk *walk, void (*each)(struct op_walk *walk, const struct grid_case *g))
{
    static const size_t shapes[][3] = {
        { 1, 1, 1 }, { 255, 1, 1 }, { 1, 257, 1 }, { 1, 1, 33 }, { 1, 31, 33 }, { 257, 1, 32 }, { 33, 255, 1 },
    };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t field = 0; field < FIELD_COMMON; field++)
            each_of(walk, shapes[s], s % VOXEL_TYPE_COUNT, field, 40.5f, each);
}
