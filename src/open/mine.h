/* The user's own rung (kernels/own_rung.h): turns a source file into a row after the built-in rungs.
 *
 *    mine_open -> mine_build: compiler -> mine_check: another process runs it -> mine_join: this process has it ->
 *    mine_close
 *
 * It is the user's code and runs with the user's rights. Only a file that the command line names for this purpose gets
 * here. If it crashes, hangs or loses the GPU, that happens in the other process. mine_join is called only after mine_check
 * has found the rung correct.
 *
 * A struct mine may be used from any thread, by one at a time. Call mine_join only when nothing else appends rungs. */
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
    "--mine-child" /* argv[1] of the process that checks; the library and the report (mine_report.h) follow */

enum { MINE_SAID = 4096, MINE_FOLDER = PATH_MAX - 64 };

struct mine {                    /* zero means empty */
    char source[PATH_MAX];       /* as the user named it, with ./ before a dash */
    const char *name;            /* the last part of the path */
    enum backend backend;        /* from its ending: .c, .cu */
    char folder[MINE_FOLDER];    /* for what is built, private to this user; "": none */
    char library[PATH_MAX];      /* in that folder */
    char said[MINE_SAID];        /* what the compiler printed first, or the rung last */
    uint64_t cases;              /* that mine_check ran */
    const struct ladder *ladder; /* whose rung it is; NULL: unknown before mine_check */
};

enum { MINE_SIZES = 16 };

struct mine_request {           /* what to run besides the op's test cases: each size with each block */
    size_t size[MINE_SIZES];    /* ends with 0 unless it is full; none: the usual size */
    unsigned block[MINE_SIZES]; /* likewise, CUDA: threads per block; none: the rung's own */
    uint64_t shape[3];          /* instead of sizes; zeros: none */
    int threads;                /* CPU; 0: OMP_NUM_THREADS, or one per core */
};

/* Checks the file's name and whether it can be read. Errors: ERR_USAGE, ERR_INPUT; ERR_FAILED for memory. Call mine_close
 * in any case. */
int mine_open(struct mine *mine, const char *source, struct err *err);

/* Whether mine_build would run a compiler that is installed, with or without a GPU. Also false for a file with a single
 * kernel, which a library compiles. */
bool mine_has_compiler(const struct mine *mine);

/* Compiles the file in a new folder. `said` gets the warnings. Errors: ERR_FAILED: no compiler, or the first error that it
 * reports; also "cancelled". */
int mine_build(struct mine *mine, const struct progress *progress, struct err *err);

/* Runs all test cases of its op, and what is requested, in a process of its own, with a limit of MINE_SECONDS for each.
 * Errors: ERR_FAILED: the rung is wrong, and where; it crashed, hung or failed; the file is not a rung; also
 * "cancelled". ERR_USAGE: MINE_LIMIT is no number of seconds. */
int mine_check(struct mine *mine, const struct mine_request *request, const struct progress *progress, struct err *err);

#define MINE_SECONDS 20
#define MINE_LIMIT "ISOSCOPE_RUNG_SECONDS" /* environment variable that overrides MINE_SECONDS */

/* Appends the rung to its ladder. It stays there, and in memory, until the process ends or another takes its place. Error:
 * ERR_FAILED. */
int mine_join(struct mine *mine, struct err *err);

void mine_close(struct mine *mine); /* removes the folder; a joined rung stays */

/* Whether the rung has been added by mine_join. */
bool mine_is(const struct rung *rung);

/* For the process that checks: opens the library and copies its row, named "mine". *ladder: the ladder it is for. The row
 * is never freed. Error: ERR_FAILED. */
int mine_load(const char *library, enum backend backend, const struct ladder **ladder, struct rung **row, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
