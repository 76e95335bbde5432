/* A file that may change while it is in use. */
#ifndef ISO_WATCHED_H
#define ISO_WATCHED_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct watched { /* zero: never looked at */
    uint64_t bytes;
    struct timespec modified;
};

/* Notes size and time of the file `path`, and whether they have changed. False: it does not exist, as for a moment while a
 * program saves it; nothing is set then. */
bool watched_look(struct watched *watched, const char *path, bool *changed);

#ifdef __cplusplus
}
#endif
#endif
