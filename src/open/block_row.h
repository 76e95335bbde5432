/* A row of blocks along x (blocks.h). A thread of its own reads it from a file and processes it while other rows are used.
 *
 *    { block_row_begin -> block_row_take -> block_row_end } ... -> block_row_close */
#ifndef ISO_BLOCK_ROW_H
#define ISO_BLOCK_ROW_H

#include "levels.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Processes the row's voxels as soon as they have been read. Its error becomes that of the reading. */
typedef int block_row_use(void *context, const struct grid *row, int threads, struct err *err);

struct block_row {             /* zero means closed */
    const struct level *level; /* NULL: nothing is being read */
    struct grid grid;          /* all voxels of the row's blocks */
    void *memory;              /* of the voxels; kept for the next row */
    uint64_t room;
    int threads;
    block_row_use *use; /* called by the row's thread, with */
    void *context;
    const struct progress *waits; /* of the caller who waits; NULL: nobody waits. Atomic, like */
    bool stops;
    pthread_t reader;
    bool threaded; /* reader has to be joined */
    struct err err;
    int code;
};

/* Whether the disk reads a whole row as soon as one of its blocks is read, so that reading all of it takes no longer. */
bool block_row_helps(const struct level *level, const struct grid *row);

/* Begins to read `grid`, a block of the level without voxels, and then calls `use`. */
void block_row_begin(struct block_row *row, const struct level *level, const struct grid *grid, int threads,
                     block_row_use *use, void *context);

/* Waits until the row has been read and used, and reports the reading to `progress` meanwhile. Errors: as store_read_box
 * and `use`, and ERR_FAILED for memory. */
int block_row_take(struct block_row *row, const struct progress *progress, struct err *err);

/* Ends the reading, even if it is not complete. The voxels are gone. */
void block_row_end(struct block_row *row);
void block_row_close(struct block_row *row);

#ifdef __cplusplus
}
#endif
#endif
