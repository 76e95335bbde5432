/* A rival and turned vertices on real threads, with meshes in plain memory. While value, smoothing, rungs and file
 * change at random, nothing freed may be read (sanitizers check that). At rest the rival has made live's surface on its
 * own, and each rung of gemm turns its vertices as a reference in doubles does. On simulated threads, whose ends the
 * test chooses, no rival is open between a wish for other smoothing and its end, and live makes full surfaces beside it. */
#include "ball_file.h"
#include "check.h"
#include "fake_workers.h"
#include "rival.h"
#include "timing.h"
#include "turned.h"

#include "kernels/gemm.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 150 };

static char folder[] = "/tmp/test_rival_XXXXXX";
static char path[2][64];

static void write_volume(int file)
{
    snprintf(path[file], sizeof path[file], "%s/%c_48x48x48_uint8.raw", folder, 'a' + file);
    write_ball(path[file], 220, 40);
}

static double clock_now(void *unused)
{
    (void)unused;
    return timing_ms();
}

static void wake(void *unused) { (void)unused; }

static void tell(void *unused, enum live_kind kind, int code, const char *text)
{
    (void)unused, (void)code;
    if (!CHECK(kind != LIVE_ERROR)) printf("%s\n", text);
}

static void sleep_ms(double ms) { nanosleep(&(struct timespec){ 0, (long)(ms * 1e6) }, NULL); }

static void choose(const struct rung *rung[STAGE_ALL], bool textbook)
{
    for (int s = 0; s < STAGE_ALL; s++) {
        const struct ladder *ladder = ladder_of(stage_name[s]);
        rung[s] = textbook ? ladder_rung(ladder, BACKEND_CPU, 0) : ladder_find(ladder, BACKEND_CPU, NULL);
    }
}

static struct world {
    struct live live;
    struct live_wish wish;
    struct rival rival;
    const struct rung *rung[STAGE_ALL]; /* the rival's */
    long surfaces;                      /* that it has made */
} w;

/* As the window does. */
static void turn(void)
{
    struct err err = { 0 };
    rival_leave(&w.rival, &w.live, &w.wish);
    live_poll(&w.live, &w.wish);
    live_resolve(&w.live, &w.wish);
    w.surfaces += rival_follow(&w.rival, &w.live, &w.wish, 0, w.rung, &err);
    if (!CHECK(!err.code)) printf("%s\n", err.text);
}

static bool rests(void) { return live_is_idle(&w.live) && rival_rests(&w.rival, &w.live, &w.wish, 0); }

/* The same triangles in any order, with shared vertices or without, have the same sums of corners. */
static uint64_t sum_of(const struct mesh *mesh)
{
    const struct mesh_out at = mesh_memory_of(mesh);
    uint64_t sum = mesh->triangles;
    for (uint64_t i = 0; i < 3 * mesh->triangles; i++) {
        const float *v = &at.vertices[at.indices[i]].x;
        uint64_t h = 0xcbf29ce484222325;
        for (int c = 0; c < 3; c++) {
            uint32_t bits;
            memcpy(&bits, v + c, sizeof bits);
            h = (h ^ bits) * 0x100000001b3;
        }
        sum += h;
    }
    return sum;
}

static void check_rest(void)
{
    const double until = timing_ms() + 60000;
    for (turn(); !rests() && timing_ms() < until; turn()) sleep_ms(1);
    const struct rival_time *time = &w.rival.time;
    if (!CHECK(rests())) return;
    CHECK(time->value == w.wish.value[0] && time->ms > 0 && !time->shared && !w.rival.live_shared && !w.rival.first);
    CHECK(w.rival.mesh.triangles == w.live.surface[0].mesh.triangles);
    CHECK(sum_of(&w.rival.mesh) == sum_of(&w.live.surface[0].mesh));
}

static void change(void)
{
    switch (check_random() % 8) {
    case 0: w.wish.sigma = (float)(check_random() % 3) / 2; break;
    case 1: choose(w.rung, check_random() % 2); break;
    case 2: choose(w.wish.rung, check_random() % 2); break;
    case 3:
        w.wish.open.file = path[check_random() % 2];
        w.wish.opens++;
        break;
    case 4: w.wish.held = !w.wish.held; break;
    default:
        if (w.live.volumes) w.wish.value[0] = 60.5 + (double)(check_random() % 100);
    }
}

/* ---- turned vertices ------------------------------------------------------------------------------------------------- */

static void check_turned(struct turned *t, const float m[16], const struct gemm_rung *rung)
{
    const struct mesh *of = &w.live.surface[0].mesh;
    struct err err = { 0 };
    check_subject(rung->rung.name);
    if (!CHECK(!turned_follow(t, &w.live, of, m, &rung->rung, &err))) return;
    const struct vertex *from = mesh_memory_of(of).vertices;
    const float *to = (const float *)mesh_memory_of(&t->mesh).vertices;
    long wrong = 0;
    for (uint64_t i = 0; i < of->vertices; i++)
        for (int r = 0; r < 4; r++) {
            const double terms[3] = { (double)m[r] * from[i].x, (double)m[4 + r] * from[i].y,
                                      (double)m[8 + r] * from[i].z };
            const double want = terms[0] + terms[1] + terms[2], size = fabs(terms[0]) + fabs(terms[1]) + fabs(terms[2]);
            wrong += !(fabs(to[4 * i + (uint64_t)r] - want) <= gemm_tolerance(rung, 3) * size);
        }
    CHECK(of->vertices > 0 && wrong == 0);
}

