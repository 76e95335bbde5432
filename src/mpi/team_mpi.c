/* The team of an MPI program. MPI starts its processes, adds up their counts, and carries pieces and errors to rank 0. Each
 * process reads and writes files itself and notices its own errors: an MPI-IO may report a full disk as success. */
#include "launcher.h"
#include "team.h"

#include "timing.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

enum { TAG = 17, MOST = 1 << 24 /* values summed, or bytes sent, at once */ };

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* Whether all ranks have failed with the same message. */
static bool all_say(const struct err *err, bool all_failed)
{
    char sentence[ERR_SENTENCE];
    err_sentence(err, sentence);
    const uint32_t own = (uint32_t)crc32_z(0, (const Bytef *)sentence, strlen(sentence));
    uint32_t most[2] = { own, ~own };
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
    return all_failed && most[0] == ~most[1];
}

/* Adds rank and host to the message. */
static void sign(struct err *err, const struct team *team)
{
    char host[MPI_MAX_PROCESSOR_NAME], text[ERR_TEXT], advice[ERR_ADVICE];
    int n;
    const int code = err->code;
    const enum err_cause cause = err->cause;
    MPI_Get_processor_name(host, &n);
    memcpy(text, err->text, sizeof text), memcpy(advice, err->advice, sizeof advice);
    err_set(err, code, "rank %d on %.100s: %.800s", team->rank, host, text);
    err_advise(err, "%s", advice);
    err->cause = cause;
}

/* Waits for the others, which may take minutes, without occupying a core. MPI itself would poll all the time. */
static void await(MPI_Request request)
{
    const struct timespec pause = { 0, 200000 };
    int done = 0;
    while (!MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE) && !done) nanosleep(&pause, NULL);
}

static int agree(struct team *team, int code, struct err *err)
{
    struct err none = { .code = code }, *mine = err ? err : &none;
    int first = code ? team->rank : team->size, lowest, failed = code != ERR_NONE, all;
    const double begun = timing_ms();
    MPI_Request request;
    if (team->failed) return code ? code : mine->code;
    MPI_Iallreduce(&first, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    await(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    team->waited_ms += timing_ms() - begun;
    if (!all) return ERR_NONE;
    team->failed = true;
    mine->code = code;
    const bool common = all_say(mine, all == team->size);
    if (lowest == team->rank && !common) sign(mine, team);
    MPI_Bcast(mine, sizeof *mine, MPI_BYTE, lowest, MPI_COMM_WORLD);
    return mine->code;
}

/* ---- sums and pieces --------------------------------------------------------------------------------------------- */

static int sum(struct team *team, uint64_t *values, size_t n, struct err *err)
{
    const double begun = timing_ms();
    (void)err; /* MPI ends the program if it fails */
    for (size_t at = 0; at < n; at += MOST)
        MPI_Allreduce(MPI_IN_PLACE, values + at, (int)(n - at < MOST ? n - at : MOST), MPI_UINT64_T, MPI_SUM,
                      MPI_COMM_WORLD);
    team->waited_ms += timing_ms() - begun;
    return ERR_NONE;
}

static void send(uint64_t end, const uint8_t *bytes, size_t n)
{
    const uint64_t head[2] = { end, n };
    MPI_Send(head, 2, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD);
    for (size_t at = 0; at < n; at += MOST)
        MPI_Send(bytes + at, (int)(n - at < MOST ? n - at : MOST), MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
}

/* Receives what a rank sends. If memory runs out, all processes are ended: the sender would wait for ever for its message
 * to be received. */
static int receive(struct team *team, int rank, const struct team_take *take, struct err *err)
{
    const double begun = timing_ms();
    uint64_t head[2];
    MPI_Recv(head, 2, MPI_UINT64_T, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    uint8_t *bytes = malloc((size_t)head[1] + 1);
    if (!bytes) {
        fprintf(stderr, "isoscope: not enough memory for what rank %d has written\n", rank);
        MPI_Abort(MPI_COMM_WORLD, ERR_FAILED);
    }
    for (uint64_t at = 0; at < head[1]; at += MOST)
        MPI_Recv(bytes + at, (int)(head[1] - at < MOST ? head[1] - at : MOST), MPI_BYTE, rank, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    team->waited_ms += timing_ms() - begun;
    const int code = take->take(take->context, rank, head[0], bytes, (size_t)head[1], err);
    free(bytes);
    return code;
}

static int gather(struct team *team, uint64_t end, const void *bytes, size_t n, const struct team_take *take,
                  struct err *err)
{
    if (team->rank) {
        send(end, bytes, n);
        return ERR_NONE;
    }
    int code = take->take(take->context, 0, end, bytes, n, err);
    for (int rank = 1; rank < team->size; rank++) {
        const int failed = receive(team, rank, take, code ? NULL : err);
        code = code ? code : failed;
    }
    return code;
}

/* ---- joining and leaving ----------------------------------------------------------------------------------------- */

/* If MPI does not fit the launcher, every process believes it is alone and would make the whole file. To be called before
 * MPI begins, because MPI may set the same variables for a process that is alone. */
static int ask_launcher(struct err *err)
{
    return launcher_refuse("this MPI sees one",
                           "was isoscope-mpi built with another MPI? take that one's mpirun, or another of srun --mpi=list",
                           err);
}

int team_begin(struct team *team, struct err *err)
{
    static const struct team_ops ops = { agree, sum, gather };
    MPI_Comm host;
    int provided;
    struct err strangers = { 0 };
    ask_launcher(&strangers);
    *team = (struct team){ .size = 1, .local = 1, .ops = &ops };
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided); /* other threads read and compute, but never call MPI */
    MPI_Comm_rank(MPI_COMM_WORLD, &team->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team->size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &team->local);
    MPI_Comm_rank(host, &team->place);
    MPI_Comm_free(&host);
    if (team->rank && !freopen("/dev/null", "w", stdout)) fclose(stdout); /* one answer, not one per process */
    if (team->size > 1 || !strangers.code) return ERR_NONE;
    *err = strangers;
    return ERR_USAGE;
}

void team_end(struct team *team)
{
    (void)team;
    MPI_Barrier(MPI_COMM_WORLD); /* a rank that ends with an error may end all; wait until the first has reported it */
    MPI_Finalize();
}
