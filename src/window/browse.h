/* A list of the folders and volumes of a folder, to open one: where the desktop has no dialog for that. */
#ifndef ISO_BROWSE_H
#define ISO_BROWSE_H

#include "folder.h"

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

struct browse {        /* zero: it is closed */
    bool shown, fresh; /* fresh: the list is to be scrolled to its beginning */
    char path[PATH_MAX];
    struct folder folders, files;
};

/* Shows a folder. Errors: as folder_list; the one shown before stays. */
int browse_go(struct browse *browse, const char *path, struct err *err);

/* Shows the folder `name` of the present one, or the one above for "..". */
int browse_enter(struct browse *browse, const char *name, struct err *err);

void browse_close(struct browse *browse);

#ifdef __cplusplus
}
#endif
#endif
