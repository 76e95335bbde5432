/* What the window remembers from one run to the next: small files in $XDG_STATE_HOME/isoscope. */
#ifndef ISO_STATE_H
#define ISO_STATE_H

#include <limits.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets `path` to the file `name`. make: its folders are made if they are missing. False: there is no place for it. */
bool state_place(char path[PATH_MAX], const char *name, bool make);

/* Reads and writes a file of one word. What cannot be read is "", and what cannot be written is not kept, silently: nobody
 * asked for it. */
void state_read_word(const char *name, char word[32]);
void state_write_word(const char *name, const char *word);

#ifdef __cplusplus
}
#endif
#endif
