/* One self-contained page on all ladders: a roofline per backend, and a table with bars per ladder. */
#include "ladder_scaling.h"

#include "ladder_legend.h"
#include "lesson.h"
#include "replace.h"
#include "resource.h"
#include "text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---------------------------------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *text, size_t length)
{
    for (const char *end = text + length; text < end; text++)
        if (*text == '&') fputs("&amp;", out);
        else if (*text == '<') fputs("&lt;", out);
        else if (*text == '>') fputs("&gt;", out);
        else fputc(*text, out);
}

static void put_line(FILE *out, const char *text) { put_text(out, text, strlen(text)); }

static void put_pair(FILE *out, const char *term, const char *text)
{
    fprintf(out, "<dt>%s</dt><dd>", term);
    put_line(out, text);
    fprintf(out, "</dd>\n");
}

/* ---- the roofline --------------------------------------------------------------------------------------------------
 * A roofline (Williams, Waterman and Patterson 2009) with another x axis. A dozen ops have the same intensity, so each op
 * gets a column of its own, sorted by operations per byte. The roof becomes a stair with a step per op: the lower of
 * copy rate * operations per byte and the peak. */

enum { WIDTH = 1060, HEIGHT = 500, LEFT = 66, RIGHT = 12, TOP = 40, BOTTOM = 104, MOST_COLUMNS = 64 };

struct column { /* one op: its rungs, one above the other */
    const struct ladder_result *result;
    double intensity; /* operations per byte */
    double x;         /* of its middle, pixels */
};

struct plot { /* y is logarithmic */
    FILE *out;
    const struct ladder_roof *roof;
    double y0, y1; /* powers of ten at both ends */
    double slot;   /* width of a column, pixels */
    struct column column[MOST_COLUMNS];
    int columns;
    bool several; /* sizes of an op, of which a column shows the largest */
};

static double plot_y(const struct plot *p, double speed)
{
    return HEIGHT - BOTTOM - (log10(speed) - p->y0) / (p->y1 - p->y0) * (HEIGHT - TOP - BOTTOM);
}

static bool memory_bound(const struct plot *p, const struct column *c)
{
    return !(p->roof->peak < p->roof->copy_rate * c->intensity);
}

static double roof_over(const struct plot *p, const struct column *c)
{
    return memory_bound(p, c) ? p->roof->copy_rate * c->intensity : p->roof->peak;
}

static int compare_columns(const void *a, const void *b)
{
    const double x = ((const struct column *)a)->intensity, y = ((const struct column *)b)->intensity;
    return (x > y) - (x < y);
}

/* Some rungs of a stage move other arrays, so the default rung gives the intensity. Of several sizes, the largest counts:
 * the roof is that of the memory, and smaller ones may fit in a cache. */
static void add_column(struct plot *p, const struct ladder_result *r)
{
    const struct rung_row *chosen = NULL;
    for (size_t i = 0; i < r->rows; i++)
        if (row_timed(&r->row[i]) && (!chosen || r->row[i].rung->is_default)) chosen = &r->row[i];
    if (!chosen || !chosen->own.bytes || !chosen->operations) return;
    int c = 0;
    while (c < p->columns && p->column[c].result->op != r->op) c++;
    if (c == MOST_COLUMNS) return;
    p->several = p->several || (c < p->columns && r->size != p->column[c].result->size);
    if (c < p->columns && r->size < p->column[c].result->size) return;
    p->columns += c == p->columns;
    p->column[c] = (struct column){ r, (double)chosen->operations / (double)chosen->own.bytes, 0 };
}

static void find_columns(struct plot *p, const struct ladder_report *report, enum backend backend)
{
    for (size_t i = 0; i < report->results; i++)
        if (report->result[i].backend == backend) add_column(p, &report->result[i]);
    qsort(p->column, (size_t)p->columns, sizeof p->column[0], compare_columns);
    p->slot = (double)(WIDTH - LEFT - RIGHT) / (p->columns ? p->columns : 1);
    for (int c = 0; c < p->columns; c++) p->column[c].x = LEFT + (c + 0.5) * p->slot;
}

