/* The ledger is the folder OUT.parts beside a file that several processes make. A process that is killed and restarted
 * continues where its records end.
 *
 *    job        text: what is made, from what, by which program, a line each. Another command is refused
 *    count.K    the journal (journal.h) of part K, from 1: what its layers of bricks own
 *    write.K    another: the layers that are in the file, and what the finisher must write for them (pieces.h)
 *    surface    the file, until it gets its name
 *    finish     a journal: which file got the name; after that only the folder is left to remove */
#ifndef ISO_LEDGER_H
#define ISO_LEDGER_H

#include "journal.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LEDGER_JOB = 4096 }; /* bytes of the job's text, at most */

struct ledger { /* zero is a closed one */
    char folder[PATH_MAX], target[PATH_MAX];
    uint32_t job; /* the job's number */
};

/* Returns the number of a job: the CRC of its text. */
uint32_t ledger_number(const char *job);

/* Opens the ledger of the output `path`. Creates it if needed, unless `exists` says that it must be there. job: less than
 * LEDGER_JOB bytes. Errors: ERR_USAGE if it belongs to another job, with the difference; ERR_FAILED. */
int ledger_open(struct ledger *ledger, const char *path, const char *job, bool exists, struct err *err);

/* Writes the path of a file of the ledger to `to`; part: from 0, or -1. Returns `to`. */
const char *ledger_path(char to[PATH_MAX], const struct ledger *ledger, const char *name, long part);

/* Records that `surface` is complete and on disk, and is about to get its name. totals: what it contains. Error:
 * ERR_FAILED. */
int ledger_note_finish(const struct ledger *ledger, const uint64_t totals[3], struct err *err);

/* Sets *is to whether `surface` has got its name, and if so sets totals. Error: ERR_FAILED. */
int ledger_is_finished(const struct ledger *ledger, bool *is, uint64_t totals[3], struct err *err);

/* Removes the ledger. Another process may be removing it, too. Error: ERR_FAILED. */
int ledger_remove(const struct ledger *ledger, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
