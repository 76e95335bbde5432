#include "fake_workers.h"

#include <math.h>
#include <stddef.h>

struct fake_workers fake_workers;

double fake_workers_clock(void *unused)
{
    struct fake_workers *f = &fake_workers;
    (void)unused;
    if (!f->running) return f->now;
    return f->asked++ ? f->running->end : f->running->start;
}

static void run(struct fake_job *job)
{
    if (job->ran) return;
    fake_workers.running = job;
    fake_workers.asked = 0;
    job->worker->run(job->worker->job);
    fake_workers.running = NULL;
    job->ran = true;
}

static int fake_open(struct worker *worker, struct err *err)
{
    struct fake_job *job = fake_workers.job;
    while (job < fake_workers.job + FAKE_WORKERS && job->worker) job++;
    if (job == fake_workers.job + FAKE_WORKERS) return err_set(err, ERR_FAILED, "more workers than the test has");
    *job = (struct fake_job){ .worker = worker };
    worker->state = job;
    return ERR_NONE;
}

static void fake_start(struct worker *worker)
{
    struct fake_job *job = worker->state;
    fake_workers.misuses += job->busy;
    job->busy = true;
    job->ran = false;
    job->start = fake_workers.now;
    job->end = fake_workers.now + fake_workers.duration;
    if (fake_workers.eager) run(job);
}

static bool fake_take(struct worker *worker)
{
    struct fake_job *job = worker->state;
    if (!job->busy || fake_workers.now < job->end) return false;
    run(job);
    job->busy = false;
    return true;
}

static void fake_wait(struct worker *worker)
{
    struct fake_job *job = worker->state;
    if (job->busy) run(job);
    job->end = fake_workers.now;
}

static void fake_close(struct worker *worker)
{
    fake_wait(worker);
    *(struct fake_job *)worker->state = (struct fake_job){ .worker = NULL };
}

const struct executor fake_executor = { fake_open, fake_close, fake_start, fake_take, fake_wait };

double fake_workers_next(void)
{
    double next = INFINITY;
    for (int i = 0; i < FAKE_WORKERS; i++) {
        struct fake_job *job = &fake_workers.job[i];
        if (!job->worker || !job->busy) continue;
        if (worker_is_cancelled(job->worker)) job->end = fmin(job->end, fmax(job->start, fake_workers.now) + 2);
        next = fmin(next, job->end);
    }
    return next;
}
