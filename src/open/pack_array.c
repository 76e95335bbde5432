#include "pack_array.h"

#include "crc32c.h"
#include "file_io.h"
#include "pack_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { LEVEL = 1 /* of zstd: what higher levels save takes longer than writing it to a disk */ };

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

void pack_array_plan(struct pack_array *p, const char *path, enum voxel_type type, const size_t size[3])
{
    *p = (struct pack_array){ .path = path, .folder = -1, .type = type };
    for (int a = 0; a < 3; a++) {
        p->size[a] = size[a];
        p->chunk[a] = min_size(size[a], PACK_CHUNK);
        p->shard[a] = min_size((size[a] + PACK_CHUNK - 1) / PACK_CHUNK, PACK_SHARD);
        if (a < 2) p->shards[a] = (size[a] - 1) / (p->chunk[a] * p->shard[a]) + 1;
    }
}

static size_t chunk_bytes(const struct pack_array *p)
{
    return p->chunk[0] * p->chunk[1] * p->chunk[2] * voxel_bytes(p->type);
}

/* The most bytes that a packed chunk can have, with its checksum. */
static size_t packed_bytes(const struct pack_array *p) { return ZSTD_compressBound(chunk_bytes(p)) + sizeof(uint32_t); }

static size_t chunks_in_shard(const struct pack_array *p) { return p->shard[0] * p->shard[1] * p->shard[2]; }
static size_t shard_count(const struct pack_array *p) { return p->shards[0] * p->shards[1]; }
static size_t index_numbers(const struct pack_array *p) { return 2 * chunks_in_shard(p); }

