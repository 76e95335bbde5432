/* Folders of slices: PNG, JPEG and TIFF files load exactly, in the order of their numbers; a folder that is no series is
 * refused with the name of the file that does not fit. PNG files are built here; JPEG files are too large for that, and one
 * is given as bytes. */
#include "load_util.h"

#include <malloc.h>
#include <sys/stat.h>
#include <tiffio.h>

static char slices[96]; /* the folder of the test at hand */

/* A new empty folder. */
static void begin(const char *name)
{
    snprintf(slices, sizeof slices, "%s/%s", folder, name);
    CHECK(mkdir(slices, 0700) == 0);
    check_subject(name);
}

/* The same for case i of a table. */
static void begin_case(const char *table, size_t i)
{
    static char name[32]; /* the subject, until the next */
    snprintf(name, sizeof name, "%s%zu", table, i);
    begin(name);
}

static void put(const char *name, const void *data, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", strrchr(slices, '/') + 1, name);
    write_file(path, data, size);
}

/* ---- PNG ----------------------------------------------------------------------------------------------------------- */

static void append_big(struct bytes *to, uint32_t value)
{
    append(to, (uint8_t[]){ (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value }, 4);
}

static void append_chunk(struct bytes *to, const char *type, const void *data, size_t size)
{
    append_big(to, (uint32_t)size);
    const size_t at = to->size;
    append(to, type, 4);
    append(to, data, size);
    append_big(to, (uint32_t)crc32(0, to->data + at, (uInt)(to->size - at)));
}

/* The value of component c of pixel (x, y) of slice z. */
static unsigned sample(unsigned x, unsigned y, unsigned z, unsigned c, unsigned bytes)
{
    return (z * 1000 + y * 100 + x * 10 + c) % (bytes == 2 ? 65536 : 256);
}

struct png {
    unsigned width, height, components, bytes;
};

static struct bytes make_png(const struct png *png, unsigned z)
{
    static const uint8_t colour[] = { 0, 0, 4, 2, 6 };
    struct bytes file = { 0 }, rows = { 0 };
    for (unsigned y = 0; y < png->height; y++) {
        append(&rows, "", 1); /* no filter */
        for (unsigned x = 0; x < png->width; x++)
            for (unsigned c = 0; c < png->components; c++) {
                const unsigned value = sample(x, y, z, c, png->bytes);
                if (png->bytes == 2) append(&rows, &(uint8_t){ (uint8_t)(value >> 8) }, 1);
                append(&rows, &(uint8_t){ (uint8_t)value }, 1);
            }
    }
    uLongf n = compressBound(rows.size);
    uint8_t *packed = malloc(n);
    CHECK(compress(packed, &n, rows.data, rows.size) == Z_OK);
    append(&file, "\x89PNG\r\n\x1a\n", 8);
    struct bytes header = { 0 };
    append_big(&header, png->width);
    append_big(&header, png->height);
    append(&header, (uint8_t[]){ (uint8_t)(png->bytes * 8), colour[png->components], 0, 0, 0 }, 5);
    append_chunk(&file, "IHDR", header.data, header.size);
    append_chunk(&file, "IDAT", packed, n);
    append_chunk(&file, "IEND", "", 0);
    free(packed);
    drop(&header);
    drop(&rows);
    return file;
}

static void put_png(const char *name, const struct png *png, unsigned z)
{
    struct bytes file = make_png(png, z);
    put(name, file.data, file.size);
    drop(&file);
}

static int load(struct volume *volume, const struct load_desc *desc, struct err *err)
{
    *err = (struct err){ 0 };
    return load_volume(volume, slices, desc, err);
}

static bool loads(struct volume *volume, const struct load_desc *desc)
{
    struct err err;
    return is_fine(load(volume, desc, &err), &err);
}

static void has_slices(const struct volume *v, const struct png *png, const unsigned *z, size_t n, unsigned c)
{
    if (!CHECK(v->grid.nx == png->width && v->grid.ny == png->height && v->grid.nz == n)) return;
    CHECK(v->grid.type == (png->bytes == 2 ? VOXEL_UINT16 : VOXEL_UINT8) && v->components == png->components);
    for (size_t s = 0, i = 0; s < n; s++)
        for (unsigned y = 0; y < png->height; y++)
            for (unsigned x = 0; x < png->width; x++, i++)
                CHECK(grid_value(&v->grid, i) == (double)sample(x, y, z[s], c, png->bytes));
}

static void is_refused(const char *must_say)
{
    struct volume volume;
    struct err err;
    if (!refused(load(&volume, NULL, &err), &volume, &err)) volume_free(&volume);
    is_said(err.text, must_say);
}

static void test_png(void)
{
    static const struct png kinds[] = { { 5, 4, 1, 1 }, { 3, 7, 1, 2 }, { 4, 4, 3, 1 }, { 2, 3, 4, 2 }, { 6, 1, 2, 1 } };
    static const unsigned order[] = { 2, 10, 11 };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        begin_case("png", k);
        put_png("s10.png", &kinds[k], 10);
        put_png("s2.PNG", &kinds[k], 2);
        put_png("s11.png", &kinds[k], 11);
        for (unsigned c = 0; c < kinds[k].components; c++) {
            struct volume v;
            const struct load_desc desc = { .component = c };
            loads(&v, &desc);
            has_slices(&v, &kinds[k], order, 3, c);
            CHECK(strstr(v.note, "jump: s2.PNG, then s10.png") != NULL);
            CHECK(!strcmp(v.name, strrchr(slices, '/') + 1) && strstr(v.note, "voxels is unknown") &&
                  v.world == WORLD_OTHER);
            volume_free(&v);
        }
    }
}

