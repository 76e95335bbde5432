#include "report.h"

#include "text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A line each for what the answer is made of; the elements of a list are short enough for one line. */
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

/* JSON wants quotes, backslashes and control characters escaped; other bytes pass, as UTF-8. */
static void print_quoted(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') printf("\\%c", *c);
        else if (*c < 32) printf("\\u%04x", *c);
        else putchar(*c);
    }
    putchar('"');
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
    else fputs(value, stdout);
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
