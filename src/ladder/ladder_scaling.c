#include "ladder_scaling.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

const char *ladder_role(const struct ladder_result *result, const struct rung_row *row)
{
    const struct rung_row *first = result->row;
    while (first < row && first->idle) first++; /* like "none" of bricks, which does nothing */
    return row->rung->is_library ? "library" : row->rung->is_default ? "best" : row == first ? "first" : "rung";
}

/* Both axes are logarithmic: a rung that scales linearly is a horizontal line, and a fixed cost has a slope of one. */
enum { WIDTH = 1060, HEIGHT = 380, LEFT = 66, RIGHT = 110, TOP = 34, BOTTOM = 40, LINE = 15, MOST_SIZES = 64 };

struct plot {
    FILE *out;
    const struct ladder_result *result[MOST_SIZES]; /* the smallest size first */
    size_t count;
    double x0, x1, y0, y1; /* log10 at the ends */
};

struct label { /* at the right end of a line */
    double y;
    const struct rung_row *row; /* in the largest result in which the rung has a time */
};

static double at_x(const struct plot *p, size_t size)
{
    return LEFT + (log10((double)size) - p->x0) / (p->x1 - p->x0) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct plot *p, double speed)
{
    return HEIGHT - BOTTOM - (log10(speed) - p->y0) / (p->y1 - p->y0) * (HEIGHT - TOP - BOTTOM);
}

/* Returns false if there is nothing to draw. */
static bool find_ends(struct plot *p)
{
    double least = INFINITY, most = 0, small = INFINITY, large = 0;
    for (size_t i = 0; i < p->count; i++) {
        small = fmin(small, (double)p->result[i]->size), large = fmax(large, (double)p->result[i]->size);
        for (size_t k = 0; k < p->result[i]->rows; k++) {
            const double speed = ladder_speed(&p->result[i]->row[k]);
            least = fmin(least, speed), most = fmax(most, speed); /* fmin and fmax ignore NaN */
        }
    }
    if (!(small < large) || !(least > 0 && least <= most)) return false;
    p->x0 = log10(small), p->x1 = log10(large);
    p->y0 = floor(log10(least)), p->y1 = fmax(log10(most * 1.3), p->y0 + 1);
    return true;
}

static void draw_axes(const struct plot *p)
{
    char text[32];
    for (int d = (int)p->y0; d <= p->y1; d++)
        fprintf(p->out,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                LEFT, WIDTH - RIGHT, at_y(p, pow(10, d)), at_y(p, pow(10, d)), LEFT - 8, at_y(p, pow(10, d)) + 4,
                ladder_number(text, pow(10, d)));
    double right = -INFINITY; /* right end of the last number below the axis */
    for (size_t i = 0; i < p->count; i++) {
        const double x = at_x(p, p->result[i]->size);
        fprintf(p->out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", x, x, TOP, HEIGHT - BOTTOM);
        if (x < right) continue;
        fprintf(p->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%zu</text>\n", x, HEIGHT - BOTTOM + 18,
                p->result[i]->size);
        right = x + 90;
    }
    const struct op *op = p->result[0]->op;
    char block[48] = "";
    if (p->result[0]->block)
        snprintf(block, sizeof block, ", %u %s per block", p->result[0]->block,
                 text_word(p->result[0]->block, "thread", "threads"));
    fprintf(p->out, "<text x=\"0\" y=\"14\">10⁹ %ss per second, over %s%s</text>\n", op->operation, op->unit, block);
}

/* Returns the label's place; its row is NULL if the rung has no time at any size. */
static struct label draw_rung(const struct plot *p, size_t k)
{
    struct label label = { 0, NULL };
    const char *role = ladder_role(p->result[0], &p->result[0]->row[k]);
    fprintf(p->out, "<path class=\"line %s\" d=\"", role);
    for (size_t i = 0; i < p->count; i++) {
        const struct rung_row *row = &p->result[i]->row[k];
        if (!(ladder_speed(row) > 0)) continue;
        fprintf(p->out, "%s%.1f %.1f", label.row ? "L" : "M", at_x(p, p->result[i]->size), at_y(p, ladder_speed(row)));
        label = (struct label){ at_y(p, ladder_speed(row)), row };
    }
    fprintf(p->out, "\"><title>%s</title></path>\n", p->result[0]->row[k].rung->name);
    return label;
}

static int compare_labels(const void *a, const void *b)
{
    const double x = ((const struct label *)a)->y, y = ((const struct label *)b)->y;
    return (x > y) - (x < y);
}

/* Draws the labels without overlap, as near to the ends of their lines as possible. */
static void draw_labels(const struct plot *p, struct label *labels, size_t count)
{
    qsort(labels, count, sizeof *labels, compare_labels);
    for (size_t i = 1; i < count; i++) labels[i].y = fmax(labels[i].y, labels[i - 1].y + LINE);
    double bottom = HEIGHT - 4;
    for (size_t i = count; i-- > 0; bottom -= LINE) labels[i].y = fmin(labels[i].y, bottom);
    for (size_t i = 0; i < count; i++)
        fprintf(p->out, "<text class=\"%s\" x=\"%d\" y=\"%.1f\">%s</text>\n",
                labels[i].row->rung->is_default ? "op" : "end", WIDTH - RIGHT + 8, labels[i].y + 4,
                labels[i].row->rung->name);
}

static bool is_same_line(const struct ladder_result *a, const struct ladder_result *b)
{
    return a->op == b->op && a->backend == b->backend && a->block == b->block;
}

static size_t count_before(const struct ladder_report *report, size_t last)
{
    const struct ladder_result *r = &report->result[last];
    size_t count = 1;
    while (count <= last && count < MOST_SIZES && is_same_line(r - count, r)) count++;
    return count;
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = (*(const struct ladder_result *const *)a)->size, y = (*(const struct ladder_result *const *)b)->size;
    return (x > y) - (x < y);
}

void ladder_scaling(FILE *out, const struct ladder_report *report, size_t last)
{
    const struct ladder_result *r = &report->result[last];
    struct plot p = { .out = out, .count = count_before(report, last) };
    struct label labels[RUNG_ROWS];
    size_t named = 0;
    const bool ends = last + 1 == report->results || !is_same_line(r + 1, r);
    for (size_t i = 0; i < p.count; i++) p.result[i] = r - i;
    qsort(p.result, p.count, sizeof(const struct ladder_result *), compare_sizes);
    if (!ends || p.count < 3 || !find_ends(&p)) return;
    fprintf(out, "<svg class=\"roofline scaling\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Speed over size\">\n",
            WIDTH, HEIGHT);
    draw_axes(&p);
    for (size_t k = 0; k < r->rows; k++) {
        const struct label label = draw_rung(&p, k);
        if (label.row) labels[named++] = label;
    }
    draw_labels(&p, labels, named);
    fprintf(out, "</svg>\n");
}