uint64_t pack_array_bytes(const struct pack_array *p, int threads)
{
    const uint64_t each = chunk_bytes(p) + packed_bytes(p) + ((uint64_t)1 << 20); /* for zstd's own tables */
    return (uint64_t)threads * each + shard_count(p) * (index_numbers(p) + 1) * sizeof *p->index;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int refuse(const struct pack_array *p, const char *what, struct err *err)
{
    return err_set(err, ERR_FAILED, "%s: %s cannot be written: %s", p->path, what,
                   errno ? strerror(errno) : "out of memory");
}

/* Opens the file of a shard. Makes its folders if necessary. */
static int open_shard(const struct pack_array *p, size_t number, size_t layer)
{
    char name[128];
    const size_t z = layer / p->shard[2], y = number / p->shards[0], x = number % p->shards[0];
    const char *const formats[] = { "c", "c/%zu", "c/%zu/%zu" };
    snprintf(name, sizeof name, "c/%zu/%zu/%zu", z, y, x);
    const int file = openat(p->folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0 || errno != ENOENT) return file;
    char *slash = name;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        slash = strchr(slash + (i > 0), '/');
        *slash = 0;
        const bool made = !mkdirat(p->folder, name, 0777) || errno == EEXIST;
        *slash = '/';
        if (!made) return -1;
    }
    return openat(p->folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
}

/* Writes the index of a shard and its checksum, and waits until all of the shard is on the disk. */
static bool end_shard(const struct pack_array *p, size_t number, size_t layer)
{
    const size_t n = index_numbers(p), bytes = n * sizeof *p->index;
    uint64_t *index = p->index + number * n;
    const int file = open_shard(p, number, layer);
    const uint32_t sum = crc32c(index, bytes); /* little-endian, as all machines that this program runs on */
    bool fine = file >= 0 && file_write_at(file, index, bytes, p->at[number]) &&
                file_write_at(file, &sum, sizeof sum, p->at[number] + bytes) && file_sync(file);
    if (file >= 0 && close(file)) fine = false;
    return fine;
}

int pack_array_end(struct pack_array *p, size_t layer, struct err *err)
{
    const size_t n = index_numbers(p);
    for (size_t i = 0; i < shard_count(p); i++) {
        if (!end_shard(p, i, layer)) return refuse(p, "a shard", err);
        p->bytes += p->at[i] + n * sizeof *p->index + sizeof(uint32_t);
        p->files++;
        p->at[i] = 0;
    }
    memset(p->index, 0xff, shard_count(p) * n * sizeof *p->index); /* marks chunks as missing */
    return ERR_NONE;
}

int pack_array_open(struct pack_array *p, int folder, int threads, struct err *err)
{
    p->folder = folder;
    p->threads = threads;
    p->at = calloc(shard_count(p), sizeof *p->at);
    p->index = malloc(shard_count(p) * index_numbers(p) * sizeof *p->index);
    if (!p->at || !p->index)
        return err_set(err, ERR_FAILED, "not enough memory for the indexes of %zu shards", shard_count(p));
    memset(p->index, 0xff, shard_count(p) * index_numbers(p) * sizeof *p->index);
    return pack_json_array(folder, p, err);
}

void pack_array_close(struct pack_array *p)
{
    free(p->at);
    free(p->index);
    p->at = p->index = NULL;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

struct band {
    struct pack_array *p;
    size_t layer, row, rows, slices;
    const char *voxels;
};

/* Copies a chunk out of the band. Voxels beyond the end of the array become 0. */
static void cut_chunk(const struct band *b, size_t x, size_t y, char *to)
{
    const struct pack_array *p = b->p;
    const size_t bytes = voxel_bytes(p->type), nx = min_size(p->chunk[0], p->size[0] - x);
    const size_t ny = min_size(p->chunk[1], b->rows - y);
    if (nx < p->chunk[0] || ny < p->chunk[1] || b->slices < p->chunk[2]) memset(to, 0, chunk_bytes(p));
    for (size_t k = 0; k < b->slices; k++)
        for (size_t j = 0; j < ny; j++)
            memcpy(to + (k * p->chunk[1] + j) * p->chunk[0] * bytes,
                   b->voxels + ((k * b->rows + y + j) * p->size[0] + x) * bytes, nx * bytes);
}

/* Allots n bytes in the shard to the chunk. Returns their offset, and sets the shard's number. */
static uint64_t place_chunk(const struct band *b, size_t i, size_t j, size_t n, size_t *number)
{
    struct pack_array *p = b->p;
    const size_t y = b->row / p->chunk[1] + j, *const s = p->shard;
    *number = y / s[1] * p->shards[0] + i / s[0];
    const size_t inside = (b->layer % s[2] * s[1] + y % s[1]) * s[0] + i % s[0];
    uint64_t *entry = p->index + *number * index_numbers(p) + 2 * inside;
    entry[0] = p->at[*number], entry[1] = n;
    p->at[*number] += n;
    return entry[0];
}

static bool write_chunk(const struct band *b, size_t number, const void *bytes, size_t n, uint64_t at)
{
    const int file = open_shard(b->p, number, b->layer);
    bool fine = file >= 0 && file_write_at(file, bytes, n, at);
    if (file >= 0 && close(file)) fine = false;
    return fine;
}

/* Packs a chunk and appends its checksum, because zstd decodes many wrong bits as other voxels. Returns the bytes; 0:
 * failed. */
static size_t pack_chunk(const struct pack_array *p, void *zstd, const char *chunk, char *packed)
{
    const size_t n = ZSTD_compressCCtx(zstd, packed, packed_bytes(p), chunk, chunk_bytes(p), LEVEL);
    if (ZSTD_isError(n)) return 0;
    const uint32_t sum = crc32c(packed, n); /* little-endian, as in the index */
    memcpy(packed + n, &sum, sizeof sum);
    return n + sizeof sum;
}

/* Packs chunks in parallel, but allots their places in order. So the files are the same for any number of threads. */
static bool pack_chunks(const struct band *b, size_t nx, size_t ny)
{
    int reason = 0;
    bool fine = true;
#pragma omp parallel num_threads(b->p->threads)
    {
        ZSTD_CCtx *zstd = ZSTD_createCCtx();
        char *chunk = malloc(chunk_bytes(b->p)), *packed = malloc(packed_bytes(b->p));
#pragma omp for ordered schedule(dynamic)
        for (size_t i = 0; i < nx * ny; i++) {
            const bool ready = zstd && chunk && packed;
            size_t n = 0, number = 0;
            uint64_t at = 0;
            if (ready) {
                cut_chunk(b, i % nx * b->p->chunk[0], i / nx * b->p->chunk[1], chunk);
                n = pack_chunk(b->p, zstd, chunk, packed);
            }
            const bool made = n > 0;
#pragma omp ordered
            if (made) at = place_chunk(b, i % nx, i / nx, n, &number);
            errno = 0;
            if (made && write_chunk(b, number, packed, n, at)) continue;
#pragma omp critical(pack_failure)
            fine = false, reason = errno;
        }
        ZSTD_freeCCtx(zstd);
        free(chunk);
        free(packed);
    }
    errno = reason;
    return fine;
}

int pack_array_add(struct pack_array *p, size_t layer, size_t row, size_t rows, const void *voxels, struct err *err)
{
    const struct band b = { p, layer, row, rows, min_size(p->chunk[2], p->size[2] - layer * p->chunk[2]), voxels };
    const size_t nx = (p->size[0] - 1) / p->chunk[0] + 1, ny = (rows - 1) / p->chunk[1] + 1;
    return pack_chunks(&b, nx, ny) ? ERR_NONE : refuse(p, "a chunk", err);
}
