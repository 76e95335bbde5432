/* Decoding: presents the values of a layout as one sequence of bytes, uncompressed and decoded, part after part. Each
 * encoding has its file decode_X.c. */
#ifndef ISO_DECODE_H
#define ISO_DECODE_H

#include "unpack.h"

#ifdef __cplusplus
extern "C" {
#endif

struct decoder {
    const struct layout *layout;
    struct source *header;
    uint64_t memory;     /* bytes that decoding may take, besides fixed buffers of 1 MiB */
    uint64_t part_bytes; /* bytes of the values of each part */
    uint64_t at;         /* position of the next byte in the sequence */
    size_t part;         /* the open part, or the next one to open */
    bool open;
    uint64_t part_at; /* bytes of the open part read so far */
    uint64_t rest;    /* unused bytes after the values of all parts closed so far */
    struct source source;
    struct unpack unpack; /* its bytes */
    void *state;          /* the encoding's own */
};

/* An encoding. It takes bytes from decoder->unpack or, for libraries that seek, from decoder->source. */
struct decoding {
    bool native; /* values come in this machine's byte order */
    /* The largest number of bytes of values that `bytes` uncompressed bytes of a file can hold. NULL: unknown. */
    uint64_t (*most)(const struct layout *layout, uint64_t bytes);
    /* Starts at the part's first value and sets decoder->state. NULL: nothing to do. */
    int (*open)(struct decoder *decoder, struct err *err);
    /* Reads up to n bytes; less (*got) only at the end of the part. */
    int (*read)(struct decoder *decoder, void *to, size_t n, size_t *got, struct err *err);
    /* Checks what follows the last value of the part. NULL: nothing to check. */
    int (*end)(struct decoder *decoder, struct err *err);
    void (*close)(struct decoder *decoder); /* after `open` succeeded; NULL: nothing to do */
};

extern const struct decoding decoding_text, decoding_hex, decoding_vtk, decoding_tiff, decoding_image;

/* For encodings that a library unpacks. DECODE_FREE_BYTES is what one may take whatever decoder->memory says.
 * decode_library_most is their `most`: it assumes that a byte of a file holds at most 32768 bytes of values, whatever the
 * compression. */
#define DECODE_FREE_BYTES ((uint64_t)1 << 20)
uint64_t decode_library_most(const struct layout *layout, uint64_t bytes);

/* A count of bytes or blocks in the data of a VTK XML file. */
uint64_t decode_vtk_count(const struct layout *layout, const uint8_t bytes[8]);

/* Whether values come in this machine's byte order, whatever the layout says. */
bool decode_native(const struct layout *layout);

/* Checks that the parts can hold what the layout claims. To be called before anything is allocated. Error: ERR_INPUT. */
int decode_check(const struct layout *layout, const char *name, struct err *err);

/* Starts before the first value of a layout that has passed decode_check. `layout` and `header` must outlive the
 * decoder. */
void decode_open(struct decoder *decoder, const struct layout *layout, struct source *header, uint64_t memory);
void decode_close(struct decoder *decoder);

/* Moves forward to byte `at` of the sequence, by seeking if possible, else by decoding. Errors: as decode_read. */
int decode_seek(struct decoder *decoder, uint64_t at, struct err *err);

/* Reads exactly n bytes. After the last byte of a compressed part, checks its end and checksum. Errors: ERR_INPUT if the
 * data is short, broken or too long; ERR_FAILED. */
int decode_read(struct decoder *decoder, void *to, size_t n, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
