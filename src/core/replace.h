/* A file that replaces another only once it is complete. A full disk or an interruption never destroys the old one. */
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
    char target[PATH_MAX];    /* `path` with its links followed */
    char temporary[PATH_MAX]; /* "": it has no name yet, and vanishes when the program ends */
    bool joined;              /* other processes write it, too, so it is kept on errors */
};

/* Sets `target` to `path` with its symbolic links followed. The target need not exist. False: errno says why. */
bool replace_target(char target[PATH_MAX], const char *path);

/* Makes up a name beside `target` for what will replace it, cut where the system takes no longer one. The caller must create
 * it exclusively, because another process may choose the same name; if that one exists, attempt + 1 gives another. False:
 * errno says why. */
bool replace_name(char name[PATH_MAX], const char *target, int attempt);

/* Creates a new file in the folder of `path`, which must outlive the struct. Symbolic links are followed, even to a file
 * that does not exist yet. Error: ERR_FAILED, also if `path` is read-only or not a regular file. */
int replace_open(struct replace *replace, const char *path, struct err *err);

struct replace_common { /* a file that several processes write, until it is complete */
    const char *name;   /* in the folder of the final path, or below */
    bool exists;        /* it must exist; else it is created if needed */
};

/* Like replace_open, for one of several processes that write one file. Error: ERR_FAILED. */
int replace_join(struct replace *replace, const char *path, const struct replace_common *common, struct err *err);

/* Waits until everything written is on disk. False: errno says why. */
bool replace_sync(const struct replace *replace);

/* Closes a joined file, which the other processes continue to write. */
void replace_leave(struct replace *replace);

/* Closes the file, waits until it is on disk, and replaces the old file. If `written` is false, or on ERR_FAILED, the old
 * file stays. One exception: if only the folder could not be synchronised, as the message then says, the new file is
 * already in place. */
int replace_close(struct replace *replace, bool written, struct err *err);

/* Closes the file; the old one stays. The new one is removed, unless it was joined. Returns ERR_FAILED, with the reason
 * that errno had. */
int replace_abandon(struct replace *replace, struct err *err);

/* Waits until the names in the folder of `target` are on disk. Error: ERR_FAILED; it says that `path` is written, but that
 * its folder may not be. */
int replace_sync_folder(const char *target, const char *path, struct err *err);

/* Checks in advance for the errors of replace_open: no such folder, no permission to write in it, a read-only file or a
 * folder of that name. Writes nothing. Error: ERR_FAILED. */
int replace_check(const char *path, struct err *err);

/* Whether both paths name the same file, by whatever name or link. If it exists, device and inode tell; else both must lead
 * to the same name in the same folder. */
bool replace_is_same(const char *path, const char *other);

#ifdef __cplusplus
}
#endif
#endif
