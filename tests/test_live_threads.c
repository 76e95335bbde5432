/* The live surface with real threads and a real clock: the wish changes while jobs run and triangles are sorted, everything
 * that a window reads is read meanwhile, and live is closed at any time. Checks the state at rest; ThreadSanitizer finds
 * races.
 *
 * Usage: test_live_threads [ROUNDS]: 60 by default. */
#include "ball_file.h"
#include "check.h"
#include "live.h"
#include "timing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/test_live_threads_XXXXXX";
static char path[64];
static int woken; /* atomic */

/* Large enough that jobs are caught at work: a ball in noise. */
static void write_volume(void)
{
    if (!mkdtemp(folder)) exit(1);
    snprintf(path, sizeof path, "%s/v_48x48x48_uint8.raw", folder);
    write_ball(path, 200, 60);
}

static double clock_now(void *context)
{
    (void)context;
    return timing_ms();
}

static void wake(void *context)
{
    (void)context;
    __atomic_add_fetch(&woken, 1, __ATOMIC_RELAXED);
}

static void tell(void *context, enum live_kind kind, int code, const char *text)
{
    (void)context, (void)code;
    if (!CHECK(kind != LIVE_ERROR)) printf("%s\n", text);
}

/* As a window: polls, and reads what a panel shows. */
static void turn(struct live *live, struct live_wish *wish)
{
    double low[3], high[3];
    live_poll(live, wish);
    live_resolve(live, wish);
    live_bounds(live, 0, low, high);
    CHECK(live->surface[0].drawn.mesh && live_memory(live) > 0);
    CHECK(live_progress(live) <= 1);
    (void)live_is_uploading(live);
    (void)live_is_coming(live, 0);
    for (int s = 0; s < STAGE_ALL; s++) CHECK(live->stage[s].ms >= 0 && wish->rung[s] && live->iso.ops);
}

static void sleep_ms(double ms) { nanosleep(&(struct timespec){ 0, (long)(ms * 1e6) }, NULL); }

/* Turns until nothing is missing. */
static void rest(struct live *live, struct live_wish *wish)
{
    const double until = timing_ms() + 60000;
    do {
        turn(live, wish);
        sleep_ms(1);
    } while (!live_is_idle(live) && timing_ms() < until);
    CHECK(live_is_idle(live));
}

static void change(struct live *live, struct live_wish *wish)
{
    struct err err;
    double value = wish->value[0];
    switch (check_random() % 11) {
    case 0: wish->sigma = (float)(check_random() % 4) / 2; break;
    case 1: wish->translucent[0] = !wish->translucent[0]; break;
    case 2: wish->along[check_random() % 3] = (float)(check_random() % 9) - 4; break;
    case 3: wish->slice_on[check_random() % 3] = true; break;
    case 4:
        if (live->stats.bins && !live_aux_step(live, 0.01, &value, &err)) wish->value[0] = value;
        break;
    case 6:
        wish->filter[0] = (struct component_filter){ .min_size = (double)(check_random() % 4) * 10, .percent = true };
        break;
    case 5: wish->held = !wish->held; break;
    case 7: /* another surface, or one less */
        wish->use[1] = wish->use[1] == LIVE_SHOWN ? LIVE_OFF : LIVE_SHOWN;
        wish->value[1] = 60.5 + (double)(check_random() % 100);
        break;
    case 8: wish->translucent[1] = !wish->translucent[1]; break;
    default:
        if (live->volumes) wish->value[0] = 60.5 + (double)(check_random() % 100);
    }
}

