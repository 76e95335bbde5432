/* Parsers of options on the picture, for the table in commands.c. */
#ifndef ISO_OPTIONS_VIEW_H
#define ISO_OPTIONS_VIEW_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

int parse_target(struct options *o, const char *option, const char *value, struct err *err);
int parse_distance(struct options *o, const char *option, const char *value, struct err *err);
int parse_slice(struct options *o, const char *option, const char *value, struct err *err);
int parse_crop(struct options *o, const char *option, const char *value, struct err *err);
int parse_open_cuts(struct options *o, const char *option, const char *value, struct err *err);
int parse_slice_map(struct options *o, const char *option, const char *value, struct err *err);
int parse_knife(struct options *o, const char *option, const char *value, struct err *err);
int parse_shading(struct options *o, const char *option, const char *value, struct err *err);
int parse_draw(struct options *o, const char *option, const char *value, struct err *err);
int parse_edges(struct options *o, const char *option, const char *value, struct err *err);
int parse_transparent(struct options *o, const char *option, const char *value, struct err *err);
int parse_frames(struct options *o, const char *option, const char *value, struct err *err);
int parse_turntable(struct options *o, const char *option, const char *value, struct err *err);
int parse_render_sweep(struct options *o, const char *option, const char *value, struct err *err);
int parse_theme(struct options *o, const char *option, const char *value, struct err *err);
int parse_rung_file(struct options *o, const char *option, const char *value, struct err *err);
int parse_load_state(struct options *o, const char *option, const char *value, struct err *err);
int parse_save_state(struct options *o, const char *option, const char *value, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
