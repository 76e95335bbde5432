/* The manual page and the completions of shells, written from the tables of the command line and of the keys. */
#ifndef ISO_MANUAL_H
#define ISO_MANUAL_H

#include "options_table.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MANUAL_COMMANDS = 256 };

/* Each writes one file. date: of the manual page, like 2026-01-31. documents: their folder below the prefix, or from /. */
void manual_man(FILE *out, const char *date, const char *documents);
void manual_bash(FILE *out);
void manual_zsh(FILE *out);
void manual_fish(FILE *out);

/* Whether no row before `row` has its name: several commands may have an option of the same name each. */
bool manual_is_first(const struct option_row *row);

/* Whether the option, or the word of a command, is the name of a file. */
bool manual_is_file(const char *argument);

/* Writes the names of the commands in `bits`, with `between` between them; the window's is "window". Returns `text`. */
const char *manual_commands(unsigned bits, const char *between, char text[MANUAL_COMMANDS]);

#ifdef __cplusplus
}
#endif
#endif
