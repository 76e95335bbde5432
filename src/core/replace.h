/* A file that replaces another only when it is complete: a full disk or an interruption never costs the old one. */
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
    char temporary[PATH_MAX]; /* "": it has no name yet, and vanishes with the program */
    bool joined;              /* other processes write it, too: it stays where it is if something goes wrong */
};

/* Sets `target` to what `path` names at the end of its links, which need not exist. False: errno says why. */
bool replace_target(char target[PATH_MAX], const char *path);

/* Creates a new file in the folder of `path`, which must outlive the struct. A symbolic link is written through, also one
 * that points nowhere yet. Error: ERR_FAILED, also if `path` is read-only or not a regular file. */
int replace_open(struct replace *replace, const char *path, struct err *err);

struct replace_common { /* a file that several processes write, until it is complete */
    const char *name;   /* in the folder of the path that it is for, or below */
    bool exists;        /* it must be there; else it is made where it is not */
};

/* The same for one of several processes that write one file. Error: ERR_FAILED. */
int replace_join(struct replace *replace, const char *path, const struct replace_common *common, struct err *err);

/* Waits until all that was written is on the disk. False: errno says why. */
bool replace_sync(const struct replace *replace);

/* Closes a file that was joined, and leaves it to the others. */
void replace_leave(struct replace *replace);

/* Closes the file, waits until it is on the disk, and puts it in the place of the old one. written false, or ERR_FAILED:
 * the old one stays; but if the folder could not be synchronised, which the message says, the new one is in its place
 * already. */
int replace_close(struct replace *replace, bool written, struct err *err);

/* Closes the file without that: the old one stays, and nothing of the new, unless it was joined. Returns ERR_FAILED: errno
 * said why. */
int replace_abandon(struct replace *replace, struct err *err);

/* Waits until the names in the folder of `target` are on the disk. Error: ERR_FAILED, that `path` is written, but its folder
 * may not be. */
int replace_sync_folder(const char *target, const char *path, struct err *err);

/* Finds early what replace_open would find: no such folder, no right to write in it, a read-only file or a folder of that
 * name. Writes nothing. Error: ERR_FAILED. */
int replace_check(const char *path, struct err *err);

/* Whether both paths name the same file by any name or link: one that exists (device and inode), or one of that name in that
 * folder that both would make. */
bool replace_is_same(const char *path, const char *other);

#ifdef __cplusplus
}
#endif
#endif
