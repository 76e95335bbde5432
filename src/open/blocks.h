/* Blocks: pieces of a volume's levels. They are read from its file when needed and kept while there is room; the most
 * recently used ones stay.
 *
 * A block has BLOCK_CELLS cells along each axis, or fewer at the end of the volume. It includes the voxels around it that
 * cells and normals need: one below and two above; along x a whole strip below, so that strips of the block and of the
 * volume begin at the same voxels. What is known of a block's values is kept when its voxels are dropped, so a block
 * without surface need not be read again. */
#ifndef ISO_BLOCKS_H
#define ISO_BLOCKS_H

#include "block_row.h"
#include "kernels/bricks.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BLOCK_CELLS = 128,
    BLOCK_LEAD = BRICK_X, /* voxels below the block along x */
    BLOCK_ROWS = 3        /* in memory: blocks are cut out of one while two are read */
};

struct block_key {
    unsigned level; /* index into levels.level */
    uint32_t at[3]; /* which block along x, y, z */
};

struct run;   /* blocks that are kept */
struct asked; /* a row of blocks that was asked for */

struct blocks { /* zero means closed */
    const struct levels *levels;
    uint64_t budget, bytes;                    /* that voxels may take, and that they take */
    uint64_t hits, reads, read_bytes, dropped; /* since blocks_open */
    const struct progress *progress;           /* while a block is read, set by the caller; NULL: not reported */
    uint64_t clock;
    struct run *run;
    size_t count, room;
    struct asked *asked;                    /* BLOCK_ROWS of them */
    struct brick_range *range[LEVELS_MOST]; /* of each block of a level; (-inf, inf): unknown, */
    struct brick_range *guess[LEVELS_MOST]; /* then by coarser voxels; NULL: no guess */
};

/* How many blocks a grid has along each axis. */
void blocks_count(const struct grid *grid, uint32_t count[3]);

/* The number of a block in its level, x fastest. */
size_t blocks_number(const struct grid *grid, const uint32_t at[3]);

/* Bytes of a block's voxels. */
uint64_t blocks_bytes(const struct grid *grid, const uint32_t at[3]);

/* `levels` must outlive it. Error: ERR_FAILED for memory; there is then nothing to close. */
int blocks_open(struct blocks *blocks, const struct levels *levels, uint64_t budget, struct err *err);
void blocks_close(struct blocks *blocks);

/* Where the cells of a block lie: from low[a] to high[a] in voxels of the volume in memory. */
void blocks_place(const struct level *level, const uint32_t at[3], double low[3], double high[3]);

/* Guesses the values of each block from `shown`, the voxels in memory, for blocks_is_likely. Error: ERR_FAILED for
 * memory. */
int blocks_guess(struct blocks *blocks, const struct grid *shown, int threads, struct err *err);

/* Announces n blocks of one row along x, for which blocks_read_row will be called. If a disk reads the whole row as soon as
 * it reads one of its blocks, a thread begins to read the row. Otherwise the system is asked for the first block only. At
 * most BLOCK_ROWS rows are read at once. */
void blocks_ask(struct blocks *blocks, const struct block_key *keys, size_t n, float value, int threads);

/* Ends the reading that blocks_ask began. */
void blocks_ask_no_more(struct blocks *blocks);

/* Reads n blocks of one row, in order of at[0], if the whole row is read at once. Notes the range of values of every block
 * of the row, and keeps those of the n blocks that may hold surface at `value` (stored units). Errors: as blocks_get. */
int blocks_read_row(struct blocks *blocks, const struct block_key *keys, size_t n, float value, int threads,
                    struct err *err);

/* Sets `grid` to the block; grid->first says where it lies in its level. Its voxels stay valid until the next call. Errors:
 * ERR_INPUT; ERR_FAILED, also if the budget is too small for the block, or for "cancelled". Kept blocks may have been
 * dropped then; another call may succeed. */
int blocks_get(struct blocks *blocks, struct block_key key, int threads, struct grid *grid, struct err *err);

/* Whether the block may hold surface at `value` (stored units), as far as known. */
bool blocks_may_hold(const struct blocks *blocks, struct block_key key, float value);

/* Whether the block has surface, as far as known, or else by the guess. The guess can miss surface, because it comes from
 * coarser voxels. */
bool blocks_is_likely(const struct blocks *blocks, struct block_key key, float value);

/* Whether the block has surface by the guess; true if there is no guess. */
bool blocks_guesses(const struct blocks *blocks, struct block_key key, float value);

/* Whether the block's voxels are in memory. */
bool blocks_has(const struct blocks *blocks, struct block_key key);

/* Notes the block's range of values, from its bricks, with or without those around it. A block without surface at `value`
 * is the first to be dropped. */
void blocks_note(struct blocks *blocks, struct block_key key, struct brick_range range, float value);

#ifdef __cplusplus
}
#endif
#endif
