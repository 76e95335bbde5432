#include "blocks.h"

#include "text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct block_key key;
    uint64_t used; /* by blocks->clock */
    uint64_t bytes;
    void *voxels; /* owned */
};

/* ---- which voxels ----------------------------------------------------------------------------------------------------------- */

static uint32_t count_of(size_t voxels) { return voxels < 2 ? 0 : (uint32_t)((voxels - 2) / BLOCK_CELLS + 1); }

void blocks_count(const struct grid *g, uint32_t count[3])
{
    count[0] = count_of(g->nx), count[1] = count_of(g->ny), count[2] = count_of(g->nz);
}

void blocks_box(const struct grid *g, const uint32_t at[3], uint64_t from[3], uint64_t size[3])
{
    const size_t n[3] = { g->nx, g->ny, g->nz };
    for (int a = 0; a < 3; a++) {
        const size_t first = (size_t)at[a] * BLOCK_CELLS, before = a ? 1 : BLOCK_LEAD;
        from[a] = first < before ? 0 : first - before;
        size[a] = min_size(first + BLOCK_CELLS + 2, n[a]) - from[a];
    }
}

static struct grid grid_of(const struct level *level, const struct block_key *key)
{
    struct grid grid = level->grid;
    uint64_t from[3], size[3];
    blocks_box(&level->grid, key->at, from, size);
    grid.nx = size[0], grid.ny = size[1], grid.nz = size[2];
    for (int a = 0; a < 3; a++) grid.first[a] = from[a];
    return grid;
}

size_t blocks_number(const struct grid *g, const uint32_t at[3])
{
    uint32_t n[3];
    blocks_count(g, n);
    return ((size_t)at[2] * n[1] + at[1]) * n[0] + at[0];
}

uint64_t blocks_bytes(const struct grid *g, const uint32_t at[3])
{
    uint64_t from[3], size[3];
    blocks_box(g, at, from, size);
    return size[0] * size[1] * size[2] * voxel_bytes(g->type);
}

/* ---- opening ---------------------------------------------------------------------------------------------------------------- */

int blocks_open(struct blocks *b, const struct levels *levels, uint64_t budget, struct err *err)
{
    *b = (struct blocks){ .levels = levels, .budget = budget };
    for (int i = 0; i < levels->count; i++) {
        uint32_t n[3];
        blocks_count(&levels->level[i].grid, n);
        const size_t count = (size_t)n[0] * n[1] * n[2];
        b->range[i] = malloc((count + 1) * sizeof *b->range[i]);
        for (size_t k = 0; b->range[i] && k < count; k++) b->range[i][k] = (struct brick_range){ -INFINITY, INFINITY };
        if (b->range[i]) continue;
        blocks_close(b);
        return err_set(err, ERR_FAILED, "no memory for the ranges of %zu blocks", count);
    }
    return ERR_NONE;
}

void blocks_close(struct blocks *b)
{
    for (size_t i = 0; i < b->count; i++) free(b->kept[i].voxels);
    for (int i = 0; i < LEVELS_MOST; i++) free(b->range[i]), free(b->guess[i]);
    free(b->kept);
    *b = (struct blocks){ .levels = NULL };
}

/* ---- a guess at values ------------------------------------------------------------------------------------------------------ */

void blocks_place(const struct level *level, const uint32_t at[3], double low[3], double high[3])
{
    const size_t n[3] = { level->grid.nx, level->grid.ny, level->grid.nz };
    for (int a = 0; a < 3; a++) {
        const size_t begin = (size_t)at[a] * BLOCK_CELLS;
        low[a] = level->scale * (double)begin + level->offset[a];
        high[a] = level->scale * (double)min_size(begin + BLOCK_CELLS, n[a] - 1) + level->offset[a];
    }
}

