#include "chunk_layer.h"

#include "text.h"
#include "kernels/backend.h"

#include <stdlib.h>
#include <string.h>

uint64_t chunk_layer_bytes(const struct store *store)
{
    const size_t height = store_chunk_slices(store);
    return height > 1 ? store_slice_bytes(store) * height : 0;
}

int chunk_layer_open(struct chunk_layer *l, const struct store *store, struct err *err)
{
    const uint64_t bytes = chunk_layer_bytes(store);
    char needed[32];
    *l = (struct chunk_layer){ .store = store };
    l->voxels = bytes && bytes <= backend_cpu.memory_free() ? malloc((size_t)bytes) : NULL;
    if (l->voxels) return ERR_NONE;
    chunk_layer_close(l);
    return err_set(err, ERR_FAILED, "not enough memory for a layer of the volume's chunks (%s)",
                   text_bytes(needed, (double)bytes));
}

void chunk_layer_close(struct chunk_layer *l)
{
    free(l->voxels);
    *l = (struct chunk_layer){ .store = NULL };
}

/* Reads the layer that slice `at` lies in. */
static int keep(struct chunk_layer *l, size_t at, int threads, struct err *err)
{
    const size_t height = store_chunk_slices(l->store), from = at / height * height;
    const size_t to = min_size(from + height, l->store->volume.grid.nz);
    l->from = l->to = 0;
    const int code = store_read(l->store, from, to, l->voxels, threads, err);
    if (!code) l->from = from, l->to = to;
    return code;
}

int chunk_layer_read(struct chunk_layer *l, size_t from, size_t to, void *voxels, int threads, struct err *err)
{
    const size_t bytes = (size_t)store_slice_bytes(l->store), height = store_chunk_slices(l->store);
    const size_t whole = to == l->store->volume.grid.nz ? to : to / height * height; /* end of the last whole chunk */
    int code = ERR_NONE;
    for (size_t at = from, end; at < to && !code; at = end) {
        char *here = (char *)voxels + (at - from) * bytes;
        const bool kept = at >= l->from && at < l->to;
        end = whole;
        if (!kept && at % height == 0 && at < whole) {
            code = store_read(l->store, at, end, here, threads, err);
            continue;
        }
        if (!kept) code = keep(l, at, threads, err);
        end = min_size(l->to, to);
        if (!code) memcpy(here, l->voxels + (at - l->from) * bytes, (end - at) * bytes);
    }
    return code;
}
