/* Files whose meshes were kept while slabs were counted must have the bytes of a surface made at once: whether memory
 * holds all meshes, some or none, for one value or several, in one file or a file each. Slabs whose meshes are held are
 * not read again. The same for files read past the page cache. */
#include "stream_util.h"

#include "past.h"

enum { VALUES = 3 };
static const double values[VALUES] = { 2.5, 0.7, 9 }; /* of 0 to 6: the last has no surface */

struct made {
    char path[VALUES][256];
    unsigned long long read; /* bytes; 0: not to be known here */
    bool past;               /* read past the page cache */
};

/* Makes the first n values; the file is taken out of memory first if `past`. */
static int make(struct made *made, const struct subject *s, const struct stream_desc *how,
                const struct export_format *format, int n, struct err *err)
{
    char volume[256], name[64];
    const struct load_desc load = load_of(s);
    struct stream_desc desc = *how;
    struct store store;
    struct export_file e[VALUES];
    struct stream_file files[VALUES];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "value%d%s", how->joined ? 0 : i, format->ending);
        e[i] = (struct export_file){ .format = format };
        files[i] = (struct stream_file){ values[i], path_of(made->path[i], name), &e[how->joined ? 0 : i], 0 };
    }
    open_store(&store, volume_of(volume, s), &load);
    if (made->past) {
        CHECK(store_evict(&store));
        store_read_past(&store, 0);
        made->past = store.direct.past != NULL;
    }
    desc.store = &store;
    const unsigned long long before = bytes_read();
    const int code = stream_extract(&desc, &iso, files, (size_t)n, err);
    made->read = before ? bytes_read() - before : 0;
    for (int i = 0; i < n; i++) export_free(&e[i]);
    store_close(&store);
    return code;
}

static void compare(const struct made *made, const struct subject *s, const struct export_format *format, int i,
                    const char *how)
{
    char volume[256], whole[256];
    const struct load_desc load = load_of(s);
    struct subject one = *s;
    one.value = values[i];
    volume_of(volume, s), path_of(whole, "whole");
    check_like_whole(volume, whole, made->path[i], &one, format, &load, how);
}

/* Every type, format and thickness of slabs, with and without fused. */
static void check_all(void)
{
    static const struct export_format *const formats[] = { &export_ply, &export_stl, &export_vtp };
    char path[256];
    struct err err = { 0 };
    for (size_t i = 0; i < subject_count; i++) {
        const struct subject *s = &subjects[i];
        write_volume(volume_of(path, s), s);
        for (size_t layers = 0; layers < 4; layers++) {
            const struct export_format *format = formats[(i + layers) % 3];
            const struct stream_desc desc = { .memory = (uint64_t)1 << 30, .layers = layers, .holds = true };
            struct made made = { .past = layers == 2 };
            CHECK(!iso_set_rung(&iso, STAGE_FUSED, (i + layers) % 4 ? NULL : "none", &err));
            if (!CHECK(!make(&made, s, &desc, format, VALUES, &err))) printf("  %s\n", err.text);
            for (int v = 0; v < VALUES; v++) compare(&made, s, format, v, made.past ? "past the page cache" : "held");
        }
    }
    CHECK(!iso_set_rung(&iso, STAGE_FUSED, NULL, &err));
}

/* 1 MiB of noise, whose meshes take some 70 MiB. From the least memory on: nothing is held, more and more, all. */
static void check_memory(void)
{
    static const struct subject s = { NULL, "uint8", 1, { 128, 128, 64 }, 2.5 };
    char path[256], whole[VALUES][256], how[64];
    const struct load_desc load = load_of(&s);
    struct err err = { 0 };
    int twice = 0, some = 0, once = 0;
    write_volume(path_of(path, "volume.raw"), &s);
    for (int v = 0; v < 2; v++) {
        struct subject one = s;
        one.value = values[v];
        CHECK(!extract_whole(path, path_of(whole[v], v ? "whole1" : "whole0"), &one, &export_ply, &load, &err));
    }
    for (uint64_t mib = 49; mib < 200; mib += 11) {
        const struct stream_desc desc = { .memory = mib << 20, .layers = 2, .holds = true };
        struct made made = { .past = false };
        const int n = 1 + (int)(mib % 2);
        const unsigned long long all = 128 * 128 * 64;
        snprintf(how, sizeof how, "in %d MiB", (int)mib);
        if (make(&made, &s, &desc, &export_ply, n, &err)) {
            if (!CHECK(!once && strstr(err.text, "is allowed"))) printf("  %s: %s\n", how, err.text);
            continue;
        }
        for (int v = 0; v < n; v++) check_like(whole[v], made.path[v], &s, &export_ply, how);
        if (made.read > 2 * all - all / 16) twice++;
        else if (made.read > all + all / 16) some++;
        else once++;
    }
    printf("the volume was read twice %d times, in part %d, once %d\n", twice, some, once);
    if (!bytes_read()) printf("skipped: no /proc/self/io here\n");
    else CHECK(twice && some && once);
}

/* Two values as parts of one file, held and not. */
static void check_joined(void)
{
    static const struct subject s = { NULL, "uint8", 1, { 70, 31, 41 }, 2.5 };
    char path[256];
    struct err err = { 0 };
    size_t n[2];
    write_volume(path_of(path, "volume.raw"), &s);
    struct made made = { .past = false };
    struct stream_desc desc = { .memory = (uint64_t)1 << 30, .layers = 2, .joined = true };
    char *bytes[2];
    for (int holds = 0; holds < 2; holds++) {
        desc.holds = holds;
        if (!CHECK(!make(&made, &s, &desc, &export_ply, 2, &err))) printf("  %s\n", err.text);
        bytes[holds] = read_file(made.path[0], &n[holds]);
        unlink(made.path[0]);
    }
    CHECK(bytes[0] && bytes[1] && n[0] == n[1] && !memcmp(bytes[0], bytes[1], n[0]));
    free(bytes[0]);
    free(bytes[1]);
}

