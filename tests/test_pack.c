/* Packing: reading back gives the volume and its means, for any memory, threads and kind of input. Nothing is left
 * after a cancel, and nothing is overwritten. */
#include "header_util.h"

#include "pack.h"
#include "pack_mean.h"
#include "store.h"

#include <dirent.h>
#include <float.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN ((uint64_t)48 << 20) /* of pack.c */

static void begin(void)
{
    remove_folder();
    CHECK(mkdir(folder, 0777) == 0);
}

static int by_stop(const struct pack_desc *d, const char *name, struct pack_result *result, struct err *err)
{
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder(name));
    return pack_write(d, path, result, err);
}

static bool packs(const struct pack_desc *d, const char *name, struct pack_result *result)
{
    struct err err = { 0 };
    return is_fine(by_stop(d, name, result, &err), &err);
}

/* A volume of a type's smallest and largest values and values between them, from a fixed sequence. */
static bool make_volume(struct volume *v, enum voxel_type type, uint64_t nx, uint64_t ny, uint64_t nz)
{
    if (!CHECK(!volume_alloc(v, type, (uint64_t[]){ nx, ny, nz }, NULL))) return false;
    for (size_t i = 0; i < grid_voxels(&v->grid); i++) {
        const uint64_t random = check_random();
        const float real = (float)(int)(random >> 33 & 0xffff) - 30000;
        if (type == VOXEL_FLOAT32) ((float *)v->grid.voxels)[i] = real;
        else memcpy((char *)v->grid.voxels + i * voxel_bytes(type), &random, voxel_bytes(type));
    }
    v->direction[0][0] = 0.5, v->direction[1][1] = 0.25, v->direction[2][2] = 2;
    v->origin[0] = 10, v->origin[1] = -20, v->origin[2] = 30;
    memcpy(v->unit, "um", 3);
    return true;
}

/* The mean of those of eight voxels that exist; whole numbers, halves rounded up. */
static double mean_at(const struct grid *g, size_t x, size_t y, size_t z)
{
    double sum = 0, n = 0;
    for (int c = 0; c < 8; c++) {
        const size_t i = 2 * x + (c & 1), j = 2 * y + (c >> 1 & 1), k = 2 * z + (c >> 2);
        if (i >= g->nx || j >= g->ny || k >= g->nz) continue;
        sum += (double)grid_value(g, (k * g->ny + j) * g->nx + i), n++;
    }
    return g->type == VOXEL_FLOAT32 ? sum / n : floor(sum / n + 0.5);
}

static void check_mean(const struct grid *mean, const struct grid *of)
{
    CHECK(mean->nx == (of->nx + 1) / 2 && mean->ny == (of->ny + 1) / 2 && mean->nz == (of->nz + 1) / 2);
    size_t wrong = 0;
    for (size_t i = 0; i < grid_voxels(mean); i++) {
        const double should = mean_at(of, i % mean->nx, i / mean->nx % mean->ny, i / mean->nx / mean->ny);
        const double tolerance = of->type == VOXEL_FLOAT32 ? 0.01 : 0; /* of sums up to 2.4e5, with 24 bits */
        wrong += !(fabs((double)grid_value(mean, i) - should) <= tolerance);
    }
    CHECK(!wrong);
}

/* Reads all levels back; the first is the volume. */
static void check_levels(const char *name, const struct volume *v, int levels)
{
    struct volume before = *v;
    for (int level = 0; level < levels; level++) {
        struct volume now;
        struct err err = { 0 };
        const struct load_desc desc = { .level = (uint64_t)level, .level_given = true };
        if (!is_fine(load_volume(&now, in_folder(name), &desc, &err), &err)) return;
        CHECK(now.grid.type == v->grid.type && !strcmp(now.unit, v->unit) && !strstr(now.note, "chunks"));
        const double middle = (ldexp(1, level) - 1) / 2;
        for (int a = 0; a < 3; a++) {
            CHECK_NEAR(volume_spacing(&now, a), ldexp(volume_spacing(v, a), level), 1e-12);
            CHECK_NEAR(now.origin[a], v->origin[a] + middle * volume_spacing(v, a), 1e-12);
        }
        if (level) check_mean(&now.grid, &before.grid);
        else CHECK(!memcmp(now.grid.voxels, v->grid.voxels, grid_bytes(&v->grid)));
        if (level) volume_free(&before);
        before = now;
    }
    CHECK(before.grid.nx <= 64 && before.grid.ny <= 64 && before.grid.nz <= 64);
    if (levels) volume_free(&before);
}

static bool same_folders(const char *a, const char *b)
{
    char command[256];
    snprintf(command, sizeof command, "diff -r '%s/%s' '%s/%s' >/dev/null", folder, a, folder, b);
    return system(command) == 0;
}

static bool count_call(void *context, double fraction)
{
    (void)fraction;
    ++*(int *)context;
    return true;
}

