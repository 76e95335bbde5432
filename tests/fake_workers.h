/* A clock, and an executor whose jobs take as long as a test says: they run on the test's own thread, when they start or
 * when they end, and are told of when they end. */
#ifndef ISO_FAKE_WORKERS_H
#define ISO_FAKE_WORKERS_H

#include "worker.h"

enum { FAKE_WORKERS = 3 }; /* of live, and of a rival */

struct fake_workers {
    double now;      /* ms */
    double duration; /* of the jobs to come, ms */
    bool eager;      /* jobs run when they start; else when they end, so that they see whether they were cancelled */
    struct fake_job {
        struct worker *worker; /* NULL: none is open */
        bool busy, ran;
        double start, end;
    } job[FAKE_WORKERS], *running;
    int misuses; /* jobs that were started while one ran */
    int asked;   /* how often the running job has asked for the time */
};

extern struct fake_workers fake_workers;
extern const struct executor fake_executor;

/* For struct live_host: a running job is told its start, then its end. */
double fake_workers_clock(void *unused);

/* When the next job ends; INFINITY: none runs. A cancelled job ends 2 ms after this function first sees the cancel. */
double fake_workers_next(void);

#endif