/* ---- what goes wrong --------------------------------------------------------------------------------------------- */

struct stop {
    double at, last;
};

static bool stop(void *context, double fraction)
{
    struct stop *s = context;
    CHECK(fraction >= s->last && fraction <= 1);
    s->last = fraction;
    return fraction < s->at;
}

/* Cancelled while meshes are made, and while they are written: the old file stays. */
static void check_failures(void)
{
    static const struct subject s = { NULL, "uint8", 1, { 70, 31, 41 }, 2.5 };
    char volume[256], old[] = "old";
    struct err err = { 0 };
    size_t n;
    for (int what = 0; what < 12; what++) {
        struct stop at = { .at = 0.1 * what };
        struct stream_desc desc = { .memory = (uint64_t)1 << 30, .layers = 1, .progress = { stop, &at }, .holds = true };
        struct made made = { .past = what % 2 };
        write_volume(path_of(volume, "volume.raw"), &s);
        write_file(path_of(made.path[0], "value0.ply"), old, 3);
        const int code = make(&made, &s, &desc, &export_ply, 1, &err);
        if (what > 10) {
            CHECK(!code && at.last == 1);
            compare(&made, &s, &export_ply, 0, "until the end");
            continue;
        }
        CHECK(code == ERR_FAILED && strstr(err.text, "cancelled") && at.last >= at.at);
        char *bytes = read_file(made.path[0], &n);
        CHECK(bytes && n == 3 && !memcmp(bytes, old, 3));
        free(bytes);
    }
}

/* Any bytes of a file, at any place of any block of the disk; none behind its end. */
static void check_past(void)
{
    enum { BYTES = 3 * PAST_ALIGN + 1234, MOST = 2 * PAST_ALIGN };
    static char want[BYTES];
    char path[256];
    char *block = aligned_alloc(PAST_ALIGN, past_room(MOST) + PAST_ALIGN);
    if (!block) abort();
    for (size_t i = 0; i < BYTES; i++) want[i] = (char)check_random();
    write_file(path_of(path, "past"), want, BYTES);
    FILE *file = fopen(path, "rb");
    struct past past;
    const bool opened = file && past_open(&past, fileno(file), 0);
    if (!opened) printf("skipped: %s cannot be read past the page cache\n", folder);
    for (int turn = 0; turn < 200 && opened; turn++) {
        const size_t n = 1 + check_random() % MOST, at = check_random() % (BYTES - n + 1);
        memset(block, 0x55, past_room(n) + PAST_ALIGN);
        const char *got = past_read(&past, n, at, block);
        if (!CHECK(got && got >= block && got + n <= block + past_room(n) && !memcmp(got, want + at, n) &&
                   block[past_room(n)] == 0x55))
            printf("  %zu bytes at %zu\n", n, at);
        CHECK(!past_read(&past, n, BYTES - n + 1 + check_random() % n, block));
    }
    if (opened) past_close(&past);
    if (file) fclose(file);
    free(block);
}

/* A disk that proves slow is read through the cache from then on: `least` is a speed that no disk has, or that any has. */
static void check_slow(void)
{
    static const struct subject s = { NULL, "uint8", 1, { 600, 600, 150 }, 2.5 }; /* more than the 32 MiB that tell */
    static char voxels[600 * 600 * 75];
    static const uint64_t least[] = { UINT64_MAX, 1 };
    char volume[256];
    const struct load_desc load = load_of(&s);
    struct err err = { 0 };
    write_volume(path_of(volume, "volume.raw"), &s);
    for (int i = 0; i < 2; i++) {
        struct store store;
        open_store(&store, volume, &load);
        CHECK(store_evict(&store));
        store_read_past(&store, least[i]);
        for (size_t z = 0; z < 150; z += 75) CHECK(!store_read(&store, z, z + 75, voxels, 2, &err));
        if (!store.direct.past) printf("skipped: %s cannot be read past the page cache\n", folder);
        else CHECK(past_is_cached(&store.past, (uint64_t)600 * 600 * 149, (size_t)600 * 600) == !i);
        store_close(&store);
    }
    CHECK(!unlink(volume));
}

/* A file that becomes shorter is an error, also for whoever reads past the page cache. */
static void check_shorter(void)
{
    static const struct subject s = { NULL, "uint8", 1, { 200, 100, 150 }, 2.5 };
    static char voxels[200 * 100 * 150];
    char volume[256];
    const struct load_desc load = load_of(&s);
    struct err err = { 0 };
    struct store store;
    write_volume(path_of(volume, "volume.raw"), &s);
    open_store(&store, volume, &load);
    store_read_past(&store, 0);
    if (!store.direct.past) printf("skipped: %s cannot be read past the page cache\n", folder);
    CHECK(!store_read(&store, 0, 150, voxels, 2, &err));
    CHECK(store_evict(&store) && !truncate(volume, 1500000));
    CHECK(store_read(&store, 0, 150, voxels, 2, &err) == ERR_INPUT && strstr(err.text, "shorter"));
    CHECK(!store_read(&store, 0, 75, voxels, 2, &err));
    store_close(&store);
}

int main(void)
{
    set_up(20261127, 2);
    check_all();
    check_memory();
    check_joined();
    check_failures();
    check_past();
    check_slow();
    check_shorter();
    return tear_down("stream_held");
}
