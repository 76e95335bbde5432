/* The files that a command writes: never over what it reads, never two of one name, and only where they can be written. */
#ifndef ISO_OUTPUTS_H
#define ISO_OUTPUTS_H

#include "options.h"

/* Whether the files of all options leave the input, what it consists of, and each other alone. Error: ERR_USAGE. */
int outputs_check(const struct options *o, const struct command *command, struct err *err);

/* The same for a file that is named after its isovalue. */
int outputs_check_name(const struct options *o, const char *path, struct err *err);

/* Whether they can be written, before work is done for them. Error: ERR_FAILED. */
int outputs_check_places(const struct options *o, const struct command *command, struct err *err);

#endif
