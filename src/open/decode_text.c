/* Values as text: decimal numbers, or two hexadecimal digits per byte. */
#include "decode.h"

#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT ((size_t)64 << 10)
#define LONGEST 64 /* characters of a number, at most */

struct reader {
    char text[TEXT + 1];
    size_t from, to;
    uint64_t values; /* read so far */
};

static int text_open(struct decoder *decoder, struct err *err)
{
    decoder->state = calloc(1, sizeof(struct reader));
    return decoder->state
               ? ERR_NONE
               : err_set(err, ERR_FAILED, "%s: not enough memory to read its text", source_name(&decoder->source));
}

static void text_close(struct decoder *decoder) { free(decoder->state); }

/* Makes at least `n` characters available, if the file has so many. */
static int fill(struct decoder *decoder, size_t n, struct err *err)
{
    struct reader *r = decoder->state;
    size_t got = 1;
    if (r->to - r->from >= n) return ERR_NONE;
    memmove(r->text, r->text + r->from, r->to - r->from);
    r->to -= r->from;
    r->from = 0;
    while (r->to < n && got) {
        const int code = unpack_read(&decoder->unpack, r->text + r->to, TEXT - r->to, &got, err);
        if (code) return code;
        r->to += got;
    }
    r->text[r->to] = 0;
    return ERR_NONE;
}

/* ---- decimal ------------------------------------------------------------------------------------------------------- */

static bool is_gap(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == '\f' || c == '\v'; }

/* Moves to the next number. *more is false if there is none. */
static int skip_gap(struct decoder *decoder, bool *more, struct err *err)
{
    struct reader *r = decoder->state;
    do {
        while (r->from < r->to && is_gap(r->text[r->from])) r->from++;
        const int code = fill(decoder, LONGEST + 1, err);
        if (code) return code;
    } while (r->from < r->to && is_gap(r->text[r->from]));
    *more = r->from < r->to;
    return ERR_NONE;
}

/* Reads whole numbers as integers, because a double holds only 53 bits. */
static bool store_whole(void *to, const struct stored_type *type, const char *text, const char **end)
{
    const bool minus = *text == '-';
    uint64_t value;
    if (!text_uint(text + (minus || *text == '+'), end, &value)) return false;
    const int kind = (int)(type - stored_types);
    const bool is_signed = kind == STORED_INT8 || kind == STORED_INT16 || kind == STORED_INT32 || kind == STORED_INT64;
    const uint64_t top = (uint64_t)1 << (8 * type->bytes - 1);
    if (is_signed ? value > (minus ? top : top - 1) : (minus && value) || value > top - 1 + top) return false;
    if (minus) value = 0 - value;
    const uint8_t byte = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    memcpy(to,
           type->bytes == 1   ? (const void *)&byte
           : type->bytes == 2 ? (const void *)&two
           : type->bytes == 4 ? (const void *)&four
                              : &value,
           type->bytes);
    return true;
}

/* Rounds to the nearest half-precision number, ties to even. */
static uint16_t half_of(double value)
{
    const unsigned sign = signbit(value) ? 0x8000 : 0;
    int exponent; /* the value is 0.5 to 1 times 2 to this */
    if (!isfinite(value)) return (uint16_t)(sign | (isnan(value) ? 0x7e00 : 0x7c00));
    frexp(value, &exponent);
    if (exponent < -13 || value == 0) exponent = -13; /* the smallest numbers have fewer bits */
    if (exponent > 16) return (uint16_t)(sign | 0x7c00);
    const double steps = rint(ldexp(fabs(value), 11 - exponent)); /* 1024 to 2048; 2048 carries into the exponent */
    return (uint16_t)(sign | (unsigned)((exponent + 14) * 1024 + (int)steps - 1024));
}

/* Also accepts numbers as Fortran prints them: with D instead of E, or with an exponent of three digits without a
 * letter. */
static bool parse_double(const char *text, const char **end, double *value)
{
    char copy[LONGEST + 2];
    size_t length = 0;
    if (!text_double(text, end, value)) return false;
    const size_t digits = (size_t)(*end - text);
    const bool letter = **end == 'D' || **end == 'd', bare = (**end == '+' || **end == '-') && memchr(text, '.', digits);
    if ((!letter && !bare) || digits > LONGEST / 2 || memchr(text, 'e', digits) || memchr(text, 'E', digits)) return true;
    const char *exponent = text + digits + letter;
    while (length < LONGEST / 2 && exponent[length] && !is_gap(exponent[length])) length++;
    snprintf(copy, sizeof copy, "%.*se%.*s", (int)digits, text, (int)length, exponent);
    const char *stop;
    const bool fine = text_double(copy, &stop, value) && stop > copy + digits;
    if (fine) *end = exponent + (stop - copy - digits - 1);
    return fine;
}

