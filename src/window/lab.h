/* The times on the lab page: the present ones, or those of the moment when the page was paused, and those pinned for
 * comparison. They can also be written as a Markdown table and as a log. */
#ifndef ISO_LAB_H
#define ISO_LAB_H

#include "frames.h"
#include "live.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows: the stages and side ops by number, then the window's own work. */
enum { LAB_MAP = STAGE_ALL, LAB_DRAW, LAB_COMPUTE, LAB_FRAME, LAB_ROWS };

struct lab_times { /* of one moment */
    struct live_times live;
    struct stage_stats stage[STAGE_ALL];
    const struct rung *rung[STAGE_ALL];
    struct series draw, frame;
    struct frames frames;
    enum backend backend;
    bool fused; /* the fused rung made the surface, not the stages */
    double copy_rate, value;
    uint64_t triangles;
    char volume[256]; /* its name */
    size_t dims[3];   /* voxels along x, y and z */
};

struct lab_log { /* CSV, a row per measured time; zero: none */
    FILE *file;
    double start; /* ms of the caller's clock */
    struct {
        unsigned next; /* of the row's series at the last look */
        double last;   /* newest value of the series then */
    } seen[LAB_ROWS];
};

struct lab_set { /* a set of rungs, and the time of their last surface */
    const struct rung *rung[STAGE_ALL];
    double ms, value; /* time and isovalue of that surface; ms 0: none yet */
    bool shared;      /* the other set was at work at the same time */
};

enum { LAB_A, LAB_B, LAB_SETS };

struct lab {
    struct lab_set set[LAB_SETS]; /* the surface is made by set[side] */
    int side;
    bool sets;       /* there are two sets */
    enum backend of; /* the sets are of this backend */
    bool gemm;       /* the gemm op transforms the vertices, not OpenGL's vertex shader */
    bool split;      /* both sets are at work, each in its half of the scene */
    bool paused, pinned;
    struct lab_times shown, pin;
    int row;    /* stage or side op whose rung the arrows change */
    bool moved; /* that row must be scrolled into view */
    struct lab_log log;
};

/* The name of a row; stages are named as in `isoscope --help rungs`. lab_rung: the name of its rung, "" if it has none. */
const char *lab_name(int row);
const char *lab_rung(const struct lab_times *times, int row);

/* The times of a row; NULL if the stage had no part in the surface. */
const struct series *lab_series(const struct lab_times *times, int row);

/* Whether the row's only time is from the first run, when caches are cold. */
bool lab_is_cold(const struct lab_times *times, int row);

/* How many times as fast as the pinned one the row is, by their medians: 2 is twice as fast. 0: one of them has no time. */
double lab_gain(const struct lab *lab, int row);

/* Describes a set: "all textbook", "all fastest", or the rungs that differ from the fastest. */
void lab_describe(const struct rung *const rung[STAGE_ALL], enum backend backend, char *text, size_t size);

/* Writes the shown times as a Markdown table, with the pinned ones if there are any. */
void lab_markdown(const struct lab *lab, char *text, size_t size);

/* Begins a log in a new file. Error: ERR_FAILED. */
int lab_log_open(struct lab_log *log, const char *path, double now, struct err *err);

/* Adds what was measured since the last call. If that cannot be written, ends the log and returns an error. */
int lab_log_add(struct lab_log *log, const struct lab_times *times, double now, struct err *err);

void lab_log_close(struct lab_log *log);

#ifdef __cplusplus
}
#endif
#endif
