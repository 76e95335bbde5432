/* The grids that grid ops are tested on, and what the stages must find in them, by brute force. */
#include "ops.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields -------------------------------------------------------------------------------------------------------- */

static uint32_t hash(uint32_t x) /* a full-period mixer; the same bytes on every machine */
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

enum field { NOISE, BALL, EMPTY, FULL, ODD, FIELDS };
static const char *const field_name[FIELDS] = { "noise", "ball", "empty", "full", "odd values" };

/* Stored values are chosen around 40; the isovalue is 40.5, on ties 40. */
static float field_value(enum field field, enum voxel_type type, const size_t p[3], const size_t n[3], uint32_t i)
{
    const uint32_t r = hash(i + 1000 * (uint32_t)field);
    if (field == EMPTY) return (float)(r % 40);
    if (field == FULL) return (float)(41 + r % 40);
    if (field == NOISE) return (float)(r % 81);
    if (field == BALL) {
        double d = 0;
        for (int a = 0; a < 3; a++) {
            const double c = ((double)p[a] - 0.5 * (double)(n[a] - 1)) / (0.5 * (double)n[a]);
            d += c * c;
        }
        return (float)(80 - (int)(60 * d) < 0 ? 0 : 80 - (int)(60 * d));
    }
    /* ends of the type's range; for floats what is hardest to compare and interpolate */
    static const float special[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, FLT_MIN, 40.5f, 1e-45f };
    static const float low[] = { 0, -128, 0, -32768 }, high[] = { 255, 127, 65535, 32767 };
    if (type == VOXEL_FLOAT32) return r % 3 ? (float)(r % 81) : special[r / 3 % 8];
    return r % 3 == 0 ? low[type] : r % 3 == 1 ? high[type] : (float)(r % 81);
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

static void one_sample(struct env *env, const size_t n[3], enum voxel_type type, enum field field, float iso,
                       void (*each)(struct env *env, const struct sample *sample))
{
    const size_t count = n[0] * n[1] * n[2], bytes = count * voxel_bytes(type);
    struct sample sample = { .iso = iso, .all_cases = field == NOISE && count >= 20000 };
    void *voxels = malloc(bytes);
    for (size_t i = 0; i < count; i++) {
        const size_t p[3] = { i % n[0], i / n[0] % n[1], i / n[0] / n[1] };
        store(voxels, type, i, field_value(field, type, p, n, (uint32_t)i));
    }
    sample.grid = (struct grid){ voxels, type, n[0], n[1], n[2] };
    sample.device = sample.grid;
    sample.device.voxels = env_memory(env, voxels, bytes);
    snprintf(sample.name, sizeof sample.name, "%zux%zux%zu type %d %s", n[0], n[1], n[2], type, field_name[field]);
    each(env, &sample);
    env_take(env, (void *)sample.device.voxels, NULL, bytes);
    free(voxels);
}

void each_sample(struct env *env, void (*each)(struct env *env, const struct sample *sample))
{
    /* clang-format off */
    static const size_t shapes[][3] = { /* every type and field */
        { 2, 2, 2 },    /* one cell */
        { 3, 5, 7 },    /* nothing is a multiple of anything */
        { 31, 4, 3 },   /* a strip less one */
        { 32, 3, 4 },   /* a strip; its last voxel starts no cell */
        { 33, 5, 5 },   /* a strip and one voxel: a brick exactly */
        { 34, 6, 9 },   /* first cell of a second brick on every axis */
        { 65, 2, 33 },  /* two strips and one voxel, long in z */
        { 2, 67, 5 },   /* thin in x, long in y */
        { 288, 9, 5 },  /* more than 8 bricks along x */
        { 97, 37, 41 }, /* several bricks, all axes prime */
    };
    /* clang-format on */
    /* clang-format off */
    static const size_t mixed[][3] = { /* round powers of two, each axis once each length; types and fields take turns */
        { 255, 2, 3 },  { 257, 3, 2 },   { 3, 255, 2 },    { 2, 257, 3 },   { 2, 3, 255 },    { 3, 2, 257 },
        { 31, 255, 3 }, { 32, 257, 2 },  { 255, 32, 3 },   { 33, 2, 257 },  { 32, 33, 31 },   { 257, 255, 2 },
        { 3, 257, 32 }, { 257, 31, 33 }, { 33, 32, 255 },
    };
    /* clang-format on */
    /* Quick: of the shapes above noise, and one more field but for the last; of the mixed ones those before the large. */
    const size_t last = sizeof shapes / sizeof shapes[0] - 1, large = 11;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int type = 0; type < VOXEL_TYPE_COUNT; type++)
            for (int field = 0; field < FIELDS; field++) {
                if (env->quick && field != NOISE && (s == last || (s + (size_t)type) % FIELDS != (size_t)field)) continue;
                const float iso = s % 2 ? 40.5f : 40.0f; /* between values, and on them */
                one_sample(env, shapes[s], (enum voxel_type)type, (enum field)field, iso, each);
            }
    for (size_t s = 0; s < (env->quick ? large : sizeof mixed / sizeof mixed[0]); s++) {
        const enum voxel_type type = (enum voxel_type)(s % VOXEL_TYPE_COUNT);
        one_sample(env, mixed[s], type, NOISE, 40.5f, each);
        one_sample(env, mixed[s], type, (enum field)(1 + s % (FIELDS - 1)), 40.0f, each);
    }
}

