/* Numbered pictures: their names, and the command that makes a film of them. */
#ifndef ISO_FILM_H
#define ISO_FILM_H

#include "error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FILM_MOST = 100000 }; /* pictures */

/* Checks that the name has one place for a number, like %d or %04d. Error: ERR_USAGE. */
int film_check(const char *name, struct err *err);

/* Writes the name of picture `number`, cut off if it does not fit. `name` must have passed film_check(). */
void film_name(char *to, size_t size, const char *name, size_t number);

/* Prints the command that makes a film of the pictures. */
void film_say(const char *name);

#ifdef __cplusplus
}
#endif
#endif
