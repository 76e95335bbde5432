#include "report.h"

#include "text.h"

#include <math.h>
#include <stdio.h>

static void begin(struct report *r, const char *name)
{
    if (r->json) printf("%s\n  \"%s\": ", r->started ? "," : "{", name);
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

void report_number(struct report *report, const char *name, double value)
{
    begin(report, name);
    print_number(report, value);
    end(report);
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
