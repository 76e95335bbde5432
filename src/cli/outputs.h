/* Checks of the files that a command writes: it must not overwrite what it reads, no two may have the same name, and
 * their places must be writable. */
#ifndef ISO_OUTPUTS_H
#define ISO_OUTPUTS_H

#include "options.h"

/* Checks that the files of all options overwrite neither the input, nor the files that it consists of, nor each other.
 * Error: ERR_USAGE. */
int outputs_check(const struct options *o, const struct command *command, struct err *err);

/* The same for a file that is named after its isovalue. */
int outputs_check_name(const struct options *o, const char *path, struct err *err);

/* Checks that the files can be written, before any work is done for them. Errors: ERR_FAILED; ERR_USAGE if a folder
 * to make exists. */
int outputs_check_places(const struct options *o, const struct command *command, struct err *err);

#endif
