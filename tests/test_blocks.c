/* Blocks of levels: their voxels, which are kept and which dropped, a memory limit that is never exceeded, and files
 * that become unreadable. */
#include "stream_util.h"

#include "blocks.h"
#include "pack.h"

#include <math.h>

static const char *in_folder(const char *name)
{
    static char path[256];
    return path_of(path, name);
}

/* A volume as it would be in memory after every step-th voxel was read. */
static struct volume shown_of(const struct volume *whole, uint64_t step)
{
    struct volume shown = *whole;
    struct grid *g = &shown.grid;
    g->nx = (g->nx - 1) / step + 1, g->ny = (g->ny - 1) / step + 1, g->nz = (g->nz - 1) / step + 1;
    shown.step = step, shown.finer = true;
    return shown;
}

static struct volume load(const char *path, const struct load_desc *desc)
{
    struct volume v;
    struct err err = { 0 };
    if (load_volume(&v, path, desc, &err)) printf("%s\n", err.text), exit(1);
    return v;
}

/* Whether the block has its voxels of the volume, and all neighbours that its cells and normals need. */
static bool is_right(const struct grid *block, const uint32_t at[3], const struct volume *whole, uint64_t step,
                     const struct grid *level)
{
    const struct grid *w = &whole->grid;
    const size_t n[3] = { block->nx, block->ny, block->nz }, all[3] = { level->nx, level->ny, level->nz };
    for (int a = 0; a < 3; a++) {
        const size_t own = (size_t)at[a] * BLOCK_CELLS,
                     end = own + BLOCK_CELLS < all[a] - 1 ? own + BLOCK_CELLS : all[a] - 1;
        if (block->first[a] > (own ? own - 1 : 0) || (a == 0 && block->first[a] % BRICK_X)) return false;
        if (block->first[a] + n[a] < (end + 2 < all[a] ? end + 2 : all[a]) || block->first[a] + n[a] > all[a]) return false;
    }
    for (size_t i = 0; i < grid_voxels(block); i++) {
        const size_t x = (i % n[0] + block->first[0]) * step, y = (i / n[0] % n[1] + block->first[1]) * step;
        const size_t z = (i / n[0] / n[1] + block->first[2]) * step;
        const float a = grid_value(block, i), b = grid_value(w, (z * w->ny + y) * w->nx + x);
        if (!(a == b) && !(isnan(a) && isnan(b))) return false;
    }
    return true;
}

/* ---- which voxels ------------------------------------------------------------------------------------------------ */

static void check_level(struct blocks *b, unsigned level, const struct volume *whole)
{
    const struct level *l = &b->levels->level[level];
    uint32_t n[3];
    struct grid block;
    struct err err = { 0 };
    blocks_count(&l->grid, n);
    for (uint32_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        const struct block_key key = { level, { i % n[0], i / n[0] % n[1], i / n[0] / n[1] } };
        if (!CHECK(!blocks_get(b, key, 2, &block, &err))) return;
        CHECK(is_right(&block, key.at, whole, l->step, &l->grid));
        CHECK(grid_bytes(&block) == blocks_bytes(&l->grid, key.at) && b->bytes <= b->budget);
    }
}

/* Whether a cell of the block has surface. */
static bool holds(const struct volume *whole, const struct block_key *key, const struct level *level, float value)
{
    const size_t n[3] = { level->grid.nx, level->grid.ny, level->grid.nz };
    float least = INFINITY, most = -INFINITY;
    size_t from[3], to[3];
    for (int a = 0; a < 3; a++)
        from[a] = (size_t)key->at[a] * BLOCK_CELLS, to[a] = min_size(from[a] + BLOCK_CELLS, n[a] - 1);
    for (size_t z = from[2]; z <= to[2]; z++)
        for (size_t y = from[1]; y <= to[1]; y++)
            for (size_t x = from[0]; x <= to[0]; x++) {
                const size_t at = (z * whole->grid.ny + y) * whole->grid.nx + x;
                const float v = grid_value(&whole->grid, at * level->step);
                least = fminf(least, v), most = fmaxf(most, v);
            }
    return least < value && most >= value;
}

