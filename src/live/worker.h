/* One job at a time beside the caller's thread, run by an executor: a thread (worker_thread), or a test that decides when.
 *
 *    worker_start(job) ... the caller goes on ... wake() -> worker_take: the job is the caller's again
 *
 * Between start and take all that the job refers to belongs to the executor; nothing else is shared but how far it is and
 * whether it is to stop. */
#ifndef ISO_WORKER_H
#define ISO_WORKER_H

#include "error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct worker;

struct executor {
    int (*open)(struct worker *worker, struct err *err); /* error: nothing is left open */
    void (*close)(struct worker *worker);                /* waits for what runs */
    void (*start)(struct worker *worker);                /* has worker->run(worker->job) done */
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
    bool cancel; /* these two by worker_cancel and so on only */
    unsigned permille;
};

/* Error: ERR_FAILED, no thread could be started; nothing is left open. */
int worker_open(struct worker *worker, const struct executor *executor, void (*wake)(void *context), void *context,
                struct err *err);

/* Cancels what runs, waits for it and closes. One that was never opened is fine. */
void worker_close(struct worker *worker);

/* Only while nothing runs and what ran before has been taken. */
void worker_start(struct worker *worker, void (*run)(void *job), void *job);

/* True once after each start: when the job has ended. */
bool worker_take(struct worker *worker);

/* Waits for the job's end; worker_take is still to come. */
void worker_wait(struct worker *worker);

void worker_cancel(struct worker *worker);
bool worker_is_cancelled(const struct worker *worker); /* since the last start */

/* How far the job is, 0..1; told by the job. */
void worker_tell(struct worker *worker, double fraction);
double worker_progress(const struct worker *worker);

#ifdef __cplusplus
}
#endif
#endif
