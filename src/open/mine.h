/* A rung of the user's own (kernels/own_rung.h): from a source file to a row that stands behind the built-in ones.
 *
 *    mine_open -> mine_build: compiler -> mine_check: another process runs it -> mine_join: this process has it ->
 *    mine_close
 *
 * It is the user's code, and runs with the user's rights: only a file that was named for this on the command line gets
 * here. What crashes, hangs or loses the GPU does so in the other process; mine_join comes only after mine_check has found
 * it right.
 *
 * A mine may be used on any thread, by one at a time; mine_join where nothing else appends rungs. */
#ifndef ISO_MINE_H
#define ISO_MINE_H

#include "error.h"
#include "progress.h"
#include "kernels/rung.h"

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MINE_NAME "mine" /* of the rung */
#define MINE_CHILD \
    "--mine-child" /* argv[1] of the process that checks: followed by the library and the report (mine_report.h) */

enum { MINE_SAID = 4096, MINE_FOLDER = PATH_MAX - 64 };

struct mine {                    /* zero is an empty one */
    char source[PATH_MAX];       /* as the user has named it, with ./ before a dash */
    const char *name;            /* its last part */
    enum backend backend;        /* by its ending: .c, .cu */
    char folder[MINE_FOLDER];    /* for what is made of it, of this user alone; "": none */
    char library[PATH_MAX];      /* in it */
    char said[MINE_SAID];        /* what the compiler or the rung has printed, cut */
    uint64_t cases;              /* that mine_check has run */
    const struct ladder *ladder; /* of which it is a rung; NULL: not known before mine_check */
};

struct mine_request { /* what to run besides the op's test cases; zero: its usual size */
    size_t size;
    uint64_t shape[3]; /* in place of a size; zeros: none */
    unsigned block;    /* CUDA: threads per block; 0: the rung's own */
    int threads;       /* CPU; 0: one per core */
};

/* Looks at the file's name and whether it can be read. Errors: ERR_USAGE, ERR_FAILED; also then mine_close is due. */
int mine_open(struct mine *mine, const char *source, struct err *err);

/* Whether mine_build would run a compiler that is here, GPU or not; false also for a file with a single kernel, which a
 * library compiles. */
bool mine_has_compiler(const struct mine *mine);

/* Compiles it, in a new folder; `said` has the warnings. Errors: ERR_FAILED: no compiler, or the first line that it found
 * wrong; also "cancelled". */
int mine_build(struct mine *mine, const struct progress *progress, struct err *err);

/* Runs all test cases of its op in a process of its own, which may take MINE_SECONDS for each. Errors: ERR_FAILED: it is
 * wrong, and where; it crashed, hung or failed; it is no rung; also "cancelled". */
int mine_check(struct mine *mine, const struct mine_request *request, const struct progress *progress, struct err *err);

#define MINE_SECONDS 20
#define MINE_LIMIT "ISOSCOPE_RUNG_SECONDS" /* the variable with another number of seconds */

/* Puts it behind the rungs of its ladder. It stays there, and in memory, until the process ends or another takes its place.
 * Error: ERR_FAILED. */
int mine_join(struct mine *mine, struct err *err);

void mine_close(struct mine *mine); /* removes the folder; what has joined stays */

/* Whether the rung is one that has joined. */
bool mine_is(const struct rung *rung);

/* For the process that checks: opens the library and copies its row, named "mine"; *ladder: whose. The row is never freed.
 * Error: ERR_FAILED. */
int mine_load(const char *library, enum backend backend, const struct ladder **ladder, struct rung **row, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