enum { WANTED_MOST = 16 };

/* Sets keys to every block of a row of n but the second one; returns how many there are. */
static size_t wanted_of(const struct block_key *first, uint32_t n, struct block_key keys[WANTED_MOST])
{
    size_t wanted = 0;
    for (uint32_t x = 0; x < n && wanted < WANTED_MOST; x++)
        if (x != 1) keys[wanted] = *first, keys[wanted++].at[0] = x;
    return wanted;
}

/* Reads one row and says what is there then. */
static void check_row(struct blocks *b, const struct block_key *first, uint32_t n, float value, const struct volume *whole)
{
    const struct level *l = &b->levels->level[first->level];
    const bool as_row = l->step * l->store->volume.grid.nx <= 10000; /* all kinds but the last */
    struct block_key key[WANTED_MOST], all = *first;
    struct grid block;
    struct err err = { 0 };
    const size_t wanted = wanted_of(first, n, key);
    const uint64_t reads = b->reads;
    if (check_random() % 2) blocks_ask(b, key, wanted, value, 2);
    if (!CHECK(!blocks_read_row(b, key, wanted, value, 2, &err))) return;
    CHECK(as_row || b->reads == reads);
    for (; all.at[0] < n && as_row; all.at[0]++) {
        const bool may = blocks_may_hold(b, all, value);
        CHECK(may || !holds(whole, &all, l, value));
        CHECK(blocks_has(b, all) == (may && all.at[0] != 1));
        const uint64_t now = b->reads;
        if (!blocks_has(b, all)) continue;
        CHECK(!blocks_get(b, all, 2, &block, &err) && is_right(&block, all.at, whole, l->step, &l->grid) &&
              b->reads == now);
    }
}

/* Asks for zero to four rows of the level; four is one more than are read at once. */
static void ask_rows(struct blocks *b, unsigned level, const uint32_t n[3], float value)
{
    for (uint64_t left = check_random() % (BLOCK_ROWS + 2); left > 0; left--) {
        const struct block_key first = { level,
                                         { 0, (uint32_t)(check_random() % n[1]), (uint32_t)(check_random() % n[2]) } };
        struct block_key key[WANTED_MOST];
        blocks_ask(b, key, wanted_of(&first, n[0], key), value, 2);
    }
}

/* Rows of a level, at a value that many blocks have and at one that none has. The file is in memory, or on the disk
 * alone. */
static void check_rows(struct blocks *b, unsigned level, const struct volume *whole)
{
    struct err err = { 0 };
    for (int turn = 0; turn < 4; turn++) {
        const struct levels *levels = b->levels;
        const float value = turn % 2 ? 1e30f : 3;
        uint32_t n[3];
        blocks_close(b);
        if (!CHECK(!blocks_open(b, levels, (uint64_t)1 << 30, &err))) return;
        if (turn / 2) store_evict(levels->level[level].store);
        blocks_count(&levels->level[level].grid, n);
        for (uint32_t i = 0; i < n[1] * n[2]; i++) {
            const struct block_key first = { level, { 0, i % n[1], i / n[1] } };
            ask_rows(b, level, n, value);
            check_row(b, &first, n[0], value, whole);
        }
        CHECK(!b->bytes || value == 3);
    }
}

/* Every type, byte order and conversion; every voxel, every 2nd and every 4th, with axes that are no multiples of
 * these. */
