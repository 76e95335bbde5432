/* The ladders as lessons, on standard output. */
#ifndef ISO_LADDER_TEACH_H
#define ISO_LADDER_TEACH_H

#include "ladder_report.h"
#include "options.h"

/* Whether no op was named, or "all". */
bool ladder_wants_all(const struct options *options);

/* Prints what `ladder`, `ladder OP` or `ladder OP RUNG` asks for: the course, the rungs, or a rung's source. Error:
 * ERR_USAGE. */
int ladder_teach(const struct options *options, struct err *err);

/* Explains each ladder of the report rung by rung: what each rung changes, and what that gained on this machine. */
void ladder_explain(const struct ladder_report *report);

#endif
