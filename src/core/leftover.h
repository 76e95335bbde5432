/* Leftovers: files without their final names, or of a surface that is not complete, which a signal that ends the program
 * (INT, TERM, HUP) takes along. */
#ifndef ISO_LEFTOVER_H
#define ISO_LEFTOVER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Notes a file, or a folder, that is to go: a folder if nothing else is in it. Without memory it stays. Signals that are
 * ignored, or that something else handles, are left alone. */
void leftover_add(const char *path);

/* Forgets it, and what lies in it: it has its name, or is gone. */
void leftover_drop(const char *path);

#ifdef __cplusplus
}
#endif
#endif