void each_thin_sample(struct env *env, void (*each)(struct env *env, const struct sample *sample))
{
    static const size_t shapes[][3] = {
        { 1, 1, 1 }, { 255, 1, 1 }, { 1, 257, 1 }, { 1, 1, 33 }, { 1, 31, 33 }, { 257, 1, 32 }, { 33, 255, 1 },
    };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int field = 0; field < FIELDS; field++)
            one_sample(env, shapes[s], (enum voxel_type)(s % VOXEL_TYPE_COUNT), (enum field)field, 40.5f, each);
}

/* ---- the truth ----------------------------------------------------------------------------------------------------- */

struct truth truth_of(const struct env *env, const struct sample *sample)
{
    const struct grid *g = &sample->grid;
    struct truth t = { grid_voxels(g), 0, NULL, NULL, NULL };
    bool seen[256] = { false };
    t.inside = calloc(t.n, 1);
    t.vertices = calloc(t.n, sizeof *t.vertices);
    t.triangles = calloc(t.n, sizeof *t.triangles);
    for (size_t i = 0; i < t.n; i++) t.inside[i] = (double)grid_value(g, i) >= (double)sample->iso;
    for (size_t z = 0; z < g->nz; z++)
        for (size_t y = 0; y < g->ny; y++)
            for (size_t x = 0; x < g->nx; x++) {
                const size_t i = (z * g->ny + y) * g->nx + x, up = g->nx, back = g->nx * g->ny;
                if (x + 1 < g->nx) t.vertices[i] += t.inside[i] != t.inside[i + 1];
                if (y + 1 < g->ny) t.vertices[i] += t.inside[i] != t.inside[i + up];
                if (z + 1 < g->nz) t.vertices[i] += t.inside[i] != t.inside[i + back];
                if (x + 1 == g->nx || y + 1 == g->ny || z + 1 == g->nz) continue;
                unsigned index = 0;
                for (unsigned c = 0; c < 8; c++)
                    index |= (unsigned)t.inside[i + (c & 1) + (c >> 1 & 1) * up + (c >> 2) * back] << c;
                t.triangles[i] = env->tables.triangles[index];
                t.cases += !seen[index];
                seen[index] = true;
            }
    return t;
}

void truth_free(struct truth *truth)
{
    free(truth->inside);
    free(truth->vertices);
    free(truth->triangles);
}

struct strips_sample strips_of(struct env *env, const struct sample *sample, const struct truth *t, unsigned width)
{
    const struct grid *g = &sample->grid;
    const size_t per_row = (g->nx + width - 1) / width, n = per_row * g->ny * g->nz;
    struct strips_sample s = { .vertices = 0 };
    uint32_t *words = calloc(5 * n, sizeof *words), *list = calloc(n, sizeof *list);
    for (size_t i = 0; i < t->n; i++) {
        const size_t strip = i / g->nx * per_row + i % g->nx / width;
        words[strip] |= (uint32_t)t->inside[i] << (i % g->nx % width);
        words[n + strip] += t->vertices[i];
        words[2 * n + strip] += t->triangles[i];
    }
    for (size_t i = 0; i < n; i++) {
        words[3 * n + i] = (uint32_t)s.vertices;
        words[4 * n + i] = (uint32_t)s.triangles;
        s.vertices += words[n + i];
        s.triangles += words[2 * n + i];
        if (words[n + i] | words[2 * n + i]) list[s.active++] = (uint32_t)i;
    }
    uint32_t *memory[5];
    for (size_t a = 0; a < 5; a++) memory[a] = env_memory(env, words + a * n, n * sizeof *words);
    s.strips = (struct strips){ width,     per_row,   n,         g->nx,     g->ny,    g->nz,
                                memory[0], memory[1], memory[2], memory[3], memory[4] };
    s.list = env_memory(env, list, n * sizeof *list);
    free(words);
    free(list);
    return s;
}

void strips_free(struct env *env, struct strips_sample *s)
{
    uint32_t *memory[6] = { s->strips.inside,       s->strips.vertices,       s->strips.triangles,
                            s->strips.first_vertex, s->strips.first_triangle, s->list };
    for (int a = 0; a < 6; a++) env_take(env, memory[a], NULL, s->strips.count * sizeof(uint32_t));
}
