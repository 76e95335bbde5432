/* Reading and writing at a place of a file until all is done: systems may do a part of it, or be interrupted. */
#ifndef ISO_FILE_IO_H
#define ISO_FILE_IO_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads n bytes from byte `at` on. False: errno says why, or is 0 where the file ends before. */
bool file_read_at(int file, void *to, size_t n, uint64_t at);

/* Writes n bytes to byte `at` and behind it. False: errno says why. */
bool file_write_at(int file, const void *bytes, size_t n, uint64_t at);

/* Says that `path` cannot be `what` ("written"), and why, as errno has it. Returns ERR_FAILED. */
int file_refuse(const char *path, const char *what, struct err *err);

/* Waits until a file's bytes, or a folder's names, are on the disk, where the file system has one. False: errno says why. */
bool file_sync(int file);

#ifdef __cplusplus
}
#endif
#endif
