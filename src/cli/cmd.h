/* The commands. Each returns the exit code; on error it sets `err`, which main.c prints. */
#ifndef ISO_CMD_H
#define ISO_CMD_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

int cmd_view(const struct options *options, struct err *err);    /* the window */
int cmd_render(const struct options *options, struct err *err);  /* one picture, without a display */
int cmd_extract(const struct options *options, struct err *err); /* the surface as a file */
int cmd_info(const struct options *options, struct err *err);    /* a volume, and its surface at --iso, in numbers */
int cmd_verify(const struct options *options, struct err *err);  /* the mesh against the voxels */
int cmd_bench(const struct options *options, struct err *err);   /* times of the stages */
int cmd_ladder(const struct options *options, struct err *err);  /* every op's rungs: explained, checked, timed */
int cmd_synth(const struct options *options, struct err *err);   /* a procedural volume as a file */
int cmd_pack(const struct options *options, struct err *err);    /* any volume as OME-Zarr with levels */
int cmd_doctor(const struct options *options, struct err *err);  /* what this machine offers */

#ifdef __cplusplus
}
#endif
#endif
