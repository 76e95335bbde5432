/* TIFF: what cannot be read is refused with a sentence and an empty volume, however it is damaged. */
#include "tiff_util.h"

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
    if (!make_folder()) return check_summary("test_tiff_refused");
    test_refused();
    test_cut_off(COMPRESSION_NONE);
    test_cut_off(COMPRESSION_LZW);
    test_changed(COMPRESSION_NONE);
    test_changed(COMPRESSION_LZW);
    test_loop();
    test_gzip();
    remove_folder();
    return check_summary("test_tiff_refused");
}