static void play(const struct live_host *host, const struct setup *setup)
{
    struct live live;
    struct live_wish wish;
    struct err err;
    if (!CHECK(!live_open(&live, host, setup, &wish, &err))) return;
    wish.along[0] = 1;
    for (int i = 0; i < 40; i++) {
        change(&live, &wish);
        turn(&live, &wish);
        sleep_ms((double)(check_random() % 4));
    }
    if (check_random() % 4) { /* else it ends in the middle */
        wish.held = false;
        rest(&live, &wish);
        CHECK(live.surface[0].made.value == wish.value[0]);
        const bool together = wish.use[1] == LIVE_SHOWN && wish.translucent[0] && wish.translucent[1];
        CHECK(wish.use[1] == LIVE_OFF || live.surface[1].made.value == wish.value[1]);
        CHECK(!wish.translucent[0] || !live.surface[0].mesh.triangles ||
              (together ? live.together.drawn.ordered : live.surface[0].drawn.ordered));
        CHECK(!component_filter_is_on(&wish.filter[0]) || !live.surface[0].mesh.triangles ||
              filtered_is_now(&live.surface[0].filtered, &live.surface[0].mesh,
                              &(struct filtered_by){ .filter = wish.filter[0] }));
        CHECK(__atomic_load_n(&woken, __ATOMIC_RELAXED) > 0);
    }
    live_close(&live);
}

static void check_counts(const struct live *live, const unsigned count[STAGE_COUNT])
{
    for (int s = 0; s < STAGE_COUNT; s++)
        if (!CHECK(live->times.stage[s].count == count[s]))
            printf("%s has %u times, not %u\n", stage_name[s], live->times.stage[s].count, count[s]);
}

/* The times of a stage are of one kind of work: another rung clears them, and those of the stages after it; smoothing
 * all. */
static void times_are_of_one_work(const struct live_host *host, const struct setup *setup)
{
    struct live live;
    struct live_wish wish;
    struct err err;
    if (!CHECK(!live_open(&live, host, setup, &wish, &err))) return;
    iso_list_rung(wish.rung, BACKEND_CPU, STAGE_FUSED, ladder_find(ladder_of("fused"), BACKEND_CPU, "none"));
    for (int i = 0; i < 3; i++) {
        wish.value[0] = 60.5 + i;
        rest(&live, &wish);
    }
    const unsigned scans = live.times.stage[STAGE_SCAN].count, classified = live.times.stage[STAGE_CLASSIFY].count;
    CHECK(scans >= 2 && live.times.compute.count == 2 && !live.times.cold_compute); /* the first does not count */
    wish.rung[STAGE_SCAN] = ladder_rung(ladder_of("scan"), BACKEND_CPU, 0);
    rest(&live, &wish);
    check_counts(&live, (unsigned[]){ 1, classified + 1, 1, 1, 1, 0 });
    CHECK(live.times.compute.count == 1 && live.times.cold_compute && live.times.cold[STAGE_SCAN]);
    CHECK(!live.times.cold[STAGE_CLASSIFY]);
    const double cold = series_last(&live.times.compute);
    live_repeat(&live, 0);
    rest(&live, &wish);
    CHECK(live.times.compute.count == 1 && !live.times.cold_compute && !live.times.cold[STAGE_SCAN]);
    CHECK(live.times.stage[STAGE_SCAN].count == 1 && series_last(&live.times.compute) != cold);
    wish.rung[STAGE_CLASSIFY] = ladder_rung(ladder_of("classify"), BACKEND_CPU, 0);
    rest(&live, &wish);
    wish.value[0] = 70.5;
    rest(&live, &wish);
    check_counts(&live, (unsigned[]){ 1, 1, 1, 1, 1, 0 });
    wish.value[0] = 71.5;
    rest(&live, &wish);
    check_counts(&live, (unsigned[]){ 1, 2, 2, 2, 2, 0 });
    wish.sigma = 1;
    rest(&live, &wish);
    check_counts(&live, (unsigned[]){ 1, 1, 1, 1, 1, 0 });
    CHECK(live.times.stage[AUX_REDUCE].count == 1);
    live_close(&live);
}

