/* NIfTI: both versions, byte orders and arrangements load exactly, with the position that the header gives. */
#include "format_util.h"

#define UINT8 (&stored_types[STORED_UINT8])

/* A header of either version. */
struct header {
    int version;
    bool big, pair;
    int datatype, units;
    int64_t dim[8];
    double pixdim[8], vox_offset, slope, intercept, quatern[6], srow[12];
    int qform, sform;
};

/* 5 x 4 x 3 bytes with voxels of 1 x 2 x 4 mm. */
static struct header plain(int version)
{
    return (struct header){ .version = version,
                            .datatype = 2,
                            .units = 2,
                            .dim = { 3, NX, NY, NZ },
                            .pixdim = { 1, 1, 2, 4 },
                            .vox_offset = version == 1 ? 352 : 544 };
}

static void put(struct bytes *file, size_t at, const char *type, double value, bool big)
{
    store(file->data + at, stored_type_find(type), value, big);
}

static void put_all(struct bytes *file, size_t at, const char *type, const double *values, int n, bool big)
{
    const size_t bytes = stored_type_find(type)->bytes;
    for (int i = 0; i < n; i++) put(file, at + (size_t)i * bytes, type, values[i], big);
}

static struct bytes write_header(const struct header *h)
{
    const bool one = h->version == 1;
    const char *real = one ? "float32" : "float64", *code = one ? "int16" : "int32";
    struct bytes file = { 0 };
    append(&file, (uint8_t[544]){ 0 }, one ? 352 : 544);
    put(&file, 0, "int32", one ? 348 : 540, h->big);
    memcpy(file.data + (one ? 344 : 4), h->pair ? "ni1" : "n+1", 4);
    file.data[(one ? 344 : 4) + 2] = (uint8_t)('0' + h->version);
    put(&file, one ? 70 : 12, "int16", h->datatype, h->big);
    for (size_t i = 0; i < 8; i++)
        put(&file, one ? 40 + 2 * i : 16 + 8 * i, one ? "int16" : "int64", (double)h->dim[i], h->big);
    put_all(&file, one ? 76 : 104, real, h->pixdim, 8, h->big);
    put(&file, one ? 108 : 168, one ? "float32" : "int64", h->vox_offset, h->big);
    put(&file, one ? 112 : 176, real, h->slope, h->big);
    put(&file, one ? 116 : 184, real, h->intercept, h->big);
    put(&file, one ? 123 : 500, one ? "uint8" : "int32", h->units, h->big);
    put(&file, one ? 252 : 344, code, h->qform, h->big);
    put(&file, one ? 254 : 348, code, h->sform, h->big);
    put_all(&file, one ? 256 : 352, real, h->quatern, 6, h->big);
    put_all(&file, one ? 280 : 400, real, h->srow, 12, h->big);
    return file;
}

static struct bytes write_volume(const struct header *h, const struct stored_type *type, size_t values)
{
    struct bytes file = write_header(h);
    append_samples(&file, type, values, h->big);
    return file;
}

/* The volume of `h`, one of bytes. */
static struct volume load(const struct header *h)
{
    struct bytes file = write_volume(h, UINT8, N);
    const struct volume volume = must_load(read_nifti, &file, "a.nii");
    drop(&file);
    return volume;
}

