#include "ladder_legend.h"

#include <math.h>
#include <stdio.h>

/* ---- columns ------------------------------------------------------------------------------------------------------- */

enum { TABLE = 1, PAGE = 2, TIMED = 4, ONE_SIZE = 8, ALL_CASES = 16, LISTED = 32 };

struct line {
    int when; /* bits; all must be set */
    const char *column, *text;
};

/* "\n" starts a new line in plain text and is a space elsewhere. */
/* clang-format off */
static const struct line lines[] = {
    { TABLE, "*", "the default" },
    { TABLE | TIMED, "right",
      "✓ the result matches a plain reference at this size; only these rungs are timed. --test checks more cases" },
    { TABLE | ONE_SIZE, "right",
      "✓ the result matches a plain reference at this size; --test without --size or --rung-file checks more cases" },
    { TABLE | ALL_CASES, "right",
      "✓ the result matches a plain reference in all these cases: small and odd sizes, edges of tiles, and the size above" },
    { TABLE, "error", "the largest error, relative to the magnitudes that were added; ops without this column are exact" },
    { TABLE | TIMED, "ms",
      "by CUDA events, or by the monotonic clock on the CPU; rungs take turns; p90: nine of ten runs take no longer" },
    { PAGE, "ms", "the median, by CUDA events, or by the monotonic clock on the CPU; rungs take turns" },
    { TIMED, "GB/s",
      "inputs read once plus outputs written once, in the rung's own layout: a rung that writes less may take less\n"
      "time at a lower rate. Caches may lift it above the copy rate" },
    { TIMED, "% of",
      "GB/s relative to the copy rate, so a faster rung may have less; for an op limited by arithmetic, its speed\n"
      "relative to a library's or to the peak" },
    { TIMED, "predicted",
      "the highest percentage possible, given the bytes that the rung moves or its loads per product;\n"
      "where cycles or ns are measured, those that its comment predicts" },
    { TIMED, "x first", "how many times as fast as the first rung, by the medians" },
    { TABLE | LISTED, "shared B",
      "bytes of shared memory per block; local B: bytes of local memory per thread, such as spilled registers" },
    { TABLE | LISTED, "blocks/SM", "resident blocks per multiprocessor; limit: the resource that allows no more" },
    { TABLE | LISTED, "occupancy %", "the threads of these blocks, relative to the most that a multiprocessor can hold" },
};
/* clang-format on */

static bool lists_launches(const struct ladder_report *report)
{
    for (size_t i = 0; i < report->results; i++)
        for (size_t k = 0; k < report->result[i].rows; k++)
            if (report->result[i].launches[k].count) return true;
    return false;
}

static void print_line(FILE *out, enum legend how, const struct line *line)
{
    static const struct {
        int width; /* of the column's name */
        const char *begin, *behind, *wrap, *end;
    } marks[] = {
        [LEGEND_PLAIN] = { 12, "", "", "\n            ", "\n" },
        [LEGEND_MARKDOWN] = { 0, "| ", " | ", " ", " |\n" },
        [LEGEND_HTML] = { 0, "<b>", "</b>: ", " ", ".<br>\n" },
    };
    fprintf(out, "%s%-*s%s", marks[how].begin, marks[how].width, line->column, marks[how].behind);
    for (const char *c = line->text; *c; c++)
        if (*c == '\n') fputs(marks[how].wrap, out);
        else fputc(*c, out);
    fputs(marks[how].end, out);
}

void ladder_legend(FILE *out, enum legend how, const struct ladder_report *report)
{
    const int is = (how == LEGEND_HTML ? PAGE : TABLE) |
                   (report->timed   ? TIMED
                    : report->cases ? ALL_CASES
                                    : ONE_SIZE) |
                   (lists_launches(report) ? LISTED : 0);
    fputc('\n', out);
    if (how == LEGEND_MARKDOWN) fprintf(out, "| column | says |\n|---|---|\n");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!(lines[i].when & ~is)) print_line(out, how, &lines[i]);
}

/* ---- times --------------------------------------------------------------------------------------------------------- */

enum { SHORT_US = 100 }; /* shorter times always vary, because threads have to wake up */

double ladder_unsteady(const struct ladder_result *r)
{
    size_t rungs = 0, wide = 0;
    double most = 0;
    for (size_t i = 0; i < r->rows; i++) {
        const struct times *us = &r->row[i].own.us;
        if (!row_timed(&r->row[i]) || !(us->min >= SHORT_US)) continue;
        rungs++, wide += us->p90 > 2 * us->min;
        most = fmax(most, us->p90 / us->min);
    }
    return wide && 2 * wide >= rungs ? most : 0;
}
