/* Values as text: every type at its limits and beyond, every spelling of a number, and what follows the last one. */
#include "header_util.h"

static const struct stored_type *type;
static uint64_t count, frames = 1;
static bool trailer, hex;

/* A format without a header. */
static int read_values(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    (void)desc;
    layout_begin(layout);
    layout->size[0] = count;
    layout->size[1] = layout->size[2] = 1;
    layout->size[AXIS_FRAME] = frames;
    layout->type = type;
    layout->encoding = hex ? ENCODING_HEX : ENCODING_TEXT;
    layout->trailer = trailer;
    return layout_add_self(layout, source, 0, err);
}

static void values_are(const char *name, const char *text, int n, const double *values)
{
    struct volume volume;
    struct bytes file = { 0 };
    type = stored_type_find(name);
    count = (uint64_t)n;
    check_subject(text);
    append(&file, text, strlen(text));
    if (reads(read_values, &volume, &file, NULL))
        for (int i = 0; i < n; i++) {
            const double got = grid_value(&volume.grid, (size_t)i);
            CHECK(got == (double)(float)values[i] || (isnan(got) && isnan(values[i])));
        }
    CHECK(!strstr(volume.note, "ignored"));
    volume_free(&volume);
    drop(&file);
}

static void value_is_refused(const char *name, const char *text, const char *must_say)
{
    type = stored_type_find(name);
    count = 2;
    text_is_refused(read_values, text, must_say);
    check_subject("");
}

static void limits_of_types(void)
{
    static const struct {
        const char *type, *text;
        double low, high;
        const char *below, *above;
    } limits[] = {
        { "uint8", "0 255", 0, 255, "-1 0", "0 256" },
        { "int8", "-128 127", -128, 127, "-129 0", "0 128" },
        { "uint16", "0 65535", 0, 65535, "-1 0", "0 65536" },
        { "int16", "-32768 32767", -32768, 32767, "-32769 0", "0 32768" },
        { "uint32", "0 4294967295", 0, 4294967295.0, "-1 0", "0 4294967296" },
        { "int32", "-2147483648 2147483647", -2147483648.0, 2147483647, "-2147483649 0", "0 2147483648" },
        { "uint64", "-0 18446744073709551615", 0, 18446744073709551615.0, "-1 0", "0 18446744073709551616" },
        { "int64", "-9223372036854775808 9223372036854775807", -9223372036854775808.0, 9223372036854775807.0,
          "-9223372036854775809 0", "0 9223372036854775808" },
        { "float32", "-3.4e38 3.4e38", -3.4e38, 3.4e38, "-3.5e38 0", "0 3.5e38" },
        { "float64", "-1e-320 1e30", 0, 1e30, "-1e309 0", "0 1e309" },
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        values_are(limits[i].type, limits[i].text, 2, (double[]){ limits[i].low, limits[i].high });
        value_is_refused(limits[i].type, limits[i].below, "value 0");
        value_is_refused(limits[i].type, limits[i].above, "value 1");
    }
}

static void spellings(void)
{
    values_are("float32", "+1 -.5 1. 1e2 1E+02 1e-2", 6, (double[]){ 1, -0.5, 1, 100, 100, 0.01 });
    values_are("float32", "nan -inf Inf", 3, (double[]){ NAN, -INFINITY, INFINITY });
    values_are("float32", "1.0D-05 -2d3 0.12345-100 0.5+002", 4, (double[]){ 1e-5, -2000, 0, 50 });
    values_are("uint8", "1,2,\t3\r\n\f\v 4", 4, (double[]){ 1, 2, 3, 4 });
    static const char *const garbage[] = { "1 x",  "1 2x",    "1 0x10",  "1 --2",      "1 2d", "1 2.0Dx", "1 1-2",
                                           "1 e5", "1 1e5d2", "1 5.5.5", "1 infinity", "1 .",  "1 -" };
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
        value_is_refused("float32", garbage[i], "is not a number");
    value_is_refused("uint8", "1 2.0", "is not a number");
    value_is_refused("uint8", "1 2e0", "is not a number");
}

