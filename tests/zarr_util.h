/* A writer of small Zarr arrays for tests: formats 2 and 3, every codec that is read, shards. */
#ifndef ISO_ZARR_UTIL_H
#define ISO_ZARR_UTIL_H

#include "header_util.h"

#include "crc32c.h"

#include <blosc.h>
#include <sys/stat.h>
#include <zstd.h>

/* Axes z, y, x: no axis is a multiple of its chunk, and each is divided differently. */
static const size_t zarr_shape[3] = { NZ, NY, NX }, zarr_chunk[3] = { 2, 3, 2 }, zarr_shard[3] = { 2, 2, 1 };

struct zarr_spec {
    int format;
    const struct stored_type *type;
    bool big, fortran, sharded, index_first;
    const char *codecs[3]; /* that pack bytes, in the order of writing; NULL: no more */
};

/* Makes the folders that `name` needs. */
static inline void make_folders(const char *name)
{
    char path[512];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)(slash - name), name);
        mkdir(path, 0777);
    }
}

static inline void put(const char *name, const void *data, size_t size)
{
    make_folders(name);
    write_file(name, data, size);
}

static inline void put_text(const char *name, const char *text) { put(name, text, strlen(text)); }

static inline void append_crc(struct bytes *to, const void *data, size_t size)
{
    const uint32_t sum = crc32c(data, size);
    const uint8_t bytes[] = { (uint8_t)sum, (uint8_t)(sum >> 8), (uint8_t)(sum >> 16), (uint8_t)(sum >> 24) };
    append(to, bytes, 4);
}

static inline void encode(struct bytes *chunk, const char *codec, size_t type_bytes)
{
    struct bytes to = { 0 };
    uint8_t room[4096] = { 0 };
    uLongf n = sizeof room;
    if (!strcmp(codec, "blosc")) {
        const int made = blosc_compress_ctx(5, BLOSC_SHUFFLE, type_bytes, chunk->size, chunk->data, room, sizeof room,
                                            "lz4", 0, 1);
        CHECK(made > 0);
        append(&to, room, (size_t)made);
    } else if (!strcmp(codec, "zstd")) append(&to, room, ZSTD_compress(room, sizeof room, chunk->data, chunk->size, 1));
    else if (!strcmp(codec, "gzip")) append_gzip(&to, chunk->data, chunk->size);
    else if (!strcmp(codec, "zlib")) CHECK(compress(room, &n, chunk->data, chunk->size) == Z_OK), append(&to, room, n);
    else append(&to, chunk->data, chunk->size), append_crc(&to, chunk->data, chunk->size);
    drop(chunk);
    *chunk = to;
}

/* The chunk at `at`; values beyond the ends are 99. */
static inline struct bytes make_chunk(const struct zarr_spec *s, const size_t at[3])
{
    struct bytes chunk = { 0 };
    const size_t n = zarr_chunk[0] * zarr_chunk[1] * zarr_chunk[2];
    for (size_t i = 0; i < n; i++) {
        size_t p[3], rest = i;
        for (int k = 2; k >= 0; k--) {
            const int a = s->fortran ? 2 - k : k;
            p[a] = at[a] * zarr_chunk[a] + rest % zarr_chunk[a];
            rest /= zarr_chunk[a];
        }
        const bool inside = p[0] < NZ && p[1] < NY && p[2] < NX;
        append_value(&chunk, s->type, inside ? sample(s->type, (int)((p[0] * NY + p[1]) * NX + p[2]), 0) : 99, s->big);
    }
    for (int i = 0; i < 3 && s->codecs[i]; i++) encode(&chunk, s->codecs[i], s->type->bytes);
    return chunk;
}

static inline void append_number(struct bytes *to, uint64_t n)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(n >> 8 * i);
    append(to, bytes, 8);
}

/* The shard at `at`: chunks one after the other, and where each lies. */
static inline struct bytes make_shard(const struct zarr_spec *s, const size_t at[3])
{
    struct bytes chunks = { 0 }, index = { 0 }, all = { 0 };
    const size_t n = zarr_shard[0] * zarr_shard[1] * zarr_shard[2], before = s->index_first ? 16 * n + 4 : 0;
    for (size_t i = 0; i < n; i++) {
        const size_t own[3] = { at[0] * zarr_shard[0] + i / 2, at[1] * zarr_shard[1] + i % 2, at[2] };
        const bool inside = own[0] * zarr_chunk[0] < NZ && own[1] * zarr_chunk[1] < NY;
        struct bytes chunk = { 0 };
        if (inside) chunk = make_chunk(s, own);
        append_number(&index, inside ? before + chunks.size : UINT64_MAX);
        append_number(&index, inside ? chunk.size : UINT64_MAX);
        append(&chunks, chunk.data, chunk.size);
        drop(&chunk);
    }
    append_crc(&index, index.data, index.size);
    append(&all, s->index_first ? index.data : chunks.data, s->index_first ? index.size : chunks.size);
    append(&all, s->index_first ? chunks.data : index.data, s->index_first ? chunks.size : index.size);
    drop(&chunks), drop(&index);
    return all;
}

