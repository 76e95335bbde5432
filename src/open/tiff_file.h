/* A TIFF file, opened by libtiff on top of a source: describes its pages, for the readers and for decode_tiff.c. */
#ifndef ISO_TIFF_FILE_H
#define ISO_TIFF_FILE_H

#include "source.h"
#include "stored_type.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TIFF_HEADER_MEMORY ((uint64_t)64 << 20) /* bytes that libtiff may take to read a directory */

struct tiff_file {
    struct tiff *tiff; /* libtiff's */
    struct source *source;
    uint64_t left;     /* bytes that libtiff may still read */
    char trouble[200]; /* libtiff's first error; "": none */
};

struct tiff_page {
    uint32_t width, height;
    uint16_t components;
    bool planar; /* all values of a component, then all of the next; else the components of each pixel are adjacent */
    const struct stored_type *type;
    bool bits;      /* each value is one bit in the file; read as 0 or 255 in uint8, as in ImageJ; */
    bool inverted;  /* 0 is white, so 0 becomes 255 */
    uint64_t bytes; /* of all values */
    uint64_t run;   /* offset of the values in the file if they lie there uncompressed and in order; else 0 */
};

/* Opens `source`, which must outlive the struct, at its first page. `memory`: bytes that libtiff may take at once. `most`:
 * bytes that it may read in total; this limits directories that overlap, which are read again and again. Errors: ERR_INPUT,
 * ERR_FAILED. */
int tiff_open(struct tiff_file *file, struct source *source, uint64_t memory, uint64_t most, struct err *err);
void tiff_close(struct tiff_file *file);

/* Goes to the page whose directory begins at byte `at` of the file; 0: stays where it is. Error: ERR_INPUT. */
int tiff_go(struct tiff_file *file, uint64_t at, struct err *err);

/* Where the directory of the current page begins in the file. */
uint64_t tiff_at(const struct tiff_file *file);

/* Goes to the next page. `number`: that page's, from 1, for messages. *last: there is no next page. Error: ERR_INPUT. */
int tiff_next(struct tiff_file *file, size_t number, bool *last, struct err *err);

/* Whether the page is a smaller copy of another, or a mask. */
bool tiff_is_extra(const struct tiff_file *file);

/* Bytes of n consecutive values in the form that libtiff returns them. */
uint64_t tiff_bytes(const struct tiff_page *page, uint64_t n);

/* Describes the page. `number`, from 1, is for messages. Error: ERR_INPUT if it cannot be read. */
int tiff_describe(struct tiff_file *file, size_t number, struct tiff_page *page, struct err *err);

/* Reports libtiff's message: "FILE: WHAT: ...". Returns ERR_INPUT. */
int tiff_refuse(const struct tiff_file *file, const char *what, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