static void find_ends(struct plot *p)
{
    double least = INFINITY, most = 0;
    for (int c = 0; c < p->columns; c++) {
        most = fmax(most, roof_over(p, &p->column[c]));
        for (size_t i = 0; i < p->column[c].result->rows; i++) {
            const double speed = ladder_speed(&p->column[c].result->row[i]);
            least = fmin(least, speed), most = fmax(most, speed); /* fmin and fmax ignore NaN */
        }
    }
    /* cppcheck-suppress invalidFunctionArg ; every plot has a column, and a roof over it */
    p->y0 = floor(log10(least)), p->y1 = log10(most * 1.5);
}

static void draw_axis(const struct plot *p)
{
    for (int d = (int)p->y0; d <= p->y1; d++) {
        const double y = plot_y(p, pow(10, d));
        fprintf(p->out,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.*f</text>\n",
                LEFT, WIDTH - RIGHT, y, y, LEFT - 8, y + 4, d < 0 ? -d : 0, pow(10, d));
    }
    fprintf(p->out,
            "<text x=\"0\" y=\"14\">10⁹ operations per second</text>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">per byte</text>\n",
            LEFT - 8, HEIGHT - BOTTOM + 20);
}

static void draw_roof(const struct plot *p)
{
    char text[2][32];
    int arithmetic = 0;
    fprintf(p->out, "<path class=\"roof\" d=\"M%d %.1f", LEFT, plot_y(p, roof_over(p, &p->column[0])));
    for (int c = 0; c < p->columns; c++) {
        fprintf(p->out, "V%.1fH%.1f", plot_y(p, roof_over(p, &p->column[c])), p->column[c].x + 0.5 * p->slot);
        arithmetic += !memory_bound(p, &p->column[c]);
    }
    const double split = WIDTH - RIGHT - arithmetic * p->slot;
    fprintf(p->out, "\"/>\n");
    if (arithmetic < p->columns)
        fprintf(p->out, "<text x=\"%d\" y=\"%d\" class=\"bound\">memory-bound: %s GB/s</text>\n", LEFT + 2, TOP - 8,
                ladder_number(text[0], p->roof->copy_rate));
    if (arithmetic)
        fprintf(p->out,
                "<line class=\"split\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/><text x=\"%d\" y=\"%d\" "
                "class=\"bound\" text-anchor=\"end\">compute-bound: %s GFLOP/s</text>\n",
                split, split, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT - 2, TOP - 8, ladder_number(text[1], p->roof->peak));
}

static void draw_point(const struct plot *p, const struct column *c, const struct rung_row *row)
{
    char speed[32], ms[32];
    const double y = plot_y(p, ladder_speed(row));
    const char *role = ladder_role(c->result, row);
    if (row->rung->is_library) fprintf(p->out, "<path class=\"library\" d=\"M%.1f %.1fl7 7 -7 7 -7 -7z\">", c->x, y - 7);
    else
        fprintf(p->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\">", role, c->x, y,
                row->rung->is_default ? 7 : 5);
    fprintf(p->out, "<title>%s %s: %s ms, %s G%s/s</title></%s>\n", c->result->op->op, row->rung->name,
            ladder_number(ms, 1e-3 * row->own.us.median), ladder_number(speed, ladder_speed(row)), c->result->op->operation,
            row->rung->is_library ? "path" : "circle");
}

static void draw_column(const struct plot *p, const struct column *c)
{
    char text[32];
    const struct rung_row *row = c->result->row, *end = row + c->result->rows;
    double low = roof_over(p, c), high = low;
    for (const struct rung_row *r = row; r < end; r++) low = fmin(low, ladder_speed(r)), high = fmax(high, ladder_speed(r));
    fprintf(p->out, "<line class=\"climb\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", c->x, c->x, plot_y(p, low),
            plot_y(p, high));
    for (const struct rung_row *r = row; r < end; r++)
        if (row_timed(r) && !r->rung->is_default) draw_point(p, c, r);
    for (const struct rung_row *r = row; r < end; r++)
        if (row_timed(r) && r->rung->is_default) draw_point(p, c, r); /* on top */
    fprintf(p->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", c->x, HEIGHT - BOTTOM + 20,
            ladder_number(text, c->intensity));
    fprintf(p->out,
            "<a href=\"#%s\"><text class=\"op\" text-anchor=\"end\" transform=\"translate(%.1f %d) rotate(-40)\">%s"
            "</text></a>\n",
            c->result->op->op, c->x + 8, HEIGHT - BOTTOM + 40, c->result->op->op);
}

