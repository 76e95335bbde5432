/* What reading all values (direct.c) and reading a box of them (direct_box.c) share. */
#ifndef ISO_DIRECT_PARTS_H
#define ISO_DIRECT_PARTS_H

#include "direct.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DIRECT_PIECE ((size_t)2 << 20)    /* bytes of values that a thread takes at a time: one huge page */
#define DIRECT_AHEAD ((uint64_t)32 << 20) /* bytes to ask the system for in advance */

enum outcome { FINE, CUT_OFF, UNREADABLE, NO_MEMORY, CANCELLED };

/* Reads n bytes at `offset`. */
enum outcome direct_read_at(int fd, uint8_t *to, size_t n, uint64_t offset);

/* Asks the system to read bytes that will be needed soon. */
void direct_ask(int fd, uint64_t from, uint64_t bytes);

/* How many threads read. Past the page cache there are more, because they wait for the disk and it must never run out of
 * requests. */
int direct_threads(const struct direct *direct);

struct reading_team { /* shared state of threads that read values together; done and outcome start as 0 */
    const struct progress *progress;
    uint64_t all, done; /* in whatever units the readers count */
    enum outcome outcome;
};

/* Whether no error has occurred so far. */
bool direct_goes_on(const struct reading_team *team);

/* Adds n more with their outcome, and reports progress. */
void direct_add(struct reading_team *team, enum outcome outcome, uint64_t n);

/* Sets err according to `outcome` and returns its code. */
int direct_explain(const struct direct *direct, enum outcome outcome, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