static void numbers_of_values(void)
{
    value_is_refused("uint8", "1", "cut off");
    value_is_refused("uint8", "111", "cut off");
    value_is_refused("uint8", "   ", "cut off");
    value_is_refused("uint8", "1 2 3", "follows the last");
    value_is_refused("uint8", "1 2\n\n attribute 3", "follows the last");
    trailer = true;
    values_are("uint8", "1 2\nattribute \"dep\" 3", 2, (double[]){ 1, 2 });
    values_are("uint8", "1 2\ninformation 3", 2, (double[]){ 1, 2 });
    value_is_refused("uint8", "1 2 3", "follows the last");
    value_is_refused("uint8", "1 2 nan", "follows the last");
    trailer = false;
    hex = true;
    values_are("uint8", "0a\nfF", 2, (double[]){ 10, 255 });
    value_is_refused("uint8", "0aff0", "follows the last");
    hex = false;
}

/* Numbers lie across the borders of the buffer (64 KiB) at every offset; and a NUL is no gap. */
static void borders(void)
{
    enum { VALUES = 20000 };
    type = stored_type_find("float32");
    count = VALUES;
    for (int shift = 0; shift < 16; shift++) {
        struct bytes file = { 0 };
        struct volume volume;
        char subject[32];
        snprintf(subject, sizeof subject, "%d spaces before", shift);
        check_subject(subject);
        append_text(&file, "%*s", shift, "");
        for (int i = 0; i < VALUES; i += 100) {
            char lines[2048] = "";
            for (int j = i; j < i + 100; j++)
                snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%d.5e-00%s", j * 7, j % 3 ? " " : " \n  ");
            append(&file, lines, strlen(lines));
        }
        if (reads(read_values, &volume, &file, NULL)) {
            int wrong = 0;
            for (int i = 0; i < VALUES; i++) wrong += grid_value(&volume.grid, (size_t)i) != (float)i * 7 + 0.5F;
            CHECK(wrong == 0);
        }
        volume_free(&volume);
        drop(&file);
    }
    check_subject("a number of 65 digits, before and across a border");
    for (size_t before = 0; before < 65600; before += 65500) {
        struct bytes file = { 0 };
        count = 2;
        file.data = malloc(before + 1);
        memset(file.data, 32, before);
        file.size = before;
        append_text(&file, "0.%063d 1", 0);
        is_refused(read_values, &file, "is not a number");
    }
    check_subject("a NUL");
    struct bytes file = { 0 };
    append(&file, "1\0 2", 4);
    is_refused(read_values, &file, "is not a number");
    append(&file, "1 2\0", 4);
    is_refused(read_values, &file, "is not a number");
}

/* Values that were not asked for are not read, and not reported as "ignored after the voxels". */
static void one_frame_of_two(void)
{
    struct volume volume;
    struct bytes file = { 0 };
    frames = 2;
    type = stored_type_find("uint8");
    count = 2;
    append_text(&file, "1 2 3 4");
    for (int frame = 0; frame < 2; frame++) {
        check_subject(frame ? "the second frame" : "the first frame");
        if (reads(read_values, &volume, &file, &(struct load_desc){ .frame = (uint64_t)frame }))
            CHECK(grid_value(&volume.grid, 1) == (frame ? 4 : 2) && !strstr(volume.note, "ignored"));
        volume_free(&volume);
    }
    check_subject("a third frame");
    append_text(&file, " 5");
    CHECK(reads(read_values, &volume, &file, NULL)); /* the first one is fine */
    volume_free(&volume);
    struct err err;
    const int code = read_described(read_values, &volume, &file, "test", &(struct load_desc){ .frame = 1 }, &err);
    CHECK(refused(code, &volume, &err) && strstr(err.text, "follows the last"));
    drop(&file);
    frames = 1;
}

int main(void)
{
    limits_of_types();
    spellings();
    numbers_of_values();
    borders();
    one_frame_of_two();
    return check_summary("test_read_text");
}
