#include "worker.h"

#include "trace.h"

#include <pthread.h>
#include <sys/resource.h>
#include <stdlib.h>
#include <string.h>

int worker_open(struct worker *w, const struct executor *executor, void (*wake)(void *context), void *context,
                struct err *err)
{
    *w = (struct worker){ .executor = executor, .wake = wake, .context = context };
    const int code = executor->open(w, err);
    if (code) memset(w, 0, sizeof *w);
    return code;
}

void worker_close(struct worker *w)
{
    if (!w->executor) return;
    worker_cancel(w);
    w->executor->close(w);
    memset(w, 0, sizeof *w);
}

void worker_start(struct worker *w, void (*run)(void *job), void *job)
{
    __atomic_store_n(&w->cancel, false, __ATOMIC_RELAXED);
    worker_tell(w, 0);
    w->run = run;
    w->job = job;
    w->executor->start(w);
}

bool worker_take(struct worker *w) { return w->executor->take(w); }

void worker_wait(struct worker *w) { w->executor->wait(w); }

void worker_cancel(struct worker *w) { __atomic_store_n(&w->cancel, true, __ATOMIC_RELAXED); }

bool worker_is_cancelled(const struct worker *w) { return __atomic_load_n(&w->cancel, __ATOMIC_RELAXED); }

void worker_tell(struct worker *w, double fraction)
{
    __atomic_store_n(&w->permille, (unsigned)(1000 * fraction), __ATOMIC_RELAXED);
}

double worker_progress(const struct worker *w) { return __atomic_load_n(&w->permille, __ATOMIC_RELAXED) / 1000.0; }

/* ---- a thread ------------------------------------------------------------------------------------------------------ */

#define NICER 5 /* than the caller, which has a picture to draw: a third of the time if that wants all of it */

enum phase { IDLE, BUSY, DONE, QUITS };

struct thread { /* worker.state */
    pthread_t thread;
    pthread_mutex_t mutex; /* for the next two */
    pthread_cond_t changed;
    enum phase phase;
};

/* For this thread and those that it starts: on Linux, 0 is the thread. The value is relative, since the whole program may
 * have been started with the command nice. */
static void give_way(void) { setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICER); }

static void *work(void *context)
{
    struct worker *w = context;
    struct thread *t = w->state;
    trace_name_thread("worker");
    give_way();
    pthread_mutex_lock(&t->mutex);
    for (;;) {
        while (t->phase != BUSY && t->phase != QUITS) pthread_cond_wait(&t->changed, &t->mutex);
        if (t->phase == QUITS) break;
        pthread_mutex_unlock(&t->mutex);
        trace_push("job", NULL);
        w->run(w->job);
        trace_pop();
        pthread_mutex_lock(&t->mutex);
        t->phase = DONE;
        pthread_cond_broadcast(&t->changed);
        pthread_mutex_unlock(&t->mutex);
        w->wake(w->context);
        pthread_mutex_lock(&t->mutex);
    }
    pthread_mutex_unlock(&t->mutex);
    return NULL;
}

static int thread_open(struct worker *w, struct err *err)
{
    struct thread *t = calloc(1, sizeof *t);
    w->state = t;
    if (t) {
        pthread_mutex_init(&t->mutex, NULL);
        pthread_cond_init(&t->changed, NULL);
        if (!pthread_create(&t->thread, NULL, work, w)) return ERR_NONE;
    }
    free(t);
    return err_set(err, ERR_FAILED, "cannot start a second thread: close other programs, or raise the limit on threads");
}

static void change(struct thread *t, enum phase phase)
{
    pthread_mutex_lock(&t->mutex);
    t->phase = phase;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}

static void thread_wait(struct worker *w)
{
    struct thread *t = w->state;
    pthread_mutex_lock(&t->mutex);
    while (t->phase == BUSY) pthread_cond_wait(&t->changed, &t->mutex);
    pthread_mutex_unlock(&t->mutex);
}

static void thread_close(struct worker *w)
{
    struct thread *t = w->state;
    thread_wait(w); /* the thread may not have begun yet, and it is the job that frees what was handed to it */
    change(t, QUITS);
    pthread_join(t->thread, NULL);
    pthread_mutex_destroy(&t->mutex);
    pthread_cond_destroy(&t->changed);
    free(t);
}

static void thread_start(struct worker *w) { change(w->state, BUSY); }

static bool thread_take(struct worker *w)
{
    struct thread *t = w->state;
    pthread_mutex_lock(&t->mutex);
    const bool done = t->phase == DONE;
    if (done) t->phase = IDLE;
    pthread_mutex_unlock(&t->mutex);
    return done;
}

const struct executor worker_thread = { thread_open, thread_close, thread_start, thread_take, thread_wait };
