#include "text.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* isdigit() and the like depend on the locale. */
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool text_uint(const char *text, const char **end, uint64_t *value)
{
    uint64_t sum = 0;
    const char *p = text;
    for (; is_digit(*p); p++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, (uint64_t)(*p - '0'), &sum)) return false;
    *end = p;
    *value = sum;
    return p > text;
}

/* Length of the number at `text` by a narrower grammar than strtod's; 0 if there is none. */
static size_t number_length(const char *text)
{
    const char *p = text + (*text == '+' || *text == '-');
    if (!strncasecmp(p, "nan", 3) || !strncasecmp(p, "inf", 3)) return (size_t)(p + 3 - text);
    size_t digits = 0;
    for (; is_digit(*p); p++) digits++;
    if (*p == '.')
        for (p++; is_digit(*p); p++) digits++;
    if (!digits) return 0;
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1 + (p[1] == '+' || p[1] == '-');
        if (is_digit(*exponent))
            for (p = exponent; is_digit(*p);) p++;
    }
    return (size_t)(p - text);
}

bool text_double(const char *text, const char **end, double *value)
{
    char copy[128]; /* strtod would read too much: "0x10" as hex, "nan(...)" */
    const size_t length = number_length(text);
    if (!length || length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    const locale_t c = newlocale(LC_ALL_MASK, "C", NULL); /* glibc and musl keep it static: no allocation */
    if (!c) return false;
    *value = strtod_l(copy, NULL, c);
    freelocale(c);
    *end = text + length;
    const char last = copy[length - 1];
    return !isinf(*value) || last == 'f' || last == 'F'; /* infinite, but not spelled inf: it overflowed */
}

const char *text_bytes(char to[32], double bytes)
{
    static const char *const units[] = { "MiB", "GiB", "TiB", "PiB", "EiB" };
    const char *const *unit = units;
    bytes /= 1 << 20;
    for (; bytes >= 1023.95 && unit < &units[4]; unit++) bytes /= 1024; /* as rounded for printing */
    const uint64_t tenths = (uint64_t)(10 * bytes + 0.5);
    snprintf(to, 32, "%" PRIu64 ".%u %s", tenths / 10, (unsigned)(tenths % 10), *unit);
    return to;
}

const char *text_memory(char to[32], uint64_t bytes)
{
    const bool many = bytes > UINT64_C(10) << 30;
    const unsigned shift = many ? 30 : 20;
    const uint64_t whole = bytes >> shift;
    snprintf(to, 32, "%" PRIu64 "%c", whole + (whole << shift != bytes), many ? 'G' : 'M');
    return to;
}

int text_digits_between(double low, double high, int least)
{
    const double most = fmax(fabs(low), fabs(high)), places = floor(log10(most)), finest = floor(log10(high - low)) - 3;
    if (!(low < high) || !isfinite(places) || !isfinite(finest)) return least;
    const double whole = most < 1e7 ? places + 1 : 0, digits = fmax(places - finest + 1, whole);
    return (int)fmin(fmax(digits, least), 15);
}

const char *text_digits(char to[32], double value, int digits)
{
    const locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
    const locale_t before = uselocale(c); /* of this thread only */
    snprintf(to, 32, "%.*g", digits, value);
    uselocale(before);
    freelocale(c);
    return to;
}

const char *text_print(char to[32], double value)
{
    const char *end;
    double back;
    text_digits(to, value, 15);
    return text_double(to, &end, &back) && back == value ? to : text_digits(to, value, 17);
}

bool text_same(const char *a, const char *b)
{
    for (;; a++, b++) {
        const char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        const char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y) return false;
        if (!x) return true;
    }
}

const char *text_skip(const char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

bool text_begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

bool text_ends(const char *name, const char *ending)
{
    const char *dot = strrchr(name, '.');
    return dot && text_same(dot, ending);
}

/* ---- showing text from outside ------------------------------------------------------------------------------------- */

size_t text_utf8(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) return 1;
    const size_t n = c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0; /* the closing 0 too */
    const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool too_high = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f); /* surrogates, past U+10FFFF */
    return overlong || too_high ? 0 : n;
}

/* Writes the character at `text` to `to`, visible. Returns how many bytes it takes in `text`. */
static size_t show(const char *text, char to[8])
{
    const size_t n = text_utf8(text);
    const unsigned char *c = (const unsigned char *)text;
    if (!n) snprintf(to, 8, "\xef\xbf\xbd"); /* U+FFFD */
    else if (c[0] < 0x20 || c[0] == 0x7f) snprintf(to, 8, "\\x%02x", c[0]);
    else if (c[0] == 0xc2 && c[1] < 0xa0) snprintf(to, 8, "\\x%02x", c[1]); /* U+80..9F */
    else snprintf(to, 8, "%.*s", (int)n, text);
    return n ? n : 1;
}

const char *text_visible(char *to, size_t size, const char *text)
{
    char shown[8];
    size_t length = 0;
    while (*text) {
        text += show(text, shown);
        const size_t n = strlen(shown);
        if (length + n >= size) break;
        memcpy(to + length, shown, n);
        length += n;
    }
    to[length] = '\0';
    return to;
}

void text_say(FILE *out, const char *format, ...)
{
    char line[8192], shown[8]; /* room for two paths and some words */
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    for (const char *at = line; *at;) {
        at += show(at, shown);
        fputs(shown, out);
    }
    fputc('\n', out);
}

static bool has_clause(const char *note, const char *clause)
{
    const size_t n = strlen(clause);
    for (const char *at = note; (at = strstr(at, clause)); at++)
        if ((at == note || (at >= note + 2 && !memcmp(at - 2, "; ", 2))) && (!at[n] || at[n] == ';')) return true;
    return false;
}

void text_note(char note[256], const char *format, ...)
{
    size_t length = strlen(note);
    char clause[256 + 4], visible[256]; /* 4: a character that this cuts is past the end of any note */
    va_list args;
    va_start(args, format);
    vsnprintf(clause, sizeof clause, format, args);
    va_end(args);
    text_visible(visible, sizeof visible, clause);
    if (has_clause(note, visible)) return;
    if (length) length += (size_t)snprintf(note + length, 256 - length, "; ");
    if (length < 256) text_visible(note + length, 256 - length, visible); /* of whole characters */
}

/* ---- tables -------------------------------------------------------------------------------------------------------- */

static const char *name_of(const void *rows, size_t row_bytes, int i)
{
    return *(const char *const *)((const char *)rows + (size_t)i * row_bytes);
}

int text_row(const char *name, const void *rows, size_t row_bytes)
{
    for (int i = 0; name_of(rows, row_bytes, i); i++)
        if (!strcmp(name, name_of(rows, row_bytes, i))) return i;
    return -1;
}

const char *text_names(char *to, size_t size, const void *rows, size_t row_bytes)
{
    *to = 0;
    for (int i = 0; name_of(rows, row_bytes, i); i++) {
        const size_t used = strlen(to);
        snprintf(to + used, size - used, " %s", name_of(rows, row_bytes, i));
    }
    return to;
}
