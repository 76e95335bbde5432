/* Reading and writing at a place of a file until all is done: systems may do a part of it, or be interrupted. */
#ifndef ISO_FILE_IO_H
#define ISO_FILE_IO_H

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

#ifdef __cplusplus
}
#endif
#endif
