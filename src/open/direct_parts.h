/* What reading all values (direct.c) and a box of them (direct_box.c) have in common. */
#ifndef ISO_DIRECT_PARTS_H
#define ISO_DIRECT_PARTS_H

#include "direct.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DIRECT_PIECE ((size_t)2 << 20)    /* bytes of values a thread takes at a time: a huge page */
#define DIRECT_AHEAD ((uint64_t)32 << 20) /* bytes that have been asked for */

enum outcome { FINE, CUT_OFF, UNREADABLE, NO_MEMORY, CANCELLED };

/* Reads n bytes at `offset`. */
enum outcome direct_read_at(int fd, uint8_t *to, size_t n, uint64_t offset);

/* Asks the system for bytes that will be read soon. */
void direct_ask(int fd, uint64_t from, uint64_t bytes);

/* How many threads read: more past the page cache, where they wait for the disk, so that it always has something to do. */
int direct_threads(const struct direct *direct);

struct reading_team { /* what threads that read values together know of each other; done and outcome are 0 at first */
    const struct progress *progress;
    uint64_t all, done; /* of whatever they count */
    enum outcome outcome;
};

/* Whether nothing has gone wrong so far. */
bool direct_goes_on(const struct reading_team *team);

/* Takes what became of n more, and tells the progress of it. */
void direct_add(struct reading_team *team, enum outcome outcome, uint64_t n);

/* Sets err to what happened; returns its code. */
int direct_explain(const struct direct *direct, enum outcome outcome, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
