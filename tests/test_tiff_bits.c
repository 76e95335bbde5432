/* TIFF with a bit per value: masks load as 0 and 255, as ImageJ has them, white above black whatever the file calls white;
 * compressed in every way, in strips and tiles, as one file, as pages, and as a folder of slices. */
#include "load_util.h"

#include <sys/stat.h>
#include <tiffio.h>

#define NX 35 /* fills no byte */
#define NY 21
#define NZ 3

struct how {
    uint16_t compression, colours, fill, components;
    bool tiled, planar;
};

static bool is_white(size_t x, size_t y, size_t z, size_t c) { return (x * x + 3 * y + 5 * z + 7 * c) % 11 < 5 || y == 4; }

static void set_tags(TIFF *tiff, const struct how *how)
{
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, NX);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, NY);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 1);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, how->components);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, how->planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, how->colours);
    TIFFSetField(tiff, TIFFTAG_FILLORDER, how->fill);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, how->compression);
    if (how->tiled) TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16), TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
    else TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
}

/* Sets the bits of a strip or tile that begins at x0, y0. */
static void set_bits(uint8_t *piece, size_t row_bytes, const struct how *how, size_t x0, size_t y0, size_t rows, size_t z,
                     size_t plane)
{
    const size_t together = how->planar ? 1 : how->components, width = how->tiled ? 16 : NX;
    memset(piece, 0, row_bytes * (how->tiled ? 16 : 5));
    for (size_t y = 0; y < rows; y++)
        for (size_t i = 0; i < width * together && x0 + i / together < NX; i++) {
            const bool white = is_white(x0 + i / together, y0 + y, z, plane + i % together);
            if (white != (how->colours == PHOTOMETRIC_MINISWHITE)) piece[y * row_bytes + i / 8] |= (uint8_t)(0x80 >> i % 8);
        }
}

static void write_page(TIFF *tiff, const struct how *how, size_t z)
{
    const size_t width = how->tiled ? 16 : NX, height = how->tiled ? 16 : 5;
    const size_t row_bytes = (width * (how->planar ? 1 : how->components) + 7) / 8;
    uint8_t piece[16 * NX];
    set_tags(tiff, how);
    for (size_t plane = 0; plane < (how->planar ? how->components : 1); plane++)
        for (size_t y = 0; y < NY; y += height)
            for (size_t x = 0; x < NX; x += width) {
                const size_t rows = NY - y < height ? NY - y : height;
                set_bits(piece, row_bytes, how, x, y, rows, z, plane);
                if (how->tiled) CHECK(TIFFWriteTile(tiff, piece, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane) > 0);
                else
                    CHECK(TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, (uint32_t)y, (uint16_t)plane), piece,
                                                (tmsize_t)(rows * row_bytes)) > 0);
            }
    CHECK(TIFFWriteDirectory(tiff) == 1);
}

static void write_tiff(const char *name, const struct how *how, size_t first, size_t pages)
{
    TIFF *tiff = TIFFOpen(in_folder(name), "w");
    if (!CHECK(tiff != NULL)) return;
    for (size_t z = first; z < first + pages; z++) write_page(tiff, how, z);
    TIFFClose(tiff);
}

static void has_mask(const char *name, size_t nz, size_t c)
{
    struct volume v;
    struct err err = { 0 };
    const struct load_desc desc = { .component = c };
    if (!is_fine(load_volume(&v, in_folder(name), &desc, &err), &err)) return;
    CHECK(v.grid.nx == NX && v.grid.ny == NY && v.grid.nz == nz && v.grid.type == VOXEL_UINT8);
    for (size_t i = 0; i < (size_t)NX * NY * nz; i++)
        CHECK(grid_value(&v.grid, i) == (is_white(i % NX, i / NX % NY, i / NX / NY, c) ? 255 : 0));
    volume_free(&v);
}

