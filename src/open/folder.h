/* The files of a folder, in the order that people count: 2 before 10. */
#ifndef ISO_FOLDER_H
#define ISO_FOLDER_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct folder {   /* zero is an empty one */
    char **names; /* owned */
    size_t count;
};

/* Lists the files in `path` whose names `take` accepts, without hidden ones; what is neither a file nor a link is left out.
 * Errors: ERR_INPUT for a folder that cannot be read, ERR_FAILED; the list is then empty. */
int folder_list(struct folder *folder, const char *path, bool (*take)(const char *name), struct err *err);
void folder_free(struct folder *folder);

/* Lists the folders in `path`, without hidden ones, in the same way. */
int folder_list_folders(struct folder *folder, const char *path, struct err *err);

/* Whether the file `path`, which need not exist, lies in the folder or below, with links followed. */
bool folder_is_above(const char *folder, const char *path);

/* Orders two names as strcmp does, but runs of digits by their value. */
int folder_compare(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