static void test_voxels(void)
{
    static const struct subject kinds[] = {
        { NULL, "uint8", 1, { 301, 133, 9 }, 0 },
        { NULL, "uint8", 1, { 2, 3, 259 }, 0 },
        { "endian: big\n", "int16", 2, { 140, 131, 5 }, 0 },
        { "endian: little\n", "float", 4, { 35, 7, 270 }, 0 },
        { "endian: little\n", "double", 8, { 33, 137, 6 }, 0 },
        { "endian: big\n", "double", 8, { 520, 9, 11 }, 0 },
        { NULL, "uint8", 1, { 140000, 3, 4 }, 0 }, /* the rows of a block lie too far apart to read what is between them */
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct load_desc desc = load_of(&kinds[i]);
        const char *name = kinds[i].header ? "v.nrrd" : "v.raw";
        struct levels levels;
        struct blocks blocks;
        struct err err = { 0 };
        check_subject(kinds[i].type);
        write_volume(in_folder(name), &kinds[i]);
        struct volume whole = load(in_folder(name), &desc), shown = shown_of(&whole, 5);
        if (CHECK(!levels_open(&levels, in_folder(name), &desc, &shown, &err)) && CHECK(levels.count == 3)) {
            CHECK(levels.level[1].step == 2 && levels.level[1].scale == 0.4f && levels.level[2].offset[0] == 0);
            CHECK(!blocks_open(&blocks, &levels, (uint64_t)1 << 30, &err));
            for (unsigned level = 0; level < 3; level++) check_level(&blocks, level, &whole);
            for (unsigned level = 0; level < 3; level++) check_rows(&blocks, level, &whole);
            blocks_close(&blocks);
        }
        levels_close(&levels);
        shown.finer = false;
        CHECK(!levels_open(&levels, in_folder(name), &desc, &shown, &err) && levels.count == 0);
        volume_free(&whole);
    }
    check_subject("");
}

/* The finer levels of a Zarr image; their voxels lie between those of coarser levels. */
static void test_chunks(void)
{
    const struct subject s = { NULL, "uint8", 1, { 260, 150, 140 }, 0 };
    struct load_desc desc = load_of(&s), fine = { .threads = 2, .level_given = true }, coarse = fine;
    const struct pack_desc pack = { .memory = (uint64_t)1 << 30 };
    struct pack_desc packing = pack;
    struct pack_result result;
    struct levels levels;
    struct blocks blocks;
    struct err err = { 0 };
    desc.spacing[1] = 0;
    write_volume(in_folder("z.raw"), &s);
    struct volume whole = load(in_folder("z.raw"), &desc);
    whole.direction[0][1] = -0.5, whole.direction[2][0] = 0.25; /* oblique axes change nothing */
    packing.volume = &whole;
    if (!CHECK(!pack_write(&packing, in_folder("z.zarr"), &result, &err) && result.levels == 4)) return;
    coarse.level = 2;
    struct volume shown = load(in_folder("z.zarr"), &coarse), middle;
    const struct load_desc any = { .threads = 2 };
    CHECK(!levels_open(&levels, in_folder("z.zarr"), &coarse, &shown, &err) && levels.count == 0); /* it was chosen */
    shown.finer = true;
    if (CHECK(!levels_open(&levels, in_folder("z.zarr"), &any, &shown, &err)) && CHECK(levels.count == 2)) {
        CHECK(levels.level[0].scale == 0.25f && levels.level[1].scale == 0.5f);
        CHECK_NEAR(levels.level[0].offset[2], -0.375, 1e-6); /* the mean of voxels 0 to 3 lies at 1.5 of them */
        CHECK_NEAR(levels.level[1].offset[0], -0.25, 1e-6);
        CHECK(!blocks_open(&blocks, &levels, (uint64_t)1 << 30, &err));
        check_level(&blocks, 0, &whole);
        fine.level = 1;
        middle = load(in_folder("z.zarr"), &fine);
        check_level(&blocks, 1, &middle);
        volume_free(&middle);
        blocks_close(&blocks);
    }
    levels_close(&levels);
    whole.finer = true;
    CHECK(!levels_open(&levels, in_folder("z.zarr"), &any, &whole, &err) && levels.count == 0); /* there is no finer one */
    volume_free(&shown);
    volume_free(&whole);
}

/* ---- a guess at values ------------------------------------------------------------------------------------------- */

/* Whether a cell of the voxels in memory that reaches into the block has surface. */
static bool has_coarse(const struct grid *g, const double low[3], const double high[3], float value)
{
    const size_t n[3] = { g->nx, g->ny, g->nz };
    float least = INFINITY, most = -INFINITY;
    for (size_t z = 0; z < n[2]; z++)
        for (size_t y = 0; y < n[1]; y++)
            for (size_t x = 0; x < n[0]; x++) {
                const double at[3] = { (double)x, (double)y, (double)z };
                bool inside = true;
                for (int a = 0; a < 3; a++) inside = inside && at[a] > low[a] - 1 && at[a] < high[a] + 1;
                if (!inside) continue;
                const float v = grid_value(g, (z * n[1] + y) * n[0] + x);
                least = fminf(least, v), most = fmaxf(most, v);
            }
    return least < value && most >= value;
}

