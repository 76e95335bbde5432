/* Options that say something of several surfaces: an entry for each, or one for all. As the other parsers of commands.c. */
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

/* Whether the lists are as long as that of --iso, or hold one entry, and no place is beyond it. Error: ERR_USAGE. */
int parse_check_lists(const struct options *options, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
