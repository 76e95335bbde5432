/* Procedural volumes: the same bytes for any number of threads, a surface in each, the documented formulas. */
#include "check.h"

#include "save_nrrd.h"
#include "synth.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t volume_size(const struct volume *volume)
{
    return grid_voxels(&volume->grid) * voxel_bytes(volume->grid.type);
}

static bool same_bytes(const struct volume *a, const struct volume *b)
{
    return volume_size(a) == volume_size(b) && !memcmp(a->grid.voxels, b->grid.voxels, volume_size(a));
}

static void threads_do_not_matter(const struct synth *synth)
{
    const uint64_t dims[3] = { 37, 41, 29 };
    struct volume one, many;
    if (!CHECK(synth_volume(&one, synth->name, dims, 5, 1, NULL, NULL) == ERR_NONE)) return;
    for (int threads = 2; threads <= 3; threads++) {
        if (!CHECK(synth_volume(&many, synth->name, dims, 5, threads, NULL, NULL) == ERR_NONE)) continue;
        CHECK(same_bytes(&one, &many));
        volume_free(&many);
    }
    volume_free(&one);
}

/* Slices made some at a time are those of the whole; so are the files. */
static void pieces_are_the_whole(const struct synth *synth)
{
    const uint64_t dims[3] = { 37, 70, 29 };
    struct synth_field field;
    struct volume whole;
    char slices[37 * 70 * 5 * sizeof(float)];
    if (!CHECK(!synth_volume(&whole, synth->name, dims, 5, 2, NULL, NULL))) return;
    if (CHECK(!synth_open(&field, synth->name, dims, 5, 3, NULL))) {
        const size_t bytes = 37 * 70 * voxel_bytes(synth->type);
        CHECK(!field.volume.grid.voxels && field.volume.grid.nz == 29);
        for (size_t from = 0, to; from < 29; from = to) {
            to = min_size(from + 1 + from % 5, 29);
            CHECK(!synth_slices(&field, from, to, slices, NULL, NULL));
            CHECK(!memcmp(slices, (const char *)whole.grid.voxels + from * bytes, (to - from) * bytes));
        }
        synth_close(&field);
    }
    volume_free(&whole);
}

static char *read_whole(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) abort();
    *n = (size_t)ftell(file);
    char *bytes = malloc(*n);
    rewind(file);
    if (!bytes || fread(bytes, 1, *n, file) != *n) abort();
    fclose(file);
    return bytes;
}

/* More than zlib is given at once; pieces of odd lengths. One that is not complete leaves nothing. */
static void files_in_pieces_are_the_whole(bool gzip)
{
    const uint64_t dims[3] = { 256, 256, 70 };
    char folder[] = "/tmp/test_synth_XXXXXX", path[2][64];
    struct volume v;
    struct save_nrrd save;
    struct err err;
    size_t n[2];
    if (!mkdtemp(folder) || synth_volume(&v, "vessels", dims, 1, 2, NULL, NULL)) abort();
    for (int i = 0; i < 2; i++) snprintf(path[i], sizeof path[i], "%s/%d.nrrd", folder, i);
    const size_t all = volume_size(&v);
    CHECK(!save_nrrd(&v, path[0], gzip, &err));
    CHECK(!save_nrrd_open(&save, &v, path[1], gzip, &err));
    for (size_t at = 0, each; at < all; at += each) {
        each = min_size(1 + at % 1777777, all - at);
        CHECK(save_nrrd_add(&save, (const char *)v.grid.voxels + at, each));
    }
    CHECK(!save_nrrd_close(&save, &err));
    char *a = read_whole(path[0], &n[0]), *b = read_whole(path[1], &n[1]);
    CHECK(n[0] == n[1] && !memcmp(a, b, n[0]));
    CHECK(gzip == (n[0] < all));
    free(a);
    free(b);
    unlink(path[0]), unlink(path[1]);
    CHECK(!save_nrrd_open(&save, &v, path[0], gzip, &err) && save_nrrd_add(&save, v.grid.voxels, 1000));
    CHECK(save_nrrd_close(&save, &err) == ERR_FAILED);
    CHECK(!rmdir(folder)); /* nothing is left in it */
    volume_free(&v);
}

static void seed_matters_only_to_seeded_fields(const struct synth *synth)
{
    const uint64_t dims[3] = { 32, 32, 32 };
    struct volume a, b;
    if (!CHECK(!synth_volume(&a, synth->name, dims, 1, 2, NULL, NULL))) return;
    if (CHECK(!synth_volume(&b, synth->name, dims, 2, 2, NULL, NULL))) {
        const bool seeded = synth->prepare || !strcmp(synth->name, "noise");
        CHECK(same_bytes(&a, &b) == !seeded);
        volume_free(&b);
    }
    volume_free(&a);
}

/* A surface needs voxels on both sides; integer fields have no voxel equal to the isovalue. */
static void has_a_surface(const struct synth *synth)
{
    const uint64_t dims[3] = { 64, 64, 64 };
    struct volume volume;
    if (!CHECK(!synth_volume(&volume, synth->name, dims, 0, 2, NULL, NULL))) return;
    const float iso = volume_iso(&volume, synth->iso);
    size_t inside = 0, ties = 0, broken = 0;
    for (size_t i = 0; i < grid_voxels(&volume.grid); i++) {
        const float value = grid_value(&volume.grid, i);
        inside += value >= iso;
        ties += value == iso;
        broken += !isfinite(value);
    }
    CHECK(inside > 64 && inside < grid_voxels(&volume.grid) - 64);
    CHECK(broken == 0);
    if (synth->type != VOXEL_FLOAT32) CHECK(ties == 0);
    CHECK(!strcmp(volume.name, synth->name));
    CHECK_NEAR(volume_handedness(&volume), 1, 0);
    volume_free(&volume);
}

