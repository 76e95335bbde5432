/* Reading a file past the page cache (O_DIRECT). A disk may be read faster than the system finds memory for its pages, and nothing
 * else has to leave that memory; the next reading comes from the disk again. */
#ifndef ISO_PAST_H
#define ISO_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAST_ALIGN ((size_t)4096) /* of what is read: a multiple of any disk's blocks */

/* Opens an open file once more; returns its descriptor, to be closed, or -1: the system cannot read it so. */
int past_open(int fd);

/* Whether n bytes at `offset` are all in memory, as far as the system tells: of a file that the user may not write, it says yes. */
bool past_is_cached(int past, uint64_t offset, size_t n);

/* Reads n bytes at `offset` by way of `block`, aligned memory of n + 2 PAST_ALIGN bytes. False: they have to be read as usual. */
bool past_read(int past, void *to, size_t n, uint64_t offset, void *block);

#ifdef __cplusplus
}
#endif
#endif
