/* The first steps that commands and the window share: open the volume, open the backend with its rungs, choose the
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
    const char *file;       /* NULL: the procedural volume; for synth: the name of the field */
    const char *state_file; /* the volume named by a state file; NULL: none */
    bool knows_file;        /* the file is known: a state's file, and how to read it, are ignored */
    bool iso_given;         /* --iso was given, */
    enum isovalue iso_in;   /* as this */
    double iso;
    enum backend_choice backend;
    int threads;                    /* 0: OMP_NUM_THREADS, or one per core */
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

/* The procedural volume that is used if no file is named. */
#define SETUP_DEMO "vessels"
#define SETUP_MOST_THREADS 1024

/* Loads setup->file, or makes SETUP_DEMO. Sets *first_value (real units) to the demo's isovalue, or to NaN for a file.
 * Shows progress on the terminal unless setup->load.progress is set. Errors: those of load_volume, and ERR_USAGE if
 * setup->smooth is too large for the volume; the volume is then empty. */
int setup_open_volume(struct volume *volume, double *first_value, const struct setup *setup, struct err *err);

/* Returns the unit of the volume's lengths in mm. Sets *name to the unit's name, which may point into `volume`. A file that
 * does not give a unit of length is taken to mean mm. */
double setup_unit_mm(const struct volume *volume, const char **name);

/* The shortest distance between voxels along an axis, in mm. */
double setup_shortest_mm(const struct volume *volume);

/* Converts setup->smooth for iso_smooth: returns sigma in voxels, and sets part[] to each axis's fraction of it. A sigma in
 * mm has the same length along each axis: it is counted in voxels of the shortest spacing, and the other axes get less. */
float setup_sigma(const struct setup *setup, const struct volume *volume, float part[3]);

/* Opens the pipeline on setup->backend with the rungs of setup->rung. CHOICE_AUTO takes CUDA if it works, else the CPU.
 * device: CUDA ordinal, -1 for the default. `why` gets one line that says which backend runs, and why. Errors: ERR_CUDA,
 * ERR_USAGE, ERR_FAILED; there is then nothing to close. */
int setup_open_iso(struct iso *iso, const struct setup *setup, int device, char *why, size_t why_size, struct err *err);

/* What may help after an error of the pipeline. */
enum setup_way {
    WAY_NONE, /* nothing */
    WAY_RUNG, /* repeat it: iso now has another rung, which needs less memory */
    WAY_CPU,  /* repeat it on the CPU */
    WAY_LOST  /* as WAY_CPU; and CUDA will not work again in this process (an illegal address, a lost device) */
};

/* The rule for falling back. If CUDA was chosen by name, the CPU does not take over, unless `lives_on` is set and CUDA is
 * lost. `text` gets a sentence that says what is done. iso stays open. */
enum setup_way setup_find_way(struct iso *iso, enum backend_choice choice, bool lives_on, const struct err *err, char *text,
                              size_t size);

/* Like setup_find_way, for an error that another rung cannot avoid: never returns WAY_RUNG. */
enum setup_way setup_find_backend(struct iso *iso, enum backend_choice choice, bool lives_on, const struct err *err,
                                  char *text, size_t size);

/* Handles an error of the pipeline in a command: follows setup_find_way and says so on stderr. If the CPU takes over, it
 * sets `why`, and the pipeline has no volume. Returns true to try again, false if nothing else is left. */
bool setup_fall_back(struct iso *iso, const struct setup *setup, char *why, size_t why_size, const struct err *err);

/* Sets the volume of `iso` unless it has one, and smooths it according to setup->smooth. Error: ERR_FAILED. */
int setup_set_volume(struct iso *iso, const struct volume *volume, const struct setup *setup, struct err *err);

struct setup_value {
    double value;     /* real units; before setup_choose_value: the demo's, or NaN */
    bool stats_known; /* `stats` is filled */
    struct stats stats;
};

/* Sets value->value to what --iso asks for. Without --iso, a value that is not NaN is kept; NaN is replaced by the
 * histogram's choice. Computes statistics only if needed. Error: ERR_FAILED. */
int setup_choose_value(struct setup_value *value, struct iso *iso, const struct volume *volume, const struct setup *setup,
                       struct err *err);

/* Writes one sentence to `text`: why the surface at `value` (real units) has no triangles. stats NULL: the range is
 * unknown. */
void setup_explain_empty(char *text, size_t size, const struct volume *volume, const struct stats *stats, double value);

/* Prints that sentence on stderr. An empty surface is a valid result, not an error. */
void setup_say_empty(const struct volume *volume, const struct stats *stats, double value);

/* Prints on stderr that the surface at `value` has parts, but --min-size leaves all of them out. */
void setup_say_left_out(double value);

/* Prints on stderr what the loader assumed, converted or ignored (volume->note), if anything. */
void setup_say_note(const struct volume *volume);

/* Prints on stderr, or adds to the volume's note, that chunks of it are missing. That is not an error: they hold the fill
 * value. */
void setup_say_gaps(const char *name);
void setup_note_gaps(struct volume *volume);

#ifdef __cplusplus
}
#endif
#endif
