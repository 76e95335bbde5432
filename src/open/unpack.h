/* Unpacking: uncompresses the bytes of one part of a layout while they are read. */
#ifndef ISO_UNPACK_H
#define ISO_UNPACK_H

#include "layout.h"

#ifdef __cplusplus
extern "C" {
#endif

struct unpack {
    struct source *source; /* at the part's next byte */
    uint64_t left;         /* bytes of the part after that */
    enum compression compression;
    bool ended;      /* the compressed data is complete, and its checksum was correct */
    void *state;     /* the library's */
    uint8_t *input;  /* compressed bytes; owned */
    size_t from, to; /* range of input bytes not yet used */
};

/* Starts at the position of `source`, which must outlive `unpack`, and ends `bytes` later. Error: ERR_FAILED. */
int unpack_open(struct unpack *unpack, struct source *source, uint64_t bytes, enum compression compression,
                struct err *err);
void unpack_close(struct unpack *unpack);

/* Reads `n` bytes, fewer only at the end; sets *got to their number. Errors: ERR_INPUT if the data is broken,
 * ERR_FAILED. */
int unpack_read(struct unpack *unpack, void *to, size_t n, size_t *got, struct err *err);

/* Bytes of the part that were not needed. */
uint64_t unpack_rest(const struct unpack *unpack);

/* The most bytes that `bytes` compressed ones can become. UINT64_MAX: there is no known limit. */
uint64_t unpack_most(enum compression compression, uint64_t bytes);

/* Returns "gzip ", "bzip2 " or "", for messages. */
const char *unpack_name(enum compression compression);

#ifdef __cplusplus
}
#endif
#endif
