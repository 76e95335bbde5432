/* draw on the CPU; contract in draw.h.
 * Run: isoscope ladder draw --bench --backend cpu
 *
 * Times: processor time of one thread of an EPYC (Zen 5), the lowest of 15 runs or more. Bonsai CT at 40.5, 1.1 million
 * triangles, 263000 of 1280x800 pixels covered: textbook 91 ms, tiles 92, keys 95, avx2 24, avx512 17; with two threads
 * avx512 takes 8.6 ms. What is left is work on pixels, a third of it their normals. */
#include "draw_cpu.h"

#include "cpu_vectors.h"

/* ---- textbook --------------------------------------------------------------------------------------------------------
 * One triangle at a time (Pineda 1988): place its vertices, go through the pixels of the box around it, and evaluate
 * three edge functions at each. Where the triangle covers the pixel and is nearer than what is there, write depth and
 * normal.
 * Cost: each vertex is placed by six triangles. A pixel gets a normal from every triangle that is nearer than all
 * before it. And one thread does everything. */

struct pixels {
    const struct draw_desc *d;
    const uint32_t *index;
    const struct draw_point *p; /* of the vertices; NULL: the triangle was cut */
};

static inline void put(const struct pixels *to, int32_t x, int32_t y, float depth, bool counter_clockwise)
{
    const struct draw_desc *d = to->d;
    const size_t at = (size_t)y * d->width + (size_t)x;
    float share[3];
    if (!(depth < d->depth[at])) return;
    if (to->p) draw_shares(to->p, (uint32_t)x, (uint32_t)y, counter_clockwise, share);
    else draw_shares_clipped(d, to->index, (uint32_t)x, (uint32_t)y, share);
    d->depth[at] = depth;
    d->seen[at] = draw_seen(d, to->index, share, counter_clockwise);
}

static void draw_points(const struct pixels *to, const struct draw_point p[3])
{
    const struct draw_box screen = { { 0, 0 }, { (int32_t)to->d->width - 1, (int32_t)to->d->height - 1 } };
    DRAW_FILL(p, &screen, put, to)
}

static void draw_one(const struct draw_desc *d, const uint32_t index[3])
{
    struct draw_point p[3], corner[DRAW_CORNERS];
    const bool whole = draw_places(d, index, p);
    const struct pixels to = { d, index, whole ? p : NULL };
    if (whole) {
        draw_points(&to, p);
        return;
    }
    const int n = draw_clip(d, index, corner);
    for (int i = 1; i + 1 < n; i++) draw_points(&to, (struct draw_point[]){ corner[0], corner[i], corner[i + 1] });
}

static int run_textbook(const struct draw_desc *d, void *scratch, struct exec *x)
{
    const size_t pixels = (size_t)d->width * d->height;
    (void)scratch;
    if (exec_is_cancelled(x)) return 0;
    for (size_t i = 0; i < pixels && !d->over; i++) d->depth[i] = 1, d->seen[i] = 0;
    for (size_t i = 0; i < d->triangle_count && !exec_is_cancelled(x); i++) draw_one(d, d->indices + 3 * i);
    return 0;
}

/* ---- tiles -----------------------------------------------------------------------------------------------------------
 * In textbook, two threads would write the same pixels, and neighbouring triangles may lie anywhere in the memory of
 * the picture. Idea: tiles of 64 x 64 pixels. All vertices are placed once. Triangles are put on the lists of the tiles
 * that they may cover. Then each tile belongs to one thread, which draws the tile's list while the tile is in L1.
 * Drawing writes only the number of the triangle on top; when a tile is complete, each pixel gets one normal (deferred
 * attribute interpolation; Burns and Hunt 2013).
 * Cost: lists, and the places of vertices in memory. It still handles one triangle and one pixel at a time, though most
 * triangles of a surface cover no pixel at all or only a few. */

static int run_tiles(const struct draw_desc *d, void *scratch, struct exec *x) { return draw_tiles_run(d, scratch, x); }