/* Of blocks whose row was read, all that have surface are noted, and few others. */
static void check_notes(struct blocks *b, const char *path, const struct load_desc *desc)
{
    struct volume whole = load(path, desc);
    struct block_key key = { 0, { 0, 0, 0 } };
    struct err err = { 0 };
    size_t may = 0, all = 0;
    uint32_t n[3];
    blocks_count(&whole.grid, n);
    for (key.at[2] = 0; key.at[2] < n[2]; key.at[2]++)
        for (key.at[1] = 0; key.at[1] < n[1]; key.at[1]++) {
            key.at[0] = 0;
            CHECK(!blocks_read_row(b, &key, 1, 8.5f, 2, &err));
            for (; key.at[0] < n[0]; key.at[0]++, all++) {
                may += blocks_may_hold(b, key, 8.5f);
                CHECK(blocks_may_hold(b, key, 8.5f) || !holds(&whole, &key, &b->levels->level[0], 8.5f));
            }
        }
    CHECK(all == 4 * 3 * 2 && may >= 1 && may <= 4);
    volume_free(&whole);
}

/* A block is likely to have surface if coarser voxels there have some. Otherwise only if there is some nearby, or if it
 * is known. */
static void test_guess(void)
{
    enum { NX = 400, NY = 270, NZ = 140, STEP = 3 };
    const struct load_desc desc = { .dims = { NX, NY, NZ }, .type = "uint8", .threads = 2 };
    struct load_desc thin = desc;
    struct levels levels;
    struct blocks b;
    struct err err = { 0 };
    uint8_t *voxels = calloc(NX * NY, NZ);
    if (!voxels) exit(1);
    for (size_t i = 0; i < (size_t)NX * NY * NZ; i++)
        voxels[i] = (uint8_t)(i % NX < 100 && i / NX % NY < 90 ? check_random() % 8 : 0);
    voxels[((size_t)10 * NY + 200) * NX + 301] = 9; /* between the voxels in memory */
    write_file(in_folder("g.raw"), voxels, (size_t)NX * NY * NZ);
    free(voxels);
    thin.step = STEP;
    struct volume shown = load(in_folder("g.raw"), &thin);
    if (!CHECK(!levels_open(&levels, in_folder("g.raw"), &desc, &shown, &err)) ||
        !CHECK(!blocks_open(&b, &levels, (uint64_t)1 << 30, &err)))
        return;
    CHECK(blocks_is_likely(&b, (struct block_key){ 0, { 2, 1, 0 } }, 1) && !blocks_guess(&b, &shown.grid, 2, &err));
    size_t likely = 0, count = 0;
    for (unsigned level = 0; level < (unsigned)levels.count; level++) {
        uint32_t n[3];
        blocks_count(&levels.level[level].grid, n);
        for (uint32_t i = 0; i < n[0] * n[1] * n[2]; i++, count++) {
            const struct block_key key = { level, { i % n[0], i / n[0] % n[1], i / n[0] / n[1] } };
            double low[3], high[3];
            blocks_place(&levels.level[level], key.at, low, high);
            const bool is = blocks_is_likely(&b, key, 4);
            CHECK(is || !has_coarse(&shown.grid, low, high, 4));
            CHECK(blocks_may_hold(&b, key, 4));
            likely += is;
        }
    }
    CHECK(levels.count == 2 && count == 4 * 3 * 2 + 2 * 2 * 1 && likely >= 3 && likely <= 6);
    const struct block_key missed = { 0, { 2, 1, 0 } };
    CHECK(!blocks_is_likely(&b, missed, 1));
    blocks_note(&b, missed, (struct brick_range){ 0, 9 }, 1);
    CHECK(blocks_is_likely(&b, missed, 1) && !blocks_is_likely(&b, missed, 10));
    blocks_note(&b, missed, (struct brick_range){ -INFINITY, INFINITY }, 1);
    CHECK(blocks_is_likely(&b, missed, 1)); /* known all the same */
    blocks_close(&b);
    CHECK(!blocks_open(&b, &levels, (uint64_t)1 << 30, &err));
    check_notes(&b, in_folder("g.raw"), &desc);
    blocks_close(&b);
    levels_close(&levels);
    volume_free(&shown);
}

