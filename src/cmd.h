/* The commands, and what they share. A command returns the exit code and leaves its sentence in `err`. */
#ifndef ISO_CMD_H
#define ISO_CMD_H

#include "options.h"
#include "stats.h"

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

/* Name of the procedural volume that is shown when no file is named. */
#define CMD_DEMO "vessels"

/* Loads options->file, or makes the demo volume. *first_value (real units) gets the demo's own good isovalue, NaN for a
 * file. With a terminal on stderr, shows progress there after half a second, unless options->load.progress is set. */
int cmd_open_volume(struct volume *volume, double *first_value, const struct options *options, struct err *err);

/* How far a long job is, on a terminal on stderr after half a second; nothing elsewhere, and where `progress` is set. */
struct cmd_terminal { const char *what; double start; bool shown; };
void cmd_begin_progress(struct cmd_terminal *terminal, const char *what, struct progress *progress);
void cmd_end_progress(const struct cmd_terminal *terminal);

/* Opens the backend that was asked for; "auto" takes CUDA where it works and else the CPU. Sets the rungs that were
 * asked for. device: CUDA ordinal or -1. `why` gets one line on which backend runs and why. */
int cmd_open_iso(struct iso *iso, const struct options *options, int device, char *why, size_t why_size, struct err *err);

/* After an error in the pipeline: whether to do it again, since something else may do, which it chooses and says on stderr:
 * a rung that needs less memory; or, unless CUDA was asked for by name, the CPU, which is then without a volume. */
bool cmd_go_on(struct iso *iso, const struct options *options, char *why, size_t why_size, const struct err *err);

/* Hands the volume to the pipeline, unless it has it, and has it smoothed as asked. */
int cmd_place_volume(struct iso *iso, const struct volume *volume, const struct options *options, struct err *err);

/* The isovalue of a command that needs one, in real units. */
struct cmd_value {
    double value;       /* in: the demo's own, NaN for a file; out: that asked for, else this, else the histogram's */
    bool stats_known;   /* the histogram was asked, and `stats` is filled */
    struct stats stats;
};
int cmd_choose_value(struct cmd_value *value, struct iso *iso, const struct volume *volume, const struct options *options,
                     struct err *err);

/* One sentence on why a surface at `value` (real units) has no triangle. stats NULL: the range is not known. */
void cmd_explain_empty(char *text, size_t size, const struct volume *volume, const struct stats *stats, double value);

/* The same on stderr: an empty surface is an answer, and no error. */
void cmd_say_empty(const struct volume *volume, const struct stats *stats, double value);

#ifdef __cplusplus
}
#endif
#endif
