/* What --help and --version print. */
#ifndef ISO_OPTIONS_HELP_H
#define ISO_OPTIONS_HELP_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prints the help of a command. topic: the word behind --help, which may name something else to explain: another command if
 * `command` is the window, "keys" or "rungs"; NULL, or any other word: nothing else. */
void options_print_help(const struct command *command, const char *topic);

void options_print_version(void);

#ifdef __cplusplus
}
#endif
#endif
