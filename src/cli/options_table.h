/* The tables of the command line: parsing, --help and "did you mean" all come from them. */
#ifndef ISO_OPTIONS_TABLE_H
#define ISO_OPTIONS_TABLE_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bit per command: which commands take an option. */
enum {
    VIEW = 1,
    RENDER = 2,
    INFO = 4,
    SYNTH = 8,
    DOCTOR = 16,
    BENCH = 32,
    LADDER = 64,
    EXTRACT = 128,
    VERIFY = 256,
    PACK = 512,
    FILES = VIEW | RENDER | INFO | BENCH | EXTRACT | VERIFY, /* make surfaces of a volume */
    READ = FILES | PACK,                                     /* read a volume */
    WHOLE = EXTRACT | VERIFY | PACK                          /* need level 0: averages are not the volume */
};

extern const struct command commands[]; /* the first is the window, which needs no word; name NULL ends the table */

struct option_row {
    const char *name;     /* without its dashes; NULL ends the table */
    char letter;          /* 0: none */
    const char *argument; /* NULL: takes none */
    const char *help;
    unsigned commands; /* bits */
    int (*parse)(struct options *o, const char *option, const char *value, struct err *err);
};

extern const struct option_row option_rows[];

#ifdef __cplusplus
}
#endif
#endif
