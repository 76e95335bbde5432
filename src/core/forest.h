/* Finds which of up to 2^32 - 1 things are connected: a forest over their numbers (union-find), 4 bytes per thing. */
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
    uint64_t joins; /* components = all things ever added - joins */
};

/* Adds unconnected things until there are `count`. Error: ERR_FAILED, for memory or if they exceed 32 bits. */
int forest_grow(struct forest *forest, uint64_t count, struct err *err);

/* Connects two things. */
void forest_join(struct forest *forest, uint32_t a, uint32_t b);

/* Forgets the things before number `from`. The others are renumbered from 0. They stay connected as they were, even if only
 * through forgotten things. So a caller that joins only neighbours in a row needs only a part of the row at a time. If none
 * stays, the memory is freed. */
void forest_keep(struct forest *forest, uint64_t from);

/* Frees the forest; it is then empty. */
void forest_free(struct forest *forest);

#ifdef __cplusplus
}
#endif
#endif
