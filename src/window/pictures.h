/* Where the desktop wants pictures. */
#ifndef ISO_PICTURES_H
#define ISO_PICTURES_H

#include "setup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gives the name of a file that is not there yet for a picture of the volume, which was opened as `from` says: in the
 * current folder, or in the one for pictures where the current one is the user's home, in which launchers start programs.
 * Error: ERR_FAILED if the picture would be taken for one of the volume's slices. */
int pictures_free_name(char path[512], const struct volume *volume, const struct setup *from, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
