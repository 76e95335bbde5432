/* A row of blocks along x (blocks.h), read from a file, and made use of, by a thread of its own while others are used.
 *
 *    { block_row_begin -> block_row_take -> block_row_end } ... -> block_row_close */
#ifndef ISO_BLOCK_ROW_H
#define ISO_BLOCK_ROW_H

#include "levels.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes use of the row's voxels as soon as they have been read. Its error is that of the reading. */
typedef int block_row_use(void *context, const struct grid *row, int threads, struct err *err);

struct block_row {             /* zero is a closed one */
    const struct level *level; /* NULL: nothing is read */
    struct grid grid;          /* all voxels that the row's blocks have */
    void *memory;              /* theirs; it stays for the next row */
    uint64_t room;
    int threads;
    block_row_use *use; /* by way of its own thread, with */
    void *context;
    const struct progress *waits; /* of who waits for it; NULL: nobody does. Atomic, like */
    bool stops;
    pthread_t reader;
    bool threaded; /* reader is to be joined */
    struct err err;
    int code;
};

/* Whether all of a row is read as soon as one of its blocks, so that reading it at once takes the disk no longer. */
bool block_row_helps(const struct level *level, const struct grid *row);

/* Begins to read `grid`, a block of the level without voxels, for `use`. */
void block_row_begin(struct block_row *row, const struct level *level, const struct grid *grid, int threads,
                     block_row_use *use, void *context);

/* Waits until it has been read and used; `progress` is told of the reading meanwhile. Errors: as store_read_box and `use`,
 * and ERR_FAILED for memory. */
int block_row_take(struct block_row *row, const struct progress *progress, struct err *err);

/* Ends the reading, also before it is done. The voxels are gone. */
void block_row_end(struct block_row *row);
void block_row_close(struct block_row *row);

#ifdef __cplusplus
}
#endif
#endif
