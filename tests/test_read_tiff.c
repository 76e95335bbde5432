/* TIFF: what libtiff writes in every way loads exactly; ImageJ's and OME's words give axes and spacing. What is refused:
 * test_tiff_refused.c. */
#include "tiff_util.h"

static int load(const char *name, struct volume *volume, const struct load_desc *desc, struct err *err)
{
    *err = (struct err){ 0 };
    const int code = load_volume(volume, in_folder(name), desc, err);
    if (code) printf("  it says: %s\n", err->text);
    return code;
}

/* Whether voxel (x, y, z) is sample (x, y, first + z * step). */
static void has_samples(const struct volume *v, const struct stored_type *type, size_t nz, size_t first, size_t step,
                        size_t c)
{
    if (!CHECK(v->grid.nx == NX && v->grid.ny == NY && v->grid.nz == nz && v->grid.type == type->voxel)) return;
    for (size_t z = 0, i = 0; z < nz; z++)
        for (size_t y = 0; y < NY; y++)
            for (size_t x = 0; x < NX; x++, i++)
                CHECK_NEAR(grid_value(&v->grid, i), sample(type, x, y, first + z * step, c), 0);
}

/* ---- good files ---------------------------------------------------------------------------------------------------- */

static void one_way_loads(const struct how *how)
{
    char subject[128];
    struct volume v;
    struct err err;
    snprintf(subject, sizeof subject, "%s %s compression %u, %u components, %s, %s", how->mode, how->type->name,
             how->compression, how->components, how->planar ? "planar" : "together", how->tiled ? "tiles" : "strips");
    check_subject(subject);
    write_tiff("way.tif", how, NZ);
    for (uint64_t c = 0; c < how->components; c++) {
        const struct load_desc desc = { .component = c };
        if (!CHECK(load("way.tif", &v, &desc, &err) == ERR_NONE)) continue;
        has_samples(&v, how->type, NZ, 0, 1, (size_t)c);
        CHECK(v.components == how->components && v.frames == 1);
        CHECK(!strstr(v.note, "ignored"));
        volume_free(&v);
    }
}

static void test_every_way(void)
{
    static const char *const modes[] = { "wl", "wb", "wl8", "wb8" };
    static const uint16_t compressions[] = { COMPRESSION_NONE,     COMPRESSION_LZW,  COMPRESSION_ADOBE_DEFLATE,
                                             COMPRESSION_PACKBITS, COMPRESSION_LZMA, COMPRESSION_ZSTD };
    for (const struct stored_type *type = stored_types; type->name; type++)
        for (int m = 0; m < 4; m++)
            for (int way = 0; way < 8; way++) /* one component: planar or not is the same */
                if (!(way & 4) || way & 2)
                    one_way_loads(&(struct how){ modes[m], type, way & 1 ? COMPRESSION_LZW : COMPRESSION_NONE,
                                                 way & 2 ? 3 : 1, (way & 4) != 0, m & 1 });
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++) {
        if (TIFFIsCODECConfigured(compressions[i]))
            one_way_loads(&(struct how){ "wb", &stored_types[STORED_INT16], compressions[i], 3, i & 1, i & 2 });
        else check_skip("a compression that this libtiff lacks");
    }
}

/* Values that vary little are nearly unchanged by JPEG; YCbCr must be read as RGB. */
static void test_jpeg(void)
{
    struct volume v;
    struct err err;
    uint8_t rows[16 * 16 * 3];
    if (!TIFFIsCODECConfigured(COMPRESSION_JPEG)) {
        check_skip("JPEG, which this libtiff lacks");
        return;
    }
    check_subject("JPEG");
    for (size_t i = 0; i < sizeof rows; i++) rows[i] = (uint8_t)(i % 3 == 0 ? 200 : i % 3 == 1 ? 100 : 50);
    TIFF *tiff = TIFFOpen(in_folder("jpeg.tif"), "w");
    if (!CHECK(tiff != NULL)) return;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 16);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 16);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_JPEG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 16);
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    CHECK(TIFFWriteEncodedStrip(tiff, 0, rows, sizeof rows) > 0);
    TIFFClose(tiff);
    for (uint64_t c = 0; c < 3; c++) {
        const struct load_desc desc = { .component = c };
        if (!CHECK(load("jpeg.tif", &v, &desc, &err) == ERR_NONE)) continue;
        CHECK(v.components == 3 && strstr(v.note, "give the folder"));
        for (size_t i = 0; i < 256; i++) CHECK_NEAR(grid_value(&v.grid, i), c == 0 ? 200 : c == 1 ? 100 : 50, 3);
        volume_free(&v);
    }
}

