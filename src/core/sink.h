/* A file of known size that is written in many places at once, and replaces another only when it is complete (replace.h).
 *
 * Its blocks are given to it by the file system before a byte is written: a full disk is known then, not at the end.
 * Writing is by runs: bytes that follow one another. A run writes whole blocks, which are its own; what lies at its two
 * ends it adds to pieces (pieces.h), which are written by one process when all runs have ended. So no block is ever written
 * by two processes, however many write the file: where several hosts do, a file system may lose one's bytes of a block that
 * another changes. */
#ifndef ISO_SINK_H
#define ISO_SINK_H

#include "pieces.h"
#include "replace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SINK_BLOCK ((size_t)64 << 10)

struct sink {
    struct replace replace;
    uint64_t size;
};

/* Creates a file of `size` bytes beside `path`, which must outlive the sink. Error: ERR_FAILED, and there is nothing to
 * close. */
int sink_open(struct sink *sink, const char *path, uint64_t size, struct err *err);

/* The same for one of several processes that write the file `common` for `path`; if that exists, it must have its size. No
 * blocks are taken: each takes those that it will write (sink_reserve). If every process took all, they would wait for one
 * another. */
int sink_join(struct sink *sink, const char *path, const struct replace_common *common, uint64_t size, struct err *err);

/* Takes the blocks of bytes begin to end - 1, where the file system can promise any. False: errno says why. */
bool sink_reserve(const struct sink *sink, uint64_t begin, uint64_t end);

/* Waits until all that was written is on the disk. False: errno says why. */
bool sink_sync(const struct sink *sink);

/* Leaves a file that was joined to the others. */
void sink_leave(struct sink *sink);

/* Writes n bytes at `at`. False: errno says why. */
bool sink_write(const struct sink *sink, uint64_t at, const void *bytes, size_t n);

/* Ends the file: on the disk, and in the place of the old one. On an error the old one stays, and nothing is left of the
 * new, unless it was joined. If only the folder could not be synchronised, the new one is in its place, as with
 * replace_close. */
int sink_close(struct sink *sink, struct err *err);

/* Ends it as if that had failed: errno says why, if it is not 0. Returns ERR_FAILED. */
int sink_abandon(struct sink *sink, struct err *err);

struct sink_run { /* zero is a closed one */
    const struct sink *sink;
    uint64_t at;            /* of the next byte */
    uint64_t own, end, all; /* its blocks, their end, and that of the run */
    struct pieces *pieces;
    uint8_t *block; /* SINK_BLOCK bytes, owned: what is not written yet */
    size_t held;
};

/* Opens the run of bytes begin to end - 1, of which those from `at` on will be added. False: no memory. */
bool sink_run_open(struct sink_run *run, const struct sink *sink, uint64_t begin, uint64_t at, uint64_t end,
                   struct pieces *pieces);

/* Appends n bytes. False: errno says why. */
bool sink_run_add(struct sink_run *run, const void *bytes, size_t n);

/* Writes what is held; more may be added. False: errno says why. */
bool sink_run_flush(struct sink_run *run);

/* Frees a run, also one that was never opened. */
void sink_run_close(struct sink_run *run);

#ifdef __cplusplus
}
#endif
#endif