/* ---- a first look ------------------------------------------------------------------------------------------------ */

/* Every n-th voxel in one piece of a file: not more than are wanted, nor from more rows than a disk can look up soon; and
 * of an image the finest level that is small enough. */
static void test_look(void)
{
    const struct subject flat = { NULL, "uint8", 1, { 60, 70, 80 }, 0 }, rows = { NULL, "uint8", 1, { 2, 300, 400 }, 0 };
    struct load_desc desc = load_of(&flat);
    write_volume(in_folder("v.raw"), &flat);
    CHECK(load_look(&desc, in_folder("v.raw"), 60 * 70 * 80 + 1, 1000) == 1 && !desc.step); /* it is not large */
    CHECK(load_look(&desc, in_folder("v.raw"), 60 * 70 * 80, 15 * 17 * 21) == 4 && desc.step == 4);
    CHECK(load_look(&desc, in_folder("none.raw"), 1, 1000) == 1);
    desc = load_of(&rows);
    write_volume(in_folder("v.raw"), &rows);
    CHECK(load_look(&desc, in_folder("v.raw"), 1, 1 << 20) == 4 && desc.step == 4); /* 75 x 100 rows */
    desc = (struct load_desc){ .threads = 2 }; /* the image of test_chunks: 260 x 150 x 140, 130 x 75 x 70, 65 x 38 x 35 */
    CHECK(load_look(&desc, in_folder("z.zarr"), 5 * 260 * 150 * 140, 1) == 1 && !desc.level_given);
    CHECK(load_look(&desc, in_folder("z.zarr"), 1 << 20, 65 * 38 * 35 / 8 + 1) == 4 && desc.level_given && desc.level == 2);
    CHECK(load_look(&desc, in_folder("z.zarr"), 1, 1 << 20) == 1 &&
          desc.level == 2); /* the level that was chosen is small enough */
    desc = (struct load_desc){ .threads = 2 };
    CHECK(load_look(&desc, in_folder("z.zarr"), 1, 0) == 1 && !desc.level_given); /* no level is so small */
}

/* A volume that exceeds the memory is thinned, and no more of the file is read than needed. One that fits is not
 * thinned. */
static void test_thin_read(void)
{
    const struct subject s = { NULL, "uint8", 1, { 60, 70, 80 }, 0 };
    static const struct {
        uint64_t memory, most, step;
    } cases[] = { { 200000, 0, 2 }, { 200000, 60 * 70 * 40, 2 }, { 200000, 60 * 70 * 40 - 1, 3 }, { 1 << 20, 60 * 70, 1 } };
    write_volume(in_folder("v.raw"), &s);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct load_desc desc = load_of(&s);
        desc.thins = true, desc.memory = cases[i].memory, desc.thin_read = cases[i].most;
        desc.spacing[1] = 0.5; /* of the file */
        struct volume v = load(in_folder("v.raw"), &desc);
        CHECK(v.step == cases[i].step);
        CHECK_NEAR(volume_spacing(&v, 0), (double)v.step, 1e-12);
        CHECK_NEAR(volume_spacing(&v, 1), 0.5 * (double)v.step, 1e-12);
        volume_free(&v);
    }
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

enum { ROW = 6 /* blocks */ };

static const struct subject row = { NULL, "uint8", 1, { 2, 2, ROW *BLOCK_CELLS + 1 }, 0 };

/* The row in a file, its levels, and room for blocks: opened anew by each test. */
struct opened {
    struct load_desc desc;
    struct volume whole, shown;
    struct levels levels;
    struct blocks blocks;
};

