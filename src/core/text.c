/* Strict numbers in text, free of the locale. See text.h. */
#include "text.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Not isdigit() and friends: those ask the locale. */
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

/* Length of the number at `text` by our own, narrower grammar; 0 if there is none. */
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
    char copy[128]; /* strtod would read on: "0x10" as hex, "nan(...)" */
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
    return !isinf(*value) || last == 'f' || last == 'F'; /* infinite though not spelled inf: it overflowed */
}

const char *text_print(char to[32], double value)
{
    const locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
    const locale_t before = uselocale(c); /* of this thread alone */
    snprintf(to, 32, "%.15g", value);
    if (strtod(to, NULL) != value) snprintf(to, 32, "%.17g", value);
    uselocale(before);
    freelocale(c);
    return to;
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

void text_note(char note[256], const char *format, ...)
{
    size_t length = strlen(note);
    if (length) length += (size_t)snprintf(note + length, 256 - length, "; ");
    if (length >= 256) return;
    va_list args;
    va_start(args, format);
    vsnprintf(note + length, 256 - length, format, args);
    va_end(args);
}
