#include "report.h"

#include "text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Puts each top-level value and each of its members on a line of its own; deeper elements share a line. */
static void begin_json(const struct report *r, const char *name)
{
    if (r->started) putchar(',');
    else if (!r->depth) putchar('{');
    if (r->depth < 2) printf("\n%*s", 2 * (r->depth + 1), "");
    else if (r->started) putchar(' ');
    if (name) printf("\"%s\": ", name);
}

static void begin(struct report *r, const char *name)
{
    if (r->json) begin_json(r, name);
    else printf("%-18s ", name);
    r->started = true;
}

static void end(const struct report *r)
{
    if (!r->json) printf("\n");
}

/* A JSON string (RFC 8259): quotes, backslashes and control characters escaped, U+FFFD for bytes that are not UTF-8. */
static void print_quoted(const char *text)
{
    putchar('"');
    for (size_t n; *text; text += n ? n : 1) {
        const unsigned char *c = (const unsigned char *)text;
        n = text_utf8(text);
        if (!n) printf("\\ufffd");
        else if (*c == '"' || *c == '\\') printf("\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f) printf("\\u%04x", *c);
        else if (*c == 0xc2 && c[1] < 0xa0) printf("\\u%04x", c[1]);
        else printf("%.*s", (int)n, text);
    }
    putchar('"');
}

static void print_visible(const char *text)
{
    char shown[4 * 1024];
    fputs(text_visible(shown, sizeof shown, text), stdout);
}

static void print_number(const struct report *r, double value)
{
    char text[32];
    fputs(isfinite(value) ? text_print(text, value) : r->json ? "null" : "-", stdout);
}

void report_text(struct report *report, const char *name, const char *value)
{
    begin(report, name);
    if (!value) fputs(report->json ? "null" : "-", stdout);
    else if (report->json) print_quoted(value);
    else print_visible(value);
    end(report);
}

void report_whole(struct report *report, const char *name, uint64_t value)
{
    begin(report, name);
    printf("%llu", (unsigned long long)value);
    end(report);
}

void report_flag(struct report *report, const char *name, bool value)
{
    begin(report, name);
    fputs(report->json ? value ? "true" : "false" : value ? "yes" : "no", stdout);
    end(report);
}

void report_number(struct report *report, const char *name, double value)
{
    begin(report, name);
    print_number(report, value);
    end(report);
}

void report_measured(struct report *report, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    report_number(report, name, strtod(text, NULL));
}

void report_numbers(struct report *report, const char *name, const double *value, int n)
{
    begin(report, name);
    if (report->json) putchar('[');
    for (int i = 0; i < n; i++) {
        if (i) fputs(report->json ? ", " : " ", stdout);
        print_number(report, value[i]);
    }
    if (report->json) putchar(']');
    end(report);
}

void report_end(struct report *report)
{
    if (report->json) printf("\n}\n");
}

void report_open(struct report *report, const char *name, char bracket)
{
    assert(report->json);
    begin(report, name);
    putchar(bracket);
    report->depth++;
    report->started = false;
}

void report_close(struct report *report, char bracket)
{
    report->depth--;
    report->started = true;
    if (report->depth == 0) printf("\n  ");
    putchar(bracket);
}
