/* bench by several processes: their table, and what they refuse alike. In memory, each keeps its share of the volume and
 * all change the isovalue together; a file is made slab by slab (bench_slabs.h). */
#ifndef ISO_BENCH_RANKS_H
#define ISO_BENCH_RANKS_H

#include "options.h"
#include "ranks_report.h"

struct team;

/* In memory; all ranks of options->team call it. Errors: as a command. */
int bench_ranks(const struct options *options, struct err *err);

/* What cannot be done with a part of the volume, as "--smooth is"; NULL: nothing of that was asked for. */
const char *bench_ranks_against(const struct options *options);

/* Hands the rows of all ranks to rank 0, which prints the table, and saves it. Sets host, threads and cores of `row`, this
 * process's own. The caller frees report->rows. Errors: of the team, or of the file to save in. */
int bench_ranks_answer(struct ranks_report *report, struct ranks_row *row, const struct iso *iso, struct team *team,
                       const struct options *options, struct err *err);

#endif
