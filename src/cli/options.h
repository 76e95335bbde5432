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
    char *state;        /* text of --load-state, owned; other strings may point into it */
    bool json;
    uint64_t size[3];             /* synth: voxels; 0: 256 */
    uint64_t seed;                /* synth; 0: the field's usual one */
    bool gzip;                    /* synth */
    const char *pipeline;         /* bench; NULL: the default */
    int runs;                     /* bench; 0: its default */
    bool cold;                    /* bench: read the file from disk, not from the page cache */
    bool pictures;                /* bench: draw, too */
    struct values values;         /* extract: --iso; bench: --iso, if it has several */
    struct export_edit edit;      /* extract */
    int part, parts;              /* extract: part number, from 0, and count; parts 0: the whole, part -1: no certain one */
    unsigned phases;              /* extract: of stream.h, for a part; 0: all */
    struct team *team;            /* the processes that do this together; NULL: only this one */
    unsigned compare;             /* bench: a bit per stage whose rungs are compared */
    const char *save;             /* bench, ladder: a Markdown file for the table */
    const char *second;           /* ladder: a rung's name; NULL: none */
    bool test, bench, explain;    /* ladder: check the rungs; check and time them; also explain what each gains */
    bool from_template, contract; /* ladder: print a file to start a rung from; print what a rung must do */
    const char *report;           /* ladder: an HTML file */
    uint64_t sizes[OPTION_SIZES]; /* ladder; none: the op's own */
    uint64_t blocks[OPTION_SIZES]; /* ladder: threads per block; none: the rungs' own */
    uint64_t shape[3];             /* ladder: used instead of a size; zeros: no shape, or fewer axes */
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

/* Parses argv into `options`, whose strings point into argv. Sets *command to the command to run, or to NULL if --help
 * or --version has printed its answer. Error: ERR_USAGE. */
int options_parse(struct options *options, const struct command **command, int argc, char **argv, struct err *err);
void options_free(struct options *options); /* also after an error */

/* Sets `err`: an option has this value, but something else was expected. Returns ERR_USAGE. */
int options_bad(struct err *err, const char *option, const char *value, const char *expected);

#ifdef __cplusplus
}
#endif
#endif
