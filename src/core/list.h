/* Lists that grow one row at a time. */
#ifndef ISO_LIST_H
#define ISO_LIST_H

#include <stddef.h>
#include <stdlib.h>

/* Returns `list`, which has `count` rows of `bytes` and was grown only by this function, with room for one more. Its room
 * doubles when the count is a power of two. NULL: there is no memory, and the list is as it was. */
static inline void *list_grown(void *list, size_t count, size_t bytes)
{
    return count & (count - 1) ? list : realloc(list, (count ? 2 * count : 1) * bytes);
}

#endif
