/* The text around the tables of `ladder`: each column is explained once, and a note says if times cannot be trusted. */
#include "check.h"

#include "ladder_legend.h"
#include "ladder_scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3 };

static struct ladder_result timed(const double min[ROWS], const double p90[ROWS])
{
    struct ladder_result r = { .ladder = ladder_of("scan"), .op = op_of("scan"), .size = 1024, .rows = ROWS };
    for (size_t i = 0; i < ROWS; i++) {
        struct rung_row rows[RUNG_ROWS];
        rows_add(rows, 0, ladder_rung(r.ladder, BACKEND_CPU, i % 2));
        r.row[i] = rows[0];
        r.row[i].own = (struct work){ { min[i], min[i], p90[i] }, 4096 };
    }
    return r;
}

static void busy_machines_are_noticed(void)
{
    static const struct {
        double min[ROWS], p90[ROWS], fold;
    } cases[] = {
        { { 1000, 2000, 4000 }, { 1100, 2100, 4100 }, 0 },  /* quiet */
        { { 1000, 2000, 4000 }, { 9000, 2100, 4100 }, 0 },  /* one rung of three */
        { { 1000, 2000, 4000 }, { 2000, 4000, 8000 }, 0 },  /* twice, not more */
        { { 1000, 2000, 4000 }, { 2500, 14000, 4100 }, 7 }, /* two of three */
        { { 10, 20, 30 }, { 100, 200, 300 }, 0 },           /* too short to tell */
        { { 10, 20, 4000 }, { 100, 200, 12000 }, 3 },       /* the only one that is not */
        { { 10, 2000, 4000 }, { 10, 5000, 4100 }, 2.5 },    /* one of two */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ladder_result r = timed(cases[i].min, cases[i].p90);
        check_subject("unsteady");
        CHECK(fabs(ladder_unsteady(&r) - cases[i].fold) < 1e-9);
        for (size_t k = 0; k < ROWS; k++) r.row[k].outcome = OUTCOME_SKIPPED;
        CHECK(ladder_unsteady(&r) == 0);
    }
}

static size_t times_in(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

/* The report of two ladders as Markdown, for the caller to free. */
static char *as_markdown(bool times)
{
    static const double least[ROWS] = { 1000, 2000, 4000 }, most[ROWS] = { 2500, 14000, 4100 };
    struct ladder_result results[2] = { timed(least, least), timed(least, most) };
    const struct ladder_report report = { .result = results, .results = 2, .timed = times };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!CHECK(out)) return NULL;
    ladder_report_markdown(out, &report);
    fclose(out);
    return text;
}

static void markdown_explains_its_columns_once(void)
{
    char *const with = as_markdown(true), *const without = as_markdown(false);
    check_subject("legend");
    if (!CHECK(with && without)) return;
    CHECK(times_in(with, "\n| rung | ") == 2 && times_in(with, "\n| column | says |\n|---|---|\n") == 1);
    CHECK(times_in(with, "\n| GB/s | ") == 1 && times_in(with, "at a lower rate") == 1 &&
          times_in(with, "\n| right | ✓ ") == 1);
    CHECK(times_in(with, "Times vary up to 7.0-fold: ") == 1);
    CHECK(times_in(without, "\n| GB/s | ") == 0 && times_in(without, "\n| right | ✓ ") == 1);
    CHECK(times_in(with, "blocks/SM") == 0); /* nothing was launched on CUDA */
    free(with), free(without);
}

/* The curves of three sizes with each of two blocks, whatever the order of the sizes: lines run to the right, and each block
 * has its own. */
static void curves_follow_the_sizes(void)
{
    static const double ns[ROWS] = { 1000, 2000, 4000 };
    static const size_t sizes[3] = { 65536, 1024, 8192 };
    struct ladder_result results[6];
    const struct ladder_report report = { .result = results, .results = 6, .timed = true };
    char *text = NULL;
    size_t size = 0, plots = 0;
    FILE *out = open_memstream(&text, &size);
    check_subject("curves");
    if (!CHECK(out)) return;
    for (size_t i = 0; i < 6; i++) {
        results[i] = timed(ns, ns);
        results[i].size = sizes[i % 3], results[i].block = i < 3 ? 64 : 256;
        for (size_t k = 0; k < ROWS; k++)
            results[i].row[k].outcome = OUTCOME_RIGHT, results[i].row[k].operations = sizes[i % 3];
    }
    for (size_t i = 0; i < 6; i++) ladder_scaling(out, &report, i);
    fclose(out);
    CHECK(times_in(text, "<svg") == 2 && times_in(text, ", 64 threads per block") == 1);
    for (const char *at = text; (at = strstr(at, "d=\"M")); plots++) {
        double x[3];
        at += 4;
        CHECK(sscanf(at, "%lf %*fL%lf %*fL%lf %*f", &x[0], &x[1], &x[2]) == 3 && x[0] < x[1] && x[1] < x[2]);
    }
    CHECK(plots == 2 * ROWS);
    free(text);
}

int main(void)
{
    busy_machines_are_noticed();
    markdown_explains_its_columns_once();
    curves_follow_the_sizes();
    return check_summary("ladder_report");
}
