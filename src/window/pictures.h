/* Names for new pictures, in the folder where the desktop wants them. */
#ifndef ISO_PICTURES_H
#define ISO_PICTURES_H

#include "setup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds a name that no file has yet for a picture of the volume. It is in the current folder; if that is the user's home,
 * where launchers start programs, it is in the user's folder for pictures. from: how the volume was opened.
 * Error: ERR_FAILED if the picture would be taken for one of the volume's slices. */
int pictures_free_name(char path[512], const struct volume *volume, const struct setup *from, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
