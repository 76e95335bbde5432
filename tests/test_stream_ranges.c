/* Parts of a volume without surface are not read again, and the bytes are those of the whole: bodies at and across the
 * borders
 * of blocks of 64 voxels, large parts without surface on either side of the values, NaN. A file that changes where it is
 * read again is refused even if the surface has as many vertices as before. */
#include "stream_util.h"

#include "stream.h"

#include <math.h>

enum { NX = 70, NY = 330, NZ = 150 };

static float voxels[(size_t)NX * NY * NZ];
static uint8_t small[(size_t)NX * NY * NZ];

static size_t at(size_t x, size_t y, size_t z) { return (z * NY + y) * NX + x; }

/* A box of noise around the place. */
static void put_noise(size_t x, size_t y, size_t z, size_t radius)
{
    for (size_t k = z > radius ? z - radius : 0; k <= z + radius && k < NZ; k++)
        for (size_t j = y > radius ? y - radius : 0; j <= y + radius && j < NY; j++)
            for (size_t i = x > radius ? x - radius : 0; i <= x + radius && i < NX; i++)
                voxels[at(i, j, k)] = (float)(check_random() % 60);
}

/* Two halves, of 10 and 50, with gradients that no value of the test crosses, and bodies in them. */
static void make_volume(int turn)
{
    static const size_t places[] = { 63, 64, 127, 128, 0, 149, 65, 66 };
    for (size_t z = 0; z < NZ; z++)
        for (size_t y = 0; y < NY; y++)
            for (size_t x = 0; x < NX; x++)
                voxels[at(x, y, z)] = (turn % 2 && y > 220 ? 50.f : 10.f) + (float)(x % 7) - (float)(y % 5);
    for (int i = 0; i < 1 + turn % 3; i++)
        put_noise(check_random() % NX, places[check_random() % 8] + 64 * (check_random() % 3), places[check_random() % 8],
                  check_random() % 3);
    voxels[at(35, 100, 70)] = 60; /* there is always a surface */
    if (turn % 4 == 3)
        for (size_t i = at(3, 250, 100); i < at(3, 280, 140); i++) voxels[i] = i % 3 ? NAN : voxels[i];
}

static const struct load_desc as_floats = { .dims = { NX, NY, NZ }, .type = "float32", .threads = 2 };
static const struct load_desc as_bytes = { .dims = { NX, NY, NZ }, .type = "uint8", .threads = 2 };

static void write_as(const char *path, const struct load_desc *load)
{
    if (load == &as_floats) write_file(path, voxels, sizeof voxels);
    for (size_t i = 0; i < sizeof small && load == &as_bytes; i++) small[i] = voxels[i] >= 0 ? (uint8_t)voxels[i] : 0;
    if (load == &as_bytes) write_file(path, small, sizeof small);
}

/* Makes both files; returns how much was read of it. */
static unsigned long long make_both(const char *from, const struct load_desc *load, size_t layers, struct progress progress,
                                    int *code, struct err *err)
{
    char path[2][256];
    struct store store;
    struct export_file e[2] = { { .format = &export_ply }, { .format = &export_ply } };
    open_store(&store, from, load);
    const struct stream_desc desc = {
        .store = &store, .memory = (uint64_t)1 << 30, .layers = layers, .progress = progress
    };
    struct stream_file files[2] = { { 25.5, path_of(path[0], "low"), &e[0], 0 },
                                    { 35, path_of(path[1], "high"), &e[1], 0 } };
    const unsigned long long before = bytes_read();
    *code = stream_extract(&desc, &iso, files, 2, err);
    const unsigned long long read = before ? bytes_read() - before : 0;
    for (int i = 0; i < 2; i++) export_free(&e[i]);
    store_close(&store);
    return read;
}

static void compare(const char *from, const struct load_desc *load, const char *made, double value, const char *what)
{
    char path[256], whole[256];
    const struct subject s = { .value = value };
    struct err err = { 0 };
    size_t n[2];
    path_of(whole, "whole"), path_of(path, made);
    unlink(whole);
    CHECK(!extract_whole(from, whole, &s, &export_ply, load, &err));
    char *a = read_file(whole, &n[0]), *b = read_file(path, &n[1]);
    if (!CHECK(a && b && n[0] == n[1] && !memcmp(a, b, n[0])))
        printf("  %s at %g: %zu and %zu bytes\n", what, value, n[0], n[1]);
    free(a);
    free(b);
    unlink(path);
}

static void check_same(void)
{
    char from[256], what[64];
    struct err err = { 0 };
    const struct progress none = { NULL, NULL };
    int code;
    for (int turn = 0; turn < 16; turn++) {
        const struct load_desc *load = turn % 3 ? &as_bytes : &as_floats;
        make_volume(turn);
        write_as(path_of(from, "volume.raw"), load);
        CHECK(!iso_set_rung(&iso, STAGE_FUSED, turn % 5 == 4 ? "none" : NULL, &err));
        const unsigned long long read = make_both(from, load, (size_t)(turn % 3 ? turn : 0), none, &code, &err),
                                 all = load == &as_bytes ? sizeof small : sizeof voxels;
        if (!CHECK(!code)) printf("  %s\n", err.text);
        snprintf(what, sizeof what, "turn %d", turn);
        compare(from, load, "low", 25.5, what), compare(from, load, "high", 35, what);
        if (read && turn % 2 == 0 && !CHECK(read < all * 2 - all / 8))
            printf("  turn %d: %.2f of the file was read\n", turn, (double)read / (double)all);
    }
    CHECK(!iso_set_rung(&iso, STAGE_FUSED, NULL, &err));
}

/* A body in a corner block: the second reading takes 2 of 6 rows of blocks, in some slices. */
static void check_little(void)
{
    char from[256];
    struct err err = { 0 };
    const struct progress none = { NULL, NULL };
    int code;
    make_volume(0);
    for (size_t i = 0; i < sizeof voxels / sizeof *voxels; i++) voxels[i] = 10;
    put_noise(30, 30, 30, 3);
    write_as(path_of(from, "volume.raw"), &as_bytes);
    const unsigned long long read = make_both(from, &as_bytes, 2, none, &code, &err), all = sizeof small;
    CHECK(!code);
    compare(from, &as_bytes, "low", 25.5, "little"), compare(from, &as_bytes, "high", 35, "little");
    if (!read) printf("skipped: no /proc/self/io here\n");
    else if (!CHECK(read < all + all / 10)) printf("  %.3f of the file was read\n", (double)read / (double)all);
}

/* ---- a file that changes ----------------------------------------------------------------------------------------- */

static bool change_file(void *context, double fraction)
{
    const char *path = context;
    if (fraction < 0.4) return true;
    for (size_t i = 0; i < sizeof small; i++) small[i] = small[i] >= 36 ? 255 : small[i];
    write_file(path, small, sizeof small);
    return true;
}

/* Brighter inside: the same vertices elsewhere, of which counts know nothing. */
static void check_changed(void)
{
    char from[256], path[256];
    struct err err = { 0 };
    int code;
    make_volume(0);
    put_noise(30, 100, 70, 5);
    write_as(path_of(from, "volume.raw"), &as_bytes);
    make_both(from, &as_bytes, 4, (struct progress){ change_file, from }, &code, &err);
    CHECK(code == ERR_INPUT && strstr(err.text, "has changed"));
    CHECK(access(path_of(path, "low"), F_OK) && access(path_of(path, "high"), F_OK));
}

int main(void)
{
    set_up(20261126, 2);
    check_same();
    check_little();
    check_changed();
    return tear_down("stream_ranges");
}