static void test_way(const struct how *how)
{
    char subject[96];
    snprintf(subject, sizeof subject, "compression %u, colours %u, fill %u, %u %s, %s", how->compression, how->colours,
             how->fill, how->components, how->planar ? "apart" : "together", how->tiled ? "tiles" : "strips");
    check_subject(subject);
    write_tiff("mask.tif", how, 0, 1);
    write_tiff("masks.tif", how, 0, NZ);
    for (size_t c = 0; c < how->components; c++) has_mask("mask.tif", 1, c), has_mask("masks.tif", NZ, c);
}

static void test_every_way(void)
{
    static const uint16_t compressions[] = { COMPRESSION_NONE,          COMPRESSION_PACKBITS, COMPRESSION_LZW,
                                             COMPRESSION_ADOBE_DEFLATE, COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3,
                                             COMPRESSION_CCITTFAX4 };
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++)
        for (int way = 0; way < 8 && TIFFIsCODECConfigured(compressions[i]); way++)
            test_way(&(struct how){ compressions[i], way & 1 ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK,
                                    way & 2 ? FILLORDER_LSB2MSB : FILLORDER_MSB2LSB, 1, way & 4, false });
    for (int way = 0; way < 4; way++)
        test_way(&(struct how){ COMPRESSION_LZW, PHOTOMETRIC_MINISBLACK, FILLORDER_MSB2LSB, 3, way & 1, way & 2 });
}

static void test_series(void)
{
    const struct how how = { COMPRESSION_CCITTFAX4, PHOTOMETRIC_MINISWHITE, FILLORDER_MSB2LSB, 1, false, false };
    check_subject("a folder of masks");
    CHECK(mkdir(in_folder("slices"), 0700) == 0);
    for (size_t z = 0; z < NZ; z++) {
        char name[32];
        snprintf(name, sizeof name, "slices/%zu.tif", z);
        write_tiff(name, &how, z, 1);
    }
    has_mask("slices", NZ, 0);
}

/* Group 4 packs rows without an edge into a bit each, more than any other compression. */
static void test_blank(void)
{
    enum { SIZE = 8192 };
    struct volume v;
    struct err err = { 0 };
    uint8_t *white = calloc(SIZE, SIZE / 8);
    TIFF *tiff = TIFFOpen(in_folder("blank.tif"), "w");
    check_subject("a blank page");
    if (!CHECK(tiff && white)) exit(1);
    set_tags(tiff, &(struct how){ COMPRESSION_CCITTFAX4, PHOTOMETRIC_MINISWHITE, FILLORDER_MSB2LSB, 1, false, false });
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, SIZE);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, SIZE);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, SIZE);
    CHECK(TIFFWriteEncodedStrip(tiff, 0, white, SIZE * (SIZE / 8)) > 0);
    TIFFClose(tiff);
    free(white);
    if (is_fine(load_volume(&v, in_folder("blank.tif"), NULL, &err), &err))
        CHECK(grid_value(&v.grid, 0) == 255 && grid_value(&v.grid, (size_t)SIZE * SIZE - 1) == 255);
    volume_free(&v);
}

/* What is no code of CCITT's is told. */
static void test_damage(void)
{
    const struct how how = { COMPRESSION_CCITTFAX4, PHOTOMETRIC_MINISWHITE, FILLORDER_MSB2LSB, 1, false, false };
    write_tiff("damage.tif", &how, 0, NZ);
    TIFF *tiff = TIFFOpen(in_folder("damage.tif"), "r");
    if (!CHECK(tiff != NULL)) return;
    const uint64_t at = TIFFGetStrileOffset(tiff, 1) + TIFFGetStrileByteCount(tiff, 1) / 2;
    TIFFClose(tiff);
    FILE *file = fopen(in_folder("damage.tif"), "r+b");
    if (!CHECK(file != NULL)) return;
    CHECK(fseek(file, (long)at, SEEK_SET) == 0);
    CHECK(fwrite("\1\xff\1\xff", 1, 4, file) == 4); /* an extension that there is none of */
    fclose(file);
    file_is_refused("damage.tif", "its values cannot be decoded");
}

int main(void)
{
    if (!make_folder()) return check_summary("test_tiff_bits");
    test_every_way();
    test_series();
    test_blank();
    test_damage();
    remove_folder();
    return check_summary("test_tiff_bits");
}
