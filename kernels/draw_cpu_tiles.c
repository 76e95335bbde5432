/* draw by tiles, in four steps:
 *
 *    place    vertices -> places, each once
 *    bin      triangles -> numbers of those that may cover a pixel, in lists of each tile; by blocks of triangles
 *    cover    a tile's triangles -> depth and `top`: who is seen at each pixel
 *    shade    `top` -> what is seen: normal, side, surface */
#include "draw_cpu.h"

#include "cpu_util.h"

#include <omp.h>
#include <string.h>

enum {
    TILE_BITS = 6,         /* a tile has 64 x 64 pixels: 32 KiB of depth and top, which L1 holds */
    TILE = 1 << TILE_BITS, /* pixels */
    CHUNK = 64,            /* numbers that are added to a list at a time */
    ROUND = 1 << 20,       /* triangles listed before they are drawn: bounds the memory for lists */
    BLOCK = 4096,          /* triangles that a thread takes at once */
    TILES_EACH = 4         /* lists that a triangle may be in */
};

/* Bits of `top`: number of the triangle + 1, and whether it is counter-clockwise. 0: nothing. */
#define TOP_NUMBER 0x7fffffffu
#define TOP_TURN 0x80000000u
#define NO_CHUNK 0xffffffffu

struct chunk {
    uint32_t triangle[CHUNK];
    uint32_t next; /* an older, full one */
};

struct list {             /* of one thread and tile */
    uint32_t chunk, used; /* the newest, and the numbers in it */
};

struct wide { /* a triangle that reaches over more than 2 x 2 tiles */
    uint32_t triangle;
    struct draw_box tiles;
};

struct work { /* state that the threads share */
    const struct draw_desc *d;
    struct draw_point *place; /* of each vertex */
    uint32_t *top;            /* [height, width] */
    size_t tiles_x, tiles;
    struct list *list;   /* [threads, tiles] */
    struct chunk *chunk; /* taken in turn: `chunks` so far */
    struct wide *wide;   /* `wides` so far */
    uint32_t chunks, wides;
};

/* ---- memory -------------------------------------------------------------------------------------------------------- */

static size_t tiles_along(uint32_t pixels) { return ((size_t)pixels + TILE - 1) >> TILE_BITS; }

static size_t tiles_of(const struct draw_desc *d) { return tiles_along(d->width) * tiles_along(d->height); }

/* Every list begins with one chunk. */
static size_t chunks_for(const struct draw_desc *d, const struct exec *x)
{
    const size_t triangles = min_size(d->triangle_count, ROUND);
    return (size_t)x->threads * tiles_of(d) + TILES_EACH * triangles / CHUNK + 1;
}

/* Lays out the scratch memory; returns its bytes. memory NULL: only counts. */
static size_t lay_out(struct work *w, const struct draw_desc *d, char *memory, const struct exec *x)
{
    const size_t pixels = (size_t)d->width * d->height;
    const struct {
        void **to;
        size_t bytes;
    } part[] = { { (void **)&w->place, d->vertex_count * sizeof *w->place },
                 { (void **)&w->top, pixels * sizeof *w->top },
                 { (void **)&w->list, (size_t)x->threads * tiles_of(d) * sizeof *w->list },
                 { (void **)&w->chunk, chunks_for(d, x) * sizeof *w->chunk },
                 { (void **)&w->wide, min_size(d->triangle_count, ROUND) * sizeof *w->wide } };
    size_t used = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (memory) *part[i].to = memory + used;
        used += scratch_round(part[i].bytes);
    }
    return used;
}

size_t draw_tiles_scratch(const struct draw_desc *d, const struct exec *x)
{
    struct work w;
    return lay_out(&w, d, NULL, x);
}

/* ---- lists --------------------------------------------------------------------------------------------------------- */

static void begin_lists(struct work *w, int threads)
{
    const size_t lists = (size_t)threads * w->tiles;
    for (size_t i = 0; i < lists; i++) {
        w->list[i] = (struct list){ (uint32_t)i, 0 };
        w->chunk[i].next = NO_CHUNK;
    }
    w->chunks = (uint32_t)lists;
    w->wides = 0;
}

static void append(struct work *w, struct list *list, uint32_t triangle)
{
    if (list->used == CHUNK) {
        const uint32_t next = list->chunk;
        list->chunk = __atomic_fetch_add(&w->chunks, 1, __ATOMIC_RELAXED);
        list->used = 0;
        w->chunk[list->chunk].next = next;
    }
    w->chunk[list->chunk].triangle[list->used++] = triangle;
}

