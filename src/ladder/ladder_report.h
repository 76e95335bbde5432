/* The results of ladder_measure() as tables (plain text or Markdown), as JSON, or as an HTML page with charts. */
#ifndef ISO_LADDER_REPORT_H
#define ISO_LADDER_REPORT_H

#include "draw_guests.h"
#include "ladder.h"
#include "machine.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ladder_roof { /* a backend, and its limits for every op */
    bool used;
    struct machine machine;
    int threads;        /* CPU; else 0 */
    double copy_rate;   /* GB/s, read plus written; NAN: unknown */
    char copy_why[256]; /* why copy_rate is unknown */
    double peak;        /* GFLOP/s, measured; NAN: unknown */
};

struct ladder_report {
    struct ladder_roof roof[BACKEND_COUNT];
    struct draw_guests guests;    /* of the op `draw`; must outlive their results */
    struct ladder_result *result; /* [results], from malloc */
    size_t results;
    bool timed, cases; /* whether rungs were timed; whether they were also checked with all cases of their op */
};

/* Percent of the ceiling. The ceiling is the copy rate. For an op limited by arithmetic it is the first library rung
 * with a time, or the peak if there is none. NAN: unknown. */
double ladder_percent(const struct ladder_report *report, const struct ladder_result *result, const struct rung_row *row);
/* Percent of the ceiling that the rung can reach by its own cost (roof.h). NAN: nothing is claimed, or it has no time. */
double ladder_predicted(const struct ladder_report *report, const struct ladder_result *result, const struct rung_row *row);
const char *ladder_ceiling(const struct ladder_result *result); /* "copy", "fma_peak", or the library rung's name */

/* One line on what ran this rung, if it was a guest; NULL: the backend. */
const char *ladder_guest(const struct rung_row *row);

/* Three significant digits, and at most five decimals: 1230, 123, 1.23, 0.0123. "-" if not finite. Returns `to`. */
const char *ladder_number(char to[32], double value);

/* One line on a launch: its kernel, block, registers, memory, and how it fills a multiprocessor. Returns `to`. */
const char *ladder_launch(char to[256], const struct launch *launch);

void ladder_report_plain(const struct ladder_report *report); /* to standard output, with a legend */
void ladder_report_json(const struct ladder_report *report);  /* to standard output */
void ladder_report_markdown(FILE *out, const void *report);   /* a struct ladder_report, for save_table() */
int ladder_report_html(const struct ladder_report *report, const char *path, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
