/* The codecs of a Zarr array that turn bytes into bytes. A codec that is not in the table cannot be read and is refused by
 * name. */
#ifndef ISO_ZARR_CHAIN_H
#define ISO_ZARR_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZARR_CODECS = 4 }; /* in a chain */

struct zarr_chain {
    uint8_t codec[ZARR_CODECS]; /* rows of the table, in the order of writing */
    int count;
};

/* Appends the codec `name`; false: it is unknown, or there are too many. */
bool zarr_chain_add(struct zarr_chain *chain, const char *name);

/* The most bytes in which a chunk of n bytes can be stored: no codec adds more. */
size_t zarr_chain_most(size_t n);

struct zarr_decoder { /* for one thread; zero means closed */
    void *zstd;       /* its context */
    uint8_t *buffer[2];
    size_t room; /* bytes in each */
};

/* Makes room for chunks of n bytes. False: no memory. */
bool zarr_decoder_open(struct zarr_decoder *decoder, const struct zarr_chain *chain, size_t n);
void zarr_decoder_close(struct zarr_decoder *decoder);

/* Bytes of memory that a decoder takes for chunks of n bytes. */
size_t zarr_decoder_bytes(const struct zarr_chain *chain, size_t n);

/* Decodes n stored bytes, which must give `want` bytes. Returns the result, which lies in the decoder or in `from` and is
 * valid until the next call. NULL: *why gets the reason, such as "its zstd data is broken". */
uint8_t *zarr_decode(struct zarr_decoder *decoder, const struct zarr_chain *chain, uint8_t *from, size_t n, size_t want,
                     const char **why);

#ifdef __cplusplus
}
#endif
#endif
