#include "table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* Counts characters, not bytes: ticks and crosses have three bytes. */
static int width_of(const char *text)
{
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

void table_row(const struct table *t, const struct table_cells *row)
{
    for (int i = 0; i < t->count; i++) {
        const int width = t->columns[i].width, used = width_of(row->text[i]), gap = abs(width) - used;
        if (t->markdown) fprintf(t->out, "%s %s |", i ? "" : "|", row->text[i]);
        else if (width < 0) fprintf(t->out, "%s%*s", row->text[i], gap > 0 && i < t->count - 1 ? gap : 0, "");
        else fprintf(t->out, "%s%*s%s", i ? "  " : "", gap > 0 ? gap : 0, "", row->text[i]);
    }
    fputc('\n', t->out);
}

void table_titles(const struct table *t)
{
    struct table_cells titles = { .used = 0 };
    for (int i = 0; i < t->count; i++) table_text(&titles, t->columns[i].title);
    table_row(t, &titles);
    for (int i = 0; i < t->count && t->markdown; i++)
        fprintf(t->out, "%s%s|%s", i ? "" : "|", t->columns[i].width < 0 ? "---" : "--:", i < t->count - 1 ? "" : "\n");
}

void table_print(struct table_cells *row, const char *format, ...)
{
    va_list args;
    assert(row->used < TABLE_COLUMNS);
    va_start(args, format);
    vsnprintf(row->text[row->used++], TABLE_CELL, format, args);
    va_end(args);
}

void table_text(struct table_cells *row, const char *text) { table_print(row, "%s", text); }

void table_number(struct table_cells *row, double value, int decimals)
{
    if (isfinite(value)) table_print(row, "%.*f", decimals, value);
    else table_text(row, "-");
}