static void refuses(const char *what, const struct header *h, const char *must_say)
{
    struct bytes file = write_volume(h, UINT8, N);
    check_subject(what);
    must_refuse(read_nifti, &file, "a.nii", must_say);
    drop(&file);
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

static void every_type_loads(void)
{
    static const struct {
        int code, stored;
    } types[] = {
        { 2, STORED_UINT8 },    { 4, STORED_INT16 },     { 8, STORED_INT32 },    { 16, STORED_FLOAT32 },
        { 64, STORED_FLOAT64 }, { 256, STORED_INT8 },    { 512, STORED_UINT16 }, { 768, STORED_UINT32 },
        { 1024, STORED_INT64 }, { 1280, STORED_UINT64 },
    };
    for (size_t i = 0; i < 4 * sizeof types / sizeof *types; i++) {
        const struct stored_type *type = &stored_types[types[i / 4].stored];
        struct header h = plain(1 + (int)(i % 2));
        h.datatype = types[i / 4].code;
        h.big = i / 2 % 2;
        struct bytes file = write_volume(&h, type, N);
        check_subject(type->name);
        struct volume volume = must_load(read_nifti, &file, "a.nii");
        has_samples(&volume, type, 0, x_fastest);
        CHECK(volume.slope == 1 && !strcmp(volume.unit, "mm") && volume.world == WORLD_OTHER);
        for (int a = 0; a < 3; a++) CHECK(volume.direction[a][a] == 1 << a && volume.origin[a] == 0);
        volume_free(&volume);
        drop(&file);
    }
}

static void other_types_are_refused_by_name(void)
{
    static const struct {
        int code;
        const char *says;
    } types[] = { { 1, "1-bit" },      { 32, "complex" },   { 1536, "128-bit" },  { 1792, "complex" },
                  { 2048, "complex" }, { 0, "datatype 0" }, { -2, "datatype -2" } };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct header h = plain(1);
        h.datatype = types[i].code;
        refuses(types[i].says, &h, types[i].says);
    }
}