/* Too little memory is found before anything is written. The amount that the message calls enough is enough. */
static void check_advice(const struct pack_desc *bands)
{
    struct pack_desc less = *bands;
    struct pack_result result;
    struct err err = { 0 };
    unsigned long long mib = 0;
    int calls = 0;
    less.memory = OWN, less.progress = (struct progress){ count_call, &calls };
    CHECK(by_stop(&less, "c.zarr", &result, &err) == ERR_FAILED && !calls);
    CHECK(sscanf(err.advice, "give --memory %lluM or more", &mib) == 1);
    less.memory = mib << 20;
    CHECK(less.memory < bands->memory + ((uint64_t)1 << 20)); /* and not much too much */
    CHECK(!by_stop(&less, "c.zarr", &result, &err) && calls > 0);
}

/* From memory by one thread, and from a file in bands as thin as can be by three. */
static void check_pack(enum voxel_type type, const size_t n[3], int levels)
{
    char subject[64], name[64];
    struct volume v;
    struct store store;
    struct pack_result result;
    struct err err = { 0 };
    bool is = false;
    snprintf(subject, sizeof subject, "%s %zu x %zu x %zu", voxel_type_name[type], n[0], n[1], n[2]);
    check_subject(subject);
    begin();
    if (!make_volume(&v, type, n[0], n[1], n[2])) return;
    const struct pack_desc whole = { .volume = &v, .memory = (uint64_t)1 << 30, .threads = 1 };
    if (packs(&whole, "a.zarr", &result)) {
        CHECK(result.levels == levels && !*result.note && result.bytes > 0);
        check_levels("a.zarr", &v, levels);
    }
    snprintf(name, sizeof name, "v_%zux%zux%zu_%s.raw", n[0], n[1], n[2], voxel_type_name[type]);
    write_file(name, v.grid.voxels, grid_bytes(&v.grid));
    if (CHECK(!load_store(&store, in_folder(name), &(struct load_desc){ .spacing = { 0.5, 0.25, 2 } }, &is, &err) && is)) {
        memcpy(store.volume.origin, v.origin, sizeof v.origin);
        memcpy(store.volume.unit, v.unit, sizeof v.unit);
        memcpy(store.volume.name, v.name, sizeof v.name);
        struct pack_desc bands = { .store = &store, .memory = OWN, .threads = 3 };
        while (by_stop(&bands, "b.zarr", &result, &err)) bands.memory += 1 << 18; /* the least that is enough */
        CHECK(bands.memory > OWN && strstr(err.text, "even band by band") && same_folders("a.zarr", "b.zarr"));
        check_advice(&bands);
        store_close(&store);
    }
    volume_free(&v);
}

static void test_packs(void)
{
    static const struct {
        size_t n[3];
        int levels;
    } shapes[] = {
        { { 3, 5, 2 }, 1 }, { { 64, 64, 64 }, 1 }, { { 65, 1, 1 }, 2 }, { { 70, 131, 129 }, 3 }, { { 20, 520, 70 }, 5 }
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int type = 0; type < VOXEL_TYPE_COUNT; type++)
            check_pack((enum voxel_type)type, shapes[i].n, shapes[i].levels);
}

/* Floats whose sum exceeds their range have a mean that does not. */
static void test_large(void)
{
    float voxels[8], mean = 0;
    for (int i = 0; i < 8; i++) voxels[i] = -FLT_MAX;
    pack_mean(&mean, &(struct grid){ voxels, VOXEL_FLOAT32, 2, 2, 2 }, 1);
    CHECK(mean == -FLT_MAX);
}

/* Real values become float32, on the finest level alone: the others are means of it. */
static void test_real(void)
{
    struct volume v, back;
    struct pack_result result;
    struct err err = { 0 };
    begin();
    if (!make_volume(&v, VOXEL_INT16, 66, 3, 4)) return;
    v.slope = 0.5, v.intercept = -1024;
    const struct pack_desc desc = { .volume = &v, .memory = (uint64_t)1 << 30 };
    if (packs(&desc, "a.zarr", &result) && CHECK(!load_volume(&back, in_folder("a.zarr"), NULL, &err))) {
        CHECK(result.type == VOXEL_FLOAT32 && strstr(result.note, "float32") && back.grid.type == VOXEL_FLOAT32);
        for (size_t i = 0; i < grid_voxels(&v.grid); i++)
            CHECK((double)grid_value(&back.grid, i) == 0.5 * (double)grid_value(&v.grid, i) - 1024);
        CHECK(!strstr(result.note, "rounds"));
        volume_free(&back);
    }
    v.slope = 0.001, v.intercept = 1000.5; /* (32.768 + 1000.5) / 2^24 is 6.2 % of 0.001 */
    if (packs(&desc, "b.zarr", &result)) CHECK(strstr(result.note, "rounds them by up to 6.2 % of"));
    volume_free(&v);
}