/* The range of all bricks with cells that reach into the block. */
static struct brick_range range_within(const struct bricks *b, const struct grid *g, const double low[3],
                                       const double high[3])
{
    static const size_t side[3] = { BRICK_X, BRICK_Y, BRICK_Z };
    const size_t n[3] = { g->nx, g->ny, g->nz };
    struct brick_range all = { INFINITY, -INFINITY };
    size_t from[3], to[3];
    for (int a = 0; a < 3; a++) {
        from[a] = min_size(low[a] > 0 ? (size_t)low[a] : 0, n[a] - 1) / side[a];
        to[a] = min_size(high[a] > 1 ? (size_t)ceil(high[a]) - 1 : 0, n[a] - 1) / side[a];
    }
    for (size_t z = from[2]; z <= to[2]; z++)
        for (size_t y = from[1]; y <= to[1]; y++)
            for (size_t x = from[0]; x <= to[0]; x++) {
                const struct brick_range *r = &b->range[(z * b->ny + y) * b->nx + x];
                all = (struct brick_range){ fminf(all.min, r->min), fmaxf(all.max, r->max) };
            }
    return all;
}

static int guess_level(struct blocks *b, int i, const struct bricks *bricks, const struct grid *shown, struct err *err)
{
    const struct level *level = &b->levels->level[i];
    uint32_t n[3];
    blocks_count(&level->grid, n);
    const size_t count = (size_t)n[0] * n[1] * n[2];
    free(b->guess[i]);
    b->guess[i] = malloc((count + 1) * sizeof *b->guess[i]);
    if (!b->guess[i]) return err_set(err, ERR_FAILED, "no memory for the ranges of %zu blocks", count);
    for (size_t k = 0; k < count; k++) {
        const uint32_t at[3] = { (uint32_t)(k % n[0]), (uint32_t)(k / n[0] % n[1]), (uint32_t)(k / n[0] / n[1]) };
        double low[3], high[3];
        blocks_place(level, at, low, high);
        b->guess[i][k] = range_within(bricks, shown, low, high);
    }
    return ERR_NONE;
}

int blocks_guess(struct blocks *b, const struct grid *shown, int threads, struct err *err)
{
    const struct bricks_rung *rung = (const void *)ladder_find(ladder_of("bricks"), BACKEND_CPU, NULL);
    struct bricks bricks = bricks_for(shown);
    struct exec x;
    bricks.range = malloc(bricks.nx * bricks.ny * bricks.nz * sizeof *bricks.range);
    if (!bricks.range || backend_cpu.open(&x, -1, threads)) {
        free(bricks.range);
        return err_set(err, ERR_FAILED, "no memory for the ranges of the voxels in memory");
    }
    const int refused = rung->run(shown, &bricks, &x);
    int code = refused ? err_set(err, ERR_FAILED, "%s", backend_cpu.explain(refused)) : ERR_NONE;
    backend_cpu.close(&x);
    for (int i = 0; i < b->levels->count && !code; i++) code = guess_level(b, i, &bricks, shown, err);
    free(bricks.range);
    return code;
}

/* ---- what is kept ----------------------------------------------------------------------------------------------------------- */

static bool is_same(const struct block_key *a, const struct block_key *b)
{
    return a->level == b->level && a->at[0] == b->at[0] && a->at[1] == b->at[1] && a->at[2] == b->at[2];
}

static struct block *find(const struct blocks *b, const struct block_key *key)
{
    for (size_t i = 0; i < b->count; i++)
        if (is_same(&b->kept[i].key, key)) return &b->kept[i];
    return NULL;
}

bool blocks_has(const struct blocks *b, struct block_key key) { return find(b, &key); }

/* Drops the block that was not used for longest. */
static void drop_one(struct blocks *b)
{
    struct block *oldest = &b->kept[0];
    for (size_t i = 1; i < b->count; i++)
        if (b->kept[i].used < oldest->used) oldest = &b->kept[i];
    free(oldest->voxels);
    b->bytes -= oldest->bytes;
    memmove(oldest, &b->kept[--b->count], sizeof *oldest); /* the last one takes its place */
    b->dropped++;
}

