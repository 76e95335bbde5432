#include "store.h"

#include "voxels.h"
#include "zarr.h"
#include "kernels/backend.h"

#include <string.h>

int store_begin(struct store *s, const struct load_desc *desc, struct err *err)
{
    const int code = voxels_describe(&s->volume, &s->direct, &s->layout, &s->header, desc, err);
    s->component = desc->component, s->frame = desc->frame;
    return code || s->layout.zarr ? code : layout_open_part(&s->layout, 0, &s->header, &s->part, err);
}

void store_close(struct store *s)
{
    if (s->part.file) layout_close_part(&s->layout, 0, &s->part);
    layout_free(&s->layout);
    source_close(&s->header);
    memset(s, 0, sizeof *s);
}

uint64_t store_slice_bytes(const struct store *s)
{
    return (uint64_t)s->volume.grid.nx * s->volume.grid.ny * voxel_bytes(s->volume.grid.type);
}

size_t store_chunk_slices(const struct store *s)
{
    const struct zarr *z = s->layout.zarr;
    const int axis = z ? z->axis[AXIS_Z] : -1;
    return axis < 0 ? 1 : z->chunk[axis] < s->volume.grid.nz ? (size_t)z->chunk[axis] : s->volume.grid.nz;
}

bool store_has_gaps(const struct store *s) { return s->layout.zarr && s->layout.zarr->gaps; }

static int read_chunks(const struct store *s, const struct store_rows *rows, void *voxels, int threads, struct err *err)
{
    struct zarr_box box = {
        .from = { 0, rows->row, rows->slice },
        .size = { s->volume.grid.nx, rows->rows, rows->slices },
        .component = s->component,
        .frame = s->frame,
        .to = voxels,
        .threads = threads,
        .memory = backend_cpu.memory_free() / 2,
    };
    return zarr_read(s->layout.zarr, &box, err);
}

int store_read_rows(const struct store *s, const struct store_rows *rows, void *voxels, int threads, struct err *err)
{
    static const struct progress silent;
    const struct grid *g = &s->volume.grid;
    const bool whole = rows->rows == g->ny;
    const size_t pieces = whole ? 1 : rows->slices, bytes = voxel_bytes(g->type);
    const uint64_t values = (uint64_t)g->nx * rows->rows * (whole ? rows->slices : 1);
    struct source part = s->part; /* for its name and descriptor; no position is used */
    struct direct direct = s->direct;
    uint64_t lost = 0;
    int code = ERR_NONE;
    if (s->layout.zarr) return read_chunks(s, rows, voxels, threads, err);
    direct.source = &part, direct.lost = &lost, direct.progress = &silent, direct.values = values, direct.threads = threads;
    for (size_t i = 0; i < pieces && !code; i++) {
        direct.to = (char *)voxels + i * values * bytes;
        direct.offset = s->direct.offset + ((rows->slice + i) * g->ny + rows->row) * g->nx * direct.type->bytes;
        code = direct_read(&direct, err);
    }
    return code;
}

int store_read(const struct store *s, size_t from, size_t to, void *voxels, int threads, struct err *err)
{
    const struct store_rows all = { from, to - from, 0, s->volume.grid.ny };
    return store_read_rows(s, &all, voxels, threads, err);
}
