/* How a process that makes a file slab by slab spends its time. The times follow one another, except reading, which a
 * thread does in parallel. The remaining time is computing. */
#ifndef ISO_STREAM_TIMES_H
#define ISO_STREAM_TIMES_H

#include <stdint.h>

struct stream_times { /* milliseconds */
    double read;      /* slices, in memory or from the disk */
    double stall;     /* waiting for slices */
    double write;     /* records and their notes, until they are on the disk */
    uint64_t read_bytes, written_bytes;
};

#endif