/* ---- keys ------------------------------------------------------------------------------------------------------------
 * tiles reads every triangle twice. The second time, triangles come from all over the mesh: a tile's list has some from
 * every layer of the volume behind it, and the thread waits for memory. Idea: read each triangle once, in the order of
 * the mesh, where its neighbours have just been read, and draw it into the picture at once. Threads share the picture.
 * A pixel is a 64-bit key, the depth above the number of the triangle, and compare-and-swap keeps the least key,
 * whoever comes first. Normals come last, as in tiles.
 * Cost: an atomic operation for each pixel that comes nearer. By itself this is no faster than tiles: handling
 * triangles one by one takes so long that it hides the waiting for memory. With vectors, drawing lists by tile took 53
 * ms, and this takes 20. */

static int run_keys(const struct draw_desc *d, void *scratch, struct exec *x)
{
    return draw_keys_run(&draw_plain, d, scratch, x);
}

/* ---- avx2 ------------------------------------------------------------------------------------------------------------
 * keys spends its time on triangles that cover no pixel or only a few: for each a box, three edges and a division, all
 * for one or two rounds of a loop. Idea: 8 triangles at a time, one per lane of a vector. Triangles that cover no
 * centre of a pixel are dropped before their edges are computed; then all lanes step through their boxes together.
 * Covered pixels go into a list, which is compared with the keys when it is full. If each pixel were handled where it
 * is found, that would take a loop of 0 to 8 rounds, whose end the processor mispredicts, and the key would seldom be
 * in the cache. The list needs no such loop, and keys are prefetched: cover takes 17 ms instead of 28 (1.1 million
 * triangles, 1280 x 800, one thread of an EPYC).
 *
 * Vertices are placed and normals made 8 at a time, too. A record is loaded whole, as 16 bytes, and distributed to
 * lanes by shuffles; gathering its words takes several times as long. The arithmetic is the same, step by step, and so
 * are the bits.
 * Cost: lanes wait for the largest box among them. Therefore triangles of more than 8 pixels along a side are taken one
 * by one, 8 pixels of a row at a time, and those over 64 pixels by the loops of keys. */

static int run_avx2(const struct draw_desc *d, void *scratch, struct exec *x)
{
    return draw_keys_run(&draw_avx2, d, scratch, x);
}

/* ---- avx512 ----------------------------------------------------------------------------------------------------------
 * avx2 keeps masks in vectors, and has to move them to where branches can test them. Idea: 16 lanes, and masks in
 * registers of their own.
 * Cost: more lanes wait for the largest box. */

static int run_avx512(const struct draw_desc *d, void *scratch, struct exec *x)
{
    return draw_keys_run(&draw_avx512, d, scratch, x);
}

/* ---- simd ------------------------------------------------------------------------------------------------------------
 * Not every machine has the same vectors. Idea: use the widest of these that the machine has, which is found when the
 * program runs. */

const struct draw_isa *draw_isa_best(void)
{
    return cpu_has_avx512() ? &draw_avx512 : cpu_has_avx2() ? &draw_avx2 : &draw_plain;
}

static int run_simd(const struct draw_desc *d, void *scratch, struct exec *x)
{
    return draw_keys_run(draw_isa_best(), d, scratch, x);
}

/* ---- table ----------------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct draw_rung draw_cpu[] = {
    { { "textbook", "one triangle at a time: edge functions at each pixel of its bounding box", false },
      run_textbook, NULL },
    { { "tiles", "triangles listed by tile, one thread per tile; normals of visible pixels only", false },
      run_tiles, draw_tiles_scratch },
    { { "keys", "each triangle once, in mesh order; atomics on depth and number decide each pixel", false },
      run_keys, draw_keys_scratch },
    { { "avx2", "as keys, 8 small triangles at a time, one per lane", false, cpu_lacks_avx2 },
      run_avx2, draw_keys_scratch },
    { { "avx512", "as avx2, 16 small triangles at a time", false, cpu_lacks_avx512 }, run_avx512, draw_keys_scratch },
    { { "simd", "the rung above with the widest vectors that the machine has", true }, run_simd, draw_keys_scratch },
    { { NULL, NULL, false }, NULL, NULL },
};
/* clang-format on */
