/* Direct reading: uncompressed values that lie in one piece, by all threads at once, at the speed of the page cache. */
#ifndef ISO_DIRECT_H
#define ISO_DIRECT_H

#include "layout.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

struct direct {
    struct source *source;          /* a file, not memory */
    const int *past;                /* the same file (past.h), to read what is not in memory; NULL: that is read as usual */
    uint64_t offset;                /* of the first value */
    const struct stored_type *type; /* of the values in the file */
    bool swap;                      /* their bytes */
    bool convert, negate;           /* to float32; see stored_type_to_float */
    void *to;                       /* `values` values, float32 if converted */
    uint64_t values;
    int threads;    /* 0: as many as OpenMP has */
    uint64_t *lost; /* values that no float holds are added */
    const struct progress *progress;
};

#define DIRECT_GAP \
    ((uint64_t)64 << 10) /* bytes between the rows of a box that are sooner read than left out: 1 / 5000 s at 330 MB/s */

/* Some of dims[0] x dims[1] x dims[2] values, x fastest: every step-th along each axis, and of these a box. */
struct direct_box {
    uint64_t dims[3], step;
    uint64_t from[3], size[3]; /* counted in those of which every step-th was taken */
};

/* Asks the system for the first 32 MiB or so of a box that will be read soon; returns before they are there, as a rule.
 * `to`, `lost` and `progress` are not used. */
void direct_ask_box(const struct direct *direct, const struct direct_box *box);

/* Reads a box, row by row; `values` is not used. Errors: as direct_read. */
int direct_read_box(const struct direct *direct, const struct direct_box *box, struct err *err);

/* Reads all values. The mapping of the file is not used: a file that shrinks is then an error, not a signal. Errors:
 * ERR_INPUT for a file that is cut off or cannot be read, ERR_FAILED for memory or "cancelled". */
int direct_read(const struct direct *direct, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
