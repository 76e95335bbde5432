/* What the files of draw on the CPU share.
 *
 * draw_cpu_tiles.c is the rung `tiles`. The other rungs are three steps that draw_cpu_keys.c drives. Each instruction
 * set has its own version of them, in draw_cpu_keys.c itself, draw_cpu_avx2.c and draw_cpu_avx512.c:
 *
 *    place    vertices -> places, each once
 *    cover    triangles -> keys: who is nearest at each pixel
 *    shade    keys -> depth, and what is seen: normal, side, surface */
#ifndef ISO_DRAW_CPU_H
#define ISO_DRAW_CPU_H

#include "draw_light.h"
#include "draw_triangle.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A key is one 64-bit number. The upper half is the bits of the depth. Below them are the number of the triangle + 1
 * and which way it turns (1: counter-clockwise). Positive floats are ordered like their bits, so the least key is the
 * nearest triangle, which is the one seen. Number 0 means that no triangle of this mesh is seen here. */
struct draw_keys {
    const struct draw_desc *d;
    uint64_t *key;            /* [height, width] */
    struct draw_point *place; /* [vertex_count]: of the vertices that triangles use */
    bool shared;              /* several threads write keys */
};

struct draw_isa {
    void (*place)(const struct draw_keys *k, size_t first, size_t last); /* vertices */
    void (*cover)(const struct draw_keys *k, size_t first, size_t last); /* triangles */
    void (*shade)(const struct draw_keys *k, uint32_t y);                /* a row of pixels, */
    void (*light)(const struct draw_light *l, uint32_t y);               /* and their colours (draw_light.h) */
};

extern const struct draw_isa draw_plain, draw_avx2, draw_avx512;

/* The widest vectors that this machine has. */
const struct draw_isa *draw_isa_best(void);

int draw_keys_run(const struct draw_isa *isa, const struct draw_desc *d, void *scratch, struct exec *x);
size_t draw_keys_scratch(const struct draw_desc *d, const struct exec *x);

/* For one triangle or one pixel: the rest that does not fill a vector. */
void draw_cover_one(const struct draw_keys *k, size_t triangle);
void draw_shade_one(const struct draw_keys *k, uint32_t x, uint32_t y);

void draw_light_plain(const struct draw_light *l, uint32_t y); /* of draw_plain */

int draw_tiles_run(const struct draw_desc *d, void *scratch, struct exec *x);
size_t draw_tiles_scratch(const struct draw_desc *d, const struct exec *x);

ISO_FN uint64_t draw_key_of(float depth, uint32_t low)
{
    uint32_t bits;
    memcpy(&bits, &depth, sizeof bits);
    return (uint64_t)bits << 32 | low;
}

ISO_FN uint32_t draw_low_of(size_t triangle, bool counter_clockwise)
{
    return (uint32_t)(triangle + 1) << 1 | counter_clockwise;
}

/* Keep the lesser of `key` and what is there. What is there is nearer at most pixels; a plain read shows that, and
 * saves the atomic. */
ISO_FN void draw_put(uint64_t *at, uint64_t key, bool shared)
{
    uint64_t there = __atomic_load_n(at, __ATOMIC_RELAXED);
    if (key >= there) return;
    if (!shared) *at = key;
    else
        while (key < there && !__atomic_compare_exchange_n(at, &there, key, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
}

#ifdef __cplusplus
}
#endif
#endif
