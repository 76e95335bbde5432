/* The words that an option or a command takes, for completion. Most come from the tables that the program itself uses. */
#ifndef ISO_CHOICES_H
#define ISO_CHOICES_H

#ifdef __cplusplus
extern "C" {
#endif

enum { CHOICES_TEXT = 4096 };

/* Writes the words that `name` takes, with spaces between them. name: an option without its dashes, or the OP or NAME
 * of a command. Writes "" if it takes any word. Returns `text`. */
const char *choices_of(const char *name, char text[CHOICES_TEXT]);

/* Writes the names of the op's rungs on all backends, also of rungs that this build lacks. Returns `text`. */
const char *choices_of_rungs(const char *op, char text[CHOICES_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
