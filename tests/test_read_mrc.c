/* MRC and CCP4: every mode, byte order and order of axes loads exactly, in the cell that the header describes. */
#include "format_util.h"

#define INT8 (&stored_types[STORED_INT8])

struct header {
    bool big;
    const char *stamp; /* 4 bytes */
    int mode, axes[3], start[3], sampling[3], space_group, extended;
    double cell[3], angles[3], origin[3];
};

/* Voxels of 1 x 2 x 4 angstrom. */
static struct header plain(void)
{
    return (struct header){ .stamp = "\x44\x44\0\0",
                            .axes = { 1, 2, 3 },
                            .sampling = { NX, NY, NZ },
                            .cell = { NX, 2 * NY, 4 * NZ },
                            .angles = { 90, 90, 90 } };
}

static void put(struct bytes *file, size_t at, const char *type, double value, bool big)
{
    store(file->data + at, stored_type_find(type), value, big);
}

/* The cell's axes have NX, NY and NZ voxels; the file has them in the order of h->axes. */
static struct bytes write_volume(const struct header *h, const struct stored_type *type, size_t values)
{
    static const int sizes[4] = { 1, NX, NY, NZ };
    struct bytes file = { 0 };
    append(&file, (uint8_t[1024]){ 0 }, 1024);
    for (size_t i = 0; i < 3; i++) {
        put(&file, 4 * i, "int32", sizes[h->axes[i] & 3], h->big);
        put(&file, 16 + 4 * i, "int32", h->start[i], h->big);
        put(&file, 28 + 4 * i, "int32", h->sampling[i], h->big);
        put(&file, 40 + 4 * i, "float32", h->cell[i], h->big);
        put(&file, 52 + 4 * i, "float32", h->angles[i], h->big);
        put(&file, 64 + 4 * i, "int32", h->axes[i], h->big);
        put(&file, 196 + 4 * i, "float32", h->origin[i], h->big);
    }
    put(&file, 12, "int32", h->mode, h->big);
    put(&file, 88, "int32", h->space_group, h->big);
    put(&file, 92, "int32", h->extended, h->big);
    memcpy(file.data + 208, "MAP ", 4);
    memcpy(file.data + 212, h->stamp, 4);
    uint8_t *extended = h->extended > 0 ? calloc((size_t)h->extended, 1) : NULL;
    append(&file, extended, h->extended > 0 ? (size_t)h->extended : 0);
    free(extended);
    append_samples(&file, type, values, h->big);
    return file;
}

static struct volume load(const struct header *h)
{
    struct bytes file = write_volume(h, INT8, N);
    const struct volume volume = must_load(read_mrc, &file, "a.mrc");
    drop(&file);
    return volume;
}

static void refuses(const char *what, const struct header *h, const char *must_say)
{
    struct bytes file = write_volume(h, INT8, N);
    check_subject(what);
    must_refuse(read_mrc, &file, "a.mrc", must_say);
    drop(&file);
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

static void every_mode_loads(void)
{
    static const struct {
        int mode, stored;
    } modes[] = {
        { 0, STORED_INT8 }, { 1, STORED_INT16 }, { 2, STORED_FLOAT32 }, { 6, STORED_UINT16 }, { 12, STORED_FLOAT16 }
    };
    for (size_t i = 0; i < 2 * sizeof modes / sizeof *modes; i++) {
        const struct stored_type *type = &stored_types[modes[i / 2].stored];
        struct header h = plain();
        h.mode = modes[i / 2].mode;
        h.big = i % 2;
        if (h.big) h.stamp = "\x11\x11\0\0";
        h.extended = (int)i * 100;
        struct bytes file = write_volume(&h, type, N);
        check_subject(type->name);
        struct volume volume = must_load(read_mrc, &file, "a.mrc");
        has_samples(&volume, type, 0, x_fastest);
        CHECK(!strcmp(volume.unit, "A") && volume.world == WORLD_OTHER && !strstr(volume.note, "stamp"));
        for (int a = 0; a < 3; a++) CHECK(volume.direction[a][a] == 1 << a && volume.origin[a] == 0);
        volume_free(&volume);
        drop(&file);
    }
}

static void other_modes_are_refused_by_name(void)
{
    static const struct {
        int mode;
        const char *says;
    } modes[] = { { 3, "complex" }, { 4, "complex" },          { 16, "colours" },       { 101, "4-bit" },
                  { 5, "mode 5" },  { 102, "any byte order" }, { -1, "any byte order" } };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct header h = plain();
        h.mode = modes[i].mode;
        refuses(modes[i].says, &h, modes[i].says);
    }
}

static void bytes_of_imod_have_no_sign(void)
{
    for (int flags = 0; flags < 2; flags++) {
        const struct header h = plain();
        const struct stored_type *type = &stored_types[flags ? STORED_INT8 : STORED_UINT8];
        struct bytes file = write_volume(&h, type, N);
        memcpy(file.data + 152, "IMOD", 4);
        file.data[156] = (uint8_t)flags;
        check_subject("IMOD");
        struct volume volume = must_load(read_mrc, &file, "a.st");
        has_samples(&volume, type, 0, x_fastest);
        volume_free(&volume);
        drop(&file);
    }
}

