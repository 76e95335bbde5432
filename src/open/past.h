/* Reading a file past the page cache (O_DIRECT). A disk may be read faster than the system finds memory for its pages, and
 * nothing else has to leave that memory; the next reading comes from the disk again. */
#ifndef ISO_PAST_H
#define ISO_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAST_ALIGN ((size_t)4096) /* of what is read: a multiple of any disk's blocks */

/* Opens an open file once more; returns its descriptor, to be closed, or -1: the system cannot read it so, or would not say
 * what of it is in memory. */
int past_open(int fd);

/* Whether n bytes at `offset` are all in memory. */
bool past_is_cached(int past, uint64_t offset, size_t n);

/* Bytes of memory, aligned to PAST_ALIGN, that n bytes are read by way of. */
size_t past_room(size_t n);

/* Reads n bytes at `offset` into such memory, `block`; returns where they are in it. NULL: they have to be read as
 * usual. */
void *past_read(int past, size_t n, uint64_t offset, void *block);

#ifdef __cplusplus
}
#endif
#endif