/* Values of a file with 3 frames of 2 components, or of colours in 2 frames. */
static void frames_and_components_are_chosen(void)
{
    static const struct {
        int datatype, frames, components;
        size_t voxel, frame, component; /* values from one to the next */
    } cases[] = { { 2, 3, 2, 1, N, 3 * N }, { 128, 2, 3, 3, 3 * N, 1 }, { 2304, 2, 4, 4, 4 * N, 1 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int f = 0; f < cases[i].frames; f++)
            for (int c = 0; c < cases[i].components; c++) {
                struct header h = plain(2);
                const bool colour = cases[i].datatype != 2;
                h.datatype = cases[i].datatype;
                h.slope = 2; /* not of colours */
                memcpy(h.dim, (int64_t[]){ colour ? 4 : 5, NX, NY, NZ, cases[i].frames, colour ? 9 : cases[i].components },
                       6 * sizeof *h.dim);
                struct bytes file = write_volume(&h, UINT8,
                                                 (size_t)N * (size_t)cases[i].frames * (size_t)cases[i].components);
                struct source source;
                struct volume volume;
                struct err err = { 0 };
                const struct load_desc desc = { .frame = (uint64_t)f, .component = (uint64_t)c };
                source_memory(&source, file.data, file.size, "a.nii");
                check_subject(colour ? "colours" : "vectors");
                CHECK(!read_with(read_nifti, &volume, &source, &desc, &err));
                const size_t v = cases[i].voxel, step[3] = { v, v * NX, v * NX * NY };
                has_samples(&volume, UINT8, cases[i].frame * (size_t)f + cases[i].component * (size_t)c, step);
                CHECK(volume.frames == (uint64_t)cases[i].frames && volume.components == (uint64_t)cases[i].components);
                CHECK(!strstr(volume.note, "bytes after") && volume.slope == (colour ? 1 : 2));
                volume_free(&volume);
                drop(&file);
            }
}

static void axes_are_checked(void)
{
    struct header h = plain(1);
    memcpy(h.dim, (int64_t[]){ 7, NX, NY, NZ, 0, 1, 0, 1 }, sizeof h.dim);
    check_subject("unused axes of length 0");
    struct volume volume = load(&h);
    CHECK(volume.frames == 1 && volume.components == 1);
    volume_free(&volume);
    h.dim[0] = 2;
    check_subject("a slice");
    volume = load(&h);
    CHECK(volume.grid.nz == 1);
    volume_free(&volume);
    static const int64_t bad[][8] = { { 0, NX, NY, NZ },         { 8, NX, NY, NZ },           { -1, NX, NY, NZ },
                                      { 3, NX, 0, NZ },          { 3, NX, NY, -3 },           { 3, 32767, 32767, 32767 },
                                      { 6, NX, 2, NZ, 1, 1, 2 }, { 7, NX, 2, NZ, 1, 1, 1, 2 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(h.dim, bad[i], sizeof h.dim);
        refuses("bad axes", &h, "");
    }
    h = plain(2);
    h.datatype = 128;
    memcpy(h.dim, (int64_t[]){ 5, 2, 2, 2, 1, 2 }, 6 * sizeof *h.dim);
    refuses("vectors of colours", &h, "of colours");
}

static void slopes_scale_values(void)
{
    static const struct {
        double slope, intercept, want_slope, want_intercept;
        const char *note;
    } cases[] = { { 0, 0, 1, 0, "" },
                  { 0, 7, 1, 0, "" },
                  { 0.5, -3, 0.5, -3, "" },
                  { NAN, 0, 1, 0, "scaling" },
                  { 2, NAN, 1, 0, "scaling" },
                  { INFINITY, 0, 1, 0, "scaling" },
                  { -2, 5, 2, 5, "its slope is -2" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct header h = plain(1 + (int)(i % 2));
        h.slope = cases[i].slope;
        h.intercept = cases[i].intercept;
        struct volume volume = load(&h);
        CHECK(volume.slope == cases[i].want_slope && volume.intercept == cases[i].want_intercept);
        CHECK(*cases[i].note ? strstr(volume.note, cases[i].note) != NULL
                             : !strstr(volume.note, "scaling") && !strstr(volume.note, "slope"));
        volume_free(&volume);
    }
}

static void offsets_are_checked(void)
{
    for (int version = 1; version < 3; version++) {
        struct header h = plain(version);
        const double least = h.vox_offset;
        const double bad[] = { 0, least - 1, least + 0.5, -1, NAN, 1e30, INFINITY, 0x1p62, least + 1 };
        check_subject("vox_offset");
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            if (version == 2 && (bad[i] != floor(bad[i]) || fabs(bad[i]) > 0x1p62)) continue; /* no whole number */
            h.vox_offset = bad[i];
            refuses("vox_offset", &h, "");
        }
        h.vox_offset = least + 16;
        struct bytes file = write_header(&h);
        append(&file, "\x10\0\0\0\x06\0\0\0extended", 16);
        append_samples(&file, UINT8, N, false);
        struct volume volume = must_load(read_nifti, &file, "a.nii");
        has_samples(&volume, UINT8, 0, x_fastest);
        volume_free(&volume);
        drop(&file);
    }
}

/* ---- position in the world ----------------------------------------------------------------------------------------- */

static void lies_at(const struct volume *v, const double directions[3][3], const double origin[3])
{
    for (int row = 0; row < 3; row++) {
        for (int a = 0; a < 3; a++) CHECK_NEAR(v->direction[row][a], directions[row][a], 1e-6);
        CHECK_NEAR(v->origin[row], origin[row], 1e-6);
    }
}

static const double oblique[12] = { 0, -2, 0, 10, 1, 0, 0, -20, 0, 0, 4, 30 };

/* The sform's x and y change sign: NIfTI's point right and to the front. */
static void sform_comes_first(void)
{
    static const double want[3][3] = { { 0, 2, 0 }, { -1, 0, 0 }, { 0, 0, 4 } };
    for (int version = 1; version < 3; version++) {
        struct header h = plain(version);
        h.sform = 1;
        h.qform = 2;
        memcpy(h.srow, oblique, sizeof oblique);
        struct volume v = load(&h);
        lies_at(&v, want, (double[]){ -10, 20, 30 });
        CHECK(v.world == WORLD_LPS && !*v.note);
        volume_free(&v);
    }
}

/* A quarter turn about z, half a turn about x, and a turn that nibabel computed. */
static void qform_is_a_quaternion(void)
{
    static const struct {
        double quatern[6], handedness, want[3][3];
    } cases[] = {
        { { 0, 0, 0, 5, 6, 7 }, 1, { { -1, 0, 0 }, { 0, -2, 0 }, { 0, 0, 4 } } },
        { { 0, 0, 0.7071067811865476, 5, 6, 7 }, 1, { { 0, 2, 0 }, { -1, 0, 0 }, { 0, 0, 4 } } },
        { { 1, 0, 0, 5, 6, 7 }, 1, { { -1, 0, 0 }, { 0, 2, 0 }, { 0, 0, -4 } } },
        { { 0, 0, 0, 5, 6, 7 }, -1, { { -1, 0, 0 }, { 0, -2, 0 }, { 0, 0, -4 } } },
        { { 0, 0, 0, 5, 6, 7 }, 0, { { -1, 0, 0 }, { 0, -2, 0 }, { 0, 0, 4 } } },
        { { 0.1, -0.2, 0.3, 5, 6, 7 },
          -1,
          { { -0.74, 1.19283426, -1.24377896 }, { -0.51641713, -1.6, -1.22188951 }, { 0.43094475, 0.13094473, -3.6 } } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct header h = plain(1 + (int)(i % 2));
        h.qform = 1;
        h.pixdim[0] = cases[i].handedness;
        memcpy(h.quatern, cases[i].quatern, sizeof h.quatern);
        struct volume v = load(&h);
        lies_at(&v, cases[i].want, (double[]){ -5, -6, 7 });
        CHECK(v.world == WORLD_LPS && !*v.note);
        volume_free(&v);
    }
}

/* Three numbers longer than 1 are no part of a unit quaternion. */
static void long_quaternions_are_told(void)
{
    struct header h = plain(1);
    h.qform = 1;
    memcpy(h.quatern, (double[]){ 1.00001, 0, 0, 5, 6, 7 }, sizeof h.quatern); /* rounded */
    struct volume v = load(&h);
    CHECK(!*v.note && v.direction[1][1] == 2);
    volume_free(&v);
    memcpy(h.quatern, (double[]){ 3, 4, 5, 5, 6, 7 }, sizeof h.quatern);
    v = load(&h);
    CHECK(strstr(v.note, "longer than 1") && v.world == WORLD_LPS);
    volume_free(&v);
}

/* An sform or qform that spans nothing gives way to the next. */
static void useless_forms_are_ignored(void)
{
    struct header h = plain(1);
    h.sform = 1;
    struct volume v = load(&h);
    CHECK(strstr(v.note, "sform") && v.world == WORLD_OTHER && volume_handedness(&v) == 8);
    volume_free(&v);
    h.qform = 1;
    memcpy(h.srow, oblique, sizeof oblique);
    h.srow[3] = NAN;
    v = load(&h);
    CHECK(strstr(v.note, "sform") && v.world == WORLD_LPS && v.direction[0][0] == -1);
    volume_free(&v);
    h.quatern[1] = NAN;
    v = load(&h);
    CHECK(strstr(v.note, "sform") && strstr(v.note, "qform") && v.world == WORLD_OTHER);
    volume_free(&v);
    h = plain(2);
    memcpy(h.pixdim, (double[]){ 1, -3, 0, NAN }, 4 * sizeof *h.pixdim);
    v = load(&h);
    CHECK(v.direction[0][0] == 3 && v.direction[1][1] == 1 && v.direction[2][2] == 1);
    CHECK(strstr(v.note, "along y") && strstr(v.note, "along z") && !strstr(v.note, "along x"));
    volume_free(&v);
}

static void units_are_named(void)
{
    static const char *const units[] = { "", "m", "mm", "um", "" };
    for (int i = 0; i < 10; i++) {
        struct header h = plain(1 + i / 5);
        h.units = i % 5 + 8; /* 8: seconds */
        struct volume v = load(&h);
        check_subject(units[i % 5]);
        CHECK(!strcmp(v.unit, units[i % 5]));
        volume_free(&v);
        h.qform = 1; /* with a place in the patient, mm is meant where nothing is said */
        v = load(&h);
        CHECK(v.world == WORLD_LPS && !strcmp(v.unit, *units[i % 5] ? units[i % 5] : "mm"));
        volume_free(&v);
    }
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

static void analyze_is_refused(void)
{
    struct header h = plain(1);
    struct bytes file = write_volume(&h, UINT8, N);
    check_subject("Analyze 7.5");
    memset(file.data + 344, 0, 4);
    must_refuse(read_nifti, &file, "a.hdr", "Analyze 7.5");
    memcpy(file.data + 344, "n+2", 4);
    must_refuse(read_nifti, &file, "a.hdr", "Analyze 7.5");
    file.data[0] = 0;
    must_refuse(read_nifti, &file, "a.nii", "348 or 540");
    drop(&file);
}

/* Writes NAME.hdr and its image, of bytes from `offset` on, under the name `image`. */
static void write_pair(const char *header_name, const char *image, size_t offset, bool gzip)
{
    struct header h = plain(1);
    h.pair = true;
    h.vox_offset = (double)offset;
    struct bytes header = write_header(&h), voxels = { 0 }, packed = { 0 };
    append(&voxels, "junk", offset);
    append_samples(&voxels, UINT8, N, false);
    append_gzip(&packed, voxels.data, voxels.size);
    write_file(header_name, header.data, 348);
    if (image) write_file(image, gzip ? packed.data : voxels.data, gzip ? packed.size : voxels.size);
    drop(&header);
    drop(&voxels);
    drop(&packed);
}

static void pair_loads(const char *name)
{
    struct volume volume;
    struct err err = { 0 };
    check_subject(name);
    if (is_fine(load_volume(&volume, in_folder(name), NULL, &err), &err)) has_samples(&volume, UINT8, 0, x_fastest);
    volume_free(&volume);
}

static void pairs_load_by_either_name(void)
{
    write_pair("a.hdr", "a.img", 0, false);
    pair_loads("a.hdr");
    pair_loads("a.img");
    write_pair("B.HDR", "B.IMG", 4, false);
    pair_loads("B.HDR");
    write_pair("c.hdr", "c.img.gz", 3, true);
    pair_loads("c.hdr");
    pair_loads("c.img.gz");
    write_pair("d.hdr", NULL, 0, false);
    file_is_refused("d.hdr", "d.img");
    write_pair("e.x", "e.img", 0, false);
    file_is_refused("e.img", "e.hdr");
    write_pair("h.hdr.gz", "h.img.gz", 0, true); /* whatever is in the header */
    file_is_refused("h.img.gz", "h.hdr.gz, is compressed");
    struct header h = plain(1);
    struct bytes file = write_volume(&h, UINT8, N);
    write_file("f.img", file.data, file.size); /* a whole volume under that name */
    pair_loads("f.img");
    write_file("g.hdr", file.data, file.size);
    write_file("g.img", file.data + 352, N);
    file_is_refused("g.img", "open the .hdr");
    drop(&file);
}

/* The reader sees the first MiB of what is compressed: voxels may begin after that. */
static void gzip_may_hide_the_voxels(void)
{
    struct header h = plain(1);
    h.vox_offset = (1 << 20) + 16;
    struct bytes file = write_header(&h), packed = { 0 };
    uint8_t *zeros = calloc(1, 1 << 20);
    append(&file, zeros, (size_t)h.vox_offset - file.size);
    free(zeros);
    append_samples(&file, UINT8, N, false);
    append_gzip(&packed, file.data, file.size);
    write_file("far.nii.gz", packed.data, packed.size);
    pair_loads("far.nii.gz");
    write_file("far.nii", file.data, file.size);
    pair_loads("far.nii");
    drop(&file);
    drop(&packed);
}

static void damage_does_no_harm(void)
{
    for (int version = 1; version < 3; version++) {
        struct header h = plain(version);
        h.big = version == 1;
        h.sform = h.qform = 1;
        memcpy(h.srow, oblique, sizeof oblique);
        struct bytes file = write_volume(&h, UINT8, N);
        check_subject("a damaged header");
        cuts_are_refused(read_nifti, &file, file.size, "a.nii");
        damaged_numbers_do_no_harm(read_nifti, &file, (size_t)h.vox_offset, "a.nii");
        drop(&file);
    }
}

int main(void)
{
    if (!make_folder()) return 1;
    every_type_loads();
    other_types_are_refused_by_name();
    frames_and_components_are_chosen();
    axes_are_checked();
    slopes_scale_values();
    offsets_are_checked();
    sform_comes_first();
    qform_is_a_quaternion();
    long_quaternions_are_told();
    useless_forms_are_ignored();
    units_are_named();
    analyze_is_refused();
    pairs_load_by_either_name();
    gzip_may_hide_the_voxels();
    damage_does_no_harm();
    remove_folder();
    return check_summary("test_read_nifti");
}
