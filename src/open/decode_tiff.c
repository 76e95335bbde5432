/* Reads values from a page of a TIFF file. The part begins at the page's directory. A band is what libtiff decodes at once:
 * a strip, or a row of tiles. */
#include "decode.h"

#include "tiff_file.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

struct state {
    struct tiff_file file;
    struct tiff_page page;
    uint64_t row_bytes;     /* of a row in one plane, */
    uint64_t row_coded;     /* and in the form that libtiff returns it */
    uint64_t together;      /* values per pixel */
    uint32_t rows;          /* of a band; the last one of a plane may have fewer */
    uint32_t tile_width;    /* 0: strips */
    uint64_t plane, at_row; /* of the next band */
    uint8_t *band, *tile;   /* owned */
    size_t from, to;        /* range of band bytes not yet read */
};

static void tiff_end(struct decoder *decoder)
{
    struct state *s = decoder->state;
    tiff_close(&s->file);
    free(s->band);
    free(s->tile);
    free(s);
}

/* Checks that the page is the one that the header's reader saw, so that it fills the part. */
static int check_part(const struct decoder *decoder, const struct tiff_page *page, struct err *err)
{
    const struct layout *layout = decoder->layout;
    if (page->width == layout->size[AXIS_X] && page->height == layout->size[AXIS_Y] && page->type == layout->type &&
        page->bytes == decoder->part_bytes)
        return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: a page has changed while the file was read", source_name(&decoder->source));
}

/* Determines the size of bands, and allocates one. */
static int plan_bands(const struct decoder *decoder, struct state *s, struct err *err)
{
    TIFF *tiff = s->file.tiff;
    uint64_t tile_bytes = 0;
    s->together = s->page.planar ? 1 : s->page.components;
    s->row_bytes = s->page.width * s->together * s->page.type->bytes;
    s->row_coded = tiff_bytes(&s->page, s->page.width * s->together);
    if (TIFFIsTiled(tiff)) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &s->tile_width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &s->rows);
        tile_bytes = TIFFTileSize64(tiff);
        const uint64_t values = s->tile_width * s->together; /* in a row of a tile; must be whole bytes */
        if (!values || !s->rows || (s->page.bits && values % 8) || tile_bytes != s->rows * tiff_bytes(&s->page, values))
            return tiff_refuse(&s->file, "tiles of an unexpected size", err);
    } else TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &s->rows);
    if (s->rows > s->page.height) s->rows = s->page.height;
    if (!s->rows) return tiff_refuse(&s->file, "strips without rows", err);
    const uint64_t need = s->rows * s->row_bytes + tile_bytes;
    if (need > decoder->memory && need > DECODE_FREE_BYTES)
        return err_set(err, ERR_FAILED, "%s: not enough memory to decode it: a strip or a row of tiles takes %.1f MiB",
                       source_name(&decoder->source), (double)need / 1048576.0);
    s->band = calloc(1, (size_t)(s->rows * s->row_bytes)); /* zeroed, because a short tile must not reveal old memory */
    s->tile = tile_bytes ? calloc(1, (size_t)tile_bytes) : NULL;
    return s->band && (s->tile || !tile_bytes)
               ? ERR_NONE
               : err_set(err, ERR_FAILED, "%s: not enough memory to decode it", source_name(&decoder->source));
}

static int tiff_begin(struct decoder *decoder, struct err *err)
{
    const uint64_t at = decoder->layout->parts[decoder->part].offset;
    const uint64_t memory = decoder->memory > TIFF_HEADER_MEMORY ? decoder->memory : TIFF_HEADER_MEMORY;
    struct state *s = calloc(1, sizeof *s);
    if (!s) return err_set(err, ERR_FAILED, "%s: not enough memory to decode it", source_name(&decoder->source));
    decoder->state = s;
    decoder->unpack.left = 0; /* libtiff reads the source, so no bytes are left over */
    int code = tiff_open(&s->file, &decoder->source, memory, UINT64_MAX, err);
    if (!code) code = tiff_go(&s->file, at, err);
    if (!code) code = tiff_describe(&s->file, decoder->part + 1, &s->page, err);
    if (!code) code = check_part(decoder, &s->page, err);
    if (!code) code = plan_bands(decoder, s, err);
    if (code) tiff_end(decoder);
    return code;
}

