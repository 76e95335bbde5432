/* The names of the arrays in a file that has several: for messages, and for the note that says which one was read. */
#ifndef ISO_ARRAYS_H
#define ISO_ARRAYS_H

#include "error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct array_list {
    size_t count;
    char names[160]; /* "'p', 'T', ...": as many as fit */
};

/* Adds a name to a list, which starts as zeros. */
void arrays_add(struct array_list *list, const char *name);

/* Adds to `note` which of several arrays was read. Does nothing if there is only one. */
void arrays_note(const struct array_list *list, const char *chosen, char note[256]);

/* Refuses `wanted`, which is not in the list. Returns ERR_USAGE. */
int arrays_refuse(const struct array_list *list, const char *file, const char *wanted, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
