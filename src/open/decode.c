#include "decode.h"

#include "text.h"

#define SKIP 16384 /* bytes to skip that are read at once */

typedef unsigned long long ull; /* for printf */

static uint64_t binary_most(const struct layout *layout, uint64_t bytes) { return (void)layout, bytes; }

uint64_t decode_library_most(const struct layout *layout, uint64_t bytes)
{
    enum { GROWTH = 32768 };
    return (void)layout, bytes <= UINT64_MAX / GROWTH ? bytes * GROWTH : UINT64_MAX;
}

static int binary_read(struct decoder *decoder, void *to, size_t n, size_t *got, struct err *err)
{
    return unpack_read(&decoder->unpack, to, n, got, err);
}

static const struct decoding decoding_binary = { .most = binary_most, .read = binary_read };

static const struct decoding *const decodings[] = {
    [ENCODING_BINARY] = &decoding_binary, [ENCODING_TEXT] = &decoding_text, [ENCODING_HEX] = &decoding_hex,
    [ENCODING_VTK] = &decoding_vtk,       [ENCODING_TIFF] = &decoding_tiff, [ENCODING_IMAGE] = &decoding_image,
};

static const struct decoding *decoding_of(const struct decoder *decoder) { return decodings[decoder->layout->encoding]; }

bool decode_native(const struct layout *layout) { return decodings[layout->encoding]->native; }

/* Refuses `part`, which has too few bytes. Names all that the bytes are for: a frame or component needs fewer. */
static int refuse_part(const struct layout *layout, size_t part, uint64_t need, const char *name, struct err *err)
{
    const ull x = layout->size[AXIS_X], y = layout->size[AXIS_Y], z = layout->size[AXIS_Z];
    const ull components = layout->size[AXIS_COMPONENT], frames = layout->size[AXIS_FRAME];
    const uint64_t there = layout->parts[part].bytes;
    char of[48] = "", in[48] = "", where[64] = "";
    if (components > 1) snprintf(of, sizeof of, " of %llu components", components);
    if (frames > 1) snprintf(in, sizeof in, " in %llu frames", frames);
    if (layout->part_count > 1) snprintf(where, sizeof where, " in part %zu of %zu", part + 1, layout->part_count);
    return err_set(err, ERR_INPUT,
                   "%s: %llu x %llu x %llu %s voxels%s%s need %llu %s%s, but %llu %s%s there%s; the file is cut off or "
                   "its header is wrong",
                   name, x, y, z, layout->type->name, of, in, (ull)need, text_word(need, "byte", "bytes"), where,
                   (ull)there, unpack_name(layout->compression), text_word(there, "byte is", "bytes are"),
                   there < need ? "" : ", too few as they are encoded");
}

int decode_check(const struct layout *layout, const char *name, struct err *err)
{
    const uint64_t bytes = layout_bytes(layout);
    const ull x = layout->size[AXIS_X], y = layout->size[AXIS_Y], z = layout->size[AXIS_Z];
    if (bytes % layout->part_count)
        return err_set(err, ERR_INPUT, "%s: %llu x %llu x %llu %s voxels cannot be divided equally among %zu files", name,
                       x, y, z, layout->type->name, layout->part_count);
    uint64_t need;
    if (__builtin_add_overflow(bytes / layout->part_count, layout->skip, &need))
        return err_set(err, ERR_INPUT, "%s: its data should begin after %llu %s", name, (ull)layout->skip,
                       text_word(layout->skip, "byte", "bytes"));
    for (size_t i = 0; i < layout->part_count && decodings[layout->encoding]->most; i++) {
        const uint64_t unpacked = unpack_most(layout->compression, layout->parts[i].bytes);
        if (layout->skip <= unpacked &&
            need - layout->skip <= decodings[layout->encoding]->most(layout, unpacked - layout->skip))
            continue;
        return refuse_part(layout, i, need, name, err);
    }
    return ERR_NONE;
}

/* ---- parts --------------------------------------------------------------------------------------------------------- */

void decode_open(struct decoder *decoder, const struct layout *layout, struct source *header, uint64_t memory)
{
    *decoder = (struct decoder){
        .layout = layout, .header = header, .memory = memory, .part_bytes = layout_bytes(layout) / layout->part_count
    };
}

static void close_part(struct decoder *decoder)
{
    if (!decoder->open) return;
    if (decoding_of(decoder)->close) decoding_of(decoder)->close(decoder);
    if (decoder->part_at == decoder->part_bytes && !decoder->layout->trailer)
        decoder->rest += unpack_rest(&decoder->unpack); /* otherwise some were values, or belong to the format */
    unpack_close(&decoder->unpack);
    layout_close_part(decoder->layout, decoder->part, &decoder->source);
    decoder->open = false;
}

void decode_close(struct decoder *decoder) { close_part(decoder); }

