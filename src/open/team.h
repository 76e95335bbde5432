/* Team: the processes that make one file together (stream.h). Each makes a part, numbered by its rank, and they exchange
 * little:
 *
 *    team_alone   one process
 *    team_files   processes that run when they like, through the ledger that they keep (ledger.h)
 *    team_begin   as the program was linked: those of an MPI program (src/mpi/team_mpi.c), or one (team_none.c)
 *
 * All ranks call the same functions in the same order, but for one that has failed: it calls `agree` next, which the others
 * do before they sum or gather. */
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

/* Gets what each rank has handed over, in their order. An error does not keep the rest from being handed over. */
struct team_take {
    int (*take)(void *context, int rank, uint64_t end, const uint8_t *bytes, size_t n, struct err *err);
    void *context;
};

struct team_ops {
    /* Returns the code of the first rank whose code is not ERR_NONE, and sets `err` to its sentence, with rank and host
     * unless all ranks say the same. After that, it returns the code at once. */
    int (*agree)(struct team *team, int code, struct err *err);
    /* Adds up values[i] of all ranks. */
    int (*sum)(struct team *team, uint64_t *values, size_t n, struct err *err);
    /* Hands a number and n bytes of every rank to `take` of rank 0. */
    int (*gather)(struct team *team, uint64_t end, const void *bytes, size_t n, const struct team_take *take,
                  struct err *err);
};

struct team {
    int rank, size;
    int local; /* how many of them are on this host, with this one */
    int place; /* of this one among them, from 0 */
    const struct team_ops *ops;
    const struct ledger *ledger; /* set by stream_extract; NULL: none is kept */
    bool failed;                 /* they have agreed on it */
    double waited_ms;            /* for the others */
};

/* Sets up a team of one, or one whose members exchange through the ledger; these need no end. */
void team_alone(struct team *team);
void team_files(struct team *team, int rank, int size);

/* Joins the processes that were started together. Error: ERR_USAGE, where they were and the program cannot; `team` is one
 * then. */
int team_begin(struct team *team, struct err *err);

/* Leaves them. All have called agree. */
void team_end(struct team *team);

/* Hands n values of rank 0 to all. Error: as `sum`. */
int team_share(struct team *team, uint64_t *values, size_t n, struct err *err);

/* Refuses to go on without the ranks that are not `there`, and names the phase that they have to run. */
int team_refuse_missing(const struct team *team, const bool *there, const char *phase, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
