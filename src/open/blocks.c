#include "blocks.h"

#include "text.h"
#include "kernels/host_memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Blocks that were read together and are dropped together. Their memory is one piece, in huge pages. */
struct run {
    uint64_t used; /* blocks->clock at the last use */
    uint64_t bytes;
    size_t count;
    struct kept *block; /* owned, as is */
    char *voxels;
};

struct kept {
    struct block_key key;
    char *voxels;
};

static void free_run(struct run *run)
{
    free(run->block);
    free(run->voxels);
}

/* A row that was asked for. Its thread finds the range of each block and cuts out those that are wanted. The thread owns
 * all of this until block_row_take returns. */
struct asked {
    struct block_row row;
    uint32_t at[3];            /* position of one of its blocks */
    struct block_key *missing; /* when the row was asked for; later those that were cut out because they may hold surface */
    size_t count;              /* of missing */
    float value;               /* the surface's */
    uint64_t most;             /* bytes that may be cut out */
    struct brick_range *range; /* of each block of the row */
    struct run run;            /* what was cut out */
};

/* ---- which voxels ------------------------------------------------------------------------------------------------ */

static uint32_t count_of(size_t voxels) { return voxels < 2 ? 0 : (uint32_t)((voxels - 2) / BLOCK_CELLS + 1); }

void blocks_count(const struct grid *g, uint32_t count[3])
{
    count[0] = count_of(g->nx), count[1] = count_of(g->ny), count[2] = count_of(g->nz);
}

/* The voxels of a block and those around it: from[a] to from[a] + size[a] - 1 along axis a. */
static void box_around(const struct grid *g, const uint32_t at[3], uint64_t from[3], uint64_t size[3])
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
    box_around(&level->grid, key->at, from, size);
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
    box_around(g, at, from, size);
    return size[0] * size[1] * size[2] * voxel_bytes(g->type);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

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
        return err_set(err, ERR_FAILED, "not enough memory for the ranges of %zu blocks", count);
    }
    b->asked = calloc(BLOCK_ROWS, sizeof *b->asked);
    if (b->asked) return ERR_NONE;
    blocks_close(b);
    return err_set(err, ERR_FAILED, "not enough memory for rows of blocks");
}

void blocks_close(struct blocks *b)
{
    blocks_ask_no_more(b);
    for (size_t i = 0; i < b->count; i++) free_run(&b->run[i]);
    for (int i = 0; i < LEVELS_MOST; i++) free(b->range[i]), free(b->guess[i]);
    free(b->run);
    free(b->asked);
    *b = (struct blocks){ .levels = NULL };
}

/* ---- a guess at values ------------------------------------------------------------------------------------------- */

void blocks_place(const struct level *level, const uint32_t at[3], double low[3], double high[3])
{
    const size_t n[3] = { level->grid.nx, level->grid.ny, level->grid.nz };
    for (int a = 0; a < 3; a++) {
        const size_t begin = (size_t)at[a] * BLOCK_CELLS;
        low[a] = level->scale * (double)begin + level->offset[a];
        high[a] = level->scale * (double)min_size(begin + BLOCK_CELLS, n[a] - 1) + level->offset[a];
    }
}

/* The common range of all bricks with cells that reach into the block. */
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
    if (!b->guess[i]) return err_set(err, ERR_FAILED, "not enough memory for the ranges of %zu blocks", count);
    for (size_t k = 0; k < count; k++) {
        const uint32_t at[3] = { (uint32_t)(k % n[0]), (uint32_t)(k / n[0] % n[1]), (uint32_t)(k / n[0] / n[1]) };
        double low[3], high[3];
        blocks_place(level, at, low, high);
        b->guess[i][k] = range_within(bricks, shown, low, high);
    }
    return ERR_NONE;
}

/* Sets *bricks to those of a grid. The caller frees bricks->range, also after an error. */
static int find_ranges(struct bricks *bricks, const struct grid *grid, int threads, struct err *err)
{
    const struct bricks_rung *rung = (const void *)ladder_find(ladder_of("bricks"), BACKEND_CPU, NULL);
    struct exec x;
    *bricks = bricks_for(grid);
    bricks->range = malloc(bricks->nx * bricks->ny * bricks->nz * sizeof *bricks->range);
    if (!bricks->range || backend_cpu.open(&x, -1, threads))
        return err_set(err, ERR_FAILED, "not enough memory for the ranges of voxels");
    const int refused = rung->run(grid, bricks, &x);
    backend_cpu.close(&x);
    return refused ? err_set(err, ERR_FAILED, "%s", backend_cpu.explain(refused)) : ERR_NONE;
}

