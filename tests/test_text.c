/* Text: strict numbers, notes, and escaping of text from outside. */
#include "check.h"

#include "error.h"
#include "row.h"
#include "text.h"
#include <string.h>

static void numbers_are_strict(void)
{
    static const struct {
        const char *text;
        bool good;
        double value;
    } cases[] = {
        { "1", true, 1 },       { "-.5", true, -0.5 },     { "+2.5e-3", true, 0.0025 },
        { "1.", true, 1 },      { "inf", true, INFINITY }, { ".", false, 0 },
        { "", false, 0 },       { "-", false, 0 },         { "e5", false, 0 },
        { "x", false, 0 },      { " 1", false, 0 },        { "1e999", false, 0 },
        { "-1e999", false, 0 },
    };
    const char *end;
    double value;
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_subject(cases[i].text);
        if (CHECK(text_double(cases[i].text, &end, &value) == cases[i].good) && cases[i].good)
            CHECK(value == cases[i].value && !*end);
    }
    check_subject("0x10 ends at the x");
    CHECK(text_double("0x10", &end, &value) && value == 0 && *end == 'x');
    CHECK(!strcmp(text_bytes(text, 0), "0.0 MiB") && !strcmp(text_bytes(text, 134217728), "128.0 MiB"));
    CHECK(!strcmp(text_bytes(text, 1023.94 * 1048576), "1023.9 MiB") &&
          !strcmp(text_bytes(text, 1023.96 * 1048576), "1.0 GiB"));
    CHECK(!strcmp(text_digits(text, 0.1, 9), "0.1") && !strcmp(text_digits(text, -1e30 / 3, 3), "-3.33e+29"));
    CHECK(!strcmp(text_print(text, 0.1), "0.1") && !strcmp(text_print(text, 0.1 + 0.2), "0.30000000000000004"));
    CHECK(!strcmp(text_print(text, 1.7976931348623157e308), "1.7976931348623157e+308"));
    CHECK(!strcmp(text_print(text, -0.0), "-0") && !strcmp(text_print(text, -1e-300), "-1e-300"));
    CHECK(!strcmp(text_print(text, INFINITY), "inf") && !strcmp(text_print(text, NAN), "nan"));
    CHECK(!strcmp(text_memory(text, 0), "0M") && !strcmp(text_memory(text, 1), "1M"));
    CHECK(!strcmp(text_memory(text, UINT64_C(53) << 20), "53M") && !strcmp(text_memory(text, (53 << 20) + 1), "54M"));
    CHECK(!strcmp(text_memory(text, UINT64_C(10) << 30), "10240M") &&
          !strcmp(text_memory(text, UINT64_C(11) << 30), "11G"));
    CHECK(!strcmp(text_memory(text, UINT64_MAX), "17179869184G"));
    CHECK(!strcmp(text_word(0, "one", "many"), "many") && !strcmp(text_word(1, "one", "many"), "one"));
    CHECK(!strcmp(text_bytes(text, 4e15), "3.6 PiB") && !strcmp(text_bytes(text, 1.8e19), "15.6 EiB"));
    CHECK(!strcmp(text_print(text, 0.1), "0.1") && !strcmp(text_print(text, 1.0 / 3), "0.33333333333333331"));
    check_subject("");
}

static void digits_tell_values_apart(void)
{
    static const struct {
        double low, high, value;
        int least;
        const char *text;
    } cases[] = {
        { 0, 255, 191.25, 4, "191.2" },
        { 0, 65535, 65535, 4, "65535" }, /* not 6.554e+04 */
        { -1255, 1474, -572.75, 4, "-572.8" },
        { 101275, 101375, 101300, 4, "101300" }, /* Pa */
        { 293.1, 293.3, 293.15, 4, "293.15" },
        { 1e6, 1e6 + 0.25, 1e6 + 0.0625, 4, "1000000.0625" },
        { -1e31, 9e30, -4.03e29, 4, "-4.03e+29" },
        { 1e-9, 2e-9, 1.25e-9, 4, "1.25e-09" },
        { 7, 7, 7, 5, "7" },
        { 0, 0, 0, 5, "0" },
        { -1.7e308, 1.7e308, 1e308, 4, "1e+308" }, /* their difference overflows */
    };
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_subject(cases[i].text);
        const int digits = text_digits_between(cases[i].low, cases[i].high, cases[i].least);
        CHECK(digits >= cases[i].least && digits <= 15);
        CHECK(!strcmp(text_digits(text, cases[i].value, digits), cases[i].text));
    }
    check_subject("");
}

