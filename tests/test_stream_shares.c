/* How processes share layers by samples: all of them alike, so that each has as much to do, with much surface in the middle
 * of a volume and none at its ends; evenly where single slices cannot be read; and errors of one reach all. */
#include "stream_util.h"

#include "stream_shares.h"

#include <math.h>
#include <zlib.h>

enum { NX = 96, NY = 80, NZ = 1003, MOST = 16 };

static uint8_t voxels[(size_t)NX * NY * NZ];

static const struct load_desc load = { .dims = { NX, NY, NZ }, .type = "uint8", .threads = 1 };

static const char *in_folder(const char *name)
{
    static char path[256];
    return path_of(path, name);
}

/* Dots, which are the denser the nearer a slice is to two thirds of the volume; none in its first fifth. */
static void make_volume(void)
{
    for (size_t i = 0; i < sizeof voxels; i++) {
        const double z = (double)(i / NX / NY), dense = exp(-pow((z - 670) / 180, 2));
        voxels[i] = z > 200 && (double)(check_random() >> 40) * 0x1p-24 < 0.2 * dense ? 9 : 0;
    }
}

static uint64_t crossed_at(size_t z, float value)
{
    const uint8_t *v = voxels + z * NX * NY;
    uint64_t n = 0;
    for (size_t y = 0; y < NY; y++)
        for (size_t x = 0; x < NX; x++) {
            n += x && (v[y * NX + x] >= value) != (v[y * NX + x - 1] >= value);
            n += y && (v[y * NX + x] >= value) != (v[y * NX + x - NX] >= value);
        }
    return n;
}

/* ---- a team of one after the other ------------------------------------------------------------------------------- */

static uint64_t counts[STREAM_SAMPLES]; /* of all ranks, in a first turn; what they get in a second one */
static bool second;
static int agreed, summed;

static int agree(struct team *team, int code, struct err *err)
{
    (void)team, (void)err;
    agreed++;
    return code;
}

static int sum(struct team *team, uint64_t *values, size_t n, struct err *err)
{
    (void)team, (void)err;
    summed++;
    for (size_t i = 0; i < n && i < STREAM_SAMPLES; i++)
        if (second) values[i] = counts[i];
        else counts[i] += values[i];
    return ERR_NONE;
}

static const struct team_ops ops = { agree, sum, NULL };

static int share(size_t *bounds, const struct store *store, int rank, int size, const float *values, size_t n,
                 struct err *err)
{
    struct team team = { .rank = rank, .size = size, .ops = &ops };
    return stream_shares(bounds, &(struct stream_shares_desc){ store, values, n, &team, 1 }, err);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void test_crossed(void)
{
    const struct grid slice = { voxels + (size_t)640 * NX * NY, VOXEL_UINT8, NX, NY, 1 };
    CHECK(stream_shares_crossed(&slice, 3) == crossed_at(640, 3) && crossed_at(640, 3) > 100);
    CHECK(stream_shares_crossed(&slice, 9.5f) == 0);
}

/* The work as weighted here: 1 per voxel, and `edge` per edge of each slice. */
static double work_of(size_t begin, size_t end, double edge)
{
    double work = 0;
    for (size_t z = begin * BRICK_Z; z < min_size(end * BRICK_Z, NZ); z++)
        work += (double)NX * NY + edge * (double)crossed_at(z, 3);
    return work;
}

/* Each rank has the same bounds, and a share within a tenth of the mean; even ones would differ fivefold. */
static void check_shares(const struct store *store, int size)
{
    const float value = 3;
    const size_t layers = plan_layers(NZ);
    const double mean = work_of(0, layers, 1400) / size;
    size_t bounds[MOST + 1], first[MOST + 1];
    struct err err;
    memset(counts, 0, sizeof counts);
    agreed = summed = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int rank = 0; rank < size; rank++) {
            second = turn;
            memset(bounds, 0xa5, sizeof bounds);
            if (!CHECK(!share(bounds, store, rank, size, &value, 1, &err))) return;
            if (turn && !rank) memcpy(first, bounds, sizeof first);
            if (turn) CHECK(!memcmp(first, bounds, (size_t)(size + 1) * sizeof *bounds));
        }
    CHECK(agreed == 2 * size && summed == 2 * size && bounds[0] == 0 && bounds[size] == layers);
    for (int k = 0; k < size; k++) {
        CHECK(bounds[k] < bounds[k + 1]);
        CHECK(fabs(work_of(bounds[k], bounds[k + 1], 1400) - mean) <= 0.1 * mean + work_of(bounds[k], bounds[k] + 1, 1400));
    }
    const struct plan_share even = plan_even(layers, 0, (size_t)size);
    CHECK(work_of(even.begin, even.end, 1400) < 0.2 * mean);
}

static void test_balance(void)
{
    struct store store;
    make_volume();
    write_file(in_folder("v.raw"), voxels, sizeof voxels);
    open_store(&store, in_folder("v.raw"), &load);
    for (int size = 4; size <= MOST; size *= 2) check_shares(&store, size);
    store_close(&store);
}

static bool is_even(const size_t *bounds, size_t layers, size_t size)
{
    bool even = true;
    for (size_t k = 0; k < size; k++) even = even && bounds[k] == plan_even(layers, k, size).begin;
    return even && bounds[size] == layers;
}

/* One process, no value, and voxels that are unpacked one after the other. */
static void test_even(void)
{
    const float value = 3;
    const size_t layers = plan_layers(NZ);
    size_t bounds[MOST + 1];
    struct store store;
    struct err err;
    agreed = summed = 0;
    open_store(&store, in_folder("v.raw"), &load);
    CHECK(!share(bounds, &store, 0, 1, &value, 1, &err) && is_even(bounds, layers, 1));
    CHECK(!share(bounds, &store, 1, 3, NULL, 0, &err) && is_even(bounds, layers, 3));
    store_close(&store);
    gzFile file = gzopen(in_folder("v.raw.gz"), "wb1");
    char header[256];
    if (!file || gzwrite(file, voxels, sizeof voxels) != (int)sizeof voxels || gzclose(file)) exit(1);
    snprintf(header, sizeof header,
             "NRRD0004\ntype: uint8\ndimension: 3\nsizes: %d %d %d\nencoding: gzip\ndata file: v.raw.gz\n\n", NX, NY, NZ);
    write_file(in_folder("v.nhdr"), header, strlen(header));
    open_store(&store, in_folder("v.nhdr"), &(struct load_desc){ .threads = 1 });
    CHECK(!share(bounds, &store, 1, 5, &value, 1, &err) && is_even(bounds, layers, 5) && !agreed && !summed);
    store_close(&store);
}

/* A rank that cannot read agrees with the others before they sum. */
static void test_errors(void)
{
    const float value = 3;
    size_t bounds[MOST + 1];
    struct store store;
    struct err err;
    open_store(&store, in_folder("v.raw"), &load);
    if (truncate(in_folder("v.raw"), (off_t)NX * NY * 100)) exit(1);
    agreed = summed = 0, second = false;
    CHECK(!share(bounds, &store, 0, MOST, &value, 1, &err)); /* its slice is there */
    CHECK(share(bounds, &store, MOST - 1, MOST, &value, 1, &err) == ERR_INPUT && strstr(err.text, "shorter"));
    CHECK(agreed == 2 && summed == 1);
    store_close(&store);
}

int main(void)
{
    set_up(74, 1);
    test_balance();
    test_crossed();
    test_even();
    test_errors();
    return tear_down("test_stream_shares");
}
