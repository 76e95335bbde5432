#include "block_row.h"

#include "text.h"
#include "kernels/host_memory.h"

#include <stdlib.h>

#define MOST ((uint64_t)512 << 20) /* bytes of a row; BLOCK_ROWS rows are in memory */

bool block_row_helps(const struct level *level, const struct grid *row)
{
    return store_reads_rows(level->store, level->step) && grid_bytes(row) <= MOST;
}

/* While the caller waits, its progress says whether to go on; otherwise row->stops does. The caller does nothing else
 * meanwhile, so its progress can be called from here. */
static bool goes_on(void *context, double fraction)
{
    const struct block_row *row = context;
    const struct progress *waits = __atomic_load_n(&row->waits, __ATOMIC_ACQUIRE);
    return waits ? progress_tell(waits, fraction) : !__atomic_load_n(&row->stops, __ATOMIC_RELAXED);
}

static int no_memory(size_t bytes, struct err *err)
{
    char needed[32];
    return err_set(err, ERR_FAILED, "not enough memory for a row of blocks (%s)", text_bytes(needed, (double)bytes));
}

static void *read_it(void *context)
{
    struct block_row *row = context;
    const struct grid *g = &row->grid;
    const struct progress progress = { goes_on, row };
    const struct store_box box = {
        row->level->step, { g->first[0], g->first[1], g->first[2] }, { g->nx, g->ny, g->nz }, &progress
    };
    if (row->room < grid_bytes(g)) {
        free(row->memory);
        row->room = grid_bytes(g), row->memory = host_memory_alloc(row->room);
        if (!row->memory) row->room = 0;
    }
    row->grid.voxels = row->memory;
    row->code = row->memory ? store_read_box(row->level->store, &box, row->memory, row->threads, &row->err)
                            : no_memory(grid_bytes(g), &row->err);
    if (!row->code) row->code = row->use(row->context, g, row->threads, &row->err);
    return NULL;
}

void block_row_begin(struct block_row *row, const struct level *level, const struct grid *grid, int threads,
                     block_row_use *use, void *context)
{
    *row = (struct block_row){ .level = level,
                               .grid = *grid,
                               .threads = threads,
                               .use = use,
                               .context = context,
                               .memory = row->memory,
                               .room = row->room };
    row->threaded = !pthread_create(&row->reader, NULL, read_it, row);
    if (!row->threaded) read_it(row); /* without a thread: one after the other */
}

static void wait_for(struct block_row *row)
{
    if (row->threaded) pthread_join(row->reader, NULL);
    row->threaded = false;
}

int block_row_take(struct block_row *row, const struct progress *progress, struct err *err)
{
    __atomic_store_n(&row->waits, progress, __ATOMIC_RELEASE);
    wait_for(row);
    __atomic_store_n(&row->waits, NULL, __ATOMIC_RELAXED);
    if (row->code && err) *err = row->err;
    return row->code;
}

void block_row_end(struct block_row *row)
{
    __atomic_store_n(&row->stops, true, __ATOMIC_RELAXED);
    wait_for(row);
    row->level = NULL;
}

void block_row_close(struct block_row *row)
{
    block_row_end(row);
    free(row->memory);
    *row = (struct block_row){ .level = NULL };
}