static void test_notes(void)
{
    static const struct png png = { 2, 2, 1, 1 };
    static const unsigned order[] = { 1, 2, 4, 5 };
    struct volume v;
    const struct load_desc desc = { .spacing = { 1, 2, 3 } };
    begin("gap");
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "img_%03u.png", order[i]);
        put_png(name, &png, order[i]);
    }
    put("Thumbs.db", "x", 1);
    put("notes.txt", "x", 1);
    put(".hidden.png", "x", 1);
    loads(&v, &desc);
    has_slices(&v, &png, order, 4, 0);
    CHECK(strstr(v.note, "jump: img_002.png, then img_004.png") != NULL);
    CHECK(strstr(v.note, "2 other files in the folder ignored") != NULL);
    CHECK(volume_spacing(&v, 0) == 1 && volume_spacing(&v, 1) == 2 && volume_spacing(&v, 2) == 3);
    volume_free(&v);
}

/* The order of links is that of their names; they may lead out of the folder. */
static void test_links(void)
{
    static const struct png png = { 2, 2, 1, 1 };
    static const unsigned order[] = { 1, 2 };
    char to[256], from[256];
    struct volume v;
    begin("elsewhere");
    put_png("x.png", &png, 1);
    snprintf(to, sizeof to, "%s/x.png", slices);
    begin("links");
    put_png("b2.png", &png, 2);
    snprintf(from, sizeof from, "%s/a1.png", slices);
    CHECK(symlink(to, from) == 0);
    loads(&v, NULL);
    has_slices(&v, &png, order, 2, 0);
    volume_free(&v);
}

/* ---- JPEG and TIFF ------------------------------------------------------------------------------------------------- */

/* clang-format off */
/* 8 x 8 pixels of 128: one block whose only coefficient is 0, with the smallest Huffman tables. */
static const uint8_t jpeg[] = {
    0xff, 0xd8, /* start */
    0xff, 0xdb, 0, 67, 0, /* quantisation by 1, below */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    0xff, 0xc0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0, /* 8 x 8, one component */
    0xff, 0xc4, 0, 20, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* DC: code 0 is "no difference" */
    0xff, 0xc4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* AC: code 0 is "end of block" */
    0xff, 0xda, 0, 8, 1, 1, 0x00, 0, 63, 0, 0x3f, /* scan: the bits 00, then ones */
    0xff, 0xd9 /* end */
};
/* clang-format on */