/* ---- bands --------------------------------------------------------------------------------------------------------- */

static bool read_strip(struct state *s, uint32_t rows)
{
    TIFF *tiff = s->file.tiff;
    const uint32_t strip = TIFFComputeStrip(tiff, (uint32_t)s->at_row, (uint16_t)s->plane);
    const tmsize_t n = (tmsize_t)(rows * s->row_coded);
    return TIFFReadEncodedStrip(tiff, strip, s->band, n) == n;
}

static bool read_tiles(struct state *s, uint32_t rows)
{
    TIFF *tiff = s->file.tiff;
    const tmsize_t n = TIFFTileSize(tiff);
    const uint64_t tile_row = tiff_bytes(&s->page, s->tile_width * s->together);
    for (uint32_t x = 0; x < s->page.width; x += s->tile_width) {
        const uint32_t tile = TIFFComputeTile(tiff, x, (uint32_t)s->at_row, 0, (uint16_t)s->plane);
        if (TIFFReadEncodedTile(tiff, tile, s->tile, n) != n) return false;
        const uint64_t left = tiff_bytes(&s->page, x * s->together), rest = s->row_coded - left;
        for (uint32_t y = 0; y < rows; y++)
            memcpy(s->band + y * s->row_coded + left, s->tile + y * tile_row, rest < tile_row ? rest : tile_row);
        if (s->page.width - x <= s->tile_width) break; /* x + tile_width might overflow 32 bits */
    }
    return true;
}

/* Expands the bits of the band to bytes, in place. Begins with the last value, which moves farthest. */
static void spread_bits(struct state *s, uint32_t rows)
{
    const uint8_t zero = s->page.inverted ? 255 : 0;
    for (uint64_t y = rows; y-- > 0;) {
        const uint8_t *from = s->band + y * s->row_coded;
        uint8_t *to = s->band + y * s->row_bytes;
        for (uint64_t i = s->row_bytes; i-- > 0;) to[i] = from[i / 8] >> (7 - i % 8) & 1 ? (uint8_t)~zero : zero;
    }
}

/* Decodes the next band; false: the page has no more. */
static bool next_band(struct decoder *decoder, struct err *err, int *code)
{
    struct state *s = decoder->state;
    if (s->at_row == s->page.height) s->at_row = 0, s->plane++;
    if (s->plane == (s->page.planar ? s->page.components : 1)) return false;
    const uint64_t left = s->page.height - s->at_row;
    const uint32_t rows = left < s->rows ? (uint32_t)left : s->rows;
    const bool read = s->tile_width ? read_tiles(s, rows) : read_strip(s, rows);
    if (!read || (s->page.bits && *s->file.trouble)) /* libtiff goes on after CCITT codes that it cannot decode */
        *code = tiff_refuse(&s->file, "its values cannot be decoded", err);
    if (s->page.bits && !*code) spread_bits(s, rows);
    s->at_row += rows;
    s->from = 0;
    s->to = (size_t)(rows * s->row_bytes);
    return !*code;
}

static int tiff_read(struct decoder *decoder, void *to, size_t n, size_t *got, struct err *err)
{
    struct state *s = decoder->state;
    int code = ERR_NONE;
    *got = 0;
    while (*got < n && (s->from < s->to || next_band(decoder, err, &code))) {
        const size_t piece = s->to - s->from < n - *got ? s->to - s->from : n - *got;
        memcpy((uint8_t *)to + *got, s->band + s->from, piece);
        s->from += piece;
        *got += piece;
    }
    return code;
}

/* In CCITT's group 4, a row without edges takes one bit. */
static uint64_t tiff_most(const struct layout *layout, uint64_t bytes)
{
    const uint64_t most = decode_library_most(layout, bytes), row = layout->size[AXIS_X];
    const bool bits = layout->type == &stored_types[STORED_UINT8] && row;
    return bits && bytes <= UINT64_MAX / 8 / row && 8 * bytes * row > most ? 8 * bytes * row : most;
}

const struct decoding decoding_tiff = {
    .native = true, .most = tiff_most, .open = tiff_begin, .read = tiff_read, .close = tiff_end
};