/* ---- words --------------------------------------------------------------------------------------------------------- */

static void has_spacing(const struct volume *v, double x, double y, double z, const char *unit)
{
    CHECK_NEAR(volume_spacing(v, 0), x, 1e-6 * x);
    CHECK_NEAR(volume_spacing(v, 1), y, 1e-6 * y);
    CHECK_NEAR(volume_spacing(v, 2), z, 1e-6 * z);
    if (!CHECK(!strcmp(v->unit, unit))) printf("  the unit is '%s', not '%s'\n", v->unit, unit);
    CHECK(v->world == WORLD_OTHER);
}

static void resolution(TIFF *tiff, double x, double y, uint16_t unit)
{
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, x);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, y);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, unit);
}
static void no_unit(TIFF *tiff, int page) { (void)page, resolution(tiff, 4, 2, RESUNIT_NONE); }
static void per_cm(TIFF *tiff, int page) { (void)page, resolution(tiff, 4, 2, RESUNIT_CENTIMETER); }
static void per_inch(TIFF *tiff, int page) { (void)page, resolution(tiff, 4, 2, RESUNIT_INCH); }
static void by_default(TIFF *tiff, int page) { (void)page, resolution(tiff, 72, 72, RESUNIT_INCH); }

static void test_spacing(void)
{
    static const struct {
        const char *description;
        void (*more)(TIFF *tiff, int page);
        double spacing[3];
        const char *unit;
    } cases[] = {
        { NULL, NULL, { 1, 1, 1 }, "" },
        { NULL, no_unit, { .25, .5, .25 }, "" },
        { NULL, per_cm, { 2.5, 5, 2.5 }, "mm" },
        { NULL, per_inch, { 6.35, 12.7, 6.35 }, "mm" },
        { NULL, by_default, { 1, 1, 1 }, "" },
        { "ImageJ=1.53\nimages=3\nslices=3\nspacing=2\n", by_default, { 1, 1, 2 }, "" },
        { "ImageJ=1.53\nimages=3\nslices=3\nunit=micron\nspacing=3.5\n", by_default, { 1. / 72, 1. / 72, 3.5 }, "um" },
        { "ImageJ=1.53\nimages=3\nslices=3\nunit=micron\nspacing=3.5\n", no_unit, { .25, .5, 3.5 }, "um" },
        { "ImageJ=1.53\nimages=3\nslices=3\nunit=\\u00B5m\nspacing=-2\nloop=false\n", no_unit, { .25, .5, 2 }, "um" },
        { "ImageJ=1.53\nimages=3\nslices=3\nunit=cm\n", per_cm, { 2.5, 5, 10 }, "mm" },
        { "ImageJ=1.53\nimages=3\nslices=3\nspacing=2\n", NULL, { 1, 1, 2 }, "" },
        { "ImageJ=1.53\nimages=3\nslices=3\nspacing=1e999\n", NULL, { 1, 1, 1 }, "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct how how = plain();
        struct volume v;
        struct err err;
        char subject[32];
        snprintf(subject, sizeof subject, "spacing %zu", i);
        check_subject(subject);
        how.description = cases[i].description;
        how.more = cases[i].more;
        write_tiff("spacing.tif", &how, NZ);
        if (!CHECK(load("spacing.tif", &v, NULL, &err) == ERR_NONE)) continue;
        const double *s = cases[i].spacing;
        has_spacing(&v, s[0], s[1], s[2], cases[i].unit);
        has_samples(&v, how.type, NZ, 0, 1, 0);
        volume_free(&v);
    }
}

#define SIZES "SizeX=\"19\" SizeY=\"18\" SizeZ=\"2\" SizeC=\"3\" SizeT=\"2\" Type=\"uint16\" "

/* Twelve pages along z (2), channels (3) and frames (2): which of them is a slice? */
static void test_axes(void)
{
    static const struct {
        const char *description;
        size_t z, c, t; /* pages from one to the next */
    } cases[] = {
        { "ImageJ=1.53\nimages=12\nchannels=3\nslices=2\nframes=2\nhyperstack=true\n", 3, 1, 6 },
        { OME(SIZES "DimensionOrder=\"XYCZT\">"), 3, 1, 6 },
        { OME(SIZES "DimensionOrder=\"XYZCT\">"), 1, 2, 6 },
        { OME(SIZES "DimensionOrder=\"XYTZC\">"), 2, 4, 1 },
        { OME(SIZES "DimensionOrder=\"XYZTC\"><o:TiffData IFD=\"0\"/><o:TiffData IFD=\"11\" FirstZ=\"1\" FirstC=\"2\" "
                    "FirstT=\"1\"/>"),
          1, 4, 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int choice = 0; choice < 6; choice++) {
            struct how how = plain();
            struct volume v;
            struct err err;
            const struct load_desc desc = { .component = (uint64_t)choice % 3, .frame = (uint64_t)choice / 3 };
            check_subject(cases[i].description);
            how.description = cases[i].description;
            how.compression = i & 1 ? COMPRESSION_LZW : COMPRESSION_NONE;
            if (!choice) write_tiff("axes.tif", &how, 12);
            if (!CHECK(load("axes.tif", &v, &desc, &err) == ERR_NONE)) continue;
            CHECK(v.components == 3 && v.frames == 2);
            has_samples(&v, how.type, 2, desc.component * cases[i].c + desc.frame * cases[i].t, cases[i].z, 0);
            volume_free(&v);
        }
}

/* The same by tifffile's words, an axis of one value among them; a shape that does not name its axes. */
static void test_shapes(void)
{
    static const struct {
        const char *description;
        size_t z, c, t;    /* pages from one to the next */
        size_t nz, nc, nt; /* how many */
        const char *note;
    } cases[] = {
        { "{\"shape\": [2, 3, 2, 18, 19], \"axes\": \"TCZYX\"}", 1, 2, 6, 2, 3, 2, "" },
        { "{\"shape\": [3, 1, 2, 2, 18, 19], \"axes\": \"CQTZYX\"}", 1, 4, 2, 2, 3, 2, "" },
        { "{\"shape\": [2, 2, 3, 18, 19], \"axes\": \"ZTCYX\", \"dtype\": \"uint16\"}", 6, 1, 3, 2, 3, 2, "" },
        { "{\"shape\": [2, 6, 18, 19]}", 1, 0, 6, 6, 1, 2, "taken for frames of slices" },
        { "{\"shape\": [2, 2, 3, 18, 19]}", 1, 0, 3, 3, 1, 4, "taken for frames of slices" },
        { "{\"shape\": [12, 18, 19]}", 1, 0, 0, 12, 1, 1, "" },
        { "{\"shape\": [2, 4, 18, 19]}", 1, 0, 4, 4, 1, 2, "pages from 9 on are of another image" },
        { "{\"shape\": [2, 7, 18, 19]}", 1, 0, 0, 12, 1, 1, "tifffile describes 14 pages and the file has 12" },
        { "{\"shape\": [2, 3, 2, 18, 19], \"axes\": \"TZTYX\"}", 1, 0, 0, 12, 1, 1, "all pages are shown as slices" },
        { "{\"shape\": [2, 6, 19, 18]}", 1, 0, 0, 12, 1, 1, "" }, /* of other pages */
        { "{\"shape\": [18, 19]}", 1, 0, 0, 12, 1, 1, "" },       /* of one of them */
        { "{\"shape\": [-2, -6, 18, 19]}", 1, 0, 0, 12, 1, 1, "" },
        { "{\"shape\": [2, 6, 18", 1, 0, 0, 12, 1, 1, "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t choice = 0; choice < cases[i].nc * cases[i].nt; choice++) {
            struct how how = plain();
            struct volume v;
            struct err err;
            const struct load_desc desc = { .component = choice % cases[i].nc, .frame = choice / cases[i].nc };
            check_subject(cases[i].description);
            how.description = cases[i].description;
            how.compression = i & 1 ? COMPRESSION_LZW : COMPRESSION_NONE;
            if (!choice) write_tiff("shape.tif", &how, 12);
            if (!CHECK(load("shape.tif", &v, &desc, &err) == ERR_NONE)) continue;
            CHECK(v.components == cases[i].nc && v.frames == cases[i].nt);
            has_samples(&v, how.type, cases[i].nz, desc.component * cases[i].c + desc.frame * cases[i].t, cases[i].z, 0);
            if (!CHECK(strstr(v.note, cases[i].note) != NULL)) printf("  the note is: %s\n", v.note);
            volume_free(&v);
        }
}

/* Colours lie in a page, behind or before y and x. */
static void test_shape_of_colours(void)
{
    for (int planar = 0; planar < 2; planar++) {
        struct how how = plain();
        struct volume v;
        struct err err;
        const struct load_desc desc = { .component = 2, .frame = 1 };
        how.components = 3;
        how.planar = planar;
        how.description = planar ? "{\"shape\": [2, 3, 3, 18, 19], \"axes\": \"TZSYX\"}"
                                 : "{\"shape\": [2, 3, 18, 19, 3], \"axes\": \"TZYXS\"}";
        check_subject(how.description);
        write_tiff("colours.tif", &how, 6);
        if (!CHECK(load("colours.tif", &v, &desc, &err) == ERR_NONE)) continue;
        CHECK(v.components == 3 && v.frames == 2);
        has_samples(&v, how.type, 3, 3, 1, 2);
        volume_free(&v);
    }
}

/* Words that do not fit the pages. */
static void test_words(void)
{
    static const struct {
        const char *description, *note;
    } cases[] = {
        { "ImageJ=1.53\nimages=9\nchannels=3\nslices=3\n", "describes 9 pages" },
        { "ImageJ=1.53\nimages=3\nchannels=3\n", "3 channels are these" },
        { "ImageJ=1.53\nimages=3\nframes=3\n", "3 frames are these" },
        { "ImageJ=1.53\nimages=3\nslices=18446744073709551616\n", "" },
        { "ImageJ=1.53\nimages=3\nunit=furlong\x1b[31m\n", "its unit 'furlong\\x1b[31m' is unknown" },
        { "ImageJ=1.53\nimages=3\ncf=20\nc0=1\nc1=2\n", "calibration" },
        { "<b>OME is named, but not as an element</b>", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct how how = plain();
        struct volume v;
        struct err err;
        check_subject(cases[i].description);
        how.description = cases[i].description;
        write_tiff("words.tif", &how, NZ);
        if (!CHECK(load("words.tif", &v, NULL, &err) == ERR_NONE)) continue;
        has_samples(&v, how.type, NZ, 0, 1, 0);
        if (!CHECK(strstr(v.note, cases[i].note) != NULL)) printf("  the note is: %s\n", v.note);
        volume_free(&v);
    }
}

/* One page whose directory lies behind it, with so many words that there is room for the pages that they name. */
static void test_pages_that_are_missing(void)
{
    struct how how = plain();
    struct volume v;
    struct err err;
    char words[4 * NX * NY * 2] = "ImageJ=1.53\nimages=2\nslices=2\nInfo=";
    check_subject("pages that are missing");
    memset(words + strlen(words), 'x', sizeof words - strlen(words) - 1);
    how.description = words;
    write_tiff("one.tif", &how, 1);
    if (!CHECK(load("one.tif", &v, NULL, &err) == ERR_NONE)) return;
    has_samples(&v, how.type, 1, 0, 1, 0);
    CHECK(strstr(v.note, "ImageJ describes 2 pages and the file has 1") != NULL);
    volume_free(&v);
}

static void test_calibration(void)
{
    struct how how = plain();
    struct volume v;
    struct err err;
    check_subject("calibration");
    how.description = "ImageJ=1.53\nimages=3\nslices=3\ncf=0\nc0=-32768.0\nc1=0.5\nvunit=Gray Value\n";
    write_tiff("calibrated.tif", &how, NZ);
    if (!CHECK(load("calibrated.tif", &v, NULL, &err) == ERR_NONE)) return;
    CHECK(v.slope == 0.5 && v.intercept == -32768);
    volume_free(&v);
}

static void test_ome_units(void)
{
    struct how how = plain();
    struct volume v;
    struct err err;
    check_subject("OME units");
    how.description = OME("SizeZ=\"3\" SizeC=\"1\" SizeT=\"1\" DimensionOrder=\"XYZCT\" PhysicalSizeX=\"0.25\" "
                          "PhysicalSizeY=\"0.5\" PhysicalSizeYUnit=\"\xc2\xb5m\" PhysicalSizeZ=\"2\">");
    write_tiff("u.ome.tif", &how, NZ);
    if (CHECK(load("u.ome.tif", &v, NULL, &err) == ERR_NONE)) has_spacing(&v, .25, .5, 2, "um");
    volume_free(&v);
    how.description = OME("SizeZ=\"3\" SizeC=\"1\" SizeT=\"1\" DimensionOrder=\"XYZCT\" PhysicalSizeX=\"0.25\" "
                          "PhysicalSizeY=\"0.5\" PhysicalSizeZ=\"2\" PhysicalSizeZUnit=\"mm\">");
    write_tiff("u.ome.tif", &how, NZ);
    if (CHECK(load("u.ome.tif", &v, NULL, &err) == ERR_NONE)) has_spacing(&v, .00025, .0005, 2, "mm");
    volume_free(&v);
}

/* One directory, and the other pages behind its values, as ImageJ writes stacks of more than 4 GiB. */
static void test_hidden_pages(void)
{
    struct bytes file = { 0 };
    struct volume v;
    struct err err;
    const char *words = "ImageJ=1.53\nimages=3\nslices=3\n\n"; /* more than the 4 bytes that would be stored in the entry */
    const uint32_t n = (uint32_t)strlen(words) + 1, words_at = 8, ifd_at = words_at + n + (n & 1),
                   data_at = ifd_at + 2 + 9 * 12 + 4;
    const uint32_t entries[9][4] = { { 256, 4, 1, NX },      { 257, 4, 1, NY }, { 258, 3, 1, 16 },
                                     { 259, 3, 1, 1 },       { 262, 3, 1, 1 },  { 270, 2, n, words_at },
                                     { 273, 4, 1, data_at }, { 278, 4, 1, NY }, { 279, 4, 1, NX * NY * 2 } };
    check_subject("hidden pages");
    append(&file, "II*\0", 4);
    append(&file, &ifd_at, 4);
    append(&file, words, n);
    if (n & 1) append(&file, "", 1);
    append(&file, &(uint16_t){ 9 }, 2);
    for (int i = 0; i < 9; i++) {
        append(&file, &(uint16_t){ (uint16_t)entries[i][0] }, 2);
        append(&file, &(uint16_t){ (uint16_t)entries[i][1] }, 2);
        append(&file, &entries[i][2], 8);
    }
    append(&file, &(uint32_t){ 0 }, 4);
    for (size_t z = 0; z < NZ; z++)
        for (size_t y = 0; y < NY; y++)
            for (size_t x = 0; x < NX; x++)
                append(&file, &(uint16_t){ (uint16_t)sample(&stored_types[STORED_UINT16], x, y, z, 0) }, 2);
    if (CHECK(read_bytes(read_tiff, &v, file.data, file.size, "big.tif", &err) == ERR_NONE)) {
        has_samples(&v, &stored_types[STORED_UINT16], NZ, 0, 1, 0);
        CHECK(!*v.note || !strstr(v.note, "after the voxels"));
    } else printf("  it says: %s\n", err.text);
    volume_free(&v);
    /* cut off: the one page that is there */
    CHECK(read_bytes(read_tiff, &v, file.data, file.size - 1, "big.tif", &err) == ERR_NONE);
    CHECK(v.grid.nz == 1 && strstr(v.note, "describes 3 pages"));
    volume_free(&v);
    /* beyond the end: no page is there, so none of the others is either */
    const uint32_t beyond = (uint32_t)file.size + 1;
    memcpy(file.data + ifd_at + 2 + 6 * 12 + 8, &beyond, sizeof beyond);
    CHECK(refused(read_bytes(read_tiff, &v, file.data, file.size, "big.tif", &err), &v, &err));
    CHECK(strstr(err.text, "but 0 bytes are there") != NULL);
    drop(&file);
}

static void first_is_reduced(TIFF *tiff, int page)
{
    if (page == 0)
        TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE), TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, NX);
    if (page == 2) TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_MASK);
}

static void test_extra_pages(void)
{
    struct how how = plain();
    struct volume v;
    struct err err;
    check_subject("extra pages");
    how.more = first_is_reduced;
    write_tiff("extra.tif", &how, 5);
    if (!CHECK(load("extra.tif", &v, NULL, &err) == ERR_NONE)) return;
    CHECK(v.grid.nz == 3 && strstr(v.note, "2 reduced pages or masks ignored"));
    CHECK(grid_value(&v.grid, 0) == sample(how.type, 0, 0, 1, 0));
    CHECK(grid_value(&v.grid, (size_t)NX * NY) == sample(how.type, 0, 0, 3, 0));
    volume_free(&v);
    write_tiff("reduced.tif", &how, 1);
    file_is_refused("reduced.tif", "all its pages are reduced copies or masks");
}

int main(void)
{
    if (!make_folder()) return check_summary("test_read_tiff");
    test_every_way();
    test_jpeg();
    test_spacing();
    test_axes();
    test_shapes();
    test_shape_of_colours();
    test_words();
    test_calibration();
    test_ome_units();
    test_hidden_pages();
    test_pages_that_are_missing();
    test_extra_pages();
    remove_folder();
    return check_summary("test_read_tiff");
}
