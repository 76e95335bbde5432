/* The files of a folder, in the order in which people count: 2 before 10. */
#ifndef ISO_FOLDER_H
#define ISO_FOLDER_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct folder {   /* zero means empty */
    char **names; /* owned */
    size_t count;
};

/* Lists the files in `path` whose names `take` accepts. Only files and links are listed, and no hidden ones. Errors:
 * ERR_INPUT if the folder cannot be read, ERR_FAILED; the list is then empty. */
int folder_list(struct folder *folder, const char *path, bool (*take)(const char *name), struct err *err);
void folder_free(struct folder *folder);

/* Lists the folders in `path` in the same way, without hidden ones. */
int folder_list_folders(struct folder *folder, const char *path, struct err *err);

/* Whether the file `path` lies in the folder or below, after links are followed. The file need not exist. */
bool folder_is_above(const char *folder, const char *path);

/* Compares two names as strcmp does, except that runs of digits are compared by value. */
int folder_compare(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
