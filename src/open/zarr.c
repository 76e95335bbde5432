#include "zarr.h"

#include "crc32c.h"
#include "file_io.h"
#include "text.h"
#include "zarr_file.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ABSENT UINT64_MAX /* offset and size of a chunk that is missing in its shard */

/* An array with a file for every few values would take hours to open, even if its header is small. */
#define TINY 4096
#define MOST_TINY ((uint64_t)1 << 19)

typedef unsigned long long ull; /* for printf */

/* ---- which chunks ------------------------------------------------------------------------------------------------ */

/* Goes through the chunks that a box touches, shard by shard, because chunks of a shard are in the same file. */
struct walk {
    const struct zarr *z;
    uint64_t from[ZARR_AXES], to[ZARR_AXES]; /* chunks along each axis */
    uint64_t at[ZARR_AXES];                  /* the next chunk */
    uint64_t done, count;
};

static uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Where the box begins and ends along axis `a` of the array. */
static void extent(const struct zarr *z, const struct zarr_box *box, int a, uint64_t *from, uint64_t *to)
{
    *from = 0, *to = 1; /* other axes have one value */
    for (int i = 0; i < AXIS_COUNT; i++) {
        if (z->axis[i] != a) continue;
        *from = i < 3 ? box->from[i] : i == AXIS_COMPONENT ? box->component : box->frame;
        *to = *from + (i < 3 ? box->size[i] : 1);
    }
}

static struct walk walk_of(const struct zarr *z, const struct zarr_box *box)
{
    struct walk w = { .z = z, .count = 1 };
    for (int a = 0; a < z->rank; a++) {
        uint64_t from, to;
        extent(z, box, a, &from, &to);
        w.from[a] = w.at[a] = from / z->chunk[a];
        w.to[a] = (to - 1) / z->chunk[a] + 1;
        w.count *= w.to[a] - w.from[a];
    }
    return w;
}

