/* The data arrays of VTK's XML files. They are a byte count and values, or a table of block sizes and blocks, each a zlib
 * stream. All that is stored as it is, or as base64. In some files, table and blocks (or count and values) are separate
 * base64 texts, each with its own padding; in others they are one text. So padding is accepted anywhere.
 *
 * The table has the number of blocks, the bytes of a block, the bytes of the last block (0: as many as the others), and the
 * compressed bytes of each block. */
#include "decode.h"

#include "text.h"

#include <stdlib.h>
#include <zlib.h>

#define TEXT ((size_t)64 << 10)  /* characters of base64 at once */
#define INPUT ((size_t)64 << 10) /* compressed bytes at once */

typedef unsigned long long ull; /* for printf */

struct vtk {
    uint8_t text[TEXT];
    size_t text_from, text_to;
    uint8_t three[3]; /* decoded from the last four characters */
    unsigned three_from, three_to;

    uint64_t *packed; /* compressed bytes of each block; owned */
    uint64_t blocks, block_bytes, last_bytes;
    uint64_t block;         /* how many have been begun */
    uint64_t in_left, left; /* of the current block: bytes still to read, and to produce */
    uint8_t input[INPUT];
    z_stream z;
    bool inflating; /* z is open */
};

uint64_t decode_vtk_count(const struct layout *layout, const uint8_t bytes[8])
{
    const int n = layout->vtk.count_bytes;
    uint64_t value = 0;
    for (int i = 0; i < n; i++) value = value << 8 | bytes[layout->big_endian ? i : n - 1 - i];
    return value;
}

/* ---- base64 -------------------------------------------------------------------------------------------------------- */