/* The bytes of a code point by RFC 3629; 0: invalid. */
static size_t encode(uint32_t point, char to[5])
{
    memset(to, 0, 5);
    if (point < 0x80) return (to[0] = (char)point), 1;
    if (point < 0x800) return (to[0] = (char)(0xc0 | point >> 6)), (to[1] = (char)(0x80 | (point & 63))), 2;
    if (point < 0x10000) {
        to[0] = (char)(0xe0 | point >> 12), to[1] = (char)(0x80 | (point >> 6 & 63)), to[2] = (char)(0x80 | (point & 63));
        return point >= 0xd800 && point < 0xe000 ? 0 : 3; /* surrogates */
    }
    to[0] = (char)(0xf0 | point >> 18), to[1] = (char)(0x80 | (point >> 12 & 63));
    to[2] = (char)(0x80 | (point >> 6 & 63)), to[3] = (char)(0x80 | (point & 63));
    return point > 0x10ffff ? 0 : 4;
}

/* Every code point and beyond, every pair of bytes, truncated sequences. */
static void utf8_is_told_from_other_bytes(void)
{
    char text[6] = { 0 };
    long wrong = 0, valid_pairs = 0;
    for (uint32_t point = 1; point < 0x140000; point++) {
        const size_t n = encode(point, text);
        wrong += text_utf8(text) != n;
        if (n < 2) continue;
        text[n - 1] = '\0';
        wrong += text_utf8(text) != 0;
        text[n - 1] = 'x';
        wrong += text_utf8(text) != 0;
    }
    CHECK(wrong == 0);
    for (int a = 0x80; a < 0x100; a++)
        for (int b = 0; b < 0x100; b++) {
            const char pair[3] = { (char)a, (char)b, 0 };
            valid_pairs += text_utf8(pair) == 2;
        }
    CHECK(valid_pairs == 0x800 - 0x80);
    CHECK(!text_utf8("\xc0\x80") && !text_utf8("\xc1\xbf") && !text_utf8("\xe0\x9f\xbf") && !text_utf8("\xf0\x8f\xbf\xbf"));
}

static bool shows(const char *from, const char *want)
{
    char shown[128];
    text_visible(shown, sizeof shown, from);
    if (!strcmp(shown, want)) return true;
    printf("  '%s' shown as '%s'\n", want, shown);
    return false;
}

static void what_a_terminal_obeys_is_shown(void)
{
    char small[8], clipped[4];
    CHECK(shows("", "") && shows("plain name.raw", "plain name.raw") && shows("a\\b", "a\\b"));
    CHECK(shows("\x1b[31mred", "\\x1b[31mred") && shows("a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f"));
    CHECK(shows("caf\xc3\xa9 \xe2\x88\x9e", "caf\xc3\xa9 \xe2\x88\x9e"));
    CHECK(shows("\xc2\x9b"
                "2J",
                "\\x9b2J") &&
          shows("\xc2\xa0", "\xc2\xa0")); /* CSI as one character of C1 */
    CHECK(shows("\x9b"
                "2J",
                "\xef\xbf\xbd"
                "2J") &&
          shows("\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"));
    CHECK(shows("\xe2\x88", "\xef\xbf\xbd\xef\xbf\xbd"));
    CHECK(!strcmp(text_visible(small, sizeof small,
                               "abcd\x1b"
                               "efg"),
                  "abcd")); /* whole characters only */
    CHECK(!strcmp(text_visible(clipped, sizeof clipped, "ab\xe2\x88\x9e"), "ab"));
    for (int c = 1; c < 0x20; c++) {
        const char raw[2] = { (char)c, 0 };
        char want[8];
        snprintf(want, sizeof want, "\\x%02x", c);
        CHECK(shows(raw, want));
    }
}

