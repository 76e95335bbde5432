/* The ladders as lessons, on standard output. */
#ifndef ISO_LADDER_TEACH_H
#define ISO_LADDER_TEACH_H

#include "ladder_report.h"
#include "options.h"

/* No op was named, or "all". */
bool ladder_wants_all(const struct options *options);

/* Answers `ladder`, `ladder OP` and `ladder OP RUNG`: the course, the rungs, or a rung's source. Error: ERR_USAGE. */
int ladder_teach(const struct options *options, struct err *err);

/* Tells each ladder of the report as a story: what each rung does about the one before, and what that brought here. */
void ladder_explain(const struct ladder_report *report);

#endif
