/* TIFF: what libtiff writes in every way loads exactly; ImageJ's and OME's words give axes and spacing; everything else is
 * refused with a sentence and an empty volume. */
#include "load_util.h"

#include <tiffio.h>

#define NX 19 /* no multiple of a tile's 16 */
#define NY 18
#define NZ 3 /* pages */

struct how {
    const char *mode; /* libtiff's: byte order and size */
    const struct stored_type *type;
    uint16_t compression;
    uint16_t components;
    bool planar, tiled;
    const char *description;
    void (*more)(TIFF *tiff, int page);
};

static double sample(const struct stored_type *type, size_t x, size_t y, size_t z, size_t c)
{
    const size_t i = ((z * NY + y) * NX + x) * 3 + c;
    const double value = type->bytes == 1 ? (double)(i % 127) : (double)(i % 2048); /* the most that all float16 reach */
    return type->name[0] != 'u' && i % 2 ? -value : value;
}

static uint16_t half(double value)
{
    int exponent;
    const double part = frexp(fabs(value), &exponent); /* 0.5 to 1 */
    return (uint16_t)((value < 0 ? 0x8000 : 0) | (value == 0 ? 0 : ((exponent + 14) << 10) + (int)(part * 2048) - 1024));
}

static void store(uint8_t *to, const struct stored_type *type, double value)
{
    const float narrow = (float)value;
    const uint16_t narrowest = half(value);
    const int64_t whole = (int64_t)value; /* little-endian two's complement: the low bytes are every narrower integer */
    if (!strcmp(type->name, "float32")) memcpy(to, &narrow, 4);
    else if (!strcmp(type->name, "float16")) memcpy(to, &narrowest, 2);
    else if (!strcmp(type->name, "float64")) memcpy(to, &value, 8);
    else memcpy(to, &whole, type->bytes);
}

static uint16_t format_of(const struct stored_type *type)
{
    return type->name[0] == 'u' ? SAMPLEFORMAT_UINT : type->name[0] == 'i' ? SAMPLEFORMAT_INT : SAMPLEFORMAT_IEEEFP;
}

static void set_tags(TIFF *tiff, const struct how *how)
{
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, NX);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, NY);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, (int)how->type->bytes * 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format_of(how->type));
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, how->components);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, how->planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, how->compression);
    if (how->tiled) TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16), TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
    else TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
}

/* Strips of 5 rows or tiles of 16 x 16, plane by plane. */
static void write_page(TIFF *tiff, const struct how *how, size_t z)
{
    const size_t bytes = how->type->bytes, together = how->planar ? 1 : how->components;
    const size_t width = how->tiled ? 16 : NX, height = how->tiled ? 16 : 5;
    uint8_t *piece = calloc(width * height * together, bytes);
    for (size_t plane = 0; plane < (how->planar ? how->components : 1); plane++)
        for (size_t y0 = 0; y0 < NY; y0 += height)
            for (size_t x0 = 0; x0 < NX; x0 += width) {
                size_t rows = 0;
                for (size_t y = y0; y < y0 + height && y < NY; y++, rows++)
                    for (size_t x = x0; x < x0 + width && x < NX; x++)
                        for (size_t c = 0; c < together; c++)
                            store(piece + (((y - y0) * width + x - x0) * together + c) * bytes, how->type,
                                  sample(how->type, x, y, z, plane + c));
                if (how->tiled) CHECK(TIFFWriteTile(tiff, piece, (uint32_t)x0, (uint32_t)y0, 0, (uint16_t)plane) > 0);
                else
                    CHECK(TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, (uint32_t)y0, (uint16_t)plane), piece,
                                                (tmsize_t)(rows * width * together * bytes)) > 0);
            }
    free(piece);
}

static void write_tiff(const char *name, const struct how *how, int pages)
{
    TIFF *tiff = TIFFOpen(in_folder(name), how->mode);
    if (!CHECK(tiff != NULL)) return;
    for (int z = 0; z < pages; z++) {
        set_tags(tiff, how);
        if (!z && how->description) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, how->description);
        if (how->more) how->more(tiff, z);
        write_page(tiff, how, (size_t)z);
        CHECK(TIFFWriteDirectory(tiff) == 1);
    }
    TIFFClose(tiff);
}

