/* Options of extract for parts that run on their own. */
#ifndef ISO_OPTIONS_PARTS_H
#define ISO_OPTIONS_PARTS_H

#include "options.h"

int parse_part(struct options *o, const char *option, const char *value, struct err *err);
int parse_phase(struct options *o, const char *option, const char *value, struct err *err);

/* Whether both go together. Error: ERR_USAGE. */
int options_check_parts(const struct options *o, struct err *err);

#endif
