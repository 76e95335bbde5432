/* Runs one job at a time concurrently with the caller. An executor decides how: on a thread (worker_thread), or when a test
 * says so.
 *
 *    worker_start(job) ... the caller goes on ... wake() -> worker_take: the job is the caller's again
 *
 * Between start and take the executor owns everything that the job refers to. Only progress and cancellation are shared. */
#ifndef ISO_WORKER_H
#define ISO_WORKER_H

#include "error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct worker;

struct executor {
    int (*open)(struct worker *worker, struct err *err); /* on error nothing is left open */
    void (*close)(struct worker *worker);                /* waits for the job that was started */
    void (*start)(struct worker *worker);                /* begins worker->run(worker->job) */
    bool (*take)(struct worker *worker);
    void (*wait)(struct worker *worker);
};

extern const struct executor worker_thread; /* a thread for each worker */

struct worker {
    const struct executor *executor; /* NULL: not open */
    void *state;                     /* the executor's own */
    void (*run)(void *job);
    void *job;
    void (*wake)(void *context); /* called by the executor after each job, on any thread */
    void *context;
    bool cancel;       /* read and written atomically */
    unsigned permille; /* progress; read and written atomically */
};

/* Error: ERR_FAILED, no thread could be started; nothing is left open. */
int worker_open(struct worker *worker, const struct executor *executor, void (*wake)(void *context), void *context,
                struct err *err);

/* Cancels what was started, waits for it and closes. Each job runs, and frees what it was handed, but a job that is closed
 * right after its start finds itself cancelled. Does nothing if the worker was never opened. */
void worker_close(struct worker *worker);

/* Only while nothing runs and the job before has been taken. */
void worker_start(struct worker *worker, void (*run)(void *job), void *job);

/* True once after each start: when the job has ended. */
bool worker_take(struct worker *worker);

/* Waits for the job's end. Call worker_take afterwards. */
void worker_wait(struct worker *worker);

void worker_cancel(struct worker *worker);
bool worker_is_cancelled(const struct worker *worker); /* since the last start */

/* Progress of the job, 0 to 1; the job itself calls worker_tell. */
void worker_tell(struct worker *worker, double fraction);
double worker_progress(const struct worker *worker);

#ifdef __cplusplus
}
#endif
#endif
