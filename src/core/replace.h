/* A file that takes another's place only when it is whole: a full disk or an interruption never costs the old one. */
#ifndef ISO_REPLACE_H
#define ISO_REPLACE_H

#include "error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct replace {
    FILE *file; /* write here */
    const char *path;
    char target[PATH_MAX];
    char temporary[PATH_MAX]; /* "": it has no name yet, and is gone when the program is */
};

/* Opens a new file beside `path`, which must outlive the struct. A link is written through, not replaced. Error:
 * ERR_FAILED, also where `path` is no regular file. */
int replace_open(struct replace *replace, const char *path, struct err *err);

/* Closes the file, which then takes the place of the old one; written false, or an error: the old one stays. */
int replace_close(struct replace *replace, bool written, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