/* A coarse surface that takes long to draw becomes coarser, and finer again when there is time. */
static void coarse_levels_follow_the_time(const struct live_host *host, const struct setup *setup)
{
    static const struct {
        double ms;
        unsigned from, to;
    } draws[] = { { 100, 2, 4 }, { 100, 2, 4 }, { 39, 4, 4 }, { 41, 4, 8 },
                  { 20, 8, 8 },  { 1, 8, 4 },   { 1, 4, 2 },  { 1, 2, 2 } };
    struct live_host slow = *host;
    struct live live;
    struct live_wish wish;
    struct err err;
    slow.limits.slow_ms = 0, slow.limits.rest_ms = 1e6; /* every held value has a coarse surface, and no full one */
    if (!CHECK(!live_open(&live, &slow, setup, &wish, &err))) return;
    rest(&live, &wish);
    wish.held = true;
    wish.draw_ms = 1;
    CHECK(live.coarse.level.step == 2);
    for (size_t i = 0; i < sizeof draws / sizeof draws[0]; i++) {
        wish.coarse_ms = draws[i].ms, wish.coarse_step = draws[i].from;
        wish.value[0] += 1;
        turn(&live, &wish);
        CHECK(live.surface[0].drawn.step == draws[i].to && live.coarse.level.step == draws[i].to);
        CHECK(live.surface[0].coarse.mesh.triangles > 0);
    }
    /* Where pixels take most of the time, by the full surface, a coarser level would not help, and a finer one costs
     * little. */
    wish.draw_ms = 100, wish.coarse_ms = 80, wish.coarse_step = 2, wish.value[0] += 1;
    turn(&live, &wish);
    CHECK(live.coarse.level.step == 2);
    wish.coarse_ms = 41, wish.draw_ms = 1000, wish.value[0] += 1;
    turn(&live, &wish);
    CHECK(live.coarse.level.step == 4);
    wish.coarse_ms = 12, wish.coarse_step = 4, wish.draw_ms = 24, wish.value[0] += 1;
    turn(&live, &wish);
    CHECK(live.coarse.level.step == 2);
    wish.coarse_step = 0;
    wish.draw_ms = 40 * 4 * 4 + 1; /* a step of 4 would take longer than 40 ms */
    wish.value[0] += 1;
    turn(&live, &wish);
    CHECK(live.surface[0].drawn.step == 8);
    wish.held = false;
    rest(&live, &wish);
    live_close(&live);
}

static void count_job(void *job) { ++*(int *)job; }

/* A job that is started runs, also where the worker is closed before its thread has looked. */
static void closed_at_once(void)
{
    int ran = 0;
    check_subject("a worker that is closed at once");
    for (int i = 0; i < 500; i++) {
        struct worker worker;
        struct err err = { 0 };
        if (!CHECK(!worker_open(&worker, &worker_thread, wake, NULL, &err))) return;
        worker_start(&worker, count_job, &ran);
        worker_close(&worker);
        CHECK(ran == i + 1);
    }
}

static void note_priority(void *job) { *(int *)job = getpriority(PRIO_PROCESS, 0); }

/* A worker gives way to the thread that opened it, also where that itself gives way to other programs. The last test, as
 * not everybody may take this back. */
static void gives_way(void)
{
    struct worker worker;
    struct err err = { 0 };
    int priority = 0;
    check_subject("the priority of a worker");
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 8);
    const int own = getpriority(PRIO_PROCESS, 0);
    if (!CHECK(!worker_open(&worker, &worker_thread, wake, NULL, &err))) return;
    worker_start(&worker, note_priority, &priority);
    worker_wait(&worker);
    CHECK(own == 19 || priority > own); /* 19: there is no lower one */
    worker_close(&worker);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 60;
    check_seed(7);
    write_volume();
    struct live_host host = { &mesh_memory, &worker_thread, clock_now, wake, tell, NULL, live_limits };
    const struct setup setup = { .file = path, .backend = CHOICE_CPU, .threads = 2 };
    host.limits.coarse_voxels = 1 << 14;
    closed_at_once();
    times_are_of_one_work(&host, &setup);
    coarse_levels_follow_the_time(&host, &setup);
    for (int i = 0; i < rounds; i++) {
        host.limits.turn_ms = host.limits.sort_ms = i % 2 ? 0 : 50; /* sorted by the sorter, or before drawing */
        host.limits.filter_ms = i % 3 ? 0 : 50;
        play(&host, &setup);
    }
    gives_way();
    remove(path);
    rmdir(folder);
    return check_summary("test_live_threads");
}
