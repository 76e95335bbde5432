/* Reads and writes at a position of a file, and repeats until all is done: a system call may do only a part, or be
 * interrupted. */
#ifndef ISO_FILE_IO_H
#define ISO_FILE_IO_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads n bytes from byte `at` on. False: errno says why; it is 0 if the file ends too early. */
bool file_read_at(int file, void *to, size_t n, uint64_t at);

/* Writes n bytes from byte `at` on. False: errno says why. */
bool file_write_at(int file, const void *bytes, size_t n, uint64_t at);

enum { FILE_WHERE = 4096 };

/* Returns a path that tells a person where the file is: `path` itself if it is absolute, else with the current folder
 * before it, in `where`. */
const char *file_where(const char *path, char where[FILE_WHERE]);

/* Sets the error that `path` cannot be `what` ("written"), with the reason from errno. Returns ERR_FAILED. */
int file_refuse(const char *path, const char *what, struct err *err);

/* Waits until a file's bytes, or a folder's names, are on disk, if the file system has one. False: errno says why. */
bool file_sync(int file);

#ifdef __cplusplus
}
#endif
#endif
