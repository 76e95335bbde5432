/* draw by keys: what `keys` and the rungs after it share, and the steps of that rung, one triangle and one pixel at a
 * time. */
#include "draw_cpu.h"

enum { BLOCK = 2048 }; /* vertices, or triangles, that a thread takes at once */

/* ---- one at a time ------------------------------------------------------------------------------------------------- */

struct pixels { /* where covered ones go */
    const struct draw_keys *k;
    size_t triangle;
};

static inline void put(const struct pixels *to, int32_t x, int32_t y, float depth, bool counter_clockwise)
{
    const size_t at = (size_t)y * to->k->d->width + (size_t)x;
    draw_put(to->k->key + at, draw_key_of(depth, draw_low_of(to->triangle, counter_clockwise)), to->k->shared);
}

static void cover_points(const struct pixels *to, const struct draw_point p[3])
{
    const struct draw_desc *d = to->k->d;
    const struct draw_box screen = { { 0, 0 }, { (int32_t)d->width - 1, (int32_t)d->height - 1 } };
    DRAW_FILL(p, &screen, put, to)
}

void draw_cover_one(const struct draw_keys *k, size_t triangle)
{
    const uint32_t *index = k->d->indices + 3 * triangle;
    const struct pixels to = { k, triangle };
    struct draw_point p[3], corner[DRAW_CORNERS];
    if (draw_take_places(k->place, index, p)) {
        cover_points(&to, p);
        return;
    }
    const int n = draw_clip(k->d, index, corner);
    for (int i = 1; i + 1 < n; i++) cover_points(&to, (struct draw_point[]){ corner[0], corner[i], corner[i + 1] });
}

void draw_shade_one(const struct draw_keys *k, uint32_t x, uint32_t y)
{
    const struct draw_desc *d = k->d;
    const size_t at = (size_t)y * d->width + x;
    const uint32_t low = (uint32_t)k->key[at], depth = (uint32_t)(k->key[at] >> 32);
    struct draw_point p[3];
    float share[3];
    memcpy(&d->depth[at], &depth, sizeof depth);
    if (!low) {
        if (!d->over) d->seen[at] = 0;
        return;
    }
    const uint32_t *index = d->indices + 3 * (size_t)((low >> 1) - 1);
    if (draw_take_places(k->place, index, p)) draw_shares(p, x, y, low & 1, share);
    else draw_shares_clipped(d, index, x, y, share);
    d->seen[at] = draw_seen(d, index, share, low & 1);
}

static void place_plain(const struct draw_keys *k, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) k->place[i] = draw_place_of(k->d, k->d->vertices + i);
}

static void cover_plain(const struct draw_keys *k, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) draw_cover_one(k, i);
}

static void shade_plain(const struct draw_keys *k, uint32_t y)
{
    for (uint32_t x = 0; x < k->d->width; x++) draw_shade_one(k, x, y);
}

const struct draw_isa draw_plain = { place_plain, cover_plain, shade_plain, draw_light_plain };

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

static void clear_row(const struct draw_keys *k, uint32_t y)
{
    const size_t first = (size_t)y * k->d->width, last = first + k->d->width;
    for (size_t i = first; i < last; i++) k->key[i] = draw_key_of(k->d->over ? k->d->depth[i] : 1.0f, 0);
}

/* Blocks that are taken one after the other lie far apart, so that threads seldom meet in the same pixels. */
static size_t block_of(size_t turn, size_t blocks, size_t threads)
{
    const size_t each = (blocks + threads - 1) / threads;
    return turn % threads * each + turn / threads;
}

struct span { /* of numbers, first to last - 1 */
    size_t first, last;
};

/* Returns the span of the vertices that the triangles use. It may be a small part of a large mesh, and is most of it
 * otherwise. */
static struct span vertices_of(const struct draw_desc *d, int threads)
{
    uint32_t least = UINT32_MAX, most = 0;
    if (d->triangle_count >= d->vertex_count) return (struct span){ 0, d->vertex_count };
    if (!d->triangle_count) return (struct span){ 0, 0 };
#pragma omp parallel for num_threads(threads) reduction(min : least) reduction(max : most)
    for (size_t i = 0; i < 3 * d->triangle_count; i++) {
        least = d->indices[i] < least ? d->indices[i] : least;
        most = d->indices[i] > most ? d->indices[i] : most;
    }
    return (struct span){ least, (size_t)most + 1 };
}

static size_t key_bytes(const struct draw_desc *d)
{
    return scratch_round((size_t)d->width * d->height * sizeof(uint64_t));
}

size_t draw_keys_scratch(const struct draw_desc *d, const struct exec *x)
{
    (void)x;
    return key_bytes(d) + scratch_round(d->vertex_count * sizeof(struct draw_point));
}

int draw_keys_run(const struct draw_isa *isa, const struct draw_desc *d, void *scratch, struct exec *x)
{
    const struct draw_keys k = { d, scratch, (struct draw_point *)((char *)scratch + key_bytes(d)), x->threads > 1 };
    const size_t threads = (size_t)x->threads, blocks = (d->triangle_count + BLOCK - 1) / BLOCK;
    const size_t turns = (blocks + threads - 1) / threads * threads;
    if (exec_is_cancelled(x)) return 0;
    const struct span vertices = vertices_of(d, x->threads);
#pragma omp parallel num_threads(x->threads)
    {
#pragma omp for nowait
        for (uint32_t y = 0; y < d->height; y++) clear_row(&k, y);
#pragma omp for
        for (size_t first = vertices.first; first < vertices.last; first += BLOCK)
            if (!exec_is_cancelled(x)) isa->place(&k, first, min_size(first + BLOCK, vertices.last));
#pragma omp for schedule(dynamic)
        for (size_t turn = 0; turn < turns; turn++) {
            const size_t block = block_of(turn, blocks, threads), first = block * BLOCK;
            if (block < blocks && !exec_is_cancelled(x)) isa->cover(&k, first, min_size(first + BLOCK, d->triangle_count));
        }
#pragma omp for schedule(dynamic, 8)
        for (uint32_t y = 0; y < d->height; y++)
            if (!exec_is_cancelled(x)) isa->shade(&k, y);
    }
    return 0;
}
