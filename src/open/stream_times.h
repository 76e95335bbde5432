/* What a process that makes a file slab by slab spends its time on. All but reading, which a thread does beside, follow one
 * another; what is none of them is computing. */
#ifndef ISO_STREAM_TIMES_H
#define ISO_STREAM_TIMES_H

#include <stdint.h>

struct stream_times { /* milliseconds */
    double read;      /* slices, in memory or from the disk */
    double stall;     /* waiting for them */
    double write;     /* records and what is noted about them, until they are on the disk */
    uint64_t read_bytes, written_bytes;
};

#endif
