/* A file of known size that is written in many places at once. It replaces another only once it is complete (replace.h).
 *
 * The file system reserves its blocks before the first byte is written, so a full disk is noticed at the start.
 * The file is written in runs of consecutive bytes. A run writes the whole blocks within it. The bytes at its two ends
 * become pieces (pieces.h), which one process writes after all runs have ended. So no two processes ever write the same
 * block. If several hosts did, a file system could lose the bytes that one of them wrote to it. */
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

/* Like sink_open, for one of several processes that write the file `common` for `path`. If `common` exists, it must have
 * that size. No blocks are reserved: each process reserves those that it will write (sink_reserve). If each reserved all,
 * they would wait for one another. */
int sink_join(struct sink *sink, const char *path, const struct replace_common *common, uint64_t size, struct err *err);

/* Reserves the blocks of bytes begin to end - 1, if the file system supports that. False: errno says why. */
bool sink_reserve(const struct sink *sink, uint64_t begin, uint64_t end);

/* Waits until everything written is on disk. False: errno says why. */
bool sink_sync(const struct sink *sink);

/* Closes a joined file, which the other processes continue to write. */
void sink_leave(struct sink *sink);

/* Writes n bytes at `at`. False: errno says why. */
bool sink_write(const struct sink *sink, uint64_t at, const void *bytes, size_t n);

/* Completes the file: waits until it is on disk and replaces the old one. On error the old file stays, and the new one is
 * removed, unless it was joined. If only the folder could not be synchronised, the new file is in place, as with
 * replace_close. */
int sink_close(struct sink *sink, struct err *err);

/* Closes it as after such an error. errno gives the reason, if it is not 0. Returns ERR_FAILED. */
int sink_abandon(struct sink *sink, struct err *err);

struct sink_run { /* zero is a closed one */
    const struct sink *sink;
    uint64_t at;            /* of the next byte */
    uint64_t own, end, all; /* begin and end of its whole blocks, end of the run */
    struct pieces *pieces;
    uint8_t *block; /* SINK_BLOCK bytes, owned: bytes not written yet */
    size_t held;
};

/* Opens the run of bytes begin to end - 1. The bytes from `at` on will be added. False: no memory. */
bool sink_run_open(struct sink_run *run, const struct sink *sink, uint64_t begin, uint64_t at, uint64_t end,
                   struct pieces *pieces);

/* Appends n bytes. False: errno says why. */
bool sink_run_add(struct sink_run *run, const void *bytes, size_t n);

/* Writes the bytes that are held; more may be added afterwards. False: errno says why. */
bool sink_run_flush(struct sink_run *run);

/* Frees a run, also one that was never opened. */
void sink_run_close(struct sink_run *run);

#ifdef __cplusplus
}
#endif
#endif
