/* What every command and the window begin with: the volume that was asked for, the backend, its rungs, the isovalue. */
#ifndef ISO_SETUP_H
#define ISO_SETUP_H

#include "iso.h"
#include "load.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

enum backend_choice { CHOICE_AUTO, CHOICE_CPU, CHOICE_CUDA };

struct setup {                   /* zero is the default everywhere */
    const char *file;            /* NULL: the procedural volume; synth: the name of the field */
    double iso;                  /* real units, or */
    bool iso_given, iso_percent; /* percent of the voxels that lie below it */
    enum backend_choice backend;
    int threads;                 /* 0: one per core */
    const char *rung[STAGE_ALL]; /* NULL: the default */
    double smooth;               /* sigma in voxels; 0: not */
    struct load_desc load;
};

/* Name of the procedural volume that is shown when no file is named. */
#define SETUP_DEMO "vessels"

/* Loads setup->file, or makes the demo volume. *first_value (real units) gets the demo's own good isovalue, NaN for a
 * file. With a terminal on stderr, shows progress there after half a second, unless setup->load.progress is set. */
int setup_open_volume(struct volume *volume, double *first_value, const struct setup *setup, struct err *err);

/* Opens the backend that was asked for; "auto" takes CUDA where it works and else the CPU. Sets the rungs that were
 * asked for. device: CUDA ordinal or -1. `why` gets one line on which backend runs and why. */
int setup_open_iso(struct iso *iso, const struct setup *setup, int device, char *why, size_t why_size, struct err *err);

/* After an error in the pipeline: whether to do it again, since something else may do, which it chooses and says on stderr:
 * a rung that needs less memory; or, unless CUDA was asked for by name, the CPU, which is then without a volume. */
bool setup_fall_back(struct iso *iso, const struct setup *setup, char *why, size_t why_size, const struct err *err);

/* Hands the volume to the pipeline, unless it has it, and has it smoothed as asked. */
int setup_place_volume(struct iso *iso, const struct volume *volume, const struct setup *setup, struct err *err);

/* The isovalue of a command that needs one, in real units. */
struct setup_value {
    double value;     /* in: the demo's own, NaN for a file; out: that asked for, else this, else the histogram's */
    bool stats_known; /* the histogram was asked, and `stats` is filled */
    struct stats stats;
};
int setup_choose_value(struct setup_value *value, struct iso *iso, const struct volume *volume, const struct setup *setup,
                       struct err *err);

/* One sentence on why a surface at `value` (real units) has no triangle. stats NULL: the range is not known. */
void setup_explain_empty(char *text, size_t size, const struct volume *volume, const struct stats *stats, double value);

/* The same on stderr: an empty surface is an answer, and no error. */
void setup_say_empty(const struct volume *volume, const struct stats *stats, double value);

#ifdef __cplusplus
}
#endif
#endif
