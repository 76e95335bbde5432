/* State files on the command line. */
#ifndef ISO_OPTIONS_STATE_H
#define ISO_OPTIONS_STATE_H

#include "setup.h"
#include "view_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the word is the name of a state file, by its ending. */
bool options_is_state(const char *word);

/* Reads a state file (state_file.h): each line is an option of the window. The options in it replace those in `setup`
 * and `view`, whose strings then point into *text. The caller frees *text, also after an error. Errors: ERR_INPUT, with
 * the number of the line if it is one line's; ERR_FAILED for memory. `setup` and `view` are unchanged then. */
int options_read_state(const char *path, struct setup *setup, struct view_options *view, char **text, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