static void test_jpeg(void)
{
    struct volume v;
    begin("jpeg");
    put("1.jpg", jpeg, sizeof jpeg);
    put("2.JPEG", jpeg, sizeof jpeg);
    loads(&v, NULL);
    CHECK(v.grid.nx == 8 && v.grid.ny == 8 && v.grid.nz == 2 && v.components == 1);
    for (size_t i = 0; v.grid.voxels && i < 128; i++) CHECK(grid_value(&v.grid, i) == 128);
    volume_free(&v);
    put("2.JPEG", jpeg, sizeof jpeg - 2);
    is_refused("2.JPEG: its pixels cannot be decoded: it is cut off");
}

/* JPEG files without the table that their scan needs, where memory that malloc gives is never zero. */
static void test_jpeg_tables(void)
{
    uint8_t file[sizeof jpeg];
    struct volume v;
    mallopt(M_PERTURB, 0x55);
    begin("jpeg_tables");
    put("1.jpg", jpeg, sizeof jpeg);
    memcpy(file, jpeg, sizeof jpeg);
    file[105] = 1, file[sizeof file - 3] = 0x5f; /* DC: code 0 is "one bit", which is 1: a difference of a table's 1 */
    file[6] = 1;                                 /* another table's number */
    put("2.jpg", file, sizeof file);
    loads(&v, NULL);
    for (size_t i = 0; v.grid.voxels && i < 128; i++) CHECK(grid_value(&v.grid, i) == 128);
    volume_free(&v);
    file[3] = 0xfe; /* a comment */
    put("2.jpg", file, sizeof file);
    is_refused("2.jpg: its pixels cannot be decoded: it has no quantisation table");
    mallopt(M_PERTURB, 0);
}

static void put_tiff(const char *name, int pages, bool planar, int first)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", slices, name);
    TIFF *tiff = TIFFOpen(path, "w");
    if (!CHECK(tiff != NULL)) return;
    for (int p = 0; p < pages; p++) {
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 3);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 2);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 2);
        TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 2);
        if (p < first) TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
        for (uint32_t plane = 0; plane < (planar ? 2 : 1); plane++) {
            uint16_t values[12];
            for (uint16_t i = 0; i < 12; i++)
                values[i] = (uint16_t)(p * 1000 + (planar ? i * 10 + (int)plane : i / 2 * 10 + i % 2));
            CHECK(TIFFWriteEncodedStrip(tiff, plane, values, planar ? 12 : 24) > 0);
        }
        CHECK(TIFFWriteDirectory(tiff) == 1);
    }
    TIFFClose(tiff);
}

static void test_tiff(void)
{
    for (int planar = 0; planar < 2; planar++)
        for (uint64_t c = 0; c < 2; c++) {
            char name[32];
            struct volume v;
            const struct load_desc desc = { .component = c };
            snprintf(name, sizeof name, "tiff%d%d", planar, (int)c);
            begin(name);
            put_tiff("1.tif", 1, planar, 0);
            put_tiff("2.tiff", 2, planar, 1); /* its first page is a reduced copy */
            loads(&v, &desc);
            CHECK(v.grid.nx == 3 && v.grid.ny == 2 && v.grid.nz == 2 && v.components == 2);
            for (size_t i = 0; v.grid.voxels && i < 12; i++)
                CHECK(grid_value(&v.grid, i) == (double)((i / 6) * 1000 + (i % 6) * 10 + c));
            volume_free(&v);
        }
    begin("pages");
    put_tiff("1.tif", 1, false, 0);
    put_tiff("2.tif", 2, false, 0);
    is_refused("2.tif: it has several pages");
}

/* A slice of one grey pixel row, with its words and a resolution (0: none). */
static void put_words(const char *name, const char *description, double x, double y, int unit)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", slices, name);
    TIFF *tiff = TIFFOpen(path, "w");
    if (!CHECK(tiff != NULL)) return;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 2);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    if (*description) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description);
    if (x > 0) {
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, x);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, y);
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, unit);
    }
    CHECK(TIFFWriteEncodedStrip(tiff, 0, "\1\2", 2) > 0);
    TIFFClose(tiff);
}

