/* Leftovers: files without their final names, or of a surface that is not complete, folders for the time of a run, and
 * programs at work, which a signal that ends this one (INT, TERM, HUP) takes along. */
#ifndef ISO_LEFTOVER_H
#define ISO_LEFTOVER_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Notes a file, or a folder, that is to go: a folder if nothing else is in it. Without memory it stays. Signals that are
 * ignored, or that something else handles, are left alone. */
void leftover_add(const char *path);

/* Notes a folder that is to go with all that is in it, and in the folders in it, which hold files alone. */
void leftover_add_folder(const char *path);

/* Forgets it, and what lies in it: it has its name, or is gone. */
void leftover_drop(const char *path);

/* Notes a program, the first of its own process group, which is to be killed as a whole, before files are removed; and
 * forgets it: it has ended, but was not waited for, so that its number is no other's. A few at a time; one more is left to
 * itself. */
void leftover_add_program(pid_t group);
void leftover_drop_program(pid_t group);

#ifdef __cplusplus
}
#endif
#endif
