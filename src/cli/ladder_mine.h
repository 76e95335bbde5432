/* `ladder OP` with a rung of the user's own (mine.h), and help for writing one. */
#ifndef ISO_LADDER_MINE_H
#define ISO_LADDER_MINE_H

#include "mine.h"
#include "options.h"

/* --template: prints a file to start from. --contract: prints the header that says what a rung must do. Errors:
 * ERR_USAGE, ERR_FAILED. */
int ladder_mine_print(const struct options *options, struct err *err);

/* Builds and checks the rung of --rung-file, and appends it to its ladder. What the compiler and the rung print goes to
 * stderr. Errors: ERR_USAGE, ERR_FAILED. Call mine_close() in any case. */
int ladder_mine_join(struct mine *mine, const struct options *options, struct err *err);

#endif
