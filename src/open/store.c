#include "store.h"

#include "voxels.h"
#include "zarr.h"
#include "kernels/backend.h"

#include <assert.h>
#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- slice after slice ----------------------------------------------------------------------------------------------- */

/* Whether each slice is a file of its own. */
static bool has_files(const struct store *s)
{
    const struct layout *layout = &s->layout;
    return layout->part_count > 1 && layout->part_count == layout->size[AXIS_Z] && layout->parts[0].path;
}

static int open_slices(struct store *s, const struct load_desc *desc, struct err *err)
{
    const int wanted = has_files(s) ? omp_get_max_threads() : 1;
    int code = ERR_NONE;
    s->slices = calloc((size_t)wanted, sizeof(struct voxels_slices *));
    if (!s->slices) return err_set(err, ERR_FAILED, "%s: not enough memory for its readers", source_name(&s->header));
    for (int i = 0; i < wanted && !code; i++) {
        const uint64_t memory = backend_cpu.memory_free() / 4 / (uint64_t)wanted;
        code = voxels_slices_open(&s->slices[i], &s->layout, &s->header, desc, memory, err);
        s->readers += !code;
    }
    return code;
}

static int read_in_order(const struct store *s, size_t from, size_t n, char *voxels, int threads, struct err *err)
{
    const size_t bytes = (size_t)store_slice_bytes(s);
    const int readers = threads < s->readers ? threads : s->readers;
    int code = ERR_NONE;
    if (readers == 1) return voxels_slices_read(s->slices[0], from, n, voxels, err);
#pragma omp parallel for num_threads(readers) schedule(static, 1)
    for (size_t i = 0; i < n; i++) {
        struct err own = { .code = ERR_NONE };
        if (!voxels_slices_read(s->slices[omp_get_thread_num()], from + i, 1, voxels + i * bytes, &own)) continue;
#pragma omp critical(store_error)
        {
            if (!code && err) *err = own;
            code = own.code;
        }
    }
    return code;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

int store_begin(struct store *s, const struct load_desc *desc, struct err *err)
{
    const int code = voxels_describe(&s->volume, &s->direct, &s->layout, &s->header, desc, err);
    s->component = desc->component, s->frame = desc->frame;
    if (code || s->layout.zarr) return code;
    if (!voxels_are_direct(&s->layout)) return open_slices(s, desc, err);
    return layout_open_part(&s->layout, 0, &s->header, &s->part, err);
}

bool store_seeks(const struct store *s) { return !s->slices; }

bool store_evict(const struct store *s)
{
    const int fd = s->part.file ? fileno(s->part.file) : -1;
    return fd >= 0 && !fdatasync(fd) && !posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

void store_read_past(struct store *s, uint64_t least)
{
    if (s->part.file && past_open(&s->past, fileno(s->part.file), least)) s->direct.past = &s->past;
}

void store_close(struct store *s)
{
    if (s->direct.past) past_close(s->direct.past);
    for (int i = 0; i < s->readers; i++) voxels_slices_close(s->slices[i]);
    free(s->slices);
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
    struct source part = s->part; /* only its name and descriptor are used, not its position */
    struct direct direct = s->direct;
    uint64_t lost = 0;
    int code = ERR_NONE;
    assert(whole || store_seeks(s));
    if (s->slices) return read_in_order(s, rows->slice, rows->slices, voxels, threads, err);
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

bool store_has_boxes(const struct store *s, uint64_t step) { return store_seeks(s) && (step == 1 || !s->layout.zarr); }

bool store_reads_rows(const struct store *s, uint64_t step)
{
    return !s->slices && !s->layout.zarr && step * s->volume.grid.nx * s->direct.type->bytes <= DIRECT_GAP;
}

static struct direct_box box_of(const struct store *s, const struct store_box *box)
{
    const struct grid *g = &s->volume.grid;
    struct direct_box boxed = { .dims = { g->nx, g->ny, g->nz }, .step = box->step };
    for (int a = 0; a < 3; a++) boxed.from[a] = box->from[a], boxed.size[a] = box->size[a];
    return boxed;
}

void store_ask_box(const struct store *s, const struct store_box *box)
{
    struct source part = s->part;
    struct direct direct = s->direct;
    const struct direct_box boxed = box_of(s, box);
    direct.source = &part;
    if (!s->layout.zarr && !direct.past) direct_ask_box(&direct, &boxed);
}

int store_read_box(const struct store *s, const struct store_box *box, void *voxels, int threads, struct err *err)
{
    static const struct progress silent;
    struct source part = s->part; /* only its name and descriptor are used, not its position */
    struct direct direct = s->direct;
    const struct direct_box boxed = box_of(s, box);
    struct zarr_box chunks = { .component = s->component,
                               .frame = s->frame,
                               .to = voxels,
                               .threads = threads,
                               .memory = backend_cpu.memory_free() / 2,
                               .progress = box->progress };
    uint64_t lost = 0;
    assert(store_has_boxes(s, box->step));
    for (int a = 0; a < 3; a++) chunks.from[a] = box->from[a], chunks.size[a] = box->size[a];
    if (s->layout.zarr) return zarr_read(s->layout.zarr, &chunks, err);
    direct.source = &part, direct.lost = &lost, direct.progress = box->progress ? box->progress : &silent,
    direct.to = voxels, direct.threads = threads;
    return direct_read_box(&direct, &boxed, err);
}
