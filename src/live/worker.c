#include "worker.h"

#include "trace.h"

#include <string.h>

static void *work(void *context)
{
    struct worker *w = context;
    trace_name_thread("worker");
    pthread_mutex_lock(&w->mutex);
    for (;;) {
        while (w->state != WORKER_BUSY && w->state != WORKER_QUITS) pthread_cond_wait(&w->changed, &w->mutex);
        if (w->state == WORKER_QUITS) break;
        pthread_mutex_unlock(&w->mutex);
        trace_push("job", NULL);
        w->run(w->job);
        trace_pop();
        pthread_mutex_lock(&w->mutex);
        if (w->state == WORKER_BUSY) w->state = WORKER_DONE;
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->mutex);
        w->wake();
        pthread_mutex_lock(&w->mutex);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

int worker_open(struct worker *w, void (*wake)(void), struct err *err)
{
    memset(w, 0, sizeof *w);
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->wake = wake;
    if (!pthread_create(&w->thread, NULL, work, w)) return ERR_NONE;
    memset(w, 0, sizeof *w);
    return err_set(err, ERR_FAILED, "no second thread can be started: close other programs, or ask for a higher limit");
}

static void change(struct worker *w, enum worker_state state)
{
    pthread_mutex_lock(&w->mutex);
    w->state = state;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

void worker_close(struct worker *w)
{
    if (!w->wake) return;
    worker_cancel(w);
    change(w, WORKER_QUITS);
    pthread_join(w->thread, NULL);
    pthread_mutex_destroy(&w->mutex);
    pthread_cond_destroy(&w->changed);
    memset(w, 0, sizeof *w);
}

void worker_start(struct worker *w, void (*run)(void *job), void *job)
{
    __atomic_store_n(&w->cancel, false, __ATOMIC_RELAXED);
    worker_tell(w, 0);
    w->run = run;
    w->job = job;
    change(w, WORKER_BUSY);
}

bool worker_take(struct worker *w)
{
    pthread_mutex_lock(&w->mutex);
    const bool done = w->state == WORKER_DONE;
    if (done) w->state = WORKER_IDLE;
    pthread_mutex_unlock(&w->mutex);
    return done;
}

void worker_wait(struct worker *w)
{
    pthread_mutex_lock(&w->mutex);
    while (w->state == WORKER_BUSY) pthread_cond_wait(&w->changed, &w->mutex);
    pthread_mutex_unlock(&w->mutex);
}

void worker_cancel(struct worker *w) { __atomic_store_n(&w->cancel, true, __ATOMIC_RELAXED); }

bool worker_is_cancelled(const struct worker *w) { return __atomic_load_n(&w->cancel, __ATOMIC_RELAXED); }

void worker_tell(struct worker *w, double fraction)
{
    __atomic_store_n(&w->permille, (unsigned)(1000 * fraction), __ATOMIC_RELAXED);
}

double worker_progress(const struct worker *w) { return __atomic_load_n(&w->permille, __ATOMIC_RELAXED) / 1000.0; }
