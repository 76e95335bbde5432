#include "band.h"

#include "text.h"
#include "timing.h"
#include "kernels/backend.h"
#include "kernels/host_memory.h"

#include <stdlib.h>
#include <string.h>

static void drop_memory(struct band *b)
{
    for (int i = 0; i < 2; i++) free(b->memory[i]), b->memory[i] = NULL;
    b->bytes = 0;
}

static void shrink(struct band *b, size_t bytes)
{
    for (int i = 0; i < 2; i++) {
        char *less = realloc(b->memory[i], bytes);
        if (less) b->memory[i] = less;
    }
    b->bytes = bytes;
}

/* Memory that has been touched before costs no time to touch again. So existing memory shrinks, and is freed only if it is
 * too small. Reserves both halves or none. */
static bool reserve(struct band *b, size_t bytes)
{
    if (b->bytes >= bytes) {
        if (b->bytes > bytes) shrink(b, bytes);
        return true;
    }
    drop_memory(b);
    if (2 * (uint64_t)bytes > backend_cpu.memory_free()) return false;
    for (int i = 0; i < 2; i++) b->memory[i] = host_memory_alloc(bytes);
    b->bytes = bytes;
    if (!b->memory[0] || !b->memory[1]) drop_memory(b);
    return b->bytes;
}

int band_open(struct band *b, const struct band_desc *d, struct err *err)
{
    const size_t slices = d->slices ? d->slices : 1, each = (size_t)store_slice_bytes(d->store) * slices;
    char needed[32];
    struct band open = { .store = d->store, .ranges = d->ranges, .threads = d->threads, .first_threads = d->first_threads };
    const bool reserved = reserve(b, each);
    for (int i = 0; i < 2; i++) open.memory[i] = b->memory[i];
    open.bytes = b->bytes, *b = open;
    const int code = d->keeps ? chunk_layer_open(&b->layer, d->store, err) : ERR_NONE;
    if (code || reserved) return code;
    return err_set(err, ERR_FAILED, "not enough memory for twice %zu slices of the volume (%s)", d->slices,
                   text_bytes(needed, 2 * (double)each));
}

void band_end(struct band *b)
{
    if (b->threaded) pthread_join(b->reader, NULL);
    b->threaded = false;
    chunk_layer_close(&b->layer);
}

void band_close(struct band *b)
{
    band_end(b);
    drop_memory(b);
    *b = (struct band){ .store = NULL };
}

/* Reads slices that are not in memory. */
static int read_rest(struct band *b, size_t from, size_t to, char *voxels)
{
    const int threads = b->to[b->now] ? b->threads : b->first_threads;
    if (b->layer.voxels) return chunk_layer_read(&b->layer, from, to, voxels, threads, &b->err);
    return b->ranges ? ranges_read(b->ranges, from, to, voxels, threads, &b->err)
                     : store_read(b->store, from, to, voxels, threads, &b->err);
}

/* How many slices the other half shares with this one; they are its first ones. */
static size_t kept_slices(const struct band *b)
{
    const int now = b->now, next = !now;
    const bool shared = b->from[next] >= b->from[now] && b->from[next] < b->to[now];
    return shared ? min_size(b->to[now], b->to[next]) - b->from[next] : 0;
}

/* Reads those slices of the other half that are not shared. */
static void *read_next(void *context)
{
    struct band *b = context;
    const int next = !b->now;
    const size_t kept = kept_slices(b), from = b->from[next] + kept, to = b->to[next];
    const size_t bytes = (size_t)store_slice_bytes(b->store);
    const double begun = timing_ms();
    if (from < to) b->code = read_rest(b, from, to, b->memory[next] + kept * bytes);
    b->read_bytes += b->ranges ? ranges_read_bytes(b->ranges, from, to) : (to - from) * bytes;
    b->read_ms += timing_ms() - begun;
    return NULL;
}

/* Copies the shared slices. The disk reads meanwhile. */
static void keep(struct band *b)
{
    const int now = b->now, next = !now;
    const size_t kept = kept_slices(b), bytes = (size_t)store_slice_bytes(b->store);
    if (kept) memcpy(b->memory[next], b->memory[now] + (b->from[next] - b->from[now]) * bytes, kept * bytes);
}

void band_ask(struct band *b, size_t from, size_t to, size_t ahead)
{
    b->from[!b->now] = from, b->to[!b->now] = ahead, b->end[!b->now] = to;
    b->threaded = !pthread_create(&b->reader, NULL, read_next, b);
    if (!b->threaded) read_next(b); /* without a thread: one after the other */
    keep(b);
}

int band_take(struct band *b, struct grid *grid, struct err *err)
{
    if (b->threaded) pthread_join(b->reader, NULL);
    b->threaded = false;
    if (b->code) {
        if (err) *err = b->err;
        return b->code;
    }
    b->now = !b->now;
    *grid = b->store->volume.grid;
    grid->voxels = b->memory[b->now];
    grid->first[2] = b->from[b->now];
    grid->nz = b->end[b->now] - b->from[b->now];
    return ERR_NONE;
}
