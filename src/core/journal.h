/* Journal: a file that only grows, of records that say what was done, each on the disk before anything relies on it. A
 * record that was cut off, by a crash or a full disk, is as if it had not been written. */
#ifndef ISO_JOURNAL_H
#define ISO_JOURNAL_H

#include "error.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct journal_record {
    uint64_t begin, end; /* what it is about; the caller's numbers */
    uint64_t n;          /* bytes */
    const uint8_t *bytes;
};

/* Gets the records of a journal, in their order. An error ends the reading. */
struct journal_take {
    int (*take)(void *context, const struct journal_record *record, struct err *err);
    void *context;
};

struct journal { /* zero is a closed one */
    char path[PATH_MAX];
    int fd;
    uint32_t job;
    uint64_t size;
};

/* Reads the journal `path`; none is like an empty one. job: all records must say the same. Errors: ERR_FAILED, or that of
 * take. */
int journal_read(const char *path, uint32_t job, const struct journal_take *take, struct err *err);

/* The same, and opens it to be continued by this process alone; makes it if there is none. Waits some seconds for a process
 * that has it. Error: nothing is open. */
int journal_open(struct journal *journal, const char *path, uint32_t job, const struct journal_take *take, struct err *err);

/* Adds a record, and waits until it is on the disk. Error: ERR_FAILED. */
int journal_append(struct journal *journal, const struct journal_record *record, struct err *err);

void journal_close(struct journal *journal);

#ifdef __cplusplus
}
#endif
#endif