/* Lists a triangle whose pixels lie in `box`, which is not empty. */
static void bin_box(struct work *w, struct list *lists, size_t triangle, const struct draw_box *box)
{
    struct draw_box t = *box;
    for (int a = 0; a < 2; a++) t.low[a] >>= TILE_BITS, t.high[a] >>= TILE_BITS;
    if (t.high[0] - t.low[0] > 1 || t.high[1] - t.low[1] > 1) {
        w->wide[__atomic_fetch_add(&w->wides, 1, __ATOMIC_RELAXED)] = (struct wide){ (uint32_t)triangle, t };
        return;
    }
    for (int32_t y = t.low[1]; y <= t.high[1]; y++)
        for (int32_t i = t.low[0]; i <= t.high[0]; i++)
            append(w, &lists[(size_t)y * w->tiles_x + (size_t)i], (uint32_t)triangle);
}

static struct draw_box screen_of(const struct draw_desc *d)
{
    return (struct draw_box){ { 0, 0 }, { (int32_t)d->width - 1, (int32_t)d->height - 1 } };
}

static struct draw_box tile_of(const struct work *w, size_t tile)
{
    const int32_t x = (int32_t)(tile % w->tiles_x) * TILE, y = (int32_t)(tile / w->tiles_x) * TILE;
    const int32_t right = (int32_t)w->d->width - 1, top = (int32_t)w->d->height - 1;
    return (struct draw_box){ { x, y },
                              { x + TILE - 1 < right ? x + TILE - 1 : right, y + TILE - 1 < top ? y + TILE - 1 : top } };
}

/* ---- one at a time ------------------------------------------------------------------------------------------------- */

static void grow(struct draw_box *box, const struct draw_box *by)
{
    for (int a = 0; a < 2; a++) {
        if (by->low[a] < box->low[a]) box->low[a] = by->low[a];
        if (by->high[a] > box->high[a]) box->high[a] = by->high[a];
    }
}

/* The box of all pieces of a triangle that is cut. */
static struct draw_box clipped_box(const struct draw_desc *d, const uint32_t index[3])
{
    struct draw_point corner[DRAW_CORNERS];
    const struct draw_box screen = screen_of(d);
    struct draw_box all = { { INT_MAX, INT_MAX }, { INT_MIN, INT_MIN } };
    const int n = draw_clip(d, index, corner);
    for (int i = 1; i + 1 < n; i++) {
        const struct draw_box box = draw_box_of((struct draw_point[]){ corner[0], corner[i], corner[i + 1] }, &screen);
        if (!draw_is_empty(&box)) grow(&all, &box);
    }
    return all;
}

static void bin_one(struct work *w, struct list *lists, size_t triangle)
{
    const uint32_t *index = w->d->indices + 3 * triangle;
    const struct draw_box screen = screen_of(w->d);
    struct draw_point p[3];
    const struct draw_box box = draw_take_places(w->place, index, p) ? draw_box_of(p, &screen) : clipped_box(w->d, index);
    if (!draw_is_empty(&box)) bin_box(w, lists, triangle, &box);
}

struct pixels { /* where covered ones go */
    const struct work *w;
    uint32_t number;
};

/* Of equally near triangles the first in the mesh is on top, whoever comes first. */
static inline void put(const struct pixels *to, int32_t x, int32_t y, float depth, bool counter_clockwise)
{
    const struct work *w = to->w;
    const size_t at = (size_t)y * w->d->width + (size_t)x;
    const float there = w->d->depth[at];
    if (depth < there || (depth == there && to->number < (w->top[at] & TOP_NUMBER)))
        w->d->depth[at] = depth, w->top[at] = to->number | (counter_clockwise ? TOP_TURN : 0);
}

static void cover_points(const struct pixels *to, const struct draw_box *tile, const struct draw_point p[3])
{
    DRAW_FILL(p, tile, put, to)
}

static void cover_one(const struct work *w, const struct draw_box *tile, uint32_t triangle)
{
    const uint32_t *index = w->d->indices + 3 * (size_t)triangle;
    const struct pixels to = { w, triangle + 1 };
    struct draw_point p[3], corner[DRAW_CORNERS];
    if (draw_take_places(w->place, index, p)) {
        cover_points(&to, tile, p);
        return;
    }
    const int n = draw_clip(w->d, index, corner);
    for (int i = 1; i + 1 < n; i++) cover_points(&to, tile, (struct draw_point[]){ corner[0], corner[i], corner[i + 1] });
}

