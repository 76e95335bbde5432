/* Volumes whose chunks are taller than slabs: files have the bytes of the whole volume, and each chunk is unpacked once
 * per pass, or slightly more often if memory is short. */
#include "stream_util.h"

#include "pack.h"
#include "stream_info.h"

enum { NX = 70, NY = 34, NZ = 200 };

static uint8_t voxels[(size_t)NX * NY * NZ];

/* Noise, which no codec makes smaller: what is read says how many chunks were. */
static void write_chunks(void)
{
    const struct load_desc load = { .dims = { NX, NY, NZ }, .type = "uint8" };
    char raw[256], zarr[256];
    struct pack_result result;
    struct store store;
    struct err err = { 0 };
    for (size_t i = 0; i < sizeof voxels; i++) voxels[i] = (uint8_t)(check_random() >> 33);
    write_file(path_of(raw, "volume.raw"), voxels, sizeof voxels);
    open_store(&store, raw, &load);
    const struct pack_desc desc = { .store = &store, .memory = (uint64_t)1 << 30, .threads = 2 };
    if (pack_write(&desc, path_of(zarr, "volume.zarr"), &result, &err)) abort();
    store_close(&store);
}

/* The whole at once: each chunk is read. */
static unsigned long long load_once(const char *path)
{
    const struct load_desc load = { .threads = 2 };
    const unsigned long long before = bytes_read();
    struct volume volume;
    struct err err = { 0 };
    if (load_volume(&volume, path, &load, &err)) abort();
    volume_free(&volume);
    return before ? bytes_read() - before : 0;
}

/* Through the store: two passes. Returns the bytes that were read. */
static unsigned long long pass_twice(const char *path, size_t layers, uint64_t memory, bool extracts,
                                     struct stream_info *info)
{
    const struct load_desc load = { .threads = 2 };
    char made[256];
    struct store store;
    struct export_file e = { .format = &export_ply };
    struct err err = { 0 };
    open_store(&store, path, &load);
    const struct stream_info_desc to_know = {
        .store = &store, .surface = true, .value = 127.5, .memory = memory, .layers = layers
    };
    const struct stream_desc to_make = { .store = &store, .memory = memory, .layers = layers };
    const unsigned long long before = bytes_read();
    const int code = extracts ? extract_one(&to_make, 250.5, &e, path_of(made, "slabs"), &err)
                              : stream_info_find(info, &to_know, &iso, &err);
    if (!CHECK(!code)) printf("  %s\n", err.text);
    const unsigned long long read = before ? bytes_read() - before : 0;
    export_free(&e);
    store_close(&store);
    return read;
}

static void compare(const char *a, const char *b, size_t layers)
{
    char path[256];
    size_t n[2];
    char *const x = read_file(path_of(path, a), &n[0]), *const y = read_file(path_of(path, b), &n[1]);
    if (!CHECK(x && y && n[0] == n[1] && !memcmp(x, y, n[0])))
        printf("  %zu layers: %zu and %zu bytes\n", layers, n[0], n[1]);
    free(x);
    free(y);
}

static void check_info(const char *path, size_t layers, uint64_t memory, const struct stream_info *whole,
                       unsigned long long most)
{
    struct stream_info info = { 0 };
    const unsigned long long read = pass_twice(path, layers, memory, false, &info);
    CHECK(info.vertices == whole->vertices && info.triangles == whole->triangles &&
          info.measure.area == whole->measure.area &&
          !memcmp(&info.stats.summary, &whole->stats.summary, sizeof info.stats.summary) &&
          !memcmp(info.stats.counts, whole->stats.counts, sizeof info.stats.counts));
    if (!CHECK(read <= most))
        printf("  %zu layers, %llu bytes allowed: %llu read\n", layers, (unsigned long long)memory, read);
}

/* By slabs of so many layers of 4 slices: thinner than the chunks of 64, as thick, thicker. */
static void check_same(void)
{
    static const size_t layers[] = { 1, 5, 15, 16, 17, 31, 40, 0 };
    const struct load_desc load = { .dims = { NX, NY, NZ }, .type = "uint8", .threads = 2 };
    const struct subject at = { .value = 250.5 };
    char raw[256], zarr[256], made[256];
    struct stream_info whole = { 0 };
    struct err err = { 0 };
    path_of(raw, "volume.raw"), path_of(zarr, "volume.zarr");
    write_chunks();
    const unsigned long long once = load_once(zarr),
                             twice = 2 * once + once * 7 / 10; /* files' ends are read for each slab */
    CHECK(!extract_whole(raw, path_of(made, "whole"), &at, &export_ply, &load, &err));
    pass_twice(zarr, 0, (uint64_t)1 << 30, false, &whole);
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const unsigned long long read = pass_twice(zarr, layers[i], (uint64_t)1 << 30, true, NULL);
        if (!CHECK(read <= twice))
            printf("  %zu layers: %.2f readings of the file\n", layers[i], (double)read / (double)once);
        compare("whole", "slabs", layers[i]);
        unlink(path_of(made, "slabs"));
        check_info(zarr, layers[i], (uint64_t)1 << 30, &whole, twice);
    }
    if (!bytes_read()) printf("skipped: no /proc/self/io here\n");
}

int main(void)
{
    set_up(20261127, 2);
    check_same();
    return tear_down("stream_chunks");
}
