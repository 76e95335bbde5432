/* bench of making a file slab by slab, by one process or by several (team.h). */
#ifndef ISO_BENCH_SLABS_H
#define ISO_BENCH_SLABS_H

#include "options.h"

/* Makes the file options->output, or one in the current folder, once. Removes it and prints where the time went.
 * Errors: ERR_USAGE, also if the file exists; ERR_INPUT; ERR_FAILED. After an error, nothing is left of the file. */
int bench_slabs(const struct options *options, struct err *err);

#endif
