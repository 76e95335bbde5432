/* The commands. A command returns the exit code and leaves its sentence in `err`. */
#ifndef ISO_CMD_H
#define ISO_CMD_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

int cmd_view(const struct options *options, struct err *err);   /* cmd_view.c: the window */
int cmd_render(const struct options *options, struct err *err); /* cmd_render.c: a picture, without a display */
int cmd_info(const struct options *options, struct err *err);
int cmd_extract(const struct options *options, struct err *err); /* cmd_extract.c: the mesh as a file */
int cmd_bench(const struct options *options, struct err *err);
int cmd_ladder(const struct options *options, struct err *err);
int cmd_synth(const struct options *options, struct err *err);
int cmd_doctor(const struct options *options, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