#define OME_OF_MANY                                                                                                    \
    "<OME><Image><Pixels SizeZ=\"2\" SizeC=\"1\" SizeT=\"1\" DimensionOrder=\"XYZCT\" PhysicalSizeX=\"0.25\" "         \
    "PhysicalSizeY=\"0.5\" PhysicalSizeZ=\"2\"><TiffData><UUID FileName=\"1.tif\"/></TiffData><TiffData FirstZ=\"1\">" \
    "<UUID FileName=\"2.tif\"/></TiffData></Pixels></Image></OME>"

/* Distances and calibration are the first slice's, as in a stack; the distance of slices only if it is said. */
static void test_tiff_words(void)
{
    static const struct {
        const char *description;
        double x, y; /* resolution */
        int tag;
        double spacing[3];
        const char *unit, *note;
    } cases[] = {
        { "", 0, 0, 0, { 1, 1, 1 }, "", "size of its voxels is unknown; 1 assumed" },
        { "", 4, 2, RESUNIT_CENTIMETER, { 2.5, 5, 2.5 }, "mm", "that of its pixels, 2.5, assumed" },
        { "", 4, 2, RESUNIT_NONE, { .25, .5, .25 }, "", "that of its pixels, 0.25, assumed" },
        { "ImageJ=1.53\nunit=micron\n", 4, 2, RESUNIT_NONE, { .25, .5, .25 }, "um", "that of its pixels, 0.25, assumed" },
        { "ImageJ=1.53\nimages=1\nunit=micron\nspacing=3\n", 4, 2, RESUNIT_NONE, { .25, .5, 3 }, "um", "" },
        { "ImageJ=1.53\nunit=furlong\n", 4, 2, RESUNIT_NONE, { .25, .5, .25 }, "", "unit 'furlong' is unknown" },
        { "", 72, 72, RESUNIT_INCH, { 1, 1, 1 }, "", "its 72 dpi, a default of programs, are ignored; the size of its" },
        { "", 37.8, 37.8, RESUNIT_CENTIMETER, { 1, 1, 1 }, "", "its 96 dpi" },
        { "", 96, 48, RESUNIT_INCH, { 25.4 / 96, 25.4 / 48, 25.4 / 96 }, "mm", "that of its pixels, 0.264583, assumed" },
        { "", 73, 73, RESUNIT_INCH, { 25.4 / 73, 25.4 / 73, 25.4 / 73 }, "mm", "that of its pixels, 0.347945, assumed" },
        { "ImageJ=1.53\nimages=2\nspacing=3\n", 96, 96, RESUNIT_INCH, { 1, 1, 3 }, "", "its 96 dpi" },
        { "ImageJ=1.53\nunit=mm\nspacing=3\n", 72, 72, RESUNIT_INCH, { 1. / 72, 1. / 72, 3 }, "mm", "" },
        { OME_OF_MANY, 4, 2, RESUNIT_INCH, { .25, .5, 2 }, "um", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct volume v;
        begin_case("words", i);
        put_words("1.tif", cases[i].description, cases[i].x, cases[i].y, cases[i].tag);
        put_words("2.tif", cases[i].description, cases[i].x, cases[i].y, cases[i].tag);
        loads(&v, NULL);
        for (int a = 0; a < 3; a++) CHECK_NEAR(volume_spacing(&v, a), cases[i].spacing[a], 1e-6);
        CHECK(!strcmp(v.unit, cases[i].unit) && !strstr(v.note, "another pixel size"));
        if (!CHECK(*cases[i].note ? strstr(v.note, cases[i].note) != NULL : !*v.note))
            printf("  the note is: %s\n", v.note);
        volume_free(&v);
    }
}

/* One slice differs in one thing: the first holds, and a note names the other. */
static void test_tiff_unlike(void)
{
    static const char first[] = "ImageJ=1.53\nspacing=3\ncf=0\nc0=-5\nc1=0.5\n";
    static const struct {
        const char *description;
        double x;
        int unit;
    } cases[] = {
        { first, 8, RESUNIT_CENTIMETER },
        { first, 4, RESUNIT_INCH },
        { "ImageJ=1.53\nunit=mm\nspacing=3\ncf=0\nc0=-5\nc1=0.5\n", 4, RESUNIT_CENTIMETER },
        { "ImageJ=1.53\nspacing=2\ncf=0\nc0=-5\nc1=0.5\n", 4, RESUNIT_CENTIMETER },
        { "ImageJ=1.53\nspacing=3\ncf=0\nc0=-5\nc1=2\n", 4, RESUNIT_CENTIMETER },
        { "ImageJ=1.53\nspacing=3\ncf=0\nc0=-6\nc1=0.5\n", 4, RESUNIT_CENTIMETER },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct volume v;
        begin_case("unlike", i);
        put_words("1.tif", first, 4, 4, RESUNIT_CENTIMETER);
        put_words("2.tif", first, 4, 4, RESUNIT_CENTIMETER);
        put_words("3.tif", cases[i].description, cases[i].x, 4, cases[i].unit);
        loads(&v, NULL);
        CHECK(volume_spacing(&v, 0) == 2.5 && volume_spacing(&v, 2) == 3 && !strcmp(v.unit, "mm"));
        CHECK(v.slope == .5 && v.intercept == -5);
        if (!CHECK(strstr(v.note, "3.tif has another pixel size, unit or calibration")))
            printf("  the note is: %s\n", v.note);
        volume_free(&v);
    }
}

/* ---- no series ----------------------------------------------------------------------------------------------------- */

static void test_refused(void)
{
    static const struct png png = { 5, 4, 1, 1 }, other = { 5, 3, 1, 1 }, wide = { 5, 4, 1, 2 }, colour = { 5, 4, 3, 1 };
    static const struct png *const odd[] = { &other, &wide, &colour };
    begin("empty");
    is_refused("no slices in this folder");
    put_png("1.png", &png, 1);
    is_refused("fewer than two slices");
    put("2.png", "no image", 8);
    is_refused("2.png: neither a PNG nor a JPEG file");
    for (int i = 0; i < 3; i++) {
        put_png("2.png", odd[i], 1);
        is_refused("2.png: 5 x");
    }
    struct load_desc desc = { .type = "uint8" };
    struct volume v;
    struct err err;
    CHECK(load(&v, &desc, &err) == ERR_USAGE);
}

static void advises(const char *name, const char *says, const char *advice)
{
    struct volume v;
    struct err err;
    check_subject(says);
    CHECK(refused(load_volume(&v, in_folder(name), NULL, &err), &v, &err));
    if (!CHECK(strstr(err.text, says) && strstr(err.advice, advice))) printf("  it says: %s: %s\n", err.text, err.advice);
}

/* Archives are called by what they hold. */
static void test_archives(void)
{
    static const uint8_t npz[] = "PK\3\4\24\0\0\0\0\0\0\0!\0\0\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0mri.npyxxxx";
    struct bytes mgz = { 0 };
    write_file("a.zip", npz, sizeof npz);
    advises("a.zip", "NPZ files cannot be read", ".npy");
    for (size_t n = 4; n < sizeof npz; n++) { /* cut off */
        write_file("b.dat", npz, n);
        advises("b.dat", n < 37 ? "ZIP files cannot be read" : "NPZ files cannot be read", "unzip");
    }
    append_gzip(&mgz, "\0\0\0\1\0\0\1\0", 8);
    write_file("a.mgz", mgz.data, mgz.size);
    advises("a.mgz", "FreeSurfer MGH files cannot be read", "mri_convert");
    drop(&mgz);
}

static void test_precomputed(void)
{
    static const char *const infos[] = { "{\"@type\": \"neuroglancer_multiscale_volume\", \"type\": \"image\"}",
                                         "{\"data_type\": \"uint8\", \"num_channels\": 1, \"scales\": []}" };
    for (int i = 0; i < 2; i++) {
        begin(i ? "older" : "newer");
        put("info", infos[i], strlen(infos[i]));
        is_refused("Neuroglancer precomputed files cannot be read");
    }
    begin("other");
    put("info", "{\"scales\": 3}", 13);
    is_refused("no slices in this folder");
}

/* Single files and folders that are known and not read, each with what to do. */
static void test_advice(void)
{
    static const struct {
        const char *name, *start, *says, *advice;
    } cases[] = {
        { "a.png", "\x89PNG\r\n\x1a\nxxxx", "single PNG files cannot be read", "give the folder" },
        { "a.jpg", "\xff\xd8\xff\xe0xxxx", "single JPEG files cannot be read", "give the folder" },
        { "a.dat", "\x89HDF\r\n\x1a\nxxxx", "HDF5 files cannot be read", "numpy.save" },
        { "a.dat", " BDV\1\1\1", "OpenVDB files cannot be read", "numpy.save" },
        { "a.dat", "GIF89axxxx", "GIF files cannot be read", "PNG" },
        { "a.dat", "PK\x03\x04xxxx", "ZIP files cannot be read", "unzip" },
        { "a.raw.xz",
          "\xfd"
          "7zXZ\1\1",
          "xz files cannot be read", "xz -dk" },
        { "a.nii.bz2", "BZh91AY&SYxxxx", "bzip2 files cannot be read", "bunzip2 -k" },
        { "a.mgh", "xxxx", "FreeSurfer MGH files cannot be read", "mri_convert" },
        { "a.npz", "cut", "NPZ files cannot be read", "unzip" },
        { "a.lif", "p", "microscope maker's files cannot be read", "bfconvert" },
        { "a.nd2", "xxxx", "microscope maker's files cannot be read", "bfconvert" },
        { "a.ims", "\x89HDF\r\n\x1a\nxxxx", "HDF5 files cannot be read", "numpy.save" },
        { "a.czi", "ZISRAWFILE", "microscope maker's files cannot be read", "bfconvert" },
        { "a.stl", "solid a", "mesh files cannot be read", "give a volume" },
        { "a.state", "xxxx", "isoscope's state files cannot be read", "'file ='" },
        { "a.txt", "isoscope state 1\nfile = b.nrrd\n", "isoscope's state files cannot be read", "'file ='" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(cases[i].name, cases[i].start);
        advises(cases[i].name, cases[i].says, cases[i].advice);
    }
    struct volume v;
    struct err err = { 0 };
    const struct load_desc desc = { .dims = { 2, 2, 1 }, .type = "uint8" };
    CHECK(!load_volume(&v, in_folder("a.mgh"), &desc, &err)); /* it is taken for what the caller says it is */
    volume_free(&v);
    begin("n5");
    put("attributes.json", "{}", 2);
    is_refused("N5 files cannot be read");
    test_archives();
    test_precomputed();
}

/* The second of two slices ends at every byte: its header or its pixels are refused, in bounded memory. */
static void test_cut_off(void)
{
    static const struct png png = { 5, 4, 1, 2 };
    struct bytes file = make_png(&png, 1);
    begin("cut");
    put("1.png", file.data, file.size);
    for (size_t n = 0; n < file.size - 12 - 4; n++) { /* the decoder needs neither the last checksum nor IEND */
        put("2.png", file.data, n);
        is_refused("2.png: ");
    }
    drop(&file);
}

/* Every byte of the first slice's header becomes 0, 255 and one bit different: refused, or harmless. */
static void test_changed(void)
{
    static const struct png png = { 5, 4, 1, 2 };
    struct bytes file = make_png(&png, 1);
    int loaded = 0, others = 0;
    begin("changed");
    put("2.png", file.data, file.size);
    for (size_t at = 0; at < file.size; at++)
        for (int how = 0; how < 3; how++) {
            struct volume v;
            struct err err;
            const uint8_t old = file.data[at];
            file.data[at] = how == 0 ? 0 : how == 1 ? 255 : old ^ 1;
            put("1.png", file.data, file.size);
            file.data[at] = old;
            const int code = load(&v, NULL, &err);
            CHECK(code == ERR_NONE || code == ERR_INPUT);
            loaded += code == ERR_NONE;
            others += code != ERR_NONE;
            volume_free(&v);
        }
    printf("%d changes harmless, %d refused\n", loaded, others);
    CHECK(loaded > 10 && others > 10);
    drop(&file);
}

int main(void)
{
    if (!make_folder()) return check_summary("test_read_slices");
    test_png();
    test_notes();
    test_links();
    test_jpeg();
    test_jpeg_tables();
    test_tiff();
    test_tiff_words();
    test_tiff_unlike();
    test_refused();
    test_advice();
    test_cut_off();
    test_changed();
    remove_folder();
    return check_summary("test_read_slices");
}
