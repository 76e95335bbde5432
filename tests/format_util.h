/* Helpers of the tests of single formats: voxels of known values, and headers damaged in every place. */
#ifndef ISO_FORMAT_UTIL_H
#define ISO_FORMAT_UTIL_H

#include "load_util.h"

#include <math.h>

/* Three different odd or even lengths: axes that change places are seen. */
enum { NX = 5, NY = 4, NZ = 3, N = NX * NY * NZ };

/* Value i of a file, which every type holds. Negative values where the type has them. */
static inline double sample(const struct stored_type *type, size_t i)
{
    const double value = (double)(i * 7 % 127);
    return type->name[0] != 'u' && i % 2 ? -value : value;
}

/* A whole number of up to 11 bits as binary16. */
static inline uint16_t half_bits(double value)
{
    int exponent;
    const double fraction = frexp(fabs(value), &exponent);
    const unsigned bits = value == 0 ? 0 : (unsigned)(exponent + 14) << 10 | ((unsigned)(fraction * 2048) & 1023);
    return (uint16_t)(bits | (value < 0 ? 0x8000u : 0u));
}

/* Writes `value` as `type`. */
static inline void store(uint8_t *to, const struct stored_type *type, double value, bool big)
{
    const int64_t whole = (int64_t)value; /* two's complement: the low bytes are every narrower integer */
    const float single = (float)value;
    const uint16_t half = half_bits(value);
    const void *from = &whole;
    if (type->name[0] == 'f')
        from = type->bytes == 2 ? (const void *)&half : type->bytes == 4 ? (const void *)&single : &value;
    const bool native_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    uint8_t native[8];
    memcpy(native, (const uint8_t *)from + (native_is_big && from == &whole ? 8 - type->bytes : 0), type->bytes);
    for (size_t b = 0; b < type->bytes; b++) to[b] = native[big != native_is_big ? type->bytes - 1 - b : b];
}

/* Appends values 0 to n - 1. */
static inline void append_samples(struct bytes *to, const struct stored_type *type, size_t n, bool big)
{
    uint8_t value[8];
    for (size_t i = 0; i < n; i++) {
        store(value, type, sample(type, i), big);
        append(to, value, type->bytes);
    }
}

/* Whether voxel (x, y, z) is value first + x * step[0] + y * step[1] + z * step[2]. */
static inline void has_samples(const struct volume *volume, const struct stored_type *type, size_t first,
                               const size_t step[3])
{
    const struct grid *g = &volume->grid;
    CHECK(g->type == type->voxel);
    CHECK(!type->convert == !strstr(volume->note, "converted to float32"));
    if (!CHECK(g->nx == NX && g->ny == NY && g->nz == NZ)) return;
    for (size_t i = 0; i < N; i++) {
        const size_t at = first + i % NX * step[0] + i / NX % NY * step[1] + i / (NX * NY) * step[2];
        CHECK_NEAR(grid_value(g, i), sample(type, at), 0);
    }
}

static const size_t x_fastest[3] = { 1, NX, NX *NY };

/* The volume of a file in memory, which must load; otherwise an empty one, and the message is shown. */
static inline struct volume must_load(reader_fn *read, const struct bytes *file, const char *name)
{
    struct volume volume;
    struct err err;
    if (!CHECK(read_bytes(read, &volume, file->data, file->size, name, &err) == ERR_NONE))
        printf("  it says: %s\n", err.text);
    return volume;
}

static inline void must_refuse(reader_fn *read, const struct bytes *file, const char *name, const char *must_say)
{
    struct volume volume;
    struct err err;
    const int code = read_bytes(read, &volume, file->data, file->size, name, &err);
    if (!refused(code, &volume, &err)) volume_free(&volume);
    if (!CHECK(strstr(err.text, must_say) != NULL)) printf("  it says: %s\n", err.text);
}

/* Reads a damaged file: it is a volume or refused, nothing in between. */
static inline void is_harmless(reader_fn *read, const void *data, size_t size, const char *name)
{
    struct volume volume;
    struct err err;
    if (read_bytes(read, &volume, data, size, name, &err)) refused(err.code, &volume, &err);
    else {
        CHECK(volume.grid.voxels && isfinite(volume_handedness(&volume)) && volume_handedness(&volume) != 0);
        CHECK(isfinite(volume.slope) && isfinite(volume.intercept) && volume.slope != 0);
    }
    volume_free(&volume);
}

static inline void every_prefix_is_refused(reader_fn *read, const struct bytes *file, const char *name)
{
    struct volume volume;
    struct err err;
    for (size_t n = 0; n < file->size; n++)
        if (!refused(read_bytes(read, &volume, file->data, n, name, &err), &volume, &err)) volume_free(&volume);
}

/* Puts numbers that no header should have over every place of a binary header of `size` bytes, in either byte order. */
static inline void damaged_numbers_do_no_harm(reader_fn *read, const struct bytes *file, size_t size, const char *name)
{
    static const struct {
        const char *type;
        double value;
    } numbers[] = {
        { "int16", -1 },         { "int16", 0 },         { "int16", 32767 },  { "int32", -1 },
        { "int32", 0 },          { "int32", INT32_MAX }, { "int64", -1 },     { "int64", 0 },
        { "int64", 0x1p62 },     { "float32", NAN },     { "float32", 1e38 }, { "float32", -1 },
        { "float32", INFINITY }, { "float64", NAN },     { "float64", 1e99 }, { "float64", 2147483648.0 },
    };
    for (size_t at = 0; at < size; at += 2)
        for (size_t i = 0; i < 2 * sizeof numbers / sizeof *numbers; i++) {
            const struct stored_type *type = stored_type_find(numbers[i / 2].type);
            uint8_t *copy = malloc(file->size);
            memcpy(copy, file->data, file->size);
            if (at + type->bytes <= size) store(copy + at, type, numbers[i / 2].value, i % 2);
            is_harmless(read, copy, file->size, name);
            free(copy);
        }
}

/* Replaces every number of a text header of `size` bytes. */
static inline void damaged_words_do_no_harm(reader_fn *read, const struct bytes *file, size_t size, const char *name)
{
    static const char *const words[] = { "-1", "0", "1e99", "2147483648", "9223372036854775808", "nan", "" };
    for (size_t at = 0; at < size;) {
        const size_t length = strspn((const char *)file->data + at, "0123456789.-+");
        for (size_t i = 0; length && i < sizeof words / sizeof *words; i++) {
            struct bytes changed = { 0 };
            append(&changed, file->data, at);
            append_text(&changed, "%s", words[i]);
            append(&changed, file->data + at + length, file->size - at - length);
            is_harmless(read, changed.data, changed.size, name);
            drop(&changed);
        }
        at += length ? length : 1;
    }
}

#endif
