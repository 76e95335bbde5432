/* How rungs scale: a plot of their speeds against the measured sizes, for the HTML page (ladder_html.c). */
#ifndef ISO_LADDER_SCALING_H
#define ISO_LADDER_SCALING_H

#include "ladder_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The CSS class of a rung: first, rung, best (the default), library. */
const char *ladder_role(const struct ladder_result *result, const struct rung_row *row);

/* Draws the plot if result number `last` is the last of three or more consecutive results of one op on one backend, with one
 * number of threads per block. Their sizes may have any order. */
void ladder_scaling(FILE *out, const struct ladder_report *report, size_t last);

#ifdef __cplusplus
}
#endif
#endif
