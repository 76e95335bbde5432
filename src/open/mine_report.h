/* What the process that checks a rung and the one that waits for it share: a file that both map, so that the last word of a
 * process that crashes is not lost. */
#ifndef ISO_MINE_REPORT_H
#define ISO_MINE_REPORT_H

#include "mine.h"

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum mine_end { MINE_UNFINISHED, MINE_RIGHT, MINE_WRONG, MINE_FAILED, MINE_UNFIT };

struct mine_report {
    enum backend backend; /* asked, before it starts */
    struct mine_request request;
    pid_t waits; /* the process that asks: without it nobody would end one that hangs */

    char op[32];       /* answered; "": not known yet */
    char where[256];   /* the case that runs, "": none yet */
    uint64_t steps;    /* grows with each */
    uint64_t cases;    /* that it has run to their end */
    enum mine_end end; /* UNFIT: it is no rung that could run */
    char why[512];     /* unless it is right */
};

/* Maps the file, which must have the size of the struct; NULL: that failed. */
struct mine_report *mine_report_map(const char *path);
void mine_report_unmap(struct mine_report *report);

#define MINE_IMAGE ".cubin" /* the ending of a library that is a single kernel's image */

/* Compiles a file with a single kernel (own_kernel.h); as mine_build. */
int mine_build_kernel(struct mine *mine, const char *source, struct err *err);

/* Copies the first line of what a compiler said that tells of an error, else the first. */
void mine_find_reason(const char *said, char reason[300]);

/* Sets mine->said to what the file holds. */
void mine_read_said(struct mine *mine, const char *log);

#ifdef __cplusplus
}
#endif
#endif