static void errors_and_notes_are_shown(void)
{
    struct err err = { 0 };
    char note[256] = "", sentence[ERR_SENTENCE];
    CHECK(err_set(&err, ERR_INPUT, "%s: bad", "a\x1b[2Jb") == ERR_INPUT && !strcmp(err.text, "a\\x1b[2Jb: bad"));
    err_advise(&err, "use %s", "\a");
    CHECK(!strcmp(err_sentence(&err, sentence), "a\\x1b[2Jb: bad: use \\x07"));
    err_blame(&err, ERR_INPUT, CAUSE_MEMORY);
    CHECK(err_set(&err, ERR_FAILED, "%s again", err.text) == ERR_FAILED); /* its own text as argument */
    CHECK(!strcmp(err_sentence(&err, sentence), "a\\x1b[2Jb: bad again") && err.cause == CAUSE_OTHER);
    CHECK(err_set(NULL, ERR_GL, "not kept") == ERR_GL);
    err_advise(NULL, "not kept");
    text_note(note, "one %d", 1);
    text_note(note, "two %s", "\x1b");
    CHECK(!strcmp(note, "one 1; two \\x1b"));
    for (int i = 0; i < 3; i++) text_note(note, i == 1 ? "one 1" : "two \x1b"); /* not once more */
    CHECK(!strcmp(note, "one 1; two \\x1b"));
    text_note(note, "one");
    text_note(note, "1");
    CHECK(!strcmp(note, "one 1; two \\x1b; one; 1"));
    for (int i = 0; i < 100; i++) text_note(note, "more and more, %d", i);
    CHECK(strlen(note) < sizeof note);
    for (int n = 250; n < 256; n++) { /* no part of a character */
        char expected[256];
        note[0] = 0;
        text_note(note, "%0*d\xe2\x82\xac", n, 0);
        snprintf(expected, sizeof expected, "%0*d%s", n, 0, n + 3 < 256 ? "\xe2\x82\xac" : "");
        CHECK(!strcmp(note, expected));
        snprintf(note, sizeof note, "%0*d", n - 10, 0);
        text_note(note, "12345678\xe2\x82\xac");
        CHECK(strlen(note) == (n + 3 < 256 ? (size_t)n + 3 : (size_t)n));
    }
}

static void endings_are_compared(void)
{
    CHECK(text_begins("Error: no", "Error") && text_begins("ab", "ab") && text_begins("ab", ""));
    CHECK(!text_begins("a", "ab") && !text_begins("Ab", "a") && !text_begins("", "a"));
    CHECK(text_ends("a.png", ".png") && text_ends("a.b.PNG", ".png") && text_ends(".png", ".png"));
    CHECK(!text_ends("png", ".png") && !text_ends("a.png.jpg", ".png") && !text_ends("", ".png") &&
          !text_ends("a.", ".png"));
}

/* Rows begin with their names; a list is cut to its room. */
static void rows_by_name(void)
{
    static const struct {
        const char *name;
        double more[3];
    } rows[] = { { "one", { 0 } }, { "on", { 0 } }, { "two", { 0 } }, { NULL, { 0 } } };
    char list[16], small[8];
    CHECK(text_row("one", rows, sizeof *rows) == 0 && text_row("on", rows, sizeof *rows) == 1);
    CHECK(text_row("two", rows, sizeof *rows) == 2 && text_row("tw", rows, sizeof *rows) == -1);
    CHECK(text_row("one", &rows[3], sizeof *rows) == -1);
    memset(small, 'x', sizeof small);
    CHECK(!strcmp(text_names(list, sizeof list, rows, sizeof *rows), " one on two"));
    CHECK(!strcmp(text_names(small, 6, rows, sizeof *rows), " one ") && small[6] == 'x');
    CHECK(!strcmp(text_names(list, sizeof list, &rows[3], sizeof *rows), ""));

    struct err err = { 0 };
    CHECK(row_find("two", rows, sizeof *rows, "number", &err) == 2 &&
          row_find(NULL, rows, sizeof *rows, "number", &err) == 0);
    CHECK(!err.code && row_find("tw", rows, sizeof *rows, "number", &err) == -1 && err.code == ERR_USAGE);
    CHECK(!strcmp(err.text, "unknown number 'tw'; expected one of: one on two"));
}

int main(void)
{
    rows_by_name();
    numbers_are_strict();
    digits_tell_values_apart();
    utf8_is_told_from_other_bytes();
    what_a_terminal_obeys_is_shown();
    errors_and_notes_are_shown();
    endings_are_compared();
    return check_summary("test_text");
}
