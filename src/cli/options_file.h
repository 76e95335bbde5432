/* Parsers of options that say how a volume is stored in its file, and which of several volumes to read. They are used
 * like the other parsers of commands.c. */
#ifndef ISO_OPTIONS_FILE_H
#define ISO_OPTIONS_FILE_H

#include "options.h"

int parse_dims(struct options *o, const char *option, const char *value, struct err *err);
int parse_type(struct options *o, const char *option, const char *value, struct err *err);
int parse_endian(struct options *o, const char *option, const char *value, struct err *err);
int parse_order(struct options *o, const char *option, const char *value, struct err *err);
int parse_offset(struct options *o, const char *option, const char *value, struct err *err);
int parse_spacing(struct options *o, const char *option, const char *value, struct err *err);
int parse_frame(struct options *o, const char *option, const char *value, struct err *err);
int parse_component(struct options *o, const char *option, const char *value, struct err *err);
int parse_level(struct options *o, const char *option, const char *value, struct err *err);
int parse_array(struct options *o, const char *option, const char *value, struct err *err);
int parse_series(struct options *o, const char *option, const char *value, struct err *err);

#endif
