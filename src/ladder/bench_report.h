/* The result of a benchmark as a table (plain text or Markdown) or as JSON. */
#ifndef ISO_BENCH_REPORT_H
#define ISO_BENCH_REPORT_H

#include "bench.h"
#include "machine.h"
#include "volume.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bench_row {
    double value;
    struct bench_point point;
}; /* value in real units */

struct bench_picture { /* from a new isovalue to the finished picture, by one way of drawing */
    const char *way;
    bool timed;
    struct times us;
    char why[256]; /* why it was not timed; or what auto chose, and why */
};

enum { BENCH_WAYS = 5 }; /* of drawing */

struct bench_report {
    const struct volume *volume;
    const struct iso *iso;
    const char *pipeline;
    struct machine machine;
    int runs;
    double copy_rate;         /* GB/s, read plus written; NAN: unknown */
    char copy_why[256];       /* why copy_rate is unknown */
    double value;             /* isovalue, real units; unused by a sweep */
    struct bench_point point; /* at `value`; a comparison sets only its counts */
    struct bench_row *sweep;  /* [sweep_count], from malloc; NULL: no sweep */
    size_t sweep_count;
    struct rung_row *rows; /* [row_count], from malloc; NULL: no comparison */
    size_t row_count;
    struct bench_picture picture[BENCH_WAYS];
    size_t picture_count;
    int picture_size[2]; /* pixels */
    char renderer[160];  /* OpenGL's */
};

void bench_report_plain(const struct bench_report *report); /* to standard output, with a legend */
void bench_report_json(const struct bench_report *report);  /* to standard output */
void bench_report_markdown(FILE *out, const void *report);  /* a struct bench_report, for save_table() */

#ifdef __cplusplus
}
#endif
#endif
