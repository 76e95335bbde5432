/* `ladder OP` with a rung of the user's own (mine.h), and what helps to write one. */
#ifndef ISO_LADDER_MINE_H
#define ISO_LADDER_MINE_H

#include "mine.h"
#include "options.h"

/* Prints a file to start from, --template, or the header that says what a rung must do, --contract. Errors: ERR_USAGE,
 * ERR_FAILED. */
int ladder_mine_print(const struct options *options, struct err *err);

/* Builds and checks the rung of --rung-file, and puts it behind those of its ladder; what compiler and rung print goes to
 * stderr. Errors: ERR_USAGE, ERR_FAILED; mine_close is due in any case. */
int ladder_mine_join(struct mine *mine, const struct options *options, struct err *err);

#endif
