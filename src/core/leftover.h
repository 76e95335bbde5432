/* Leftovers are what must go if a signal (INT, TERM, HUP) ends this program: files without their final names or of an
 * incomplete surface, temporary folders, and running child programs. */
#ifndef ISO_LEFTOVER_H
#define ISO_LEFTOVER_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Call leftover_hold before making what will be registered, and leftover_release in the same thread once it is. In
 * between, signals wait (at most a second), so that their handler knows everything that was made. Calls may be nested.
 * errno stays as it is. */
void leftover_hold(void);
void leftover_release(void);

/* Registers a file or folder for removal. A folder is removed only if nothing else is in it. Without memory to register it,
 * it stays. Signals that are ignored, or that something else handles, are left alone. */
void leftover_add(const char *path);

/* Registers a folder for removal with all its content. Its subfolders may contain only files. */
void leftover_add_folder(const char *path);

/* Unregisters a path and everything in it, because it has its final name or is gone. */
void leftover_drop(const char *path);

/* Register and unregister a program that leads its own process group. The whole group is killed before files are removed.
 * Unregister it when it has ended but before waiting for it, so that its number cannot be another process's. Only a few are
 * registered at a time; further ones are ignored. */
void leftover_add_program(pid_t group);
void leftover_drop_program(pid_t group);

#ifdef __cplusplus
}
#endif
#endif