static bool open_row(struct opened *o, uint64_t room)
{
    struct err err = { 0 };
    write_volume(in_folder("row.raw"), &row);
    o->desc = load_of(&row);
    o->whole = load(in_folder("row.raw"), &o->desc), o->shown = shown_of(&o->whole, 2);
    return CHECK(!levels_open(&o->levels, in_folder("row.raw"), &o->desc, &o->shown, &err) && o->levels.count == 1) &&
           CHECK(!blocks_open(&o->blocks, &o->levels, room, &err));
}

static void close_row(struct opened *o)
{
    blocks_close(&o->blocks);
    levels_close(&o->levels);
    volume_free(&o->whole);
}

static struct block_key nth(uint32_t i) { return (struct block_key){ 0, { 0, 0, i } }; }

static void test_cache(void)
{
    const uint64_t one = (BLOCK_CELLS + 3) * 4; /* those at the ends are smaller */
    struct opened o;
    struct blocks *const b = &o.blocks;
    struct grid block;
    struct err err = { 0 };
    if (!open_row(&o, 3 * one)) return;
    for (uint32_t i = 1; i <= 3; i++) CHECK(!blocks_get(b, nth(i), 1, &block, &err));
    CHECK(b->reads == 3 && b->hits == 0 && b->bytes == 3 * one && b->read_bytes == 3 * one);
    CHECK(!blocks_get(b, nth(1), 1, &block, &err) && b->reads == 3 && b->hits == 1); /* 2 is the oldest now */
    CHECK(!blocks_get(b, nth(4), 1, &block, &err) && b->reads == 4 && b->dropped == 1);
    CHECK(blocks_has(b, nth(1)) && !blocks_has(b, nth(2)) && blocks_has(b, nth(3)) && blocks_has(b, nth(4)));
    CHECK(blocks_may_hold(b, nth(4), 1000));
    blocks_note(b, nth(4), (struct brick_range){ 2, 5 }, 7); /* no surface: it goes first, though it came last */
    CHECK(!blocks_may_hold(b, nth(4), 7) && !blocks_may_hold(b, nth(4), 2) && blocks_may_hold(b, nth(4), 2.5f));
    CHECK(!blocks_get(b, nth(2), 1, &block, &err) && !blocks_has(b, nth(4)) && blocks_has(b, nth(3)));
    CHECK(!blocks_may_hold(b, nth(4), 7)); /* that is still known */
    for (int i = 0; i < 200; i++) {
        const uint32_t k = (uint32_t)(check_random() % ROW);
        const uint64_t reads = b->reads;
        const bool has = blocks_has(b, nth(k));
        CHECK(!blocks_get(b, nth(k), 1, &block, &err) && is_right(&block, nth(k).at, &o.whole, 1, &o.whole.grid));
        CHECK(b->reads == reads + !has && blocks_has(b, nth(k)) && b->bytes <= b->budget && b->count <= 3);
    }
    blocks_close(b);
    CHECK(!blocks_open(b, &o.levels, one - 1, &err));
    CHECK(blocks_get(b, nth(1), 1, &block, &err) == ERR_FAILED && strstr(err.text, "the cache may hold") && !b->bytes);
    CHECK(!blocks_get(b, nth(0), 1, &block, &err) && b->bytes == one - 4); /* it has none below */
    close_row(&o);
}