/* Only the range in the header tells that ITK's have none. */
static void bytes_beyond_127_have_no_sign(void)
{
    static const struct {
        double least, most;
        bool sign, imod;
    } cases[] = { { 0, 200, false, false }, { 128, 255, false, false }, { 0, 127, true, false }, { -1, 200, true, false },
                  { 0, 256, true, false },  { 0, -1, true, false },     { 0, NAN, true, false }, { 0, 200, true, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct header h = plain();
        h.big = i % 2;
        if (h.big) h.stamp = "\x11\x11\0\0";
        const struct stored_type *type = &stored_types[cases[i].sign ? STORED_INT8 : STORED_UINT8];
        struct bytes file = write_volume(&h, type, N);
        put(&file, 76, "float32", cases[i].least, h.big);
        put(&file, 80, "float32", cases[i].most, h.big);
        if (cases[i].imod) put(&file, 152, "int32", 1146047817, h.big), put(&file, 156, "int32", 1, h.big);
        check_subject("a range of bytes");
        struct volume volume = must_load(read_mrc, &file, "a.mrc");
        has_samples(&volume, type, 0, x_fastest);
        CHECK(cases[i].sign == !strstr(volume.note, "without a sign, by the maximum"));
        volume_free(&volume);
        drop(&file);
    }
}

/* A stamp that says nothing, or the wrong thing. */
static void byte_order_shows_without_a_stamp(void)
{
    static const struct {
        bool big;
        const char *stamp, *note;
    } cases[] = { { false, "\0\0\0\0", "little-endian by" },
                  { true, "\0\0\0\0", "big-endian by" },
                  { true, "\x44\x44\0\0", "big-endian by" },
                  { false, "\x11\x11\0\0", "little-endian by" },
                  { false, "\x44\x41\0\0", "" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct header h = plain();
        h.mode = 1;
        h.big = cases[i].big;
        h.stamp = cases[i].stamp;
        struct bytes file = write_volume(&h, &stored_types[STORED_INT16], N);
        check_subject(cases[i].note);
        struct volume volume = must_load(read_mrc, &file, "a.mrc");
        has_samples(&volume, &stored_types[STORED_INT16], 0, x_fastest);
        CHECK(strstr(volume.note, cases[i].note) && !*cases[i].note == !*volume.note);
        volume_free(&volume);
        drop(&file);
    }
}

static void axes_come_in_any_order(void)
{
    static const int orders[][3] = { { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 }, { 2, 3, 1 }, { 3, 1, 2 }, { 3, 2, 1 } };
    static const size_t sizes[4] = { 1, NX, NY, NZ };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct header h = plain();
        size_t step[3], stride = 1;
        memcpy(h.axes, orders[i], sizeof h.axes);
        for (int k = 0; k < 3; k++) {
            step[h.axes[k] - 1] = stride;
            stride *= sizes[h.axes[k]];
            h.start[k] = 10 * h.axes[k]; /* given in the order of the file, like the sizes */
        }
        check_subject("an order of axes");
        struct volume volume = load(&h);
        has_samples(&volume, INT8, 0, step);
        CHECK(volume.origin[0] == 10 && volume.origin[1] == 40 && volume.origin[2] == 120);
        volume_free(&volume);
    }
    struct header h = plain();
    struct bytes file = write_volume(&h, INT8, N);
    memset(file.data + 64, 0, 12);
    check_subject("axes that are not named");
    struct volume volume = must_load(read_mrc, &file, "a.mrc");
    has_samples(&volume, INT8, 0, x_fastest);
    volume_free(&volume);
    put(&file, 64, "int32", 3, false);
    must_refuse(read_mrc, &file, "a.mrc", "axes are 3, 0, 0");
    put(&file, 68, "int32", 2, false);
    put(&file, 72, "int32", 2, false);
    must_refuse(read_mrc, &file, "a.mrc", "axes are 3, 2, 2");
    drop(&file);
}

static void stacks_are_frames(void)
{
    struct header h = plain();
    h.space_group = 401;
    h.sampling[2] = 1;
    struct bytes file = write_volume(&h, INT8, N);
    check_subject("a stack of volumes");
    struct source source;
    struct volume volume;
    struct err err = { 0 };
    source_memory(&source, file.data, file.size, "a.mrcs");
    CHECK(!read_with(read_mrc, &volume, &source, &(struct load_desc){ .frame = 2 }, &err));
    CHECK(volume.frames == NZ && volume.grid.nz == 1 && volume.grid.nx == NX);
    CHECK(volume.grid.voxels && grid_value(&volume.grid, 1) == sample(INT8, 2 * NX * NY + 1));
    volume_free(&volume);
    drop(&file);
    h.sampling[2] = 2;
    refuses("a stack that has no whole volumes", &h, "cannot be divided into volumes of 2");
    h.sampling[2] = 0;
    refuses("a stack of nothing", &h, "volumes of 0");
    h.space_group = 0;
    h.sampling[2] = 1;
    volume = load(&h); /* of pictures */
    CHECK(volume.frames == 1 && volume.grid.nz == NZ && volume.direction[2][2] == 4 * NZ);
    volume_free(&volume);
}

/* ---- position in the world ----------------------------------------------------------------------------------------- */

/* Lengths and angles of the axes must be those of the cell: that is what the convention leaves open. */
static void cells_need_not_be_orthogonal(void)
{
    struct header h = plain();
    memcpy(h.angles, (double[]){ 80, 70, 120 }, sizeof h.angles);
    check_subject("a triclinic cell");
    struct volume v = load(&h);
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        double dot = 0;
        for (int row = 0; row < 3; row++) dot += v.direction[row][b] * v.direction[row][c];
        CHECK_NEAR(volume_spacing(&v, a), 1 << a, 1e-6);
        CHECK_NEAR(dot / ((1 << b) * (1 << c)), cos(h.angles[a] * 3.14159265358979 / 180), 1e-6);
    }
    CHECK(v.direction[1][0] == 0 && v.direction[2][0] == 0 && v.direction[2][1] == 0 && volume_handedness(&v) > 0);
    volume_free(&v);
    memcpy(h.angles, (double[]){ 0, 0, 0 }, sizeof h.angles);
    v = load(&h);
    CHECK(v.direction[0][1] == 0 && v.direction[1][1] == 2 && v.direction[2][2] == 4 && !*v.note);
    volume_free(&v);
}

