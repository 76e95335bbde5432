#include "stored_type.h"

#include "text.h"

#include <math.h>
#include <string.h>

/* Bits from the highest set bit to the lowest; a float holds 24. */
static int significant_bits(uint64_t magnitude)
{
    return magnitude ? 64 - __builtin_clzll(magnitude) - __builtin_ctzll(magnitude) : 0;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define CONVERT(name, from_type, is_lost)                     \
    static size_t name(const void *from, float *to, size_t n) \
    {                                                         \
        const from_type *values = from;                       \
        size_t lost = 0;                                      \
        for (size_t i = 0; i < n; i++) {                      \
            const from_type value = values[i];                \
            to[i] = (float)value;                             \
            lost += is_lost;                                  \
        }                                                     \
        return lost;                                          \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

CONVERT(from_int32, int32_t, significant_bits(value < 0 ? 0 - (uint64_t)value : (uint64_t)value) > 24)
CONVERT(from_uint32, uint32_t, significant_bits(value) > 24)
CONVERT(from_int64, int64_t, significant_bits(value < 0 ? 0 - (uint64_t)value : (uint64_t)value) > 24)
CONVERT(from_uint64, uint64_t, significant_bits(value) > 24)
CONVERT(from_float64, double, (isinf(to[i]) && !isinf(value)) || (to[i] == 0 && value != 0))

/* Every half is exactly representable as a float, so none is lost. The exponents differ by 112. Multiplying by 2^112 also
 * handles halves with exponent 0. */
static size_t from_float16(const void *from, float *to, size_t n)
{
    const uint16_t *values = from;
    for (size_t i = 0; i < n; i++) {
        const uint32_t sign = (uint32_t)(values[i] & 0x8000u) << 16, magnitude = values[i] & 0x7fffu;
        uint32_t bits = magnitude << 13;
        memcpy(&to[i], &bits, sizeof bits);
        to[i] *= 0x1p112F;
        memcpy(&bits, &to[i], sizeof bits);
        if (magnitude >= 0x7c00) bits |= 0x7f800000; /* infinite, or not a number */
        bits |= sign;
        memcpy(&to[i], &bits, sizeof bits);
    }
    return 0;
}

#define ROUNDED "were rounded to 24 bits"

/* clang-format off */
const struct stored_type stored_types[] = {
    { "uint8", 1, VOXEL_UINT8, NULL, NULL, { "uint8_t", "u8", "uchar", "unsigned char", "ubyte" } },
    { "int8", 1, VOXEL_INT8, NULL, NULL, { "int8_t", "i8", "s8", "signed char" } }, /* plain "char" has no fixed sign */
    { "uint16", 2, VOXEL_UINT16, NULL, NULL, { "uint16_t", "u16", "ushort", "unsigned short", "unsigned short int" } },
    { "int16", 2, VOXEL_INT16, NULL, NULL,
      { "int16_t", "i16", "s16", "short", "short int", "signed short", "signed short int" } },
    { "float32", 4, VOXEL_FLOAT32, NULL, NULL, { "float", "f32" } },
    { "int32", 4, VOXEL_FLOAT32, from_int32, ROUNDED, { "int32_t", "i32", "s32", "int", "signed int" } },
    { "uint32", 4, VOXEL_FLOAT32, from_uint32, ROUNDED, { "uint32_t", "u32", "uint", "unsigned int" } },
    { "int64", 8, VOXEL_FLOAT32, from_int64, ROUNDED,
      { "int64_t", "i64", "s64", "longlong", "long long", "long long int", "signed long long",
        "signed long long int" } },
    { "uint64", 8, VOXEL_FLOAT32, from_uint64, ROUNDED,
      { "uint64_t", "u64", "ulonglong", "unsigned long long", "unsigned long long int" } },
    { "float64", 8, VOXEL_FLOAT32, from_float64, "lie beyond its range and became infinite or 0", { "double", "f64" } },
    { "float16", 2, VOXEL_FLOAT32, from_float16, NULL, { "f16" } }, /* "half" is also a plain word in file names */
    { 0 },
};
/* clang-format on */

const struct stored_type *stored_type_find(const char *name)
{
    for (const struct stored_type *type = stored_types; type->name; type++) {
        if (text_same(name, type->name)) return type;
        for (int i = 0; type->spellings[i]; i++)
            if (text_same(name, type->spellings[i])) return type;
    }
    return NULL;
}

const char *stored_type_list(void) { return "uint8 int8 uint16 int16 float32 int32 uint32 int64 uint64 float64 float16"; }

void stored_type_swap(void *values, size_t n, size_t size)
{
    if (size == 2) {
        uint16_t *p = values;
        for (size_t i = 0; i < n; i++) p[i] = __builtin_bswap16(p[i]);
    } else if (size == 4) {
        uint32_t *p = values;
        for (size_t i = 0; i < n; i++) p[i] = __builtin_bswap32(p[i]);
    } else if (size == 8) {
        uint64_t *p = values;
        for (size_t i = 0; i < n; i++) p[i] = __builtin_bswap64(p[i]);
    }
}

size_t stored_type_to_float(const struct stored_type *type, const void *from, float *to, size_t n, bool negate)
{
    const struct grid values = { from, type->voxel, n, 1, 1 };
    size_t lost = 0;
    if (type->convert) lost = type->convert(from, to, n);
    else
        for (size_t i = 0; i < n; i++) to[i] = grid_value(&values, i);
    for (size_t i = 0; negate && i < n; i++) to[i] = -to[i];
    return lost;
}

/* With a constant size and step, the copy compiles to a few instructions. */
static inline void thin(char *to, const char *from, size_t n, size_t step, size_t size)
{
    for (size_t i = 0; i < n; i++) memmove(to + i * size, from + i * step * size, size);
}

static inline void thin_by(char *to, const char *from, size_t n, size_t step, size_t size)
{
    if (step == 2) thin(to, from, n, 2, size);
    else thin(to, from, n, step, size);
}

void stored_type_thin(void *to, const void *from, size_t n, size_t step, size_t size)
{
    switch (size) {
    case 1: thin_by(to, from, n, step, 1); break;
    case 2: thin_by(to, from, n, step, 2); break;
    case 4: thin_by(to, from, n, step, 4); break;
    default: thin(to, from, n, step, size);
    }
}