/* What OME-Zarr cannot express is kept, to the last bit, and pack says what other programs will see. */
static void test_directions(void)
{
    static const struct {
        const char *seen; /* "": as it is */
        double direction[3][3];
    } cases[] = {
        { "", { { 0.7, 0, 0 }, { 0, 0.3, 0 }, { 0, 0, 6.1 } } },
        { "see it mirrored,", { { 0.78, 0, 0 }, { 0, -0.78, 0 }, { 0, 0, 6.5 } } },
        { "see it mirrored,", { { 0, 2, 0 }, { 0.1, 0, 0 }, { 0, 0, 3 } } }, /* in the plane x = y */
        { "see it turned,", { { 0, 2, 0 }, { 0, 0, 3 }, { 0.1, 0, 0 } } },
        { "see it turned,", { { -1, 0, 0 }, { 0, -0.2, 0 }, { 0, 0, 3 } } },
        { "see it turned,", { { 0.6, -1.6, 0 }, { 0.8, 1.2, 0 }, { 0, 0, 3 } } },
        { "see it mirrored and turned,", { { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } } },
        { "see it sheared,", { { 1.3, -0.7, 0 }, { 0, 1.1, 0.2 }, { 0, 0, 3.3 } } },
        { "see it mirrored and sheared,", { { 1.3, 0.7, 0 }, { 0, -1.1, 0 }, { 0, 0, 3.3 } } },
        { "see it turned and sheared,", { { 0.1, 0, 3 }, { 0.9, 0.7, 0 }, { 0, 1.1, 0 } } },
        { "see it mirrored, turned and sheared,", { { 0.1, 0, -3 }, { 0.9, 0.7, 0 }, { 0, 1.1, 0 } } },
    };
    struct volume v, back;
    struct pack_result result;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        struct err err = { 0 };
        const struct pack_desc desc = { .volume = &v, .memory = (uint64_t)1 << 30 };
        check_subject(cases[i / 2].seen);
        begin();
        if (!make_volume(&v, VOXEL_UINT8, 5, 4, 3)) return;
        memcpy(v.direction, cases[i / 2].direction, sizeof v.direction);
        v.origin[1] = -1234.56789;
        v.world = i & 1 ? WORLD_LPS : WORLD_OTHER;
        if (packs(&desc, "a.zarr", &result) && CHECK(!load_volume(&back, in_folder("a.zarr"), NULL, &err))) {
            CHECK(*cases[i / 2].seen ? strstr(result.note, cases[i / 2].seen) != NULL : !*result.note);
            CHECK(!memcmp(back.direction, v.direction, sizeof v.direction) && back.world == v.world);
            CHECK(!memcmp(back.origin, v.origin, sizeof v.origin) && !strcmp(back.unit, v.unit));
            volume_free(&back);
        }
        volume_free(&v);
    }
}

static double stop_at;
static bool stop(void *context, double fraction) { return (void)context, fraction < stop_at; }

/* Names in the folder of the test. */
static int count_names(void)
{
    int n = 0;
    DIR *stream = opendir(folder);
    for (const struct dirent *entry; stream && (entry = readdir(stream));) n += *entry->d_name != '.';
    if (stream) closedir(stream);
    return n;
}

static void test_cancel(void)
{
    struct volume v;
    struct pack_result result;
    begin();
    if (!make_volume(&v, VOXEL_UINT8, 70, 70, 200)) return;
    struct pack_desc desc = { .volume = &v, .memory = (uint64_t)1 << 30, .progress = { stop, NULL } };
    for (int tenths = 0; tenths <= 10; tenths++) { /* the last report is 1, which is refused, too */
        struct err err = { 0 };
        stop_at = tenths / 10.0;
        CHECK(by_stop(&desc, "a.zarr", &result, &err) == ERR_FAILED && strstr(err.text, "cancelled"));
        CHECK(count_names() == 0);
    }
    desc.progress.step = NULL;
    CHECK(packs(&desc, "a.zarr/", &result) && count_names() == 1);
    struct err err = { 0 };
    CHECK(by_stop(&desc, "a.zarr", &result, &err) == ERR_USAGE && strstr(err.text, "already") && count_names() == 1);
    CHECK(by_stop(&desc, "none/a.zarr", &result, &err) == ERR_FAILED && strstr(err.text, "No such file"));
    volume_free(&v);
}

/* A killed process with the same id may have left its folder, and the longest name leaves no room for another ending. */
static void test_names(void)
{
    struct volume v;
    struct pack_result result;
    char left[128], longest[NAME_MAX + 1];
    begin();
    check_subject("names");
    if (!make_volume(&v, VOXEL_UINT8, 4, 4, 4)) return;
    const struct pack_desc desc = { .volume = &v, .memory = (uint64_t)1 << 30 };
    for (int i = 0; i < 3; i++) {
        snprintf(left, sizeof left, "a.zarr.%ld-%d.tmp", (long)getpid(), i);
        CHECK(mkdir(in_folder(left), 0777) == 0);
    }
    CHECK(packs(&desc, "a.zarr", &result) && count_names() == 4);
    snprintf(longest, sizeof longest, "%0*d", NAME_MAX, 0);
    CHECK(packs(&desc, longest, &result) && count_names() == 5);
    volume_free(&v);
}

int main(void)
{
    check_seed(20261122);
    if (!make_folder()) return check_summary("test_pack");
    test_packs();
    test_large();
    test_real();
    test_directions();
    test_cancel();
    test_names();
    remove_folder();
    return check_summary("test_pack");
}