/* Of a row that does not fit, the first blocks are kept. The blocks of a row are dropped together. */
static void test_row_room(void)
{
    const struct subject s = { NULL, "uint8", 1, { 4 * BLOCK_CELLS + 1, 3, 3 }, 0 };
    const uint64_t first = (BLOCK_CELLS + 2) * 9, other = (BLOCK_CELLS + BLOCK_LEAD + 2) * 9;
    const struct load_desc desc = load_of(&s);
    struct levels levels;
    struct blocks b;
    struct grid block;
    struct err err = { 0 };
    struct block_key key[4];
    write_volume(in_folder("w.raw"), &s);
    struct volume whole = load(in_folder("w.raw"), &desc), shown = shown_of(&whole, 2);
    for (uint32_t i = 0; i < 4; i++) key[i] = (struct block_key){ 0, { i, 0, 0 } };
    if (CHECK(!levels_open(&levels, in_folder("w.raw"), &desc, &shown, &err)) &&
        CHECK(!blocks_open(&b, &levels, first + 2 * other, &err))) {
        CHECK(!blocks_read_row(&b, key, 4, 3, 2, &err) && b.reads == 3 && b.bytes == first + 2 * other);
        CHECK(blocks_has(&b, key[2]) && !blocks_has(&b, key[3]) && blocks_may_hold(&b, key[3], 3));
        CHECK(!blocks_get(&b, key[3], 2, &block, &err) && is_right(&block, key[3].at, &whole, 1, &whole.grid));
        CHECK(b.dropped == 3 && b.bytes == other - 9); /* the last one has one slice of voxels less behind it */
        blocks_ask(&b, key, 4, 3, 2);
        blocks_ask_no_more(&b); /* and nothing was read, as far as anyone knows */
        CHECK(!blocks_has(&b, key[0]) && b.reads == 4);
        blocks_ask(&b, key, 4, 3, 2); /* blocks_close ends it */
        blocks_close(&b);
    }
    levels_close(&levels);
    volume_free(&whole);
}

static bool stop(void *context, double fraction)
{
    (void)context;
    return fraction < 0.5;
}

/* A block that is not read to its end is not there. */
static void test_cancel(void)
{
    const struct progress stops = { stop, NULL };
    struct opened o;
    struct blocks *const b = &o.blocks;
    struct grid block;
    struct err err = { 0 };
    if (!open_row(&o, 1 << 20)) return;
    b->progress = &stops;
    CHECK(blocks_get(b, nth(2), 2, &block, &err) == ERR_FAILED && !strcmp(err.text, "cancelled"));
    CHECK(!blocks_has(b, nth(2)) && !b->bytes && !b->reads);
    const struct block_key key = nth(2);
    const int code = blocks_read_row(b, &key, 1, 3, 2, &err); /* its thread may be done before anybody waits for it */
    CHECK(code ? code == ERR_FAILED && !strcmp(err.text, "cancelled") && !b->reads : blocks_has(b, key));
    b->progress = NULL;
    CHECK(!blocks_get(b, nth(2), 2, &block, &err) && is_right(&block, nth(2).at, &o.whole, 1, &o.whole.grid));
    close_row(&o);
}

/* ---- files that break -------------------------------------------------------------------------------------------- */

static void test_errors(void)
{
    struct opened o;
    struct blocks *const b = &o.blocks;
    struct grid block;
    struct err err = { 0 };
    if (!open_row(&o, 1 << 20)) return;
    CHECK(!blocks_get(b, nth(2), 1, &block, &err));
    const uint64_t bytes = b->bytes;
    if (truncate(in_folder("row.raw"), 4 * (BLOCK_CELLS + 2))) abort(); /* all of block 0 */
    CHECK(blocks_get(b, nth(5), 2, &block, &err) == ERR_INPUT && strstr(err.text, "shorter") && b->bytes == bytes);
    const struct block_key key = nth(5);
    blocks_ask(b, &key, 1, 3, 2);
    CHECK(blocks_read_row(b, &key, 1, 3, 2, &err) == ERR_INPUT && strstr(err.text, "shorter") && b->bytes == bytes);
    CHECK(!blocks_has(b, nth(5)) && !blocks_get(b, nth(2), 1, &block, &err) && b->hits == 1);
    CHECK(!blocks_get(b, nth(0), 1, &block, &err) && is_right(&block, nth(0).at, &o.whole, 1, &o.whole.grid));
    blocks_close(b);
    levels_close(&o.levels);
    o.shown.grid.nz--;
    CHECK(levels_open(&o.levels, in_folder("row.raw"), &o.desc, &o.shown, &err) == ERR_INPUT && o.levels.count == 0);
    CHECK(levels_open(&o.levels, in_folder("absent.raw"), &o.desc, &o.shown, &err) == ERR_INPUT && o.levels.count == 0);
    volume_free(&o.whole);
}

int main(void)
{
    set_up(71, 1);
    test_voxels();
    test_chunks();
    test_guess();
    test_look();
    test_thin_read();
    test_cache();
    test_row_room();
    test_cancel();
    test_errors();
    return tear_down("test_blocks");
}
