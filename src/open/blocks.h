/* Blocks: pieces of levels of a volume, read from its file when they are needed, and kept while there is room: those that
 * were used last stay.
 *
 * A block is that of BLOCK_CELLS cells along each axis, or fewer at the end of the volume, with the voxels around it that
 * cells and normals need: one below, two above, and a strip of them along x, so that strips of the block and of the volume
 * begin at the same voxels. What is known of its values stays when its voxels are dropped: a block without surface need not
 * be read again. */
#ifndef ISO_BLOCKS_H
#define ISO_BLOCKS_H

#include "block_row.h"
#include "kernels/bricks.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BLOCK_CELLS = 128,
    BLOCK_LEAD = BRICK_X, /* voxels below it along x */
    BLOCK_ROWS = 3        /* in memory: while blocks are cut out of one, two are read */
};

struct block_key {
    unsigned level; /* of levels.level */
    uint32_t at[3]; /* which block along x, y, z */
};

struct run;   /* blocks that are kept */
struct asked; /* a row of blocks that was asked for */

struct blocks { /* zero is a closed one */
    const struct levels *levels;
    uint64_t budget, bytes;                    /* that voxels may take, and do */
    uint64_t hits, reads, read_bytes, dropped; /* since blocks_open */
    const struct progress *progress;           /* of reading a block, set by the caller; NULL: nobody is told */
    uint64_t clock;
    struct run *run;
    size_t count, room;
    struct asked *asked;                    /* BLOCK_ROWS of them */
    struct brick_range *range[LEVELS_MOST]; /* of each block of a level; (-inf, inf): not known, */
    struct brick_range *guess[LEVELS_MOST]; /* and then by coarser voxels; NULL: no guess */
};

/* How many blocks a grid has along each axis. */
void blocks_count(const struct grid *grid, uint32_t count[3]);

/* The number of a block in its level, x fastest. */
size_t blocks_number(const struct grid *grid, const uint32_t at[3]);

/* Bytes of a block's voxels. */
uint64_t blocks_bytes(const struct grid *grid, const uint32_t at[3]);

/* `levels` must outlive it. Error: ERR_FAILED for memory, and there is nothing to close. */
int blocks_open(struct blocks *blocks, const struct levels *levels, uint64_t budget, struct err *err);
void blocks_close(struct blocks *blocks);

/* Where the cells of a block lie: from low[a] to high[a] in voxels of the volume in memory. */
void blocks_place(const struct level *level, const uint32_t at[3], double low[3], double high[3]);

/* Takes the voxels in memory, `shown`, for a guess at the values of each block: blocks_is_likely. Error: ERR_FAILED for
 * memory. */
int blocks_guess(struct blocks *blocks, const struct grid *shown, int threads, struct err *err);

/* Asks for n blocks of one row along x that blocks_read_row will be called for: where a disk reads all of a row as soon as
 * one of its blocks, a thread begins to read it; else the system is asked for the first one. At most BLOCK_ROWS rows are
 * read at once. */
void blocks_ask(struct blocks *blocks, const struct block_key *keys, size_t n, float value, int threads);

/* Ends what was asked for. */
void blocks_ask_no_more(struct blocks *blocks);

/* Reads n blocks of one row, of growing at[0], where all of it is read at once; notes of all blocks of the row which values
 * they have, and keeps those of the n that may hold surface at `value` (stored units). Errors: as blocks_get. */
int blocks_read_row(struct blocks *blocks, const struct block_key *keys, size_t n, float value, int threads,
                    struct err *err);

/* Sets `grid` to the block, with `first` where it lies in its level; its voxels stay until the next call. Errors:
 * ERR_INPUT, ERR_FAILED, also if the budget is too small for the block, or "cancelled"; what was kept stays or is dropped,
 * and another call may do better. */
int blocks_get(struct blocks *blocks, struct block_key key, int threads, struct grid *grid, struct err *err);

/* Whether the block may hold surface at `value` (stored units), as far as is known. */
bool blocks_may_hold(const struct blocks *blocks, struct block_key key, float value);

/* Whether it has surface, as far as is known, or by the guess: coarser voxels may miss what a block holds. */
bool blocks_is_likely(const struct blocks *blocks, struct block_key key, float value);

/* Whether it has surface by the guess; without one: true. */
bool blocks_guesses(const struct blocks *blocks, struct block_key key, float value);

/* Whether its voxels are here. */
bool blocks_has(const struct blocks *blocks, struct block_key key);

/* Notes which values the block has, from its bricks without or with those around it. If it holds no surface at `value` it
 * is the first to be dropped. */
void blocks_note(struct blocks *blocks, struct block_key key, struct brick_range range, float value);

#ifdef __cplusplus
}
#endif
#endif