static int refuse(const struct blocks *b, uint64_t need, struct err *err)
{
    char needed[32], may[32];
    err_set(err, ERR_FAILED, "a block of the volume needs %s, and the cache may hold %s", text_bytes(needed, (double)need),
            text_bytes(may, (double)b->budget));
    err_advise(err, "give a larger --cache");
    return ERR_FAILED;
}

/* Makes room for a block of so many bytes, and takes it. */
static int make_room(struct blocks *b, uint64_t bytes, void **voxels, struct err *err)
{
    if (bytes > b->budget) return refuse(b, bytes, err);
    while (b->count && b->bytes + bytes > b->budget) drop_one(b);
    if (b->count == b->room) {
        const size_t room = b->room ? 2 * b->room : 64;
        struct block *kept = realloc(b->kept, room * sizeof *kept);
        if (!kept) return err_set(err, ERR_FAILED, "no memory for a list of %zu blocks", room);
        b->kept = kept, b->room = room;
    }
    *voxels = malloc((size_t)bytes);
    return *voxels ? ERR_NONE : err_set(err, ERR_FAILED, "no memory for a block of %llu bytes", (unsigned long long)bytes);
}

static struct store_box box_of(const struct blocks *b, const struct block_key *key)
{
    const struct level *level = &b->levels->level[key->level];
    struct store_box box = { .step = level->step, .progress = b->progress };
    blocks_box(&level->grid, key->at, box.from, box.size);
    return box;
}

void blocks_ask(const struct blocks *b, struct block_key key)
{
    const struct store_box box = box_of(b, &key);
    if (!find(b, &key)) store_ask_box(b->levels->level[key.level].store, &box);
}

static int read_block(struct blocks *b, const struct block_key *key, int threads, struct err *err)
{
    const struct level *level = &b->levels->level[key->level];
    const struct store_box box = box_of(b, key);
    struct block block = { .key = *key, .bytes = blocks_bytes(&level->grid, key->at) };
    int code = make_room(b, block.bytes, &block.voxels, err);
    if (code) return code;
    code = store_read_box(level->store, &box, block.voxels, threads, err);
    if (code) {
        free(block.voxels);
        return code;
    }
    b->kept[b->count++] = block;
    b->bytes += block.bytes, b->read_bytes += block.bytes;
    b->reads++;
    return ERR_NONE;
}

int blocks_get(struct blocks *b, struct block_key key, int threads, struct grid *grid, struct err *err)
{
    struct block *block = find(b, &key);
    const int code = block ? ERR_NONE : read_block(b, &key, threads, err);
    if (code) return code;
    b->hits += block != NULL;
    if (!block) block = &b->kept[b->count - 1];
    block->used = ++b->clock;
    *grid = grid_of(&b->levels->level[key.level], &key);
    grid->voxels = block->voxels;
    return ERR_NONE;
}

/* ---- what is known ---------------------------------------------------------------------------------------------------------- */

static struct brick_range *range_of(const struct blocks *b, const struct block_key *key)
{
    return &b->range[key->level][blocks_number(&b->levels->level[key->level].grid, key->at)];
}

bool blocks_may_hold(const struct blocks *b, struct block_key key, float value)
{
    return brick_state_of(*range_of(b, &key), value) == BRICK_ACTIVE;
}

bool blocks_is_likely(const struct blocks *b, struct block_key key, float value)
{
    const struct brick_range *known = range_of(b, &key), *guess = b->guess[key.level];
    if (!guess || known->min > -INFINITY || known->max < INFINITY) return blocks_may_hold(b, key, value);
    return brick_state_of(guess[known - b->range[key.level]], value) == BRICK_ACTIVE;
}

void blocks_note(struct blocks *b, struct block_key key, struct brick_range range, float value)
{
    struct block *block = find(b, &key);
    if (range.min == -INFINITY && range.max == INFINITY) range.max = FLT_MAX; /* else it would count as not known */
    *range_of(b, &key) = range;
    if (block && brick_state_of(range, value) != BRICK_ACTIVE) block->used = 0;
}
