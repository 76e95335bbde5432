/* Bytes to read, from a file or from memory: what every file parser takes, so that each can be fed truncated and
 * hostile bytes without touching a disk. */
#ifndef ISO_SOURCE_H
#define ISO_SOURCE_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct source {
    const uint8_t *memory; /* NULL: a file */
    FILE *file;
    uint64_t size;   /* bytes in all */
    uint64_t at;     /* bytes read or skipped so far */
    char path[4096]; /* for messages, and to find detached data beside it; "" or a made-up name for memory */
};

/* Opens a regular file. Errors (ERR_INPUT): missing, a directory, a device or FIFO, not readable; each says so. */
int source_open(struct source *source, const char *path, struct err *err);
void source_memory(struct source *source, const void *bytes, size_t size, const char *path);
void source_close(struct source *source);

/* Reads up to n bytes, returns how many there were. */
size_t source_read(struct source *source, void *to, size_t n);

/* Moves to an absolute position; false if that is past the end. */
bool source_seek(struct source *source, uint64_t at);

/* The file's name without its folders, for messages; "the data" if it has none. */
const char *source_name(const struct source *source);

#ifdef __cplusplus
}
#endif
#endif
