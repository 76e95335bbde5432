/* Ledger: the folder OUT.parts beside a file that several processes make. Whoever is killed goes on where its records end.
 *
 *    job        what is made, of what, by which program: text, a line for each. Other commands are refused by it
 *    count.K    the journal (journal.h) of part K, from 1: what layers of bricks own
 *    write.K    the same: which layers are in the file, and what the finisher has to write for them (pieces.h)
 *    surface    the file, until it gets its name
 *    finish     a journal: which file got it; the folder is then only to be removed */
#ifndef ISO_LEDGER_H
#define ISO_LEDGER_H

#include "journal.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LEDGER_JOB = 4096 }; /* bytes of its text, at most */

struct ledger { /* zero is a closed one */
    char folder[PATH_MAX], target[PATH_MAX];
    uint32_t job; /* its number */
};

/* The number of a job: the CRC of its text. */
uint32_t ledger_number(const char *job);

/* Opens the ledger of the output `path`; makes it unless `exists` says that it must be there. job: less than LEDGER_JOB
 * bytes. Errors: ERR_USAGE with what differs, if it is another's; ERR_FAILED. */
int ledger_open(struct ledger *ledger, const char *path, const char *job, bool exists, struct err *err);

/* Writes the path of a file of the ledger to `to`; part: from 0, or -1. Returns `to`. */
const char *ledger_path(char to[PATH_MAX], const struct ledger *ledger, const char *name, long part);

/* Notes that `surface`, complete and on the disk, is about to get its name. totals: of what it holds. Error: ERR_FAILED. */
int ledger_note_finish(const struct ledger *ledger, const uint64_t totals[3], struct err *err);

/* Whether it has got it. *is sets totals. Error: ERR_FAILED. */
int ledger_is_finished(const struct ledger *ledger, bool *is, uint64_t totals[3], struct err *err);

/* Removes it, or what another process that removes it has left. Error: ERR_FAILED. */
int ledger_remove(const struct ledger *ledger, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
