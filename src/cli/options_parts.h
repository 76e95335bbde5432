/* Options of extract for making a file in parts, each by a process that runs on its own. */
#ifndef ISO_OPTIONS_PARTS_H
#define ISO_OPTIONS_PARTS_H

#include "options.h"

int parse_part(struct options *o, const char *option, const char *value, struct err *err);
int parse_phase(struct options *o, const char *option, const char *value, struct err *err);

/* Checks that the two options fit together. Error: ERR_USAGE. */
int options_check_parts(const struct options *o, struct err *err);

#endif