static void test_turned(void)
{
    struct turned t = { .open = false };
    float m[16];
    for (const struct gemm_rung *rung = gemm_cpu; rung->rung.name; rung++) {
        if (rung_unavailable(&rung->rung, &w.live.iso.exec)) continue;
        for (int i = 0; i < 16; i++) m[i] = (float)(check_random() % 2000) / 1000 - 1;
        check_turned(&t, m, rung);
        const uint64_t turns = t.turns;
        check_turned(&t, m, rung); /* nothing is made that is there */
        CHECK(t.turns == turns);
    }
    w.wish.value[0] += 7; /* other vertices, by the same matrix */
    check_rest();
    check_turned(&t, m, gemm_cpu);
    turned_close(&t);
    turned_close(&t);
    check_subject("");
}

/* ---- what is still to come ------------------------------------------------------------------------------------------- */

static bool open_world(const struct executor *executor, double (*clock)(void *))
{
    static struct setup setup = { .threads = 2 };
    struct err err = { 0 };
    const struct live_host host = {
        .target = &mesh_memory,
        .executor = executor,
        .clock = clock,
        .wake = wake,
        .tell = tell,
        .limits = { .coarse_voxels = 4096, .slow_ms = 2, .coarse_ms = 40, .rest_ms = 10, .preview_bytes = UINT64_MAX }
    };
    setup.file = path[0];
    w = (struct world){ .surfaces = 0 };
    choose(w.rung, true);
    return CHECK(!live_open(&w.live, &host, &setup, &w.wish, &err));
}

static void close_world(void)
{
    rival_close(&w.rival);
    rival_close(&w.rival);
    live_close(&w.live);
}

/* Jobs take 10 ms. */
static void rest_faked(void)
{
    int turns = 0;
    for (turn(); turns < 100 && !rests(); turns++) fake_workers.now += 10, turn();
    CHECK(rests() && w.rival.mesh.triangles > 0);
}

/* Another rung smooths while the pipeline is lent for a surface. */
static void test_lent(void)
{
    check_subject("another rung smooths once the pipeline is back");
    fake_workers.duration = 10;
    if (!open_world(&fake_executor, fake_workers_clock)) return;
    w.wish.rung[AUX_GAUSSIAN] = ladder_rung(ladder_of("gaussian"), BACKEND_CPU, 0);
    rest_faked();
    w.wish.sigma = 1; /* which a load takes back */
    rest_faked();
    w.wish.value[0] += 5, turn();
    CHECK(w.live.work.task == LIVE_SURFACE && w.live.work.lent && w.rival.busy);
    CHECK(w.live.deadline > fake_workers.now); /* nothing to do until one of them ends */
    w.wish.rung[AUX_GAUSSIAN] = ladder_find(ladder_of("gaussian"), BACKEND_CPU, NULL);
    turn();
    for (int turns = 0; turns < 10 && w.live.work.task != LIVE_SMOOTH; turns++) {
        CHECK(!w.rival.open);
        fake_workers.now += 10, turn();
    }
    CHECK(w.live.work.task == LIVE_SMOOTH && !w.rival.open);
    rest_faked();
    close_world();
    check_subject("");
}

/* A drag with the mouse, a step every 4 ms, of a surface that is slow to make and to draw. */
static void drag_faked(int steps)
{
    for (int step = 0; step < steps; step++) {
        const struct live_surface *s = &w.live.surface[0];
        fake_workers.now += 4;
        w.wish.value[0] += 0.5;
        turn();
        CHECK(s->drawn.step == 1);
        CHECK(w.live.work.task == LIVE_IDLE || w.live.deadline > fake_workers.now); /* the window sleeps meanwhile */
        CHECK(step < 10 || w.wish.value[0] - s->made.value <= 4);                   /* two jobs and a step ago */
        CHECK(!(s->made.value < w.rival.time.value));
    }
}

/* Both make full surfaces only, so live does not fall behind the rival because it has a coarse one. */
static void test_fair(void)
{
    check_subject("a slow surface is as full as the rival's");
    fake_workers.duration = 14; /* longer than rest_ms */
    if (!open_world(&fake_executor, fake_workers_clock)) return;
    rest_faked();
    w.wish.draw_ms = w.wish.coarse_ms = 1000;
    w.wish.held = true;
    drag_faked(30);
    w.wish.held = false;
    rest_faked();
    w.wish.moving = true, turn();
    CHECK(w.live.surface[0].drawn.step == 1);
    rival_close(&w.rival);
    turn();
    CHECK(w.live.surface[0].drawn.step > 1); /* alone */
    close_world();
    check_subject("");
}

int main(void)
{
    check_seed(0x41);
    if (!mkdtemp(folder)) return 1;
    for (int i = 0; i < 2; i++) write_volume(i);
    test_lent();
    test_fair();
    if (!open_world(&worker_thread, clock_now)) return check_summary("rival");
    for (int round = 0; round < ROUNDS; round++) {
        change();
        for (uint64_t i = check_random() % 6; i > 0; i--) turn(), sleep_ms((double)(check_random() % 3));
        if (round % 10 == 9) w.wish.held = false, check_rest();
    }
    test_turned();
    CHECK(w.surfaces > ROUNDS / 10);
    close_world();
    for (int i = 0; i < 2; i++) remove(path[i]);
    rmdir(folder);
    return check_summary("rival");
}
