/* What the columns of a ladder's tables mean, for plain text, Markdown and the HTML page; and whether times vary too
 * much to be trusted. */
#ifndef ISO_LADDER_LEGEND_H
#define ISO_LADDER_LEGEND_H

#include "ladder_report.h"

#ifdef __cplusplus
extern "C" {
#endif

enum legend { LEGEND_PLAIN, LEGEND_MARKDOWN, LEGEND_HTML };

/* Prints a line for each column in the tables of the report. */
void ladder_legend(FILE *out, enum legend how, const struct ladder_report *report);

/* The largest p90 / minimum, if p90 exceeds twice the minimum for half of the rungs that take at least 0.1 ms; else 0. */
double ladder_unsteady(const struct ladder_result *result);

#ifdef __cplusplus
}
#endif
#endif