static struct how plain(void) { return (struct how){ "wl", &stored_types[STORED_UINT16], COMPRESSION_NONE, 1 }; }

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

/* Values that vary little survive JPEG nearly; YCbCr must come back as RGB. */
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

#define OME(pixels) "<?xml version=\"1.0\"?><o:OME xmlns:o=\"x\"><o:Image><o:Pixels " pixels "</o:Pixels></o:Image></o:OME>"
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

/* ---- bad files ----------------------------------------------------------------------------------------------------- */

static void test_refused(void)
{
    static const struct {
        const char *description;
        uint16_t components;
        const char *must_say;
        uint32_t tag; /* 0: none */
        int value, page;
    } cases[] = {
        { NULL, 1, "values of 4 bits", TIFFTAG_BITSPERSAMPLE, 4, 0 },
        { NULL, 1, "complex values", TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_COMPLEXINT, 0 },
        { NULL, 1, "LogLuv", TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_LOGL, 0 },
        { NULL, 1, "2 deep", TIFFTAG_IMAGEDEPTH, 2, 0 },
        { NULL, 1, "page 3: 19 x 18 x 1 int16 values, unlike the first page", TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_INT, 2 },
        { "ImageJ=1.53\nimages=6\nchannels=2\nslices=3", 3, "2 channels of 3 components" },
        { OME("SizeZ=\"5\" SizeC=\"1\" SizeT=\"1\" DimensionOrder=\"XYZCT\">"), 1, "describes 5 pages" },
        { OME("SizeZ=\"-3\" SizeC=\"1\" SizeT=\"1\" DimensionOrder=\"XYZCT\">"), 1, "SizeZ is '-3'" },
        { OME("SizeZ=\"2147483647\" SizeC=\"2147483647\" SizeT=\"2147483647\" DimensionOrder=\"XYZCT\">"), 1,
          "more pages than can be counted" },
        { OME("SizeZ=\"3\" SizeC=\"1\" SizeT=\"1\" DimensionOrder=\"XYZCC\">"), 1, "DimensionOrder is 'XYZCC'" },
        { OME("SizeZ=\"3\" SizeC=\"1\" SizeT=\"1\">"), 1, "DimensionOrder is ''" },
        { OME("SizeZ=\"3\" SizeC=\"1\" SizeT=\"1\" DimensionOrder=\"XYZCT\"><o:TiffData IFD=\"1\"/>"), 1,
          "not in the order" },
        { OME("SizeZ=\"3\" SizeC=\"1\" SizeT=\"1\" DimensionOrder=\"XYZCT\"><o:TiffData><o:UUID "
              "FileName=\"a.tif\"/></o:TiffData>"
              "<o:TiffData><o:UUID FileName=\"b.tif\"/></o:TiffData>"),
          1, "'a.tif' and 'b.tif'" },
        { "<OME><BinaryOnly MetadataFile=\"all.companion.ome\"/></OME>", 1, "all.companion.ome" },
        { "<OME><Image/></OME>", 1, "no Pixels" },
        { "<OME><Image></OME>", 1, "its XML is broken in line 1" },
        { "<!DOCTYPE OME [<!ENTITY a \"b\">]><OME>&a;</OME>", 1, "document type" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct how how = plain();
        how.description = cases[i].description;
        how.components = cases[i].components;
        TIFFErrorHandler before = TIFFSetErrorHandler(NULL); /* libtiff complains about what is written */
        char name[32];
        snprintf(name, sizeof name, "refused_%zu.tif", i);
        TIFF *tiff = TIFFOpen(in_folder(name), "wl");
        for (int z = 0; tiff && z < NZ; z++) {
            uint8_t row[NX * 3 * 2 * 8] = { 0 };
            set_tags(tiff, &how);
            if (!z && how.description) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, how.description);
            if (cases[i].tag && cases[i].page <= z) TIFFSetField(tiff, cases[i].tag, cases[i].value);
            for (uint32_t s = 0; s < 4; s++) TIFFWriteRawStrip(tiff, s, row, (tmsize_t)sizeof row / 8);
            TIFFWriteDirectory(tiff);
        }
        if (CHECK(tiff != NULL)) TIFFClose(tiff);
        TIFFSetErrorHandler(before);
        file_is_refused(name, cases[i].must_say);
    }
}

