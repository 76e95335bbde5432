/* Which of up to 2^32 - 1 things are connected: a forest over their numbers (union-find). 4 bytes each. */
#ifndef ISO_FOREST_H
#define ISO_FOREST_H

#include "error.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct forest { /* zero is an empty one */
    uint32_t *parent;
    uint64_t count, capacity;
    uint64_t joins; /* components: all things that ever were, less these */
};

/* Adds things, each alone, until there are `count`. Error: ERR_FAILED, for memory or past 32 bits. */
int forest_grow(struct forest *forest, uint64_t count, struct err *err);

/* Connects two things. */
void forest_join(struct forest *forest, uint32_t a, uint32_t b);

/* Forgets the things before number `from`. Those that stay are numbered from 0 on, and connected as they were, also where
 * by things that are forgotten: who joins only neighbours in a row needs a part of the row at a time. Where none stays,
 * memory is given back. */
void forest_keep(struct forest *forest, uint64_t from);

/* Frees the forest, which is then empty. */
void forest_free(struct forest *forest);

#ifdef __cplusplus
}
#endif
#endif
