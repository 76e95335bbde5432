/* Where the desktop wants pictures. */
#ifndef ISO_PICTURES_H
#define ISO_PICTURES_H

#include <limits.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets `folder` to the user's folder for pictures, an absolute path, as user-dirs.dirs names it (xdg-user-dirs of freedesktop.org).
 * False: the file names none, or one that does not exist or cannot be written, or the home folder itself. */
bool pictures_folder(char folder[PATH_MAX]);

/* Gives the name of a file that is not there yet for a picture of the volume `name`: in the current folder, or in the one for
 * pictures where the current one is the user's home, in which launchers start programs. */
void pictures_free_name(char path[512], const char *name);

#ifdef __cplusplus
}
#endif
#endif
