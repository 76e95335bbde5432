/* A list of the folders and volumes of a folder, to open one: where the desktop has no dialog for that. */
#ifndef ISO_BROWSE_H
#define ISO_BROWSE_H

#include "folder.h"

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

struct browse {        /* zero: it is closed */
    bool shown, moved; /* moved: the chosen row is to be scrolled into sight */
    char path[PATH_MAX];
    struct folder folders, files;
    const char *whole; /* what this folder is if it is opened itself: slices, DICOM; NULL: no volume */
    size_t chosen;     /* row: 0 is the folder above, then come folders, then files */
    char find[256];    /* how the chosen name begins, as typed so far; */
    bool missed;       /* none does: it is the whole name of what the list does not show, or of nothing */
};

/* Shows a folder, and chooses its first name. Errors: as folder_list; the one shown before stays. */
int browse_go(struct browse *browse, const char *path, struct err *err);

/* Shows the folder `name` of the present one, or the one above for "..", where the one that was left is chosen. */
int browse_enter(struct browse *browse, const char *name, struct err *err);

void browse_close(struct browse *browse);

/* Rows, the folder above with them; the name in one, "..", and whether that is a folder. */
size_t browse_rows(const struct browse *browse);
const char *browse_name(const struct browse *browse, size_t row, bool *is_folder);

/* Chooses the row that is `step` further: from the last on to the first and back by single steps, larger ones stop
 * there. */
void browse_move(struct browse *browse, int step);

/* A typed character, as a code point: chooses the first name that begins with all that was typed, if there is one. */
void browse_type(struct browse *browse, unsigned character);

/* Takes back the last typed character; false: there is none. */
bool browse_erase(struct browse *browse);

#ifdef __cplusplus
}
#endif
#endif
