/* float16: each of its 65536 values becomes the same float32, from either byte order and from text. */
#include "format_util.h"

#include "layout.h"
#include "text.h"

enum { ALL = 65536 };

#define FLOAT16 (&stored_types[STORED_FLOAT16])

/* The value of a half by the definition of IEEE 754. */
static double value_of(unsigned bits)
{
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }

static void every_half_is_a_float(void)
{
    static uint8_t data[2 * ALL];
    for (int big = 0; big < 2; big++) {
        for (unsigned i = 0; i < ALL; i++) data[2 * i + !big] = (uint8_t)(i >> 8), data[2 * i + (unsigned)big] = (uint8_t)i;
        const struct bytes file = { data, sizeof data };
        check_subject(big ? "big-endian" : "little-endian");
        struct volume volume = must_load(read_raw, &file, big ? "a_64x32x32_float16be.raw" : "a_64x32x32_f16le.raw");
        CHECK(volume.grid.type == VOXEL_FLOAT32 && strstr(volume.note, "float16 values converted"));
        for (unsigned i = 0; i < ALL && volume.grid.voxels; i++)
            CHECK(same(((const float *)volume.grid.voxels)[i], value_of(i)));
        volume_free(&volume);
    }
}

/* Reads `n` values of text. */
static int read_text(const char *text, uint64_t n, struct volume *volume, struct err *err)
{
    static const struct load_desc desc;
    struct source source;
    struct layout layout;
    source_memory(&source, text, strlen(text), "text");
    layout_begin(&layout);
    layout.size[0] = n;
    layout.size[1] = layout.size[2] = 1;
    layout.type = FLOAT16;
    layout.encoding = ENCODING_TEXT;
    int code = layout_add_self(&layout, &source, 0, err);
    if (!code) code = voxels_read(volume, &layout, &source, &desc, err);
    layout_free(&layout);
    return code;
}

static void every_half_is_read_from_text(void)
{
    static char text[32 * ALL];
    struct volume volume;
    struct err err;
    for (unsigned i = 0, n = 0; i < ALL; i++) {
        char number[32];
        n += (unsigned)snprintf(text + n, sizeof text - n, "%s ", text_print(number, value_of(i)));
    }
    check_subject("text");
    if (CHECK(!read_text(text, ALL, &volume, &err)))
        for (unsigned i = 0; i < ALL; i++) CHECK(same(((const float *)volume.grid.voxels)[i], value_of(i)));
    volume_free(&volume);
}

/* A value halfway between two becomes the even one; a value above the largest is refused. */
static void text_is_rounded(void)
{
    static const double want[] = { 1, 1 + 0x1p-9, 2, 65504, 0, 0x1p-24, 0x1p-23, 0x1p-14, -0x1p-14 };
    struct volume volume;
    struct err err;
    check_subject("rounding");
    if (CHECK(!read_text(
            "1.00048828125 1.00146484375 1.99999 65519.99 2.98e-8 2.99e-8 8.940696716308594e-8 6.1035e-05 -6.1035e-5", 9,
            &volume, &err)))
        for (int i = 0; i < 9; i++) CHECK_NEAR(((const float *)volume.grid.voxels)[i], want[i], 0);
    volume_free(&volume);
    CHECK(read_text("65520", 1, &volume, &err) == ERR_INPUT && strstr(err.text, "float16"));
    CHECK(read_text("-1e300", 1, &volume, &err) == ERR_INPUT);
}

int main(void)
{
    every_half_is_a_float();
    every_half_is_read_from_text();
    text_is_rounded();
    return check_summary("test_float16");
}
