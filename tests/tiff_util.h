/* What the tests of TIFF share: files as libtiff writes them, of values that each voxel's place gives. */
#ifndef ISO_TIFF_UTIL_H
#define ISO_TIFF_UTIL_H

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

static inline double sample(const struct stored_type *type, size_t x, size_t y, size_t z, size_t c)
{
    const size_t i = ((z * NY + y) * NX + x) * 3 + c;
    const double value = type->bytes == 1 ? (double)(i % 127) : (double)(i % 2048); /* the most that all float16 reach */
    return type->name[0] != 'u' && i % 2 ? -value : value;
}

static inline uint16_t format_of(const struct stored_type *type)
{
    return type->name[0] == 'u' ? SAMPLEFORMAT_UINT : type->name[0] == 'i' ? SAMPLEFORMAT_INT : SAMPLEFORMAT_IEEEFP;
}

static inline void set_tags(TIFF *tiff, const struct how *how)
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
static inline void write_page(TIFF *tiff, const struct how *how, size_t z)
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
                                  sample(how->type, x, y, z, plane + c), false);
                if (how->tiled) CHECK(TIFFWriteTile(tiff, piece, (uint32_t)x0, (uint32_t)y0, 0, (uint16_t)plane) > 0);
                else
                    CHECK(TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, (uint32_t)y0, (uint16_t)plane), piece,
                                                (tmsize_t)(rows * width * together * bytes)) > 0);
            }
    free(piece);
}

static inline void write_tiff(const char *name, const struct how *how, int pages)
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

static inline struct how plain(void) { return (struct how){ "wl", &stored_types[STORED_UINT16], COMPRESSION_NONE, 1 }; }

#define OME(pixels) "<?xml version=\"1.0\"?><o:OME xmlns:o=\"x\"><o:Image><o:Pixels " pixels "</o:Pixels></o:Image></o:OME>"

#endif