static void put_keys(FILE *out)
{
    fprintf(out,
            "<div class=\"keys\">"
            "<span><svg viewBox=\"0 0 14 14\"><circle class=\"first\" cx=\"7\" cy=\"7\" r=\"5\"/></svg>first rung</span>"
            "<span><svg viewBox=\"0 0 14 14\"><circle class=\"rung\" cx=\"7\" cy=\"7\" r=\"5\"/></svg>other rungs</span>"
            "<span><svg viewBox=\"0 0 14 14\"><circle class=\"best\" cx=\"7\" cy=\"7\" r=\"6\"/></svg>the default</span>"
            "<span><svg viewBox=\"0 0 14 14\"><path class=\"library\" d=\"M7 0.5l6.5 6.5 -6.5 6.5 -6.5 -6.5z\"/></svg>"
            "the library</span><span><svg viewBox=\"0 0 14 14\"><path class=\"roof\" d=\"M0 10H7V4H14\"/></svg>"
            "the roof</span></div>\n");
}

static void put_roofline(FILE *out, const struct ladder_report *report, enum backend backend)
{
    struct plot p = { .out = out, .roof = &report->roof[backend] };
    find_columns(&p, report, backend);
    if (!p.columns || !(p.roof->copy_rate > 0)) return; /* nothing to draw, or no roof */
    find_ends(&p);
    fprintf(
        out,
        "<section class=\"card\"><h2>Roofline: %s</h2>\n<p>Each column is a ladder, each point a rung; columns are "
        "sorted by operations per byte moved. The distance from a point to the roof is speed that the rung does not use; "
        "points above the roof owe that to caches or tensor cores. An operation is a flop, or an element where an op does "
        "no arithmetic.%s</p>\n",
        backends[backend]->name, p.several ? " Of several sizes, the largest is shown." : "");
    put_keys(out);
    fprintf(out, "<svg class=\"roofline\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Roofline\">\n", WIDTH, HEIGHT);
    draw_axis(&p);
    draw_roof(&p);
    for (int c = 0; c < p.columns; c++) draw_column(&p, &p.column[c]);
    fprintf(out, "</svg></section>\n");
}

/* ---- a ladder ------------------------------------------------------------------------------------------------------ */

/* Bars show speed. That of the fastest rung fills its cell. */
static double longest_bar(const struct ladder_result *r)
{
    double most = 0;
    for (size_t i = 0; i < r->rows; i++)
        if (row_timed(&r->row[i])) most = fmax(most, 1 / row_cost(&r->row[i]));
    return most;
}

static void put_bar(FILE *out, const struct ladder_result *r, const struct rung_row *row, double most, double percent)
{
    char number[32];
    const double part = row_timed(row) ? 100 / row_cost(row) / most : 0;
    fprintf(out,
            "<td class=\"bar\"><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\">"
            "<rect class=\"track\" width=\"100\" height=\"10\" rx=\"1\"/>"
            "<rect class=\"%s\" width=\"%.2f\" height=\"10\" rx=\"1\"><title>",
            ladder_role(r, row), fmax(part, row_timed(row) ? 0.6 : 0));
    if (r->op->measure) fprintf(out, "%s %s", ladder_number(number, row->measured), r->op->measure);
    else fprintf(out, "%.1f %% of %s", percent, ladder_ceiling(r));
    fprintf(out, "</title></rect></svg></td>");
}

static void put_name(FILE *out, const struct rung_row *row, bool has_source)
{
    static const char *const signs[OUTCOMES] = { "<span class=\"good\">✓</span>", "<span class=\"bad\">✗</span>",
                                                 "<span class=\"bad\">✗</span>", "" };
    fprintf(out, "<tr%s><td><span class=\"name\">%s</span> %s%s%s<small>", has_source ? " class=\"has-source\"" : "",
            row->rung->name, signs[row->outcome], row->rung->is_default ? "<span class=\"tag\">default</span>" : "",
            row->rung->is_library ? "<span class=\"tag ceiling\">library</span>" : "");
    put_line(out, row->rung->idea);
    if (ladder_guest(row)) fprintf(out, "</small><small>"), put_line(out, ladder_guest(row));
    fprintf(out, "</small></td>");
}

