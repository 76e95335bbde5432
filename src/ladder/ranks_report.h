/* What each of several processes takes, as a table (plain text or Markdown) or JSON: how long it has read, computed,
 * written and waited to make a file together; or, in memory, how long a change of the isovalue takes in its share of the
 * volume. */
#ifndef ISO_RANKS_REPORT_H
#define ISO_RANKS_REPORT_H

#include "machine.h"
#include "rounds.h"
#include "stream_times.h"
#include "volume.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ranks_row { /* times in milliseconds */
    char host[64];
    int threads, cores, host_cores; /* cores: that it may run on, of those of its host */
    uint64_t voxels;                /* of its share of the volume */
    double wall, others;            /* others: waiting for them */
    double cpu;                     /* of all threads */
    struct stream_times times;
    struct stream_times plain; /* reading its share once, and writing as many bytes, and nothing else */

    /* In memory, only this, host, threads, cores and voxels. */
    int gpu;            /* its number on the host; -1: none */
    uint64_t triangles; /* of its share */
    struct times change;
};

struct ranks_report {
    const struct volume *volume;
    const char *backend, *format;
    bool cold; /* the file was not in memory */
    struct machine machine;
    double value;                         /* isovalue, real units */
    uint64_t vertices, triangles, memory; /* memory: bytes that each process may take */
    struct ranks_row *rows;               /* [count] */
    size_t count;
    int runs; /* in memory; 0: a file was made */
    const char *pipeline;
    struct times change; /* until the last rank has its mesh */
};

void ranks_report_plain(const struct ranks_report *report); /* to standard output, with a legend */
void ranks_report_json(const struct ranks_report *report);  /* to standard output */
void ranks_report_markdown(FILE *out, const void *report);  /* a struct ranks_report, for save_table() */

#ifdef __cplusplus
}
#endif
#endif
