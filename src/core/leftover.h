/* Leftovers: files without their final names, which a signal that ends the program (INT, TERM, HUP) takes along. */
#ifndef ISO_LEFTOVER_H
#define ISO_LEFTOVER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Notes a file that is to go. Of more than 16 at a time, the rest stay. Signals that are ignored, or that something else
 * handles, are left alone. */
void leftover_add(const char *path);

/* Forgets it: it has its name, or is gone. */
void leftover_drop(const char *path);

#ifdef __cplusplus
}
#endif
#endif
