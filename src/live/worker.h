/* One thread beside the window's, and one job at a time for it.
 *
 *    worker_start(job) ... frames are drawn ... wake() -> worker_take: the job is the caller's again
 *
 * Between start and take all that the job refers to belongs to the worker; nothing else is shared but how far it is and
 * whether it is to stop. */
#ifndef ISO_WORKER_H
#define ISO_WORKER_H

#include "error.h"

#include <pthread.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum worker_state { WORKER_IDLE, WORKER_BUSY, WORKER_DONE, WORKER_QUITS };

struct worker {
    pthread_t thread;
    pthread_mutex_t mutex; /* for the next four */
    pthread_cond_t changed;
    enum worker_state state;
    void (*run)(void *job);
    void *job;
    void (*wake)(void); /* called by the worker's thread after each job; NULL: not open */
    bool cancel;        /* these two by worker_cancel and so on only */
    unsigned permille;
};

/* Error: ERR_FAILED, no thread could be started; nothing is left open. */
int worker_open(struct worker *worker, void (*wake)(void), struct err *err);

/* Cancels what runs, waits for it and ends the thread. One that was never opened is fine. */
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