static void origin_words_come_first(void)
{
    struct header h = plain();
    memcpy(h.start, (int[]){ -5, 6, 7 }, sizeof h.start);
    memcpy(h.sampling, (int[]){ 2 * NX, NY, NZ }, sizeof h.sampling);
    struct volume v = load(&h);
    CHECK(v.origin[0] == -2.5 && v.origin[1] == 12 && v.origin[2] == 28 && v.direction[0][0] == 0.5);
    volume_free(&v);
    memcpy(h.origin, (double[]){ 1, 0, 2 }, sizeof h.origin);
    v = load(&h);
    CHECK(v.origin[0] == 1 && v.origin[1] == 0 && v.origin[2] == 2 && strstr(v.note, "lie apart"));
    volume_free(&v);
    memcpy(h.origin, (double[]){ -2.25, 12.5, 27 }, sizeof h.origin); /* within a voxel */
    v = load(&h);
    CHECK(v.origin[0] == -2.25 && v.origin[1] == 12.5 && v.origin[2] == 27 && !*v.note);
    volume_free(&v);
    h.origin[1] = NAN;
    v = load(&h);
    CHECK(v.origin[0] == -2.5 && v.origin[1] == 12);
    volume_free(&v);
}

static void useless_cells_are_ignored(void)
{
    static const struct {
        double cell, angle;
        int sampling;
    } cases[] = { { 0, 90, 1 },   { NAN, 90, 1 }, { -1, 90, 1 }, { INFINITY, 90, 1 }, { 10, 180, 1 },
                  { 10, -90, 1 }, { 10, NAN, 1 }, { 10, 90, 0 }, { 10, 90, -1 },      { 10, 179.99999, 1 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct header h = plain();
        h.cell[1] = cases[i].cell;
        h.angles[1] = cases[i].angle;
        h.sampling[1] = cases[i].sampling;
        check_subject("a useless cell");
        struct volume v = load(&h);
        CHECK(strstr(v.note, "no cell") && volume_handedness(&v) == 1 && !*v.unit);
        volume_free(&v);
    }
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

static void extended_headers_are_skipped(void)
{
    struct header h = plain();
    h.extended = -1;
    refuses("a negative extended header", &h, "extended header has -1");
    h.extended = 2 << 20; /* beyond what is seen of a compressed file */
    struct bytes file = write_volume(&h, INT8, N), packed = { 0 };
    append_gzip(&packed, file.data, file.size);
    write_file("a.mrc.gz", packed.data, packed.size);
    file_loads("a.mrc.gz", NX);
    put(&file, 92, "int32", INT32_MAX, false);
    must_refuse(read_mrc, &file, "a.mrc", "2147484731 bytes");
    drop(&file);
    drop(&packed);
}

static void damage_does_no_harm(void)
{
    struct header h = plain();
    h.mode = 1;
    h.space_group = 401;
    h.extended = 4;
    struct bytes file = write_volume(&h, &stored_types[STORED_INT16], N);
    check_subject("a damaged header");
    cuts_are_refused(read_mrc, &file, file.size, "a.mrc");
    damaged_numbers_do_no_harm(read_mrc, &file, 256, "a.mrc"); /* labels follow */
    drop(&file);
}

int main(void)
{
    if (!make_folder()) return 1;
    every_mode_loads();
    other_modes_are_refused_by_name();
    bytes_of_imod_have_no_sign();
    bytes_beyond_127_have_no_sign();
    byte_order_shows_without_a_stamp();
    axes_come_in_any_order();
    stacks_are_frames();
    cells_need_not_be_orthogonal();
    origin_words_come_first();
    useless_cells_are_ignored();
    extended_headers_are_skipped();
    damage_does_no_harm();
    remove_folder();
    return check_summary("test_read_mrc");
}