int blocks_guess(struct blocks *b, const struct grid *shown, int threads, struct err *err)
{
    struct bricks bricks;
    int code = find_ranges(&bricks, shown, threads, err);
    for (int i = 0; i < b->levels->count && !code; i++) code = guess_level(b, i, &bricks, shown, err);
    free(bricks.range);
    return code;
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

static bool is_same(const struct block_key *a, const struct block_key *b)
{
    return a->level == b->level && a->at[0] == b->at[0] && a->at[1] == b->at[1] && a->at[2] == b->at[2];
}

static const struct kept *find_in(const struct run *run, const struct block_key *key)
{
    for (size_t i = 0; i < run->count; i++)
        if (is_same(&run->block[i].key, key)) return &run->block[i];
    return NULL;
}

/* Finds a block, and sets *run to the run that has it. */
static const struct kept *find(const struct blocks *b, const struct block_key *key, struct run **run)
{
    const struct kept *block = NULL;
    for (size_t i = 0; i < b->count && !block; i++) {
        block = find_in(&b->run[i], key);
        if (block && run) *run = &b->run[i];
    }
    return block;
}

bool blocks_has(const struct blocks *b, struct block_key key) { return find(b, &key, NULL); }

/* Drops the least recently used run. */
static void drop_one(struct blocks *b)
{
    struct run *oldest = &b->run[0];
    for (size_t i = 1; i < b->count; i++)
        if (b->run[i].used < oldest->used) oldest = &b->run[i];
    free_run(oldest);
    b->bytes -= oldest->bytes, b->dropped += oldest->count;
    memmove(oldest, &b->run[--b->count], sizeof *oldest); /* the last run takes its place */
}

static int refuse(const struct blocks *b, uint64_t need, struct err *err)
{
    char needed[32], may[32];
    err_set(err, ERR_FAILED, "a block of the volume needs %s, but the cache may hold only %s",
            text_bytes(needed, (double)need), text_bytes(may, (double)b->budget));
    err_advise(err, "give a larger --cache");
    return ERR_FAILED;
}

/* Makes room for a run. */
static int make_room(struct blocks *b, uint64_t bytes, struct err *err)
{
    if (bytes > b->budget) return refuse(b, bytes, err);
    while (b->count && b->bytes + bytes > b->budget) drop_one(b);
    if (b->count == b->room) {
        const size_t room = b->room ? 2 * b->room : 64;
        struct run *run = realloc(b->run, room * sizeof *run);
        if (!run) return err_set(err, ERR_FAILED, "not enough memory for a list of %zu blocks", room);
        b->run = run, b->room = room;
    }
    return ERR_NONE;
}

/* Allocates a run of n blocks of one level, without their voxels. */
static int alloc_run(struct run *run, const struct grid *level, const struct block_key *keys, size_t n, struct err *err)
{
    *run = (struct run){ .count = n, .block = malloc(n * sizeof *run->block) };
    for (size_t i = 0; i < n; i++) run->bytes += blocks_bytes(level, keys[i].at);
    const uint64_t bytes = run->bytes;
    run->voxels = host_memory_alloc(bytes);
    if (!run->block || !run->voxels) {
        free_run(run);
        *run = (struct run){ .block = NULL };
        return err_set(err, ERR_FAILED, "not enough memory for blocks of %llu bytes", (unsigned long long)bytes);
    }
    char *voxels = run->voxels;
    for (size_t i = 0; i < n; voxels += blocks_bytes(level, keys[i].at), i++)
        run->block[i] = (struct kept){ keys[i], voxels };
    return ERR_NONE;
}

/* Keeps a run for which there is room. */
static void keep(struct blocks *b, struct run *run)
{
    run->used = ++b->clock;
    b->bytes += run->bytes, b->read_bytes += run->bytes;
    b->reads += run->count;
    b->run[b->count++] = *run;
}

static struct store_box box_of(const struct blocks *b, const struct block_key *key)
{
    const struct level *level = &b->levels->level[key->level];
    struct store_box box = { .step = level->step, .progress = b->progress };
    box_around(&level->grid, key->at, box.from, box.size);
    return box;
}

static int read_block(struct blocks *b, const struct block_key *key, int threads, struct err *err)
{
    const struct store_box box = box_of(b, key);
    const struct level *level = &b->levels->level[key->level];
    struct run run;
    int code = make_room(b, blocks_bytes(&level->grid, key->at), err);
    if (!code) code = alloc_run(&run, &level->grid, key, 1, err);
    if (code) return code;
    code = store_read_box(level->store, &box, run.voxels, threads, err);
    if (code) free_run(&run);
    else keep(b, &run);
    return code;
}

int blocks_get(struct blocks *b, struct block_key key, int threads, struct grid *grid, struct err *err)
{
    struct run *run = NULL;
    const struct kept *block = find(b, &key, &run);
    const int code = block ? ERR_NONE : read_block(b, &key, threads, err);
    if (code) return code;
    b->hits += block != NULL;
    if (!block) block = find(b, &key, &run);
    run->used = ++b->clock;
    *grid = grid_of(&b->levels->level[key.level], &key);
    grid->voxels = block->voxels;
    return ERR_NONE;
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

static struct brick_range *range_of(const struct blocks *b, const struct block_key *key)
{
    return &b->range[key->level][blocks_number(&b->levels->level[key->level].grid, key->at)];
}

static bool is_known(const struct brick_range *range) { return range->min > -INFINITY || range->max < INFINITY; }

static void note(struct blocks *b, const struct block_key *key, struct brick_range range)
{
    if (!is_known(&range)) range.max = FLT_MAX; /* otherwise it would count as unknown */
    *range_of(b, key) = range;
}

bool blocks_may_hold(const struct blocks *b, struct block_key key, float value)
{
    return brick_state_of(*range_of(b, &key), value) == BRICK_ACTIVE;
}

bool blocks_guesses(const struct blocks *b, struct block_key key, float value)
{
    const struct brick_range *guess = b->guess[key.level];
    return !guess || brick_state_of(guess[range_of(b, &key) - b->range[key.level]], value) == BRICK_ACTIVE;
}

bool blocks_is_likely(const struct blocks *b, struct block_key key, float value)
{
    if (!b->guess[key.level] || is_known(range_of(b, &key))) return blocks_may_hold(b, key, value);
    return blocks_guesses(b, key, value);
}

void blocks_note(struct blocks *b, struct block_key key, struct brick_range range, float value)
{
    struct run *run = NULL;
    note(b, &key, range);
    find(b, &key, &run);
    if (run && run->count == 1 && brick_state_of(range, value) != BRICK_ACTIVE) run->used = 0;
}

/* ---- a row of blocks --------------------------------------------------------------------------------------------- */

/* The voxels of all blocks of a row, as a grid without voxels. */
static struct grid row_of(const struct level *level, const struct block_key *key)
{
    struct grid row = grid_of(level, key);
    row.nx = level->grid.nx, row.first[0] = 0;
    return row;
}

static bool is_row(const struct block_row *row, const struct level *level, const struct block_key *key)
{
    const struct grid g = row_of(level, key);
    return row->level == level && row->grid.first[1] == g.first[1] && row->grid.first[2] == g.first[2];
}

/* Whether blocks are missing and it is better to read them together with their whole row. */
static bool wants_row(const struct blocks *b, const struct block_key *keys, size_t n)
{
    const struct level *level = &b->levels->level[keys->level];
    const struct grid row = row_of(level, keys);
    size_t here = 0;
    while (here < n && blocks_has(b, keys[here])) here++;
    return here < n && block_row_helps(level, &row);
}

/* Sets the range of each block of the row. */
static int find_row_ranges(struct asked *a, const struct grid *row, int threads, struct err *err)
{
    const struct grid *g = &a->row.level->grid;
    const size_t all[3] = { g->nx, g->ny, g->nz };
    struct bricks bricks;
    uint32_t n[3];
    blocks_count(g, n);
    a->range = calloc(n[0] + 1, sizeof *a->range);
    const int code = a->range ? find_ranges(&bricks, row, threads, err)
                              : err_set(err, ERR_FAILED, "not enough memory for the ranges of %u blocks", n[0]);
    if (!a->range) return code;
    for (uint32_t x = 0; x < n[0] && !code; x++) {
        const uint32_t at[3] = { x, a->at[1], a->at[2] };
        double low[3], high[3];
        for (int i = 0; i < 3; i++) {
            const size_t begin = (size_t)at[i] * BLOCK_CELLS;
            low[i] = (double)(begin - row->first[i]);
            high[i] = (double)(min_size(begin + BLOCK_CELLS, all[i] - 1) - row->first[i]);
        }
        a->range[x] = range_within(&bricks, row, low, high);
    }
    free(bricks.range);
    return code;
}

/* Copies the voxels of a block out of its row. */
static void cut(const struct kept *block, const struct level *level, const struct grid *row)
{
    const struct grid own = grid_of(level, &block->key);
    const size_t bytes = voxel_bytes(own.type), n = own.nx * bytes;
    const char *from = (const char *)row->voxels + own.first[0] * bytes;
    for (size_t i = 0; i < own.ny * own.nz; i++) memcpy(block->voxels + i * n, from + i * row->nx * bytes, n);
}

/* Cuts out the missing blocks that may hold surface, as long as there is room for them. */
static int cut_out(struct asked *a, const struct grid *row, int threads, struct err *err)
{
    const struct level *level = a->row.level;
    uint64_t bytes = 0;
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct block_key key = a->missing[i];
        const uint64_t more = blocks_bytes(&level->grid, key.at);
        if (brick_state_of(a->range[key.at[0]], a->value) != BRICK_ACTIVE || bytes + more > a->most) continue;
        a->missing[n++] = key, bytes += more;
    }
    const int code = n ? alloc_run(&a->run, &level->grid, a->missing, n, err) : ERR_NONE;
    if (code) return code;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t i = 0; i < a->run.count; i++) cut(&a->run.block[i], level, row);
    return ERR_NONE;
}

