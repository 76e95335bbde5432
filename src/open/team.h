/* Team: the processes that make one file together (stream.h). Each makes the part given by its rank. They exchange little:
 *
 *    team_alone   one process
 *    team_files   processes that run at any time, through the ledger that they keep (ledger.h)
 *    team_begin   depends on how the program was linked: the processes of an MPI program (src/mpi/team_mpi.c), or one
 *                 (team_none.c)
 *
 * All ranks call the same functions in the same order. The exception is a rank that has failed: it calls `agree` next. The
 * others call `agree` before they sum or gather. */
#ifndef ISO_TEAM_H
#define ISO_TEAM_H

#include "ledger.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct team;

/* Receives what each rank has handed over, in order of rank. After an error the rest is still handed over. */
struct team_take {
    int (*take)(void *context, int rank, uint64_t end, const uint8_t *bytes, size_t n, struct err *err);
    void *context;
};

struct team_ops {
    /* Returns the code of the first rank whose code is not ERR_NONE, and sets `err` to its message, with rank and host
     * unless all ranks say the same. After a failure, later calls return the code at once. */
    int (*agree)(struct team *team, int code, struct err *err);
    /* Adds up values[i] of all ranks. */
    int (*sum)(struct team *team, uint64_t *values, size_t n, struct err *err);
    /* Hands a number and n bytes of every rank to `take`, at rank 0. */
    int (*gather)(struct team *team, uint64_t end, const void *bytes, size_t n, const struct team_take *take,
                  struct err *err);
};

struct team {
    int rank, size;
    int local; /* how many of them are on this host, including this one */
    int place; /* number of this one among them, from 0 */
    const struct team_ops *ops;
    const struct ledger *ledger; /* set by stream_extract; NULL: none is kept */
    bool failed;                 /* they have agreed on a failure */
    double waited_ms;            /* spent waiting for the others */
};

/* Set up a team of one, or a team whose members exchange through the ledger. These need no team_end. */
void team_alone(struct team *team);
void team_files(struct team *team, int rank, int size);

/* Joins the processes that were started together. Error: ERR_USAGE if there are several and the program cannot; `team` is
 * then a team of one. */
int team_begin(struct team *team, struct err *err);

/* Leaves the team. All ranks must have called agree. */
void team_end(struct team *team);

/* Sends n values of rank 0 to all. Error: as `sum`. */
int team_share(struct team *team, uint64_t *values, size_t n, struct err *err);

/* Refuses to go on without the ranks that are not `there`, and names the phase that they have to run first. */
int team_refuse_missing(const struct team *team, const bool *there, const char *phase, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