static inline void meta_2(struct bytes *to, const struct zarr_spec *s)
{
    const char kind = s->type->name[0] == 'u' ? 'u' : s->type->name[0] == 'i' ? 'i' : 'f';
    append_text(to, "{\"zarr_format\": 2, \"shape\": [%d, %d, %d], \"chunks\": [%zu, %zu, %zu], \"dtype\": \"%c%c%zu\", ",
                NZ, NY, NX, zarr_chunk[0], zarr_chunk[1], zarr_chunk[2], s->big ? '>' : '<', kind, s->type->bytes);
    append_text(to, "\"order\": \"%c\", \"fill_value\": 7, \"filters\": null, \"compressor\": ", s->fortran ? 'F' : 'C');
    if (s->codecs[0]) append_text(to, "{\"id\": \"%s\", \"level\": 1}}", s->codecs[0]);
    else append_text(to, "null}");
}

static inline void codecs_3(struct bytes *to, const struct zarr_spec *s)
{
    append_text(to, "[");
    if (s->fortran) append_text(to, "{\"name\": \"transpose\", \"configuration\": {\"order\": [2, 1, 0]}}, ");
    append_text(to, "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"%s\"}}", s->big ? "big" : "little");
    for (int i = 0; i < 3 && s->codecs[i]; i++)
        append_text(to, ", {\"name\": \"%s\", \"configuration\": {}}", s->codecs[i]);
    append_text(to, "]");
}

static inline void meta_3(struct bytes *to, const struct zarr_spec *s)
{
    const size_t times[3] = { s->sharded ? zarr_shard[0] : 1, s->sharded ? zarr_shard[1] : 1,
                              s->sharded ? zarr_shard[2] : 1 };
    append_text(to, "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [%d, %d, %d], \"data_type\": \"%s\", ", NZ,
                NY, NX, s->type->name);
    append_text(to, "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [%zu, %zu, %zu]}}, ",
                times[0] * zarr_chunk[0], times[1] * zarr_chunk[1], times[2] * zarr_chunk[2]);
    append_text(to, "\"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": 7, \"attributes\": {}, \"codecs\": ");
    if (s->sharded)
        append_text(to,
                    "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [%zu, %zu, %zu], \"codecs\": ",
                    zarr_chunk[0], zarr_chunk[1], zarr_chunk[2]);
    codecs_3(to, s);
    if (s->sharded)
        append_text(to,
                    ", \"index_codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": "
                    "\"crc32c\"}], \"index_location\": \"%s\"}}]",
                    s->index_first ? "start" : "end");
    append_text(to, "}");
}

/* Writes an array of sample(type, i, 0) to the folder `name`. */
static inline void put_array(const char *name, const struct zarr_spec *s)
{
    char path[256];
    struct bytes meta = { 0 };
    if (s->format == 2) meta_2(&meta, s);
    else meta_3(&meta, s);
    snprintf(path, sizeof path, "%s/%s", name, s->format == 2 ? ".zarray" : "zarr.json");
    put(path, meta.data, meta.size);
    drop(&meta);
    size_t count[3], at[3];
    for (int a = 0; a < 3; a++) {
        const size_t n = zarr_chunk[a] * (s->sharded ? zarr_shard[a] : 1);
        count[a] = (zarr_shape[a] + n - 1) / n;
    }
    for (at[0] = 0; at[0] < count[0]; at[0]++)
        for (at[1] = 0; at[1] < count[1]; at[1]++)
            for (at[2] = 0; at[2] < count[2]; at[2]++) {
                struct bytes file = s->sharded ? make_shard(s, at) : make_chunk(s, at);
                snprintf(path, sizeof path, s->format == 2 ? "%s/%zu.%zu.%zu" : "%s/c/%zu/%zu/%zu", name, at[0], at[1],
                         at[2]);
                put(path, file.data, file.size);
                drop(&file);
            }
}

#endif