/* The cells of a rung that does not measure rates. */
static void put_measured(FILE *out, const struct rung_row *row)
{
    char cell[3][32], predicted[64] = "";
    if (isfinite(row->predicted))
        snprintf(predicted, sizeof predicted, "<small>predicted %s</small>", ladder_number(cell[0], row->predicted));
    fprintf(out, "<td>%s</td>", ladder_number(cell[0], row_timed(row) ? 1e-3 * row->own.us.median : NAN));
    fprintf(out, "<td colspan=\"3\">%s%s</td><td>%s</td></tr>\n", ladder_number(cell[1], row->measured), predicted,
            ladder_number(cell[2], row->speedup));
}

static void put_row(FILE *out, const struct ladder_report *report, const struct ladder_result *r,
                    const struct rung_row *row, double most, bool has_source)
{
    char cell[6][32], predicted[64] = "";
    const double percent = ladder_percent(report, r, row), most_percent = ladder_predicted(report, r, row);
    if (isfinite(most_percent))
        snprintf(predicted, sizeof predicted, "<small>predicted %s</small>", ladder_number(cell[5], most_percent));
    put_name(out, row, has_source);
    if (row->outcome != OUTCOME_RIGHT) {
        fprintf(out, "<td class=\"%s skipped\" colspan=\"6\">%s: ", row->outcome == OUTCOME_SKIPPED ? "" : "bad",
                outcome_name[row->outcome]);
        put_line(out, row->why);
        fprintf(out, "</td></tr>\n");
        return;
    }
    put_bar(out, r, row, most, percent);
    if (r->op->measure) {
        put_measured(out, row);
        return;
    }
    fprintf(out, "<td>%s</td><td>%s</td><td>%s</td><td>%s%s</td><td>%s</td></tr>\n",
            ladder_number(cell[0], row_timed(row) ? 1e-3 * row->own.us.median : NAN),
            ladder_number(cell[1], rounds_rate(&row->own)), ladder_number(cell[2], ladder_speed(row)),
            ladder_number(cell[3], percent), predicted, ladder_number(cell[4], row->speedup));
}

/* Prints a row, folded, with the rung's error, launches, comments and code. */
static void put_source(FILE *out, const struct lesson *lesson, const struct launches *launches, double error)
{
    char text[256];
    if (!lesson->parts) return;
    fprintf(out, "<tr class=\"source\"><td colspan=\"7\">");
    if (isfinite(error)) fprintf(out, "<div>largest error: %.1e, relative to the magnitudes that were added</div>", error);
    for (size_t i = 0; i < launches->count; i++) {
        fprintf(out, "<div>");
        put_line(out, ladder_launch(text, &launches->launch[i]));
        fprintf(out, "</div>");
    }
    for (size_t i = 0; i < lesson->parts; i++) {
        const struct lesson_part *p = &lesson->part[i];
        fprintf(out, "<details><summary>%s:%u</summary><pre>", p->path, p->line);
        put_text(out, p->begin, (size_t)(p->end - p->begin));
        fprintf(out, "</pre></details>");
    }
    fprintf(out, "</td></tr>\n");
}

static void put_result(FILE *out, const struct ladder_report *report, const struct ladder_result *r)
{
    const double most = longest_bar(r);
    char block[48] = "", size[128];
    if (r->block) snprintf(block, sizeof block, ", %u %s per block", r->block, text_word(r->block, "thread", "threads"));
    fprintf(out,
            "<div class=\"where\"><span><b>%s</b> %s</span><span>%s%s</span></div>\n"
            "<div class=\"wide\"><table><tr><th>rung</th><th class=\"bar\">speed</th><th>ms</th>",
            backends[r->backend]->name, report->roof[r->backend].machine.device, ladder_size(size, r), block);
    if (r->op->measure) fprintf(out, "<th colspan=\"3\">%s</th>", r->op->measure);
    else
        fprintf(out, "<th>GB/s</th><th>G%s/s</th><th>%% of %s</th>",
                strcmp(r->op->operation, "flop") ? r->op->operation : "FLOP", ladder_ceiling(r));
    fprintf(out, "<th>× first</th></tr>\n");
    for (size_t i = 0; i < r->rows; i++) {
        struct lesson lesson;
        lesson_find(&lesson, r->ladder->op, r->backend, r->row[i].rung);
        put_row(out, report, r, &r->row[i], most, lesson.parts > 0);
        put_source(out, &lesson, &r->launches[i], r->row[i].error);
    }
    fprintf(out, "</table></div>\n");
    const double fold = ladder_unsteady(r);
    if (fold > 0)
        fprintf(out, "<p>Times vary up to %.*f-fold: something else is running; raise --runs.</p>\n", fold < 10, fold);
}

