/* What each of several processes takes, as a table (plain text or Markdown) or as JSON. If they make a file together:
 * how long each has read, computed, written and waited. In memory: how long a change of the isovalue takes in each
 * one's share of the volume. */
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
    int threads, cores, host_cores; /* cores: those of its host that it may run on */
    uint64_t voxels;                /* of its share of the volume */
    double wall, others;            /* others: time spent waiting for them */
    double cpu;                     /* of all threads */
    struct stream_times times;
    struct stream_times plain; /* only reading its share once and writing as many bytes */

    /* In memory, only these, host, threads, cores and voxels are set. */
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
    uint64_t vertices, triangles, memory; /* memory: bytes that each process may use */
    struct ranks_row *rows;               /* [count] */
    size_t count;
    int runs; /* in memory; 0 if a file was made */
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
