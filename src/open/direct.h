/* Direct reading: all threads at once read uncompressed values that lie in one piece, at the speed of the page cache. */
#ifndef ISO_DIRECT_H
#define ISO_DIRECT_H

#include "layout.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

struct direct {
    struct source *source; /* a file, not memory */
    struct past *past; /* the same file, for what is not in memory; boxes do so even if the disk is slow. NULL: unused */
    uint64_t offset;   /* of the first value */
    const struct stored_type *type; /* of the values in the file */
    bool swap;                      /* their bytes */
    bool convert, negate;           /* convert to float32, reverse signs; see stored_type_to_float */
    void *to;                       /* room for `values` values, float32 if converted */
    uint64_t values;
    int threads;    /* 0: one per core */
    uint64_t *lost; /* the number of values that do not fit a float is added */
    const struct progress *progress;
};

#define DIRECT_GAP \
    ((uint64_t)64 << 10) /* bytes; gaps of this size between rows of a box are still read: 1 / 5000 s at 330 MB/s */

/* A part of dims[0] x dims[1] x dims[2] values, x fastest: of every step-th value along each axis, a box. */
struct direct_box {
    uint64_t dims[3], step;
    uint64_t from[3], size[3]; /* counted in the remaining values */
};

/* Asks the system for about the first 32 MiB of a box that will be read soon. Usually returns before they are in memory.
 * `to`, `lost` and `progress` are not used. */
void direct_ask_box(const struct direct *direct, const struct direct_box *box);

/* Reads a box row by row. `values` is not used. Errors: as direct_read. */
int direct_read_box(const struct direct *direct, const struct direct_box *box, struct err *err);

/* Reads all values. Does not use the mapping of the file, so that a file that shrinks causes an error, not a signal.
 * Errors: ERR_INPUT if the file is cut off or cannot be read; ERR_FAILED for memory or "cancelled". */
int direct_read(const struct direct *direct, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
