/* What the laboratory found: as tables for a person, as JSON for a program, or as a page with pictures. */
#ifndef ISO_LAB_REPORT_H
#define ISO_LAB_REPORT_H

#include "lab.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lab_place { /* a backend, with what bounds everything on it */
    bool used;
    struct machine machine;
    int threads;        /* CPU; else 0 */
    double copy_rate;   /* GB/s, read plus written; NAN: not known */
    char copy_why[256]; /* then, why not */
    double peak;        /* GFLOP/s, measured; NAN: not known */
};

struct lab_report {
    struct lab_place place[BACKEND_COUNT];
    struct lab_result *result; /* [results], from malloc */
    size_t results;
    bool timed;
};

/* Percent of the ceiling: of the copy rate; for ops bound by arithmetic of the library's rung, or of the peak where there
 * is none. NAN: not known. */
double lab_percent(const struct lab_report *report, const struct lab_result *result, const struct lab_row *row);
const char *lab_ceiling(const struct lab_result *result); /* "copy", "fma_peak", or the library's rung */

/* Three digits that matter, and at most five decimals: 1230, 123, 1.23, 0.0123; not finite: "-". Returns `to`. */
const char *lab_number(char to[32], double value);

void lab_report_plain(const struct lab_report *report);  /* to standard output, with a legend */
void lab_report_json(const struct lab_report *report);   /* to standard output */
void lab_report_markdown(FILE *out, const void *report); /* a struct lab_report, for save_table() */
int lab_report_html(const struct lab_report *report, const char *path, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
