/* The beginning that commands and the window share: opening the volume, the backend and its rungs, choosing the
 * isovalue. */
#ifndef ISO_SETUP_H
#define ISO_SETUP_H

#include "component_list.h"
#include "iso.h"
#include "load.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

enum backend_choice { CHOICE_AUTO, CHOICE_CPU, CHOICE_CUDA };

struct setup {              /* zero is the default everywhere */
    const char *file;       /* NULL: the procedural volume; synth: the name of the field */
    const char *state_file; /* the volume that a state names; NULL: none */
    bool knows_file;        /* which is not asked for, nor how it is read */
    bool iso_given;         /* --iso was given, */
    enum isovalue iso_in;   /* as this */
    double iso;
    enum backend_choice backend;
    int threads;                    /* 0: one per core */
    const char *rung[STAGE_ALL];    /* NULL: the default */
    double smooth;                  /* sigma; 0: off */
    bool smooth_mm;                 /* it is in mm, not in voxels */
    enum topology topology;         /* how the surface passes through ambiguous cells */
    bool exact_positions;           /* vertices may lie on voxels */
    bool close;                     /* caps close the surface at the volume's border */
    struct component_filter filter; /* what to show of the surface; zero: all */
    uint64_t cache; /* bytes for finer voxels of what is in view, and their surface; 0: what load.memory leaves */
    bool preview;   /* large files: a part of the voxels first */
    struct load_desc load;
};

/* The procedural volume that stands for a file that was not named. */
#define SETUP_DEMO "vessels"
#define SETUP_MOST_THREADS 1024

/* Loads setup->file, or makes SETUP_DEMO. Sets *first_value (real units) to the demo's isovalue, to NaN for a file. Shows
 * progress on the terminal unless setup->load.progress is set. Errors: those of load_volume, and ERR_USAGE if setup->smooth
 * is too much for it; the volume is then empty. */
int setup_open_volume(struct volume *volume, double *first_value, const struct setup *setup, struct err *err);

/* The unit of the volume's lengths in mm, and its name, which may be a part of `volume`; a file that does not say a unit of
 * length is taken to mean mm. */
double setup_unit_mm(const struct volume *volume, const char **name);

/* The shortest distance between voxels along an axis, in mm. */
double setup_shortest_mm(const struct volume *volume);

/* What setup->smooth is for iso_smooth: sigma in voxels, and how much of it each axis has. Sigma in mm reaches as far along
 * each axis: it counts voxels of the shortest spacing, and the other axes have less. */
float setup_sigma(const struct setup *setup, const struct volume *volume, float part[3]);

/* Opens the pipeline on setup->backend with the rungs of setup->rung; CHOICE_AUTO takes CUDA if it works, else the CPU.
 * device: CUDA ordinal, -1 for the default. `why` gets one line on which backend runs, and why. Errors: ERR_CUDA,
 * ERR_USAGE, ERR_FAILED, and there is nothing to close. */
int setup_open_iso(struct iso *iso, const struct setup *setup, int device, char *why, size_t why_size, struct err *err);

/* What may help after an error of the pipeline. */
enum setup_way {
    WAY_NONE, /* nothing */
    WAY_RUNG, /* repeat it: iso has another rung now, which needs less memory */
    WAY_CPU,  /* repeat it on the CPU */
    WAY_LOST  /* the same, and CUDA will not work again in this process (an illegal address, a lost device) */
};

/* The rule for falling back. If CUDA was chosen by name the CPU does not take over, unless `lives_on` is set and CUDA is
 * lost. `text` gets a sentence that says what is done. iso stays open. */
enum setup_way setup_find_way(struct iso *iso, enum backend_choice choice, bool lives_on, const struct err *err, char *text,
                              size_t size);

/* Like setup_find_way, for an error that another rung does not avoid: never WAY_RUNG. */
enum setup_way setup_find_backend(struct iso *iso, enum backend_choice choice, bool lives_on, const struct err *err,
                                  char *text, size_t size);

/* After an error of the pipeline in a command: follows setup_find_way, says so on stderr, and sets `why` if the CPU takes
 * over, which then has no volume. True: try again. False: nothing else is left. */
bool setup_fall_back(struct iso *iso, const struct setup *setup, char *why, size_t why_size, const struct err *err);

/* Sets the volume of `iso` unless it has one, and smooths it by setup->smooth. Error: ERR_FAILED. */
int setup_set_volume(struct iso *iso, const struct volume *volume, const struct setup *setup, struct err *err);

struct setup_value {
    double value;     /* real units; before setup_choose_value: the demo's, or NaN */
    bool stats_known; /* `stats` is filled */
    struct stats stats;
};

/* Sets value->value to what --iso asks for; without --iso it keeps a value that is not NaN, and else takes the histogram's.
 * Computes statistics only if it needs them. Error: ERR_FAILED. */
int setup_choose_value(struct setup_value *value, struct iso *iso, const struct volume *volume, const struct setup *setup,
                       struct err *err);

/* Writes one sentence to `text` on why the surface at `value` (real units) has no triangle. stats NULL: the range is not
 * known. */
void setup_explain_empty(char *text, size_t size, const struct volume *volume, const struct stats *stats, double value);

/* Prints that sentence on stderr: an empty surface is an answer, not an error. */
void setup_say_empty(const struct volume *volume, const struct stats *stats, double value);

/* Prints on stderr what the loader assumed, converted or ignored (volume->note), if anything. */
void setup_say_note(const struct volume *volume);

/* Says on stderr that chunks of the volume `name` are missing: the fill value is an answer, too. */
void setup_say_gaps(const char *name);

#ifdef __cplusplus
}
#endif
#endif