static void shade_one(const struct work *w, uint32_t x, uint32_t y)
{
    const struct draw_desc *d = w->d;
    const size_t at = (size_t)y * d->width + x;
    const uint32_t top = w->top[at];
    const bool counter_clockwise = top & TOP_TURN;
    struct draw_point p[3];
    float share[3];
    if (!top) {
        if (!d->over) d->seen[at] = 0;
        return;
    }
    const uint32_t *index = d->indices + 3 * (size_t)((top & TOP_NUMBER) - 1);
    if (draw_take_places(w->place, index, p)) draw_shares(p, x, y, counter_clockwise, share);
    else draw_shares_clipped(d, index, x, y, share);
    d->seen[at] = draw_seen(d, index, share, counter_clockwise);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

static void clear(const struct work *w, const struct draw_box *tile)
{
    const size_t width = (size_t)tile->high[0] - (size_t)tile->low[0] + 1;
    for (int32_t y = tile->low[1]; y <= tile->high[1]; y++) {
        const size_t at = (size_t)y * w->d->width + (size_t)tile->low[0];
        memset(w->top + at, 0, width * sizeof *w->top);
        if (w->d->over) continue;
        for (size_t i = 0; i < width; i++) w->d->depth[at + i] = 1;
    }
}

static void cover_tile(const struct work *w, size_t tile, int threads)
{
    const struct draw_box box = tile_of(w, tile);
    const int32_t tx = box.low[0] >> TILE_BITS, ty = box.low[1] >> TILE_BITS;
    for (int p = 0; p < threads; p++) {
        const struct list *list = &w->list[(size_t)p * w->tiles + tile];
        size_t used = list->used;
        for (uint32_t c = list->chunk; c != NO_CHUNK; c = w->chunk[c].next, used = CHUNK)
            for (size_t i = 0; i < used; i++) cover_one(w, &box, w->chunk[c].triangle[i]);
    }
    for (uint32_t i = 0; i < w->wides; i++) {
        const struct draw_box *t = &w->wide[i].tiles;
        if (t->low[0] <= tx && tx <= t->high[0] && t->low[1] <= ty && ty <= t->high[1])
            cover_one(w, &box, w->wide[i].triangle);
    }
}

static void shade_tile(const struct work *w, const struct draw_box *tile)
{
    for (int32_t y = tile->low[1]; y <= tile->high[1]; y++)
        for (int32_t x = tile->low[0]; x <= tile->high[0]; x++) shade_one(w, (uint32_t)x, (uint32_t)y);
}

/* Draws triangles first to last - 1 over those drawn before. All threads of a team call it. */
static void draw_round(struct work *w, size_t first, size_t last, const struct exec *x)
{
#pragma omp single
    begin_lists(w, x->threads);
#pragma omp for schedule(dynamic, BLOCK)
    for (size_t i = first; i < last; i++)
        if (!exec_is_cancelled(x)) bin_one(w, w->list + (size_t)omp_get_thread_num() * w->tiles, i);
#pragma omp for schedule(dynamic)
    for (size_t tile = 0; tile < w->tiles; tile++) {
        const struct draw_box box = tile_of(w, tile);
        if (exec_is_cancelled(x)) continue;
        if (!first) clear(w, &box);
        cover_tile(w, tile, x->threads);
        if (last == w->d->triangle_count) shade_tile(w, &box);
    }
}

int draw_tiles_run(const struct draw_desc *d, void *scratch, struct exec *x)
{
    struct work w = { .d = d, .tiles_x = tiles_along(d->width), .tiles = tiles_of(d) };
    lay_out(&w, d, scratch, x);
#pragma omp parallel num_threads(x->threads)
    {
#pragma omp for
        for (size_t i = 0; i < d->vertex_count; i++)
            if (!exec_is_cancelled(x)) w.place[i] = draw_place_of(d, d->vertices + i);
        size_t first = 0;
        do {
            const size_t last = d->triangle_count - first < ROUND ? d->triangle_count : first + ROUND;
            draw_round(&w, first, last, x);
            first = last;
        } while (first < d->triangle_count);
    }
    return 0;
}
