/* Where the desktop wants pictures. */
#ifndef ISO_PICTURES_H
#define ISO_PICTURES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Gives the name of a file that is not there yet for a picture of the volume `name`: in the current folder, or in the one
 * for pictures where the current one is the user's home, in which launchers start programs. */
void pictures_free_name(char path[512], const char *name);

#ifdef __cplusplus
}
#endif
#endif
