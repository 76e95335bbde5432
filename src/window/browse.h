/* A list of the folders and volumes in a folder, to open one of them. It is for desktops without a dialog for that. */
#ifndef ISO_BROWSE_H
#define ISO_BROWSE_H

#include "folder.h"

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

struct browse {        /* zero: it is closed */
    bool shown, moved; /* moved: the chosen row must be scrolled into view */
    char path[PATH_MAX];
    struct folder folders, files;
    const char *whole; /* what the folder itself is as a volume: slices, DICOM; NULL: none, or not known yet */
    size_t chosen;     /* row: 0 is the folder above, then come folders, then files */
    char find[256];    /* typed so far: the beginning of a name */
    bool missed;       /* no name in the list begins so: it may be the whole name of a file not shown */
};

/* Shows a folder, and chooses its first name. Errors: as folder_list; the folder shown before stays. */
int browse_go(struct browse *browse, const char *path, struct err *err);

/* Shows the folder `name` in the present one. For "..", shows the one above and chooses the one that was left. */
int browse_enter(struct browse *browse, const char *name, struct err *err);

void browse_close(struct browse *browse);

/* The number of rows, including the one for the folder above. browse_name: the name in a row, ".." in that one. */
size_t browse_rows(const struct browse *browse);
const char *browse_name(const struct browse *browse, size_t row, bool *is_folder);

/* Moves the choice by `step` rows. Single steps wrap around at both ends; larger ones stop there. */
void browse_move(struct browse *browse, int step);

/* Takes a typed character, a code point. Chooses the first name that begins with all that was typed, if there is one. */
void browse_type(struct browse *browse, unsigned character);

/* Takes back the last typed character; false: there is none. */
bool browse_erase(struct browse *browse);

#ifdef __cplusplus
}
#endif
#endif
