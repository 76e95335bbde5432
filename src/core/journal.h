/* A journal is a file that only grows. Its records say what was done, and each is on disk before anything relies on it. A
 * record that was cut off by a crash or a full disk counts as not written. */
#ifndef ISO_JOURNAL_H
#define ISO_JOURNAL_H

#include "error.h"

#include <limits.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct journal_record {
    uint64_t begin, end; /* the caller's numbers: what the record is about */
    uint64_t n;          /* bytes */
    const uint8_t *bytes;
};

/* Receives the records of a journal, in order. An error ends the reading. */
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

/* Reads the journal `path`. If there is none, it counts as empty. All records must have the number `job`. Errors:
 * ERR_FAILED, or the one that `take` returned. */
int journal_read(const char *path, uint32_t job, const struct journal_take *take, struct err *err);

/* The same, and opens the journal for appending by this process alone. Creates it if there is none. Waits some seconds if
 * another process has it open. After an error nothing is open. */
int journal_open(struct journal *journal, const char *path, uint32_t job, const struct journal_take *take, struct err *err);

/* Appends a record and waits until it is on disk. Error: ERR_FAILED. */
int journal_append(struct journal *journal, const struct journal_record *record, struct err *err);

void journal_close(struct journal *journal);

#ifdef __cplusplus
}
#endif
#endif
