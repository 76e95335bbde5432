/* What the window remembers from run to run: small files in $XDG_STATE_HOME/isoscope. */
#ifndef ISO_STATE_H
#define ISO_STATE_H

#include <limits.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets `path` to the path of file `name`. make: creates missing folders. False: there is no place for it. */
bool state_place(char path[PATH_MAX], const char *name, bool make);

/* Read and write a file of one word. What cannot be read is ""; what cannot be written is lost. There are no messages,
 * since nobody asked for it. */
void state_read_word(const char *name, char word[32]);
void state_write_word(const char *name, const char *word);

#ifdef __cplusplus
}
#endif
#endif