static int sextet(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Gets the next character that is not white space. -1: the text ends, with its element or with the part. */
static int next_character(struct decoder *decoder, int *c, struct err *err)
{
    struct vtk *vtk = decoder->state;
    do {
        if (vtk->text_from == vtk->text_to) {
            vtk->text_from = 0;
            const int code = unpack_read(&decoder->unpack, vtk->text, TEXT, &vtk->text_to, err);
            if (code) return code;
        }
        *c = vtk->text_to ? vtk->text[vtk->text_from] : '<';
        if (*c == '<') *c = -1;
        else vtk->text_from++;
    } while (*c == ' ' || *c == '\n' || *c == '\r' || *c == '\t');
    return ERR_NONE;
}

/* Decodes four characters to one, two or three bytes; to none at the end of the text. */
static int next_three(struct decoder *decoder, struct err *err)
{
    struct vtk *vtk = decoder->state;
    uint32_t bits = 0;
    unsigned padding = 0;
    vtk->three_from = vtk->three_to = 0;
    for (unsigned i = 0; i < 4; i++) {
        int c;
        const int code = next_character(decoder, &c, err);
        if (code) return code;
        if (c < 0 && !i) return ERR_NONE;
        const int six = c < 0 ? -1 : sextet((uint8_t)c);
        const bool pads = c == '=' && i >= 2;
        if (c < 0) return err_set(err, ERR_INPUT, "%s: its base64 data is cut off", source_name(&decoder->source));
        if (!pads && (six < 0 || padding))
            return err_set(err, ERR_INPUT, "%s: byte 0x%02x in its base64 data", source_name(&decoder->source),
                           (unsigned)c);
        padding += pads;
        bits = bits << 6 | (pads ? 0 : (uint32_t)six);
    }
    for (int b = 0; b < 3; b++) vtk->three[b] = (uint8_t)(bits >> (16 - 8 * b));
    vtk->three_to = 3 - padding;
    return ERR_NONE;
}

/* Reads up to n bytes, decoded from base64 if necessary; fewer only at the end. */
static int read_plain(struct decoder *decoder, void *to, size_t n, size_t *got, struct err *err)
{
    struct vtk *vtk = decoder->state;
    if (!decoder->layout->vtk.base64) return unpack_read(&decoder->unpack, to, n, got, err);
    for (*got = 0; *got < n;) {
        if (vtk->three_from == vtk->three_to) {
            const int code = next_three(decoder, err);
            if (code) return code;
            if (!vtk->three_to) break;
        }
        while (*got < n && vtk->three_from < vtk->three_to) ((uint8_t *)to)[(*got)++] = vtk->three[vtk->three_from++];
    }
    return ERR_NONE;
}

static int read_count(struct decoder *decoder, uint64_t *value, struct err *err)
{
    uint8_t bytes[8];
    size_t got;
    const int code = read_plain(decoder, bytes, decoder->layout->vtk.count_bytes, &got, err);
    if (code) return code;
    if (got < decoder->layout->vtk.count_bytes)
        return err_set(err, ERR_INPUT, "%s: its data ends within the counts before the values; the file is cut off",
                       source_name(&decoder->source));
    *value = decode_vtk_count(decoder->layout, bytes);
    return ERR_NONE;
}

/* ---- blocks -------------------------------------------------------------------------------------------------------- */

/* Whether the sizes of the blocks add up to the bytes of the values. */
static bool blocks_fit(const struct vtk *vtk, uint64_t bytes)
{
    const uint64_t whole = vtk->blocks - (vtk->last_bytes > 0);
    uint64_t sum;
    return vtk->blocks && !__builtin_mul_overflow(whole, vtk->block_bytes, &sum) &&
           !__builtin_add_overflow(sum, vtk->last_bytes, &sum) && sum == bytes;
}

static int read_table(struct decoder *decoder, struct err *err)
{
    struct vtk *vtk = decoder->state;
    const char *name = source_name(&decoder->source);
    const uint64_t there = decoder->layout->parts[decoder->part].bytes;
    int code = read_count(decoder, &vtk->blocks, err);
    if (!code) code = read_count(decoder, &vtk->block_bytes, err);
    if (!code) code = read_count(decoder, &vtk->last_bytes, err);
    if (code) return code;
    if (!blocks_fit(vtk, decoder->part_bytes))
        return err_set(err, ERR_INPUT,
                       "%s: its data is %llu blocks of %llu bytes, the last of %llu; %llu bytes were expected", name,
                       (ull)vtk->blocks, (ull)vtk->block_bytes, (ull)vtk->last_bytes, (ull)decoder->part_bytes);
    if (vtk->blocks > there / decoder->layout->vtk.count_bytes)
        return err_set(err, ERR_INPUT, "%s: a table of %llu %s does not fit its %llu %s of data", name, (ull)vtk->blocks,
                       text_word(vtk->blocks, "block", "blocks"), (ull)there, text_word(there, "byte", "bytes"));
    if (vtk->blocks <= decoder->memory / sizeof *vtk->packed) vtk->packed = malloc(vtk->blocks * sizeof *vtk->packed);
    if (!vtk->packed)
        return err_set(err, ERR_FAILED, "%s: not enough memory for a table of %llu blocks", name, (ull)vtk->blocks);
    for (uint64_t i = 0; i < vtk->blocks && !code; i++) code = read_count(decoder, &vtk->packed[i], err);
    return code;
}

static int broken(const struct decoder *decoder, const char *why, struct err *err)
{
    const struct vtk *vtk = decoder->state;
    return err_set(err, ERR_INPUT, "%s: block %llu of its zlib data is broken (%s)", source_name(&decoder->source),
                   (ull)vtk->block, why);
}

static void begin_block(struct vtk *vtk)
{
    vtk->in_left = vtk->packed[vtk->block++];
    vtk->left = vtk->block == vtk->blocks && vtk->last_bytes ? vtk->last_bytes : vtk->block_bytes;
    vtk->z.avail_in = 0;
    inflateReset(&vtk->z);
}

static int refill(struct decoder *decoder, struct err *err)
{
    struct vtk *vtk = decoder->state;
    size_t got;
    if (vtk->z.avail_in || !vtk->in_left) return ERR_NONE;
    const int code = read_plain(decoder, vtk->input, vtk->in_left < INPUT ? (size_t)vtk->in_left : INPUT, &got, err);
    if (code) return code;
    if (!got)
        return err_set(err, ERR_INPUT, "%s: its data ends within block %llu of %llu; the file is cut off",
                       source_name(&decoder->source), (ull)vtk->block, (ull)vtk->blocks);
    vtk->in_left -= got;
    vtk->z.next_in = vtk->input;
    vtk->z.avail_in = (uInt)got;
    return ERR_NONE;
}

/* Inflates up to n bytes of the block. n = 0: only moves towards the end of its stream. *ended: the end has been reached
 * without an error. Each call makes progress or fails. */
static int inflate_some(struct decoder *decoder, uint8_t *to, size_t n, size_t *got, bool *ended, struct err *err)
{
    struct vtk *vtk = decoder->state;
    z_stream *z = &vtk->z;
    const int code = refill(decoder, err);
    if (code) return code;
    const uInt before = z->avail_in, asked = n < UINT32_MAX ? (uInt)n : UINT32_MAX;
    z->next_out = to;
    z->avail_out = asked;
    const int status = inflate(z, Z_NO_FLUSH);
    *got = asked - z->avail_out;
    *ended = status == Z_STREAM_END;
    vtk->left -= *got;
    if (*ended) return vtk->left || z->avail_in || vtk->in_left ? broken(decoder, "it ends too early", err) : ERR_NONE;
    if (status == Z_MEM_ERROR)
        return err_set(err, ERR_FAILED, "%s: not enough memory to unpack its data", source_name(&decoder->source));
    if (status != Z_OK && status != Z_BUF_ERROR) return broken(decoder, z->msg ? z->msg : "it is no zlib data", err);
    if (!*got && z->avail_in == before)
        return broken(decoder, before ? "it holds more than its size" : "it ends within its data", err);
    return ERR_NONE;
}

static int read_blocks(struct decoder *decoder, uint8_t *to, size_t n, size_t *got, struct err *err)
{
    struct vtk *vtk = decoder->state;
    for (*got = 0; *got < n;) {
        size_t more = 0;
        bool ended = false;
        if (!vtk->left) begin_block(vtk);
        const size_t most = n - *got < vtk->left ? n - *got : (size_t)vtk->left;
        int code = inflate_some(decoder, to + *got, most, &more, &ended, err);
        *got += more;
        while (!code && !vtk->left && !ended) {
            uint8_t none;
            code = inflate_some(decoder, &none, 0, &more, &ended, err);
        }
        if (code) return code;
    }
    return ERR_NONE;
}

/* ---- all ----------------------------------------------------------------------------------------------------------- */

static void vtk_close(struct decoder *decoder)
{
    struct vtk *vtk = decoder->state;
    if (vtk->inflating) inflateEnd(&vtk->z);
    free(vtk->packed);
    free(vtk);
}

/* Reads what comes before the values. */
static int read_start(struct decoder *decoder, struct err *err)
{
    struct vtk *vtk = decoder->state;
    uint64_t bytes = 0;
    if (decoder->layout->vtk.deflate) {
        vtk->inflating = inflateInit(&vtk->z) == Z_OK;
        return vtk->inflating
                   ? read_table(decoder, err)
                   : err_set(err, ERR_FAILED, "%s: not enough memory to unpack its data", source_name(&decoder->source));
    }
    const int code = read_count(decoder, &bytes, err);
    if (!code && bytes != decoder->part_bytes)
        return err_set(err, ERR_INPUT, "%s: its data has %llu %s; %llu %s expected", source_name(&decoder->source),
                       (ull)bytes, text_word(bytes, "byte", "bytes"), (ull)decoder->part_bytes,
                       text_word(decoder->part_bytes, "was", "were"));
    return code;
}

static int vtk_open(struct decoder *decoder, struct err *err)
{
    decoder->state = calloc(1, sizeof(struct vtk));
    if (!decoder->state)
        return err_set(err, ERR_FAILED, "%s: not enough memory to read its data", source_name(&decoder->source));
    const int code = read_start(decoder, err);
    if (code) vtk_close(decoder);
    return code;
}

static int vtk_read(struct decoder *decoder, void *to, size_t n, size_t *got, struct err *err)
{
    return decoder->layout->vtk.deflate ? read_blocks(decoder, to, n, got, err) : read_plain(decoder, to, n, got, err);
}

static uint64_t vtk_most(const struct layout *layout, uint64_t bytes)
{
    const uint64_t packed = layout->vtk.base64 ? bytes / 4 * 3 : bytes;
    return layout->vtk.deflate ? unpack_most(COMPRESSION_DEFLATE, packed) : packed;
}

const struct decoding decoding_vtk = { .most = vtk_most, .open = vtk_open, .read = vtk_read, .close = vtk_close };