/* Called by the row's thread. So this need not wait until the surface of the row before is complete. */
static int use_row(void *asked, const struct grid *row, int threads, struct err *err)
{
    const int code = find_row_ranges(asked, row, threads, err);
    return code ? code : cut_out(asked, row, threads, err);
}

static void end_row(struct asked *a)
{
    block_row_end(&a->row);
    free(a->missing);
    free(a->range);
    free_run(&a->run);
    *a = (struct asked){ .row = a->row };
}

/* Begins to read the row of blocks unless that has begun. Takes a free place, or else that of another row. */
static struct asked *begin_row(struct blocks *b, const struct block_key *keys, size_t n, float value, int threads)
{
    const struct level *level = &b->levels->level[keys->level];
    const struct grid grid = row_of(level, keys);
    struct asked *a = b->asked;
    for (int i = 0; i < BLOCK_ROWS; i++) {
        if (is_row(&b->asked[i].row, level, keys)) return &b->asked[i];
        if (!b->asked[i].row.level) a = &b->asked[i];
    }
    end_row(a);
    memcpy(a->at, keys->at, sizeof a->at);
    a->value = value, a->most = b->budget;
    a->missing = malloc(n * sizeof *a->missing); /* without memory they are read one by one later */
    for (size_t i = 0; i < n && a->missing; i++)
        if (!blocks_has(b, keys[i]) && blocks_may_hold(b, keys[i], value)) a->missing[a->count++] = keys[i];
    block_row_begin(&a->row, level, &grid, threads, use_row, a);
    return a;
}