static void put_ladders(FILE *out, const struct ladder_report *report)
{
    for (size_t i = 0; i < report->results; i++) {
        const struct ladder_result *r = &report->result[i];
        if (!i || r[-1].op != r->op) {
            fprintf(out, "<section class=\"card\" id=\"%s\"><h2><a href=\"#%s\">%s</a></h2>\n<p>", r->op->op, r->op->op,
                    r->op->op);
            put_line(out, r->ladder->job);
            fprintf(out, "</p>\n");
        }
        put_result(out, report, r);
        ladder_scaling(out, report, i);
        if (i + 1 == report->results || r[1].op != r->op) fprintf(out, "</section>\n");
    }
}

/* ---- the page ------------------------------------------------------------------------------------------------------ */

static void put_backend(FILE *out, const struct ladder_roof *p, enum backend backend)
{
    char text[320], number[32];
    fprintf(out, "<section class=\"card\"><h2>");
    put_line(out, p->machine.device);
    fprintf(out, "</h2>\n<dl>");
    put_pair(out, "backend", backends[backend]->name);
    snprintf(text, sizeof text, "%d", p->threads);
    if (p->threads) put_pair(out, "threads", text);
    put_pair(out, "driver", p->machine.driver);
    snprintf(text, sizeof text, "%s GB/s, read plus written", ladder_number(number, p->copy_rate));
    put_pair(out, "copy rate", isnan(p->copy_rate) ? p->copy_why : text);
    snprintf(text, sizeof text, "%s GFLOP/s, measured", ladder_number(number, p->peak));
    if (isfinite(p->peak)) put_pair(out, "fma_peak", text);
    snprintf(text, sizeof text, "%s, commit %s", ISO_VERSION, p->machine.commit);
    put_pair(out, "isoscope", text);
    put_pair(out, "date", p->machine.date);
    fprintf(out, "</dl></section>\n");
}

static void put_links(FILE *out, const struct ladder_report *report)
{
    fprintf(out, "<nav>");
    for (size_t i = 0; i < report->results; i++) {
        const char *op = report->result[i].op->op;
        if (!i || report->result[i - 1].op != report->result[i].op) fprintf(out, "<a href=\"#%s\">%s</a>", op, op);
    }
    fprintf(out, "</nav>\n");
}

static bool put_page(FILE *out, const struct ladder_report *report)
{
    const struct resource *css = resource_find("assets/ladder.css");
    fprintf(out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>isoscope ladders</title>\n"
            "<style>\n");
    fwrite(css->begin, 1, (size_t)(css->end - css->begin), out);
    fprintf(out,
            "</style>\n</head>\n<body>\n<main>\n<h1>isoscope ladders</h1>\n<p class=\"lead\">Every op that the viewer "
            "is made of, from its textbook rung up. Each rung was checked against a plain reference; then rungs were timed "
            "in turns.</p>\n"
            "<div class=\"places\">\n");
    for (int b = BACKEND_COUNT - 1; b >= 0; b--)
        if (report->roof[b].used) put_backend(out, &report->roof[b], (enum backend)b);
    fprintf(out, "</div>\n");
    put_links(out, report);
    for (int b = BACKEND_COUNT - 1; b >= 0; b--)
        if (report->roof[b].used) put_roofline(out, report, (enum backend)b);
    put_ladders(out, report);
    fprintf(out, "<footer>");
    ladder_legend(out, LEGEND_HTML, report);
    fprintf(out, "</footer>\n</main>\n</body>\n</html>\n");
    return !ferror(out);
}

int ladder_report_html(const struct ladder_report *report, const char *path, struct err *err)
{
    struct replace replace;
    if (replace_open(&replace, path, err)) return err->code;
    const locale_t points = newlocale(LC_NUMERIC_MASK, "C", NULL); /* SVG needs 0.5, never 0,5 */
    const locale_t before = points ? uselocale(points) : NULL;
    const bool written = put_page(replace.file, report);
    if (points) {
        uselocale(before);
        freelocale(points);
    }
    return replace_close(&replace, written, err);
}
