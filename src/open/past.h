/* Reads a file past the page cache (O_DIRECT). A disk may deliver faster than the system finds memory for its pages.
 * Nothing else is pushed out of that memory either, but the next read comes from the disk again. */
#ifndef ISO_PAST_H
#define ISO_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAST_ALIGN ((size_t)4096) /* alignment of reads: a multiple of any disk's block size */

/* A file that is read in this way. Several threads may share one. */
struct past {
    int fd;
    uint64_t least;     /* bytes per second that the disk must deliver: what a slow one delivers is worth caching */
    uint64_t bytes, ns; /* noted so far, and the time that reading them took */
};

#define PAST_FAST ((uint64_t)1000000000) /* for `least`: reading again takes little longer than from the cache */

/* Opens an open file once more. False, and nothing to close: the system cannot read the file in this way, or cannot say
 * which parts of it are in memory. least: bytes per second; 0: any disk is fast. */
bool past_open(struct past *past, int fd, uint64_t least);
void past_close(struct past *past);

/* Whether the disk is fast; true until 32 MiB are noted. */
bool past_is_fast(const struct past *past);
void past_note(struct past *past, uint64_t bytes, double ms);

/* Whether n bytes at `offset` are all in memory. */
bool past_is_cached(const struct past *past, uint64_t offset, size_t n);

/* Bytes of buffer, aligned to PAST_ALIGN, that reading n bytes takes. */
size_t past_room(size_t n);

/* Reads n bytes at `offset` into such a buffer, `block`. Returns where they begin in it. NULL: read them as usual. */
void *past_read(const struct past *past, size_t n, uint64_t offset, void *block);

#ifdef __cplusplus
}
#endif
#endif
