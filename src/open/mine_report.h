/* A file that two processes map: the one that checks a rung, and the one that waits for it. So the last word of a process
 * that crashes is not lost. */
#ifndef ISO_MINE_REPORT_H
#define ISO_MINE_REPORT_H

#include "mine.h"

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum mine_end { MINE_UNFINISHED, MINE_RIGHT, MINE_WRONG, MINE_FAILED, MINE_UNFIT };

struct mine_report {
    enum backend backend; /* the request: set before the check starts */
    struct mine_request request;
    pid_t waits; /* the process that asks; if it ends, nobody else would end a check that hangs */

    char op[32];       /* the answer; "": not known yet */
    char where[256];   /* the running case; "": none yet */
    uint64_t steps;    /* grows with each case */
    uint64_t cases;    /* that have been completed */
    enum mine_end end; /* UNFIT: it is not a rung that could run */
    char why[512];     /* set unless it is right */
};

/* Maps the file, which must have the size of the struct. NULL: failed. */
struct mine_report *mine_report_map(const char *path);
void mine_report_unmap(struct mine_report *report);

#define MINE_IMAGE ".cubin" /* the ending of a library that is the image of a single kernel */

/* Compiles a file with a single kernel (own_kernel.h). Otherwise like mine_build. */
int mine_build_kernel(struct mine *mine, const char *source, struct err *err);

/* Copies the first line of the compiler's output that reports an error; if there is none, the first line. */
void mine_find_reason(const char *said, char reason[300]);

/* Sets mine->said to the contents of the file. If it is too long, end: to its last bytes, after three dots. */
void mine_read_said(struct mine *mine, const char *log, bool end);

#ifdef __cplusplus
}
#endif
#endif