static bool store_number(void *to, const struct stored_type *type, const char *text, const char **end)
{
    const int kind = (int)(type - stored_types);
    double value;
    if (kind != STORED_FLOAT16 && kind != STORED_FLOAT32 && kind != STORED_FLOAT64) return store_whole(to, type, text, end);
    if (!parse_double(text, end, &value)) return false;
    const float single = (float)value;
    const uint16_t half = half_of(value);
    memcpy(to,
           kind == STORED_FLOAT16   ? (const void *)&half
           : kind == STORED_FLOAT32 ? (const void *)&single
                                    : &value,
           type->bytes);
    const bool fits = kind == STORED_FLOAT16 ? (half & 0x7c00) != 0x7c00 : kind == STORED_FLOAT64 || isfinite(single);
    return fits || !isfinite(value);
}

/* Reads a fraction of 255: VTK writes bytes so, with six digits, which suffices to tell them apart. */
static bool store_fraction(void *to, const char *text, const char **end)
{
    double value;
    if (!text_double(text, end, &value) || !(value >= 0 && value <= 1)) return false;
    *(uint8_t *)to = (uint8_t)lrint(255 * value);
    return true;
}

static int text_read(struct decoder *decoder, void *to, size_t n, size_t *got, struct err *err)
{
    struct reader *r = decoder->state;
    const struct stored_type *type = decoder->layout->type;
    bool more;
    for (*got = 0; *got + type->bytes <= n; *got += type->bytes, r->values++) {
        const int code = skip_gap(decoder, &more, err);
        if (code) return code;
        if (!more) return ERR_NONE;
        const char *text = r->text + r->from, *end = text;
        uint8_t *value = (uint8_t *)to + *got;
        const bool stored = decoder->layout->fractions ? store_fraction(value, text, &end)
                                                       : store_number(value, type, text, &end);
        const bool fine = stored && end - text <= LONGEST;
        if (!fine || (end < r->text + r->to && !is_gap(*end)))
            return err_set(err, ERR_INPUT, "%s: value %llu, '%.24s', is not a number that %s holds",
                           source_name(&decoder->source), (unsigned long long)r->values, text, type->name);
        r->from += (size_t)(end - text);
    }
    return ERR_NONE;
}

/* Checks that only white space follows the last value, or, in files with a trailer, words. */
static int text_end(struct decoder *decoder, struct err *err)
{
    const struct reader *r = decoder->state;
    const char *end;
    double value;
    bool more;
    const int code = skip_gap(decoder, &more, err);
    const char *text = r->text + r->from;
    if (code || !more) return code;
    const bool number = text_double(text, &end, &value) && (!*end || is_gap(*end));
    if (decoder->layout->trailer && !number) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: '%.24s' follows the last value that its header describes",
                   source_name(&decoder->source), text);
}

/* Each value takes at least a digit, and a gap between two. */
static uint64_t text_most(const struct layout *layout, uint64_t bytes)
{
    const uint64_t values = bytes / 2 + bytes % 2;
    return values > UINT64_MAX / layout->type->bytes ? UINT64_MAX : values * layout->type->bytes;
}

const struct decoding decoding_text = {
    .native = true, .most = text_most, .open = text_open, .read = text_read, .end = text_end, .close = text_close
};

/* ---- hexadecimal --------------------------------------------------------------------------------------------------- */

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static int hex_read(struct decoder *decoder, void *to, size_t n, size_t *got, struct err *err)
{
    struct reader *r = decoder->state;
    bool more;
    for (*got = 0; *got < n; ++*got) {
        int code = skip_gap(decoder, &more, err);
        if (code) return code;
        if (!more) return ERR_NONE;
        const int high = digit(r->text[r->from]), low = digit(r->text[r->from + 1]); /* the text ends with a 0 */
        if (high < 0 || low < 0)
            return err_set(err, ERR_INPUT, "%s: '%.2s' is not a byte of hexadecimal data", source_name(&decoder->source),
                           r->text + r->from);
        ((uint8_t *)to)[*got] = (uint8_t)(high << 4 | low);
        r->from += 2;
    }
    return ERR_NONE;
}

static uint64_t hex_most(const struct layout *layout, uint64_t bytes) { return (void)layout, bytes / 2; }

const struct decoding decoding_hex = {
    .most = hex_most, .open = text_open, .read = hex_read, .end = text_end, .close = text_close
};
