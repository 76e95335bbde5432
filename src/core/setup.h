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

/* How far a long job is, on a terminal on stderr after half a second; nothing elsewhere, and where `progress` is set. */
struct setup_terminal {
    const char *what;
    double start;
    bool shown;
};
void setup_begin_progress(struct setup_terminal *terminal, const char *what, struct progress *progress);
void setup_end_progress(const struct setup_terminal *terminal);

/* Opens the backend that was asked for; "auto" takes CUDA where it works and else the CPU. Sets the rungs that were
 * asked for. device: CUDA ordinal or -1. `why` gets one line on which backend runs and why. */
int setup_open_iso(struct iso *iso, const struct setup *setup, int device, char *why, size_t why_size, struct err *err);

/* What else may do after an error of the pipeline. */
enum setup_way {
    WAY_NONE, /* nothing: the error stands */
    WAY_RUNG, /* again, by a rung that needs less memory, which iso now has */
    WAY_CPU,  /* again, on the CPU in CUDA's place */
    WAY_LOST  /* the same, and CUDA will not work again while the program runs (an illegal address, a lost device) */
};

/* The rule for falling back, for commands and the window. Where CUDA was asked for by name the CPU never takes over, unless
 * `lives_on`: then it does where CUDA is lost. `text` gets a sentence on what is done. iso stays open. */
enum setup_way setup_find_way(struct iso *iso, enum backend_choice choice, bool lives_on, const struct err *err, char *text,
                              size_t size);

/* The same for an error that no rung would have avoided: WAY_NONE, WAY_CPU or WAY_LOST. */
enum setup_way setup_find_backend(struct iso *iso, enum backend_choice choice, bool lives_on, const struct err *err,
                                  char *text, size_t size);

/* For commands: whether to do it again, by setup_find_way, which is said on stderr. The CPU is then open without a volume. */
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
