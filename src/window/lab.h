/* The times that the lab page shows: those of the moment, those of the moment when it was paused, and those that were
 * pinned to compare with; as a table in Markdown, and as a log. */
#ifndef ISO_LAB_H
#define ISO_LAB_H

#include "frames.h"
#include "live.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows: the stages and side ops by their numbers, then what the window does. */
enum { LAB_MAP = STAGE_ALL, LAB_DRAW, LAB_COMPUTE, LAB_FRAME, LAB_ROWS };

struct lab_times { /* of one moment */
    struct live_times live;
    struct stage_stats stage[STAGE_ALL];
    const struct rung *rung[STAGE_ALL];
    struct series draw, frame;
    struct frames frames;
    enum backend backend;
    bool fused; /* the fused rung has made the surface, not the stages */
    double copy_rate, value;
    uint64_t triangles;
    char volume[256]; /* its name, and voxels along x, y and z */
    size_t dims[3];
};

struct lab_log { /* CSV, a row for each time that was measured; zero: none */
    FILE *file;
    double start; /* ms of the caller's clock */
    struct {
        unsigned next; /* of the row's series when it was last looked at, */
        double last;   /* and its newest value */
    } seen[LAB_ROWS];
};

struct lab_set { /* of rungs, and what they took when they were last at work */
    const struct rung *rung[STAGE_ALL];
    double ms, value; /* of the last surface made by them; ms 0: none yet */
    bool shared;      /* the other set was at work too */
};

enum { LAB_A, LAB_B, LAB_SETS };

struct lab {
    struct lab_set set[LAB_SETS]; /* the surface is made by set[side] */
    int side;
    bool sets;       /* there are two, */
    enum backend of; /* of that backend; */
    bool gemm;       /* the gemm op transforms the vertices, not OpenGL's vertex shader */
    bool split;      /* and both are at work, each in its half of the scene */
    bool paused, pinned;
    struct lab_times shown, pin;
    int row;    /* stage or side op that the arrows step, */
    bool moved; /* and it is to be in sight */
    struct lab_log log;
};

/* The name of a row, as `isoscope --help rungs` has those of stages; and its rung's, "" if it has none. */
const char *lab_name(int row);
const char *lab_rung(const struct lab_times *times, int row);

/* The times of a row; NULL: none, since the stage had no part in the surface. */
const struct series *lab_series(const struct lab_times *times, int row);

/* Whether the row's only time is that of a first run, which is cold. */
bool lab_is_cold(const struct lab_times *times, int row);

/* How much faster the row is than the pinned one, by their medians: 2 is twice as fast. 0: one of the two has no time. */
double lab_gain(const struct lab *lab, int row);

/* Writes what a set is: "all textbook", "all fastest", or what differs from the fastest. */
void lab_describe(const struct rung *const rung[STAGE_ALL], enum backend backend, char *text, size_t size);

/* Writes the shown times as a table in Markdown; with those that are pinned. */
void lab_markdown(const struct lab *lab, char *text, size_t size);

/* Begins a log in a new file. Errors: ERR_OUTPUT. */
int lab_log_open(struct lab_log *log, const char *path, double now, struct err *err);

/* Adds what was measured since the last call. Ends the log if it cannot be written, with an error. */
int lab_log_add(struct lab_log *log, const struct lab_times *times, double now, struct err *err);

void lab_log_close(struct lab_log *log);

#ifdef __cplusplus
}
#endif
#endif