static void odd_shapes_work(const struct synth *synth)
{
    static const uint64_t shapes[6][3] = { { 1, 1, 1 }, { 1, 7, 5 }, { 7, 1, 5 }, { 7, 5, 1 }, { 2, 2, 2 }, { 300, 2, 3 } };
    for (int s = 0; s < 6; s++) {
        struct volume volume;
        if (!CHECK(!synth_volume(&volume, synth->name, shapes[s], 0, 3, NULL, NULL))) continue;
        for (size_t i = 0; i < grid_voxels(&volume.grid); i++) CHECK(isfinite(grid_value(&volume.grid, i)));
        volume_free(&volume);
    }
}

static void sphere_is_its_formula(void)
{
    const uint64_t dims[3] = { 33, 17, 1 };
    struct volume volume;
    if (!CHECK(!synth_volume(&volume, "sphere", dims, 0, 1, NULL, NULL))) return;
    for (size_t j = 0; j < 17; j++)
        for (size_t i = 0; i < 33; i++) {
            const double x = -1 + (double)i / 16, y = -1 + (double)j / 8;
            CHECK_NEAR(grid_value(&volume.grid, j * 33 + i), 0.8 - sqrt(x * x + y * y), 1e-7);
        }
    volume_free(&volume);
}

/* Compares the volume of the voxels inside with the closed forms of synth.c. */
static void volumes_are_closed_forms(void)
{
    const struct {
        const char *name;
        double volume;
    } forms[] = {
        { "sphere", 4.0 / 3 * 3.14159265358979 * 0.512 },
        { "torus", 2 * 3.14159265358979 * 3.14159265358979 * 0.6 * 0.27 * 0.27 },
    };
    const uint64_t dims[3] = { 129, 129, 129 };
    for (int f = 0; f < 2; f++) {
        struct volume volume;
        if (!CHECK(!synth_volume(&volume, forms[f].name, dims, 0, 2, NULL, NULL))) continue;
        size_t inside = 0;
        for (size_t i = 0; i < grid_voxels(&volume.grid); i++) inside += grid_value(&volume.grid, i) >= 0;
        CHECK_NEAR((double)inside / (64.0 * 64 * 64), forms[f].volume, 0.003 * forms[f].volume);
        volume_free(&volume);
    }
}

/* Each of the 256 values is equally frequent, within 5 sigma of a binomial. */
static void noise_is_uniform(void)
{
    const uint64_t dims[3] = { 64, 64, 64 };
    struct volume volume;
    if (!CHECK(!synth_volume(&volume, "noise", dims, 0, 2, NULL, NULL))) return;
    unsigned counts[256] = { 0 };
    for (size_t i = 0; i < grid_voxels(&volume.grid); i++) counts[((const uint8_t *)volume.grid.voxels)[i]]++;
    for (int v = 0; v < 256; v++) CHECK_NEAR(counts[v], 1024, 5 * 32);
    volume_free(&volume);
}

/* The demo's surface is closed: nothing inside touches the border. */
static void vessels_stay_inside(void)
{
    const uint64_t dims[3] = { 96, 96, 96 };
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct volume volume;
        if (!CHECK(!synth_volume(&volume, "vessels", dims, seed, 2, NULL, NULL))) continue;
        size_t outside = 0;
        for (size_t i = 0; i < grid_voxels(&volume.grid); i++) {
            const size_t x = i % 96, y = i / 96 % 96, z = i / 96 / 96;
            const bool border = x == 0 || y == 0 || z == 0 || x == 95 || y == 95 || z == 95;
            outside += border && grid_value(&volume.grid, i) >= 80.5f;
        }
        CHECK(outside == 0);
        volume_free(&volume);
    }
}

static bool cancel_at_half(void *context, double fraction)
{
    *(double *)context = fraction;
    return fraction < 0.5;
}

static void errors_are_clear(void)
{
    const uint64_t dims[3] = { 8, 8, 8 }, none[3] = { 8, 0, 8 }, huge[3] = { 1u << 31, 1u << 31, 1u << 31 };
    struct volume volume;
    struct err err = { 0 };
    CHECK(synth_volume(&volume, "no-such-field", dims, 0, 1, NULL, &err) == ERR_USAGE);
    CHECK(strstr(err.text, "sphere") && !volume.grid.voxels);
    CHECK(synth_volume(&volume, "sphere", none, 0, 1, NULL, &err) == ERR_USAGE && err.code == ERR_USAGE);
    CHECK(synth_volume(&volume, "sphere", huge, 0, 1, NULL, &err) == ERR_USAGE && !volume.grid.voxels);
    double reached = 0;
    const struct progress progress = { cancel_at_half, &reached };
    CHECK(synth_volume(&volume, "sphere", dims, 0, 1, &progress, &err) == ERR_FAILED);
    CHECK(!strcmp(err.text, "cancelled") && !volume.grid.voxels && reached >= 0.5 && reached < 1);
}

int main(void)
{
    for (const struct synth *synth = synths; synth->name; synth++) {
        check_subject(synth->name);
        threads_do_not_matter(synth);
        pieces_are_the_whole(synth);
        seed_matters_only_to_seeded_fields(synth);
        has_a_surface(synth);
        odd_shapes_work(synth);
    }
    check_subject("");
    files_in_pieces_are_the_whole(false);
    files_in_pieces_are_the_whole(true);
    sphere_is_its_formula();
    volumes_are_closed_forms();
    noise_is_uniform();
    vessels_stay_inside();
    errors_are_clear();
    return check_summary("test_synth");
}