static struct bytes file_bytes(const char *name)
{
    struct bytes bytes = { 0 };
    uint8_t piece[4096];
    FILE *file = fopen(in_folder(name), "rb");
    if (!CHECK(file != NULL)) return bytes;
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;) append(&bytes, piece, n);
    fclose(file);
    return bytes;
}

/* Small: every byte is cut off and every word changed. */
static struct bytes small_tiff(uint16_t compression)
{
    uint8_t pixels[12];
    for (int i = 0; i < 12; i++) pixels[i] = (uint8_t)(20 * i);
    TIFF *tiff = TIFFOpen(in_folder("small.tif"), "wl");
    for (int z = 0; tiff && z < 2; z++) {
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 4);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 3);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 3);
        CHECK(TIFFWriteEncodedStrip(tiff, 0, pixels, 12) > 0);
        CHECK(TIFFWriteDirectory(tiff) == 1);
    }
    if (CHECK(tiff != NULL)) TIFFClose(tiff);
    return file_bytes("small.tif");
}

static void test_cut_off(uint16_t compression)
{
    struct bytes file = small_tiff(compression);
    struct volume v;
    struct err err;
    for (size_t n = 0; n < file.size; n++) {
        char subject[96];
        snprintf(subject, sizeof subject, "compression %u, %zu of %zu bytes", compression, n, file.size);
        check_subject(subject);
        if (!refused(read_bytes(read_tiff, &v, file.data, n, "cut.tif", &err), &v, &err)) volume_free(&v);
    }
    check_subject("");
    CHECK(read_bytes(read_tiff, &v, file.data, file.size, "whole.tif", &err) == ERR_NONE && v.grid.nz == 2);
    volume_free(&v);
    drop(&file);
}

/* Directories are made of words of 2 and 4 bytes: each becomes each of these numbers. */
static void test_changed(uint16_t compression)
{
    static const uint32_t numbers[] = { 0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x0000ffff, 8 };
    struct bytes file = small_tiff(compression);
    int loaded = 0, others = 0;
    for (size_t at = 4; at + 4 <= file.size; at += 2)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            for (size_t width = 2; width <= 4; width += 2) {
                struct volume v;
                struct err err;
                uint8_t old[4];
                memcpy(old, file.data + at, 4);
                memcpy(file.data + at, &numbers[i], width);
                const int code = read_bytes(read_tiff, &v, file.data, file.size, "changed.tif", &err);
                memcpy(file.data + at, old, 4);
                CHECK(code == ERR_NONE || code == ERR_INPUT || code == ERR_FAILED);
                loaded += code == ERR_NONE;
                others += code != ERR_NONE;
                volume_free(&v);
            }
    printf("compression %u: %d changes harmless, %d refused\n", compression, loaded, others);
    CHECK(loaded > 100 && others > 100);
    drop(&file);
}

/* The last directory leads back to the first. */
static void test_loop(void)
{
    struct bytes file = small_tiff(COMPRESSION_NONE);
    struct volume v;
    struct err err;
    uint32_t first, at;
    uint16_t entries;
    check_subject("a loop of directories");
    memcpy(&first, file.data + 4, 4);
    memcpy(&entries, file.data + first, 2);
    memcpy(&at, file.data + first + 2 + 12 * entries, 4);
    memcpy(&entries, file.data + at, 2);
    memcpy(file.data + at + 2 + 12 * entries, &first, 4);
    CHECK(refused(read_bytes(read_tiff, &v, file.data, file.size, "loop.tif", &err), &v, &err));
    CHECK(strstr(err.text, "page 3 cannot be read") != NULL);
    drop(&file);
}

static void test_gzip(void)
{
    struct bytes file = small_tiff(COMPRESSION_NONE), packed = { 0 };
    append_gzip(&packed, file.data, file.size);
    write_file("packed.tif.gz", packed.data, packed.size);
    file_is_refused("packed.tif.gz", "cannot be read through gzip");
    drop(&packed);
    drop(&file);
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
    test_extra_pages();
    test_refused();
    test_cut_off(COMPRESSION_NONE);
    test_cut_off(COMPRESSION_LZW);
    test_changed(COMPRESSION_NONE);
    test_changed(COMPRESSION_LZW);
    test_loop();
    test_gzip();
    remove_folder();
    return check_summary("test_read_tiff");
}
