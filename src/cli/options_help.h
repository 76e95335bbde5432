/* What --help and --version print. */
#ifndef ISO_OPTIONS_HELP_H
#define ISO_OPTIONS_HELP_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prints the help of a command. topic: the word after --help, which may name something else to explain: "keys", "rungs"
 * or, if `command` is the window, another command; NULL: no word. Error: ERR_USAGE, the window has no such topic. */
int options_print_help(const struct command *command, const char *topic, struct err *err);

void options_print_version(void);

#ifdef __cplusplus
}
#endif
#endif
