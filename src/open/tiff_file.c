#include "tiff_file.h"

#include "bytes.h"
#include "layout.h"

#include <stdarg.h>
#include <string.h>
#include <tiffio.h>

/* ---- the file ------------------------------------------------------------------------------------------------------ */

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t n)
{
    struct tiff_file *file = handle;
    if (n < 0 || (uint64_t)n > file->left) return 0;
    file->left -= (uint64_t)n;
    return (tmsize_t)source_read(file->source, to, (size_t)n);
}

static tmsize_t write_nothing(thandle_t handle, void *from, tmsize_t n) { return (void)handle, (void)from, (void)n, 0; }

static toff_t seek_to(thandle_t handle, toff_t by, int whence)
{
    struct source *source = ((struct tiff_file *)handle)->source;
    const uint64_t from = whence == SEEK_CUR ? source->at : whence == SEEK_END ? source->size : 0;
    return source_seek(source, from + by) ? source->at : (toff_t)-1;
}

static int close_nothing(thandle_t handle) { return (void)handle, 0; }

static toff_t size_of(thandle_t handle) { return ((struct tiff_file *)handle)->source->size; }

/* Keeps the first error. Returns 1, so that no other handler is called, which would print. */
__attribute__((format(printf, 4, 0))) static int keep_error(TIFF *tiff, void *data, const char *module, const char *format,
                                                            va_list args)
{
    struct tiff_file *file = data;
    (void)tiff, (void)module;
    if (!*file->trouble) vsnprintf(file->trouble, sizeof file->trouble, format, args);
    return 1;
}

/* Warnings concern tags that libtiff repairs or does not know. */
__attribute__((format(printf, 4, 0))) static int drop_warning(TIFF *tiff, void *data, const char *module,
                                                              const char *format, va_list args)
{
    return (void)tiff, (void)data, (void)module, (void)format, (void)args, 1;
}

int tiff_refuse(const struct tiff_file *file, const char *what, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: %s: %s", source_name(file->source), what,
                   *file->trouble ? file->trouble : "the TIFF file is cut off or broken");
}

int tiff_open(struct tiff_file *file, struct source *source, uint64_t memory, uint64_t most, struct err *err)
{
    *file = (struct tiff_file){ .source = source, .left = most };
    if (!source_seek(source, 0)) return tiff_refuse(file, "cannot be read", err);
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return err_set(err, ERR_FAILED, "%s: not enough memory to open it", source_name(source));
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, memory < INT64_MAX ? (tmsize_t)memory : INT64_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_error, file);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_warning, file);
    /* m: no mapping; D: read lists of strips only when needed */
    file->tiff = TIFFClientOpenExt(source_name(source), "rmD", file, read_bytes, write_nothing, seek_to, close_nothing,
                                   size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return file->tiff ? ERR_NONE : tiff_refuse(file, "its first page cannot be read", err);
}

void tiff_close(struct tiff_file *file)
{
    if (file->tiff) TIFFClose(file->tiff);
    file->tiff = NULL;
}

int tiff_go(struct tiff_file *file, uint64_t at, struct err *err)
{
    if (!at || tiff_at(file) == at || TIFFSetSubDirectory(file->tiff, at)) return ERR_NONE;
    return tiff_refuse(file, "a page cannot be read", err);
}

uint64_t tiff_at(const struct tiff_file *file) { return TIFFCurrentDirOffset(file->tiff); }

/* Reads an integer of the file in the file's byte order, as libtiff would. */
static bool read_integer(const struct tiff_file *file, uint64_t at, size_t bytes, uint64_t *value)
{
    uint8_t raw[8];
    if (!source_seek(file->source, at) || source_read(file->source, raw, bytes) != bytes) return false;
    *value = bytes_uint(raw, bytes, TIFFIsBigEndian(file->tiff) != 0);
    return true;
}

/* Finds the next directory. libtiff would not do: if a file is cut off before the link to it, libtiff takes the page for
 * the last. */
static bool find_next(const struct tiff_file *file, uint64_t *next)
{
    const bool big = TIFFIsBigTIFF(file->tiff) != 0;
    const uint64_t at = tiff_at(file);
    uint64_t entries;
    return read_integer(file, at, big ? 8 : 2, &entries) && entries <= file->source->size &&
           read_integer(file, at + (big ? 8 + 20 * entries : 2 + 12 * entries), big ? 8 : 4, next);
}

int tiff_next(struct tiff_file *file, size_t number, bool *last, struct err *err)
{
    char what[64];
    uint64_t next;
    const bool found = find_next(file, &next);
    *last = found && !next;
    if (*last || (found && TIFFReadDirectory(file->tiff))) return ERR_NONE;
    snprintf(what, sizeof what, "page %zu cannot be read", number);
    return tiff_refuse(file, what, err);
}

/* ---- a page -------------------------------------------------------------------------------------------------------- */

bool tiff_is_extra(const struct tiff_file *file)
{
    uint32_t kind = 0;
    uint16_t old_kind = 0;
    TIFFGetField(file->tiff, TIFFTAG_SUBFILETYPE, &kind);
    TIFFGetField(file->tiff, TIFFTAG_OSUBFILETYPE, &old_kind);
    return kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK) || old_kind == OFILETYPE_REDUCEDIMAGE;
}

