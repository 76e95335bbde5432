/* Parsers of options on several surfaces, with an entry for each or one for all. They are used like the other parsers
 * of commands.c. */
#ifndef ISO_OPTIONS_SURFACES_H
#define ISO_OPTIONS_SURFACES_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

int parse_isos(struct options *o, const char *option, const char *value, struct err *err);
int parse_opacity(struct options *o, const char *option, const char *value, struct err *err);
int parse_color(struct options *o, const char *option, const char *value, struct err *err);
int parse_color_by(struct options *o, const char *option, const char *value, struct err *err);
int parse_color_map(struct options *o, const char *option, const char *value, struct err *err);
int parse_hide(struct options *o, const char *option, const char *value, struct err *err);
int parse_min_sizes(struct options *o, const char *option, const char *value, struct err *err);
int parse_keeps(struct options *o, const char *option, const char *value, struct err *err);
int parse_pair(struct options *o, const char *option, const char *value, struct err *err);

/* Checks that each list has one entry or as many as --iso, and that no option names a surface beyond those. Error:
 * ERR_USAGE. */
int parse_check_lists(const struct options *options, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