/* Moves to the next chunk of the shard, or to the first chunk of the next shard. */
static void step(struct walk *w)
{
    const struct zarr *z = w->z;
    uint64_t first[ZARR_AXES] = { 0 }, last[ZARR_AXES] = { 0 }; /* chunks of this shard */
    for (int a = 0; a < z->rank; a++) {
        const uint64_t begin = w->at[a] / z->shard[a] * z->shard[a];
        first[a] = max_u64(begin, w->from[a]);
        last[a] = min_u64(begin + z->shard[a], w->to[a]);
    }
    for (int a = z->rank - 1; a >= 0; a--) {
        if (++w->at[a] < last[a]) return;
        w->at[a] = first[a];
    }
    for (int a = z->rank - 1; a >= 0; a--) {
        if (last[a] < w->to[a]) {
            w->at[a] = last[a];
            return;
        }
        w->at[a] = w->from[a];
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

struct reader { /* one per thread */
    const struct zarr *z;
    struct zarr_decoder decoder;
    uint8_t *stored; /* bytes of a chunk as in the file */
    size_t room;
    uint8_t *row;              /* a row of values of a chunk, along x */
    uint8_t *fill;             /* the same for a missing chunk, as voxels */
    int file;                  /* of the current shard; -1: none */
    bool known, absent;        /* `shard` is set; it has no file */
    uint64_t shard[ZARR_AXES]; /* position of the current shard */
    uint64_t size;             /* bytes of the file */
    uint64_t *index;           /* offset and size of each chunk in it */
    uint64_t missing, lost;
    struct err err;
};

static void close_file(struct reader *r)
{
    if (r->known && !r->absent) close(r->file);
    r->known = false;
}

static void name_shard(const struct reader *r, char name[ZARR_NAME])
{
    size_t used = (size_t)snprintf(name, ZARR_NAME, "%s", r->z->before);
    for (int a = 0; a < r->z->rank; a++)
        used += (size_t)snprintf(name + used, ZARR_NAME - used, "%.*s%llu", a > 0, &r->z->between, (ull)r->shard[a]);
}

static int broken(struct reader *r, const char *why)
{
    char name[ZARR_NAME];
    name_shard(r, name);
    return err_set(&r->err, ERR_INPUT, "%s: chunk '%s': %s", r->z->name, name, why);
}

static uint64_t chunks_in_shard(const struct zarr *z)
{
    uint64_t n = 1;
    for (int a = 0; a < z->rank; a++) n *= z->shard[a];
    return n;
}

/* Reads the offsets and sizes of the chunks of a shard. */
static int read_index(struct reader *r)
{
    const struct zarr *z = r->z;
    const size_t n = 2 * (size_t)chunks_in_shard(z), bytes = n * sizeof *r->index;
    uint8_t sum[4] = { 0 };
    const uint64_t all = bytes + (z->index_summed ? sizeof sum : 0), at = z->index_first ? 0 : r->size - all;
    if (r->size < all) return broken(r, "the shard is too short for its index; the file is cut off");
    if (!file_read_at(r->file, r->index, bytes, at) || !file_read_at(r->file, sum, (size_t)all - bytes, at + bytes))
        return broken(r, "the shard's index cannot be read");
    const uint32_t stored = (uint32_t)sum[0] | (uint32_t)sum[1] << 8 | (uint32_t)sum[2] << 16 | (uint32_t)sum[3] << 24;
    if (z->index_summed && crc32c(r->index, bytes) != stored)
        return broken(r, "the checksum of the shard's index is wrong; the file is cut off or broken");
    if (z->index_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) stored_type_swap(r->index, n, sizeof *r->index);
    return ERR_NONE;
}

/* Opens the file with the chunk `at` unless it is open. */
static int enter_shard(struct reader *r, const uint64_t at[ZARR_AXES])
{
    const struct zarr *z = r->z;
    char name[ZARR_NAME];
    bool same = r->known;
    for (int a = 0; a < z->rank; a++) {
        same = same && r->shard[a] == at[a] / z->shard[a];
        r->shard[a] = at[a] / z->shard[a];
    }
    if (same) return ERR_NONE;
    close_file(r);
    name_shard(r, name);
    r->file = zarr_file_open(z->folder, name, z->anywhere, 0);
    r->absent = r->file < 0 && errno == ENOENT;
    if (r->file < 0 && !r->absent) return zarr_file_refuse(z->name, name, &r->err);
    r->known = true;
    if (r->absent) return ERR_NONE;
    if (!zarr_file_size(r->file, &r->size)) return broken(r, "it is no regular file");
    return z->sharded ? read_index(r) : ERR_NONE;
}

/* Finds the chunk in its file. *bytes ABSENT: it is missing. */
static int find_chunk(struct reader *r, const uint64_t at[ZARR_AXES], uint64_t *offset, uint64_t *bytes)
{
    const struct zarr *z = r->z;
    size_t number = 0;
    const int code = enter_shard(r, at);
    *offset = 0, *bytes = r->absent ? ABSENT : r->size;
    if (code || r->absent || !z->sharded) return code;
    for (int a = 0; a < z->rank; a++) number = number * (size_t)z->shard[a] + (size_t)(at[a] % z->shard[a]);
    *offset = r->index[2 * number], *bytes = r->index[2 * number + 1];
    if (*offset == ABSENT && *bytes == ABSENT) return ERR_NONE;
    if (*offset > r->size || *bytes > r->size - *offset)
        return broken(r, "the shard's index points past its end; the file is cut off or broken");
    return ERR_NONE;
}

/* ---- voxels ------------------------------------------------------------------------------------------------------ */

/* What chunk and box have in common, and how to step through both. */
struct overlap {
    uint64_t from[3], to[3]; /* in voxels x, y, z of the volume */
    uint64_t start[3];       /* of the chunk */
    size_t stride[3];        /* distance, in values of the chunk, of neighbours along x, y, z */
    size_t first;            /* index of the value for the frame and component */
};

static struct overlap overlap_of(const struct zarr *z, const struct zarr_box *box, const uint64_t at[ZARR_AXES])
{
    struct overlap o = { .first = 0 };
    size_t stride[ZARR_AXES] = { 0 }, next = 1;
    for (int i = z->rank - 1; i >= 0; i--) {
        stride[z->order[i]] = next;
        next *= (size_t)z->chunk[z->order[i]];
    }
    for (int i = 0; i < 3; i++) {
        const int a = z->axis[i];
        o.start[i] = a < 0 ? 0 : at[a] * z->chunk[a];
        o.stride[i] = a < 0 ? 0 : stride[a];
        o.from[i] = max_u64(o.start[i], box->from[i]);
        o.to[i] = min_u64(a < 0 ? 1 : o.start[i] + z->chunk[a], box->from[i] + box->size[i]);
    }
    const uint64_t chosen[] = { box->component, box->frame };
    for (int i = 0; i < 2; i++) {
        const int a = z->axis[AXIS_COMPONENT + i];
        if (a >= 0) o.first += (size_t)(chosen[i] % z->chunk[a]) * stride[a];
    }
    return o;
}

static bool must_swap(const struct zarr *z) { return z->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__); }

static bool must_convert(const struct zarr *z) { return z->type->convert || z->negate; }

/* Bytes of a value in the volume. */
static size_t value_bytes(const struct zarr *z) { return z->negate ? sizeof(float) : voxel_bytes(z->type->voxel); }

/* Puts n values, `stride` values apart, in their place in the volume. */
static void put_row(struct reader *r, uint8_t *to, const uint8_t *from, size_t n, size_t stride)
{
    const struct stored_type *type = r->z->type;
    const size_t bytes = type->bytes;
    uint8_t *row = must_convert(r->z) ? r->row : to;
    if (stride == 1) memcpy(row, from, n * bytes);
    else
        for (size_t i = 0; i < n; i++) memcpy(row + i * bytes, from + i * stride * bytes, bytes);
    if (must_swap(r->z)) stored_type_swap(row, n, bytes);
    if (must_convert(r->z)) r->lost += stored_type_to_float(type, row, (float *)(void *)to, n, r->z->negate);
}

/* values NULL: the chunk is missing. */
static void put_chunk(struct reader *r, const struct zarr_box *box, const uint64_t at[ZARR_AXES], const uint8_t *values)
{
    const struct overlap o = overlap_of(r->z, box, at);
    const size_t bytes = value_bytes(r->z), n = (size_t)(o.to[0] - o.from[0]);
    for (uint64_t k = o.from[2]; k < o.to[2]; k++)
        for (uint64_t j = o.from[1]; j < o.to[1]; j++) {
            const uint64_t row = (k - box->from[2]) * box->size[1] + (j - box->from[1]);
            uint8_t *to = (uint8_t *)box->to + (row * box->size[0] + (o.from[0] - box->from[0])) * bytes;
            const size_t first = o.first + (size_t)(o.from[0] - o.start[0]) * o.stride[0] +
                                 (size_t)(j - o.start[1]) * o.stride[1] + (size_t)(k - o.start[2]) * o.stride[2];
            if (values) put_row(r, to, values + first * r->z->type->bytes, n, o.stride[0]);
            else memcpy(to, r->fill, n * bytes);
        }
}

static int read_chunk(struct reader *r, const struct zarr_box *box, const uint64_t at[ZARR_AXES])
{
    const size_t want = (size_t)zarr_chunk_bytes(r->z);
    uint64_t offset, bytes;
    const char *why;
    int code = find_chunk(r, at, &offset, &bytes);
    if (code) return code;
    if (bytes == ABSENT) {
        r->missing++;
        put_chunk(r, box, at, NULL);
        return ERR_NONE;
    }
    if (bytes > r->room) return broken(r, "it has more bytes than its values can take");
    if (!file_read_at(r->file, r->stored, (size_t)bytes, offset)) return broken(r, "it cannot be read");
    const uint8_t *values = zarr_decode(&r->decoder, &r->z->chain, r->stored, (size_t)bytes, want, &why);
    if (!values) return broken(r, why);
    put_chunk(r, box, at, values);
    return ERR_NONE;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static uint64_t row_values(const struct zarr *z) { return z->axis[AXIS_X] < 0 ? 1 : z->chunk[z->axis[AXIS_X]]; }

/* Bytes that a thread needs. */
static uint64_t reader_bytes(const struct zarr *z)
{
    const size_t chunk = (size_t)zarr_chunk_bytes(z);
    const uint64_t index = z->sharded ? 2 * sizeof(uint64_t) * chunks_in_shard(z) : 0;
    return zarr_chain_most(chunk) + zarr_decoder_bytes(&z->chain, chunk) + index + row_values(z) * 12;
}

static void reader_close(struct reader *r)
{
    close_file(r);
    zarr_decoder_close(&r->decoder);
    free(r->stored);
    free(r->row);
    free(r->fill);
    free(r->index);
}

/* Fills a row with the value of missing chunks. */
static void set_fill(struct reader *r, size_t n)
{
    const struct zarr *z = r->z;
    const struct stored_type *type = z->type->convert ? &stored_types[STORED_FLOAT32] : z->type;
    const size_t bytes = value_bytes(z);
    float aligned, negative;
    memcpy(&aligned, z->fill, sizeof aligned);
    if (z->negate) stored_type_to_float(type, &aligned, &negative, 1, true);
    for (size_t i = 0; i < n; i++) memcpy(r->fill + i * bytes, z->negate ? (const void *)&negative : z->fill, bytes);
}

static int reader_open(struct reader *r, const struct zarr *z)
{
    const size_t chunk = (size_t)zarr_chunk_bytes(z), row = (size_t)row_values(z);
    *r = (struct reader){ .z = z, .room = zarr_chain_most(chunk) };
    r->stored = malloc(r->room);
    r->row = malloc(row * z->type->bytes);
    r->fill = malloc(row * value_bytes(z));
    r->index = malloc(2 * sizeof *r->index * (size_t)chunks_in_shard(z));
    if (!zarr_decoder_open(&r->decoder, &z->chain, chunk) || !r->stored || !r->row || !r->fill || !r->index)
        return err_set(&r->err, ERR_FAILED, "%s: not enough memory to read its chunks", z->name);
    set_fill(r, row);
    return ERR_NONE;
}

/* Takes the next chunk of the walk. False: there are no more, or an error has occurred. */
static bool take(struct walk *w, const struct progress *progress, struct err *err, uint64_t at[ZARR_AXES])
{
    if (err->code || w->done == w->count) return false;
    memcpy(at, w->at, sizeof w->at);
    step(w);
    if (progress_tell(progress, (double)w->done++ / (double)w->count)) return true;
    err_set(err, ERR_FAILED, "cancelled");
    return false;
}

/* Run by each thread: reads chunk after chunk. */
static void read_chunks(const struct zarr *z, struct walk *w, struct zarr_box *box, struct err *err)
{
    struct reader r;
    uint64_t at[ZARR_AXES];
    bool more = true;
    int code = reader_open(&r, z);
    while (more && !code) {
#pragma omp critical(zarr_walk)
        more = take(w, box->progress, err, at);
        if (more) code = read_chunk(&r, box, at);
    }
#pragma omp critical(zarr_walk)
    {
        if (code && !err->code) *err = r.err;
        box->missing += r.missing;
        box->lost += r.lost;
    }
    reader_close(&r);
}

static int threads_for(const struct zarr *z, const struct walk *w, const struct zarr_box *box)
{
    const uint64_t wanted = (uint64_t)(box->threads ? box->threads : omp_get_max_threads());
    return (int)min_u64(min_u64(wanted, w->count), box->memory / reader_bytes(z));
}

int zarr_read(struct zarr *z, struct zarr_box *box, struct err *err)
{
    struct walk w = walk_of(z, box);
    struct err first = { .code = ERR_NONE };
    const int threads = threads_for(z, &w, box);
    char needed[32], may[32];
    box->chunks = w.count, box->missing = box->lost = 0;
    if (w.count > MOST_TINY && zarr_chunk_bytes(z) / z->type->bytes < TINY) {
        err_set(err, ERR_INPUT, "%s: %llu chunks of %llu values each are too many to read", z->name, (ull)w.count,
                (ull)(zarr_chunk_bytes(z) / z->type->bytes));
        err_advise(err, "write it again in chunks like 64 x 64 x 64");
        return ERR_INPUT;
    }
    if (!threads) {
        err_set(err, ERR_FAILED, "%s: reading one of its chunks takes %s of memory, but only %s is left", z->name,
                text_bytes(needed, (double)reader_bytes(z)), text_bytes(may, (double)box->memory));
        return err_blame(err, ERR_FAILED, CAUSE_VOLUME);
    }
#pragma omp parallel num_threads(threads)
    read_chunks(z, &w, box, &first);
    if (box->missing) {
#pragma omp atomic write
        z->gaps = true;
    }
    if (first.code && err) *err = first;
    return first.code;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

uint64_t zarr_chunk_bytes(const struct zarr *z)
{
    uint64_t bytes = z->type->bytes;
    for (int a = 0; a < z->rank; a++)
        if (__builtin_mul_overflow(bytes, z->chunk[a], &bytes) || bytes > INT64_MAX / 8) return 0;
    return bytes;
}

void zarr_free(struct zarr *z)
{
    if (!z) return;
    if (z->folder >= 0) close(z->folder);
    free(z);
}