static const struct stored_type *find_type(uint16_t format, uint16_t bits)
{
    static const char *const kinds[] = { [SAMPLEFORMAT_UINT] = "uint",
                                         [SAMPLEFORMAT_INT] = "int",
                                         [SAMPLEFORMAT_IEEEFP] = "float",
                                         [SAMPLEFORMAT_VOID] = "uint" };
    char name[16];
    if (format >= sizeof kinds / sizeof *kinds || !kinds[format]) return NULL;
    const bool mask = bits == 1 && !strcmp(kinds[format], "uint");
    snprintf(name, sizeof name, "%s%u", kinds[format], mask ? 8u : bits);
    return stored_type_find(name);
}

/* Names colours that libtiff does not return as one value per component and pixel. */
static const char *strange_colours(uint16_t colours, uint16_t compression)
{
    if (compression == COMPRESSION_OJPEG) return "old-style JPEG compression";
    if (colours == PHOTOMETRIC_YCBCR && compression != COMPRESSION_JPEG) return "YCbCr colours without JPEG";
    if (colours == PHOTOMETRIC_LOGL || colours == PHOTOMETRIC_LOGLUV) return "LogLuv colours";
    return NULL;
}

static int check_page(const struct tiff_file *file, size_t number, uint16_t compression, struct err *err)
{
    const char *name = source_name(file->source);
    uint16_t bits, format, colours = 0;
    uint32_t depth;
    TIFFGetFieldDefaulted(file->tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(file->tiff, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(file->tiff, TIFFTAG_IMAGEDEPTH, &depth);
    TIFFGetField(file->tiff, TIFFTAG_PHOTOMETRIC, &colours);
    const char *strange = strange_colours(colours, compression);
    if (strange) {
        err_set(err, ERR_INPUT, "%s: page %zu: %s cannot be read", name, number, strange);
        err_advise(err, "convert it first, for instance to deflate: tiffcp -c zip");
        return ERR_INPUT;
    }
    if (!TIFFIsCODECConfigured(compression))
        return err_set(err, ERR_INPUT, "%s: page %zu: compression %u, which this libtiff cannot undo", name, number,
                       compression);
    if (format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP)
        return err_set(err, ERR_INPUT, "%s: page %zu: complex values cannot be read", name, number);
    if (!find_type(format, bits))
        return err_set(err, ERR_INPUT, "%s: page %zu: values of %u bits (sample format %u); expected one of %s", name,
                       number, bits, format, stored_type_list());
    if (depth > 1)
        return err_set(err, ERR_INPUT, "%s: page %zu is %u deep; only flat pages can be read", name, number, depth);
    return ERR_NONE;
}

/* Where the values begin, if the strips are contiguous; 0: they are not. */
static uint64_t find_run(const struct tiff_file *file, const struct tiff_page *page)
{
    TIFF *tiff = file->tiff;
    uint16_t fill;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_FILLORDER, &fill);
    if (TIFFIsTiled(tiff) || fill != FILLORDER_MSB2LSB) return 0;
    const uint64_t begin = TIFFGetStrileOffset(tiff, 0);
    uint64_t end = begin;
    for (uint32_t s = 0; s < TIFFNumberOfStrips(tiff); s++) {
        if (TIFFGetStrileOffset(tiff, s) != end) return 0;
        end += TIFFGetStrileByteCount(tiff, s);
    }
    return end - begin == page->bytes ? begin : 0;
}

uint64_t tiff_bytes(const struct tiff_page *page, uint64_t n) { return page->bits ? (n + 7) / 8 : n * page->type->bytes; }

int tiff_describe(struct tiff_file *file, size_t number, struct tiff_page *page, struct err *err)
{
    TIFF *tiff = file->tiff;
    uint16_t bits, format, compression, colours = 0, planar;
    *page = (struct tiff_page){ 0 };
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &page->components);
    const int code = check_page(file, number, compression, err);
    if (code) return code;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page->height);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &colours);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    page->planar = planar == PLANARCONFIG_SEPARATE && page->components > 1;
    page->type = find_type(format, bits);
    page->bits = bits == 1;
    page->inverted = page->bits && colours == PHOTOMETRIC_MINISWHITE;
    if (compression == COMPRESSION_JPEG && colours == PHOTOMETRIC_YCBCR)
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    const uint64_t values = (uint64_t)page->width * (page->planar ? 1 : page->components), row = values * page->type->bytes;
    if (!row || !page->height || page->width > LAYOUT_MAX_AXIS || page->height > LAYOUT_MAX_AXIS ||
        TIFFScanlineSize64(tiff) != tiff_bytes(page, values) || row > INT64_MAX / UINT16_MAX / page->height)
        return err_set(err, ERR_INPUT, "%s: page %zu: %u x %u pixels of %u components cannot be read",
                       source_name(file->source), number, page->width, page->height, page->components);
    page->bytes = row * page->height * (page->planar ? page->components : 1);
    if (compression == COMPRESSION_NONE && !page->bits) page->run = find_run(file, page);
    return ERR_NONE;
}
