/* bench by several processes: the timing in memory, and what it shares with bench_slabs.h: refusals and the table. In
 * memory, each process keeps its share of the volume and all change the isovalue together. bench_slabs.h instead makes
 * a file slab by slab. */
#ifndef ISO_BENCH_RANKS_H
#define ISO_BENCH_RANKS_H

#include "options.h"
#include "ranks_report.h"

struct team;

/* Runs bench in memory; all ranks of options->team call it. Errors: as a command. */
int bench_ranks(const struct options *options, struct err *err);

/* An option that was given and does not work with a part of the volume, in the form "--smooth is"; NULL: there is none. */
const char *bench_ranks_against(const struct options *options);

/* Sends the rows of all ranks to rank 0, which prints and saves the table. `row` is this process's own; sets its host,
 * threads and cores. The caller frees report->rows. Errors: of the team, or of the file to save in. */
int bench_ranks_answer(struct ranks_report *report, struct ranks_row *row, const struct iso *iso, struct team *team,
                       const struct options *options, struct err *err);

#endif
