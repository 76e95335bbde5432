/* The command line. */
#ifndef ISO_OPTIONS_H
#define ISO_OPTIONS_H

#include "export_edit.h"
#include "setup.h"
#include "values.h"
#include "view_options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OPTION_SIZES = 16 }; /* in a list */

struct team;

struct options { /* zero is the default everywhere */
    struct setup setup;
    struct view_options view;
    const char *output; /* render (never NULL), synth, extract, pack, bench */
    const char *trace;  /* a JSON file for the trace; NULL: none */
    char *state;        /* text of --load-state, which strings may point into; owned */
    bool json;
    uint64_t size[3];             /* synth: voxels; 0: 256 */
    uint64_t seed;                /* synth; 0: the field's usual one */
    bool gzip;                    /* synth */
    const char *pipeline;         /* bench; NULL: the default */
    int runs;                     /* bench; 0: its default */
    bool cold;                    /* bench: with the file out of memory */
    struct values values;         /* extract: --iso; bench: --iso-sweep */
    struct export_edit edit;      /* extract */
    int part, parts;              /* extract: a part, from 0, of so many; parts 0: the whole, part -1: none in particular */
    unsigned phases;              /* extract: of stream.h, for a part; 0: all */
    struct team *team;            /* the processes that do this together; NULL: one */
    unsigned compare;             /* bench: a bit per stage whose rungs are compared */
    const char *save;             /* bench, ladder: a Markdown file for the table */
    const char *second;           /* ladder: a rung's name; NULL: none */
    bool test, bench, explain;    /* ladder: check the rungs; check and time them; and tell what each brings */
    bool from_template, contract; /* ladder: print a file to start a rung from; what a rung must do */
    const char *report;           /* ladder: an HTML file */
    uint64_t sizes[OPTION_SIZES]; /* ladder; none: the op's own */
    uint64_t blocks[OPTION_SIZES]; /* ladder: threads per block; none: the rungs' own */
    uint64_t shape[3];             /* ladder: in place of a size; zeros: none, or of fewer axes */
    int size_count, block_count;
};

struct command {
    const char *name; /* "": the window */
    const char *word; /* what it takes besides options; NULL: nothing */
    const char *usage, *idea;
    int (*run)(const struct options *options, struct err *err);
    unsigned bit; /* in option rows: which commands take the option */
    bool shared;  /* several processes may do it together (team.h) */
};

/* Parses argv into `options`, whose strings point into argv, and sets *command to what to run; to NULL if --help or
 * --version has printed its answer. Error: ERR_USAGE. */
int options_parse(struct options *options, const struct command **command, int argc, char **argv, struct err *err);
void options_free(struct options *options); /* also after an error */

/* Says what was expected in place of the value of an option. Returns ERR_USAGE. */
int options_bad(struct err *err, const char *option, const char *value, const char *expected);

#ifdef __cplusplus
}
#endif
#endif
