/* Bytes to read, from a file or from memory. Every file parser takes a source, so it can be tested with truncated and
 * hostile bytes without a disk. */
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
    uint64_t size;   /* bytes */
    bool partial;    /* the beginning of compressed data whose total size is unknown */
    bool folder;     /* `path` is a folder with files; nothing to read here */
    uint64_t at;     /* position of the next byte to read */
    char path[4096]; /* for messages, and to find detached data; for memory "" or any name */
};

/* Opens the regular file `path`. Errors: ERR_INPUT if it is missing, unreadable, a folder, a device or a FIFO; ERR_FAILED
 * for memory. */
int source_open(struct source *source, const char *path, struct err *err);

/* Makes a source of the folder `path`, following links. *is: whether it is a folder. Errors: ERR_INPUT. */
int source_open_folder(struct source *source, const char *path, bool *is, struct err *err);

/* Makes a source of `size` bytes, which must outlive it. */
void source_memory(struct source *source, const void *bytes, size_t size, const char *path);

/* Closes the file. */
void source_close(struct source *source);

/* Reads up to `n` bytes to `to` and returns how many. */
size_t source_read(struct source *source, void *to, size_t n);

/* Moves to byte `at`. False: it is past the end. */
bool source_seek(struct source *source, uint64_t at);

/* Returns the file's name without folders, for messages; "/" for the root, "the data" if there is no name. */
const char *source_name(const struct source *source);

#ifdef __cplusplus
}
#endif
#endif