/* Skips `n` bytes of the part by reading them. */
static int skip_unpacked(struct decoder *decoder, uint64_t n, struct err *err)
{
    uint8_t bytes[SKIP];
    while (n) {
        size_t got;
        const int code = unpack_read(&decoder->unpack, bytes, n < SKIP ? (size_t)n : SKIP, &got, err);
        if (code) return code;
        if (!got)
            return err_set(err, ERR_INPUT, "%s: its data should begin after %llu %s, but the file ends before that",
                           source_name(&decoder->source), (ull)decoder->layout->skip,
                           text_word(decoder->layout->skip, "byte", "bytes"));
        n -= got;
    }
    return ERR_NONE;
}

static int open_part(struct decoder *decoder, size_t part, struct err *err)
{
    const struct layout *layout = decoder->layout;
    decoder->part = part;
    decoder->part_at = 0;
    int code = layout_open_part(layout, part, decoder->header, &decoder->source, err);
    if (code) return code;
    code = unpack_open(&decoder->unpack, &decoder->source, layout->parts[part].bytes, layout->compression, err);
    if (!code) code = skip_unpacked(decoder, layout->skip, err);
    if (!code && decoding_of(decoder)->open) code = decoding_of(decoder)->open(decoder, err);
    decoder->open = !code;
    if (code) {
        unpack_close(&decoder->unpack);
        layout_close_part(layout, part, &decoder->source);
    }
    return code;
}

/* Checks the end of a part whose values were all read. If it is compressed, it must end here with the right checksum. Bytes
 * after the compressed data, and after uncompressed values, are ignored. */
static int check_end(struct decoder *decoder, struct err *err)
{
    struct unpack *unpack = &decoder->unpack;
    const char *compression = unpack_name(unpack->compression), *name = source_name(&decoder->source);
    uint8_t bytes[SKIP];
    size_t more;
    int code = decoding_of(decoder)->end ? decoding_of(decoder)->end(decoder, err) : ERR_NONE;
    if (code || unpack->compression == COMPRESSION_NONE) return code;
    do {
        code = unpack_read(unpack, bytes, SKIP, &more, err);
        if (code) return code;
    } while (more && decoder->layout->trailer);
    if (more)
        return err_set(err, ERR_INPUT, "%s: the %sdata holds more than the %llu %s that its header describes", name,
                       compression, (ull)(decoder->part_bytes + decoder->layout->skip),
                       text_word(decoder->part_bytes + decoder->layout->skip, "byte", "bytes"));
    if (!unpack->ended)
        return err_set(err, ERR_INPUT, "%s: the %sdata ends before its checksum; the file is cut off", name, compression);
    return ERR_NONE;
}

/* ---- the sequence -------------------------------------------------------------------------------------------------- */

/* Opens the part that has the next byte. */
static int enter_part(struct decoder *decoder, struct err *err)
{
    const size_t part = (size_t)(decoder->at / decoder->part_bytes);
    if (decoder->open && decoder->part == part) return ERR_NONE;
    close_part(decoder);
    return open_part(decoder, part, err);
}

static int read_some(struct decoder *decoder, void *to, size_t n, size_t *got, struct err *err)
{
    int code = enter_part(decoder, err);
    if (code) return code;
    const uint64_t left = decoder->part_bytes - decoder->part_at;
    code = decoding_of(decoder)->read(decoder, to, n < left ? n : (size_t)left, got, err);
    if (code) return code;
    if (!*got)
        return err_set(err, ERR_INPUT, "%s: the %sdata ends after %llu of %llu %s; the file is cut off",
                       source_name(&decoder->source), decoder->layout->compression ? "unpacked " : "",
                       (ull)decoder->part_at, (ull)decoder->part_bytes, text_word(decoder->part_bytes, "byte", "bytes"));
    decoder->part_at += *got;
    decoder->at += *got;
    return decoder->part_at == decoder->part_bytes ? check_end(decoder, err) : ERR_NONE;
}

int decode_seek(struct decoder *decoder, uint64_t at, struct err *err)
{
    const struct layout *layout = decoder->layout;
    const uint64_t begin = at / decoder->part_bytes * decoder->part_bytes; /* of the part that has byte `at` */
    uint8_t bytes[SKIP];
    size_t got;
    if (decoder->at < begin) decoder->at = begin;
    if (decoder->at == at) return ERR_NONE;
    if (layout->encoding == ENCODING_BINARY && layout->compression == COMPRESSION_NONE) {
        const int code = enter_part(decoder, err);
        if (code) return code;
        const uint64_t step = at - decoder->at;
        if (!source_seek(&decoder->source, decoder->source.at + step))
            return err_set(err, ERR_INPUT, "%s: cannot go to byte %llu", source_name(&decoder->source),
                           (ull)(decoder->source.at + step));
        decoder->unpack.left -= step;
        decoder->part_at += step;
        decoder->at = at;
        return ERR_NONE;
    }
    while (decoder->at < at) {
        const uint64_t step = at - decoder->at;
        const int code = read_some(decoder, bytes, step < SKIP ? (size_t)step : SKIP, &got, err);
        if (code) return code;
    }
    return ERR_NONE;
}

int decode_read(struct decoder *decoder, void *to, size_t n, struct err *err)
{
    for (size_t done = 0, got; done < n; done += got) {
        const int code = read_some(decoder, (uint8_t *)to + done, n - done, &got, err);
        if (code) return code;
    }
    return ERR_NONE;
}