void blocks_ask(struct blocks *b, const struct block_key *keys, size_t n, float value, int threads)
{
    if (wants_row(b, keys, n)) begin_row(b, keys, n, value, threads);
    else if (!blocks_has(b, *keys)) {
        const struct store_box box = box_of(b, keys);
        store_ask_box(b->levels->level[keys->level].store, &box);
    }
}

void blocks_ask_no_more(struct blocks *b)
{
    for (int i = 0; i < BLOCK_ROWS && b->asked; i++) {
        end_row(&b->asked[i]);
        block_row_close(&b->asked[i].row);
    }
}

/* Notes the ranges of blocks of the row that were unknown. */
static void note_row(struct blocks *b, const struct asked *a, const struct block_key *key)
{
    struct block_key other = *key;
    uint32_t n[3];
    blocks_count(&a->row.level->grid, n);
    for (other.at[0] = 0; other.at[0] < n[0]; other.at[0]++)
        if (!is_known(range_of(b, &other))) note(b, &other, a->range[other.at[0]]);
}

/* Keeps what was cut out, if there is still room for it. */
static int keep_row(struct blocks *b, struct asked *a, struct err *err)
{
    if (!a->run.count || a->run.bytes > b->budget) return ERR_NONE;
    const int code = make_room(b, a->run.bytes, err);
    if (code) return code;
    keep(b, &a->run);
    a->run = (struct run){ .block = NULL };
    return ERR_NONE;
}

int blocks_read_row(struct blocks *b, const struct block_key *keys, size_t n, float value, int threads, struct err *err)
{
    if (!wants_row(b, keys, n)) return ERR_NONE;
    struct asked *a = begin_row(b, keys, n, value, threads);
    int code = block_row_take(&a->row, b->progress, err);
    if (!code) note_row(b, a, keys);
    if (!code) code = keep_row(b, a, err);
    end_row(a);
    return code;
}
