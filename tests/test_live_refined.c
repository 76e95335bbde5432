/* The refined surface without a window, with a clock and a worker that the test controls. It appears at rest,
 * disappears when anything moves or another value is wanted, and equals that of the whole file, bit for bit. */
#include "ball_file.h"
#include "check.h"
#include "fake_workers.h"
#include "live_parts.h"

#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test_live_refined_XXXXXX";
static char path[64];
static int seen, begun, cancelled,
    told; /* refined surfaces, as far as seen and all, and jobs given up, by the log; errors */

static void wake(void *context) { (void)context; }

static void tell(void *context, enum live_kind kind, int code, const char *text)
{
    (void)context, (void)code;
    begun += !strncmp(text, "refined level", 13);
    seen += !strncmp(text, "refined what is seen, level", 27);
    cancelled += !strncmp(text, "refining cancelled", 18);
    told += kind == LIVE_ERROR;
}

static void write_volume(void)
{
    if (!mkdtemp(folder)) exit(1);
    snprintf(path, sizeof path, "%s/v_48x48x48_uint8.raw", folder);
    write_ball(path, 200, 20);
}

static double clock_now(void *context)
{
    (void)context;
    return fake_workers_clock(NULL);
}

/* Sets the clock to when something is to be done. */
static void wait_for_next(const struct live *live)
{
    const double next = fmin(fake_workers_next(), live->deadline);
    if (next < INFINITY) fake_workers.now = fmax(fake_workers.now, next);
}

/* Continues until nothing is missing, or until `task` has begun. */
static void turn(struct live *live, struct live_wish *wish, enum live_task task)
{
    for (int i = 0; i < 1000; i++) {
        live_poll(live, wish);
        if (live->work.task == task || live_is_idle(live)) return;
        wait_for_next(live);
    }
    CHECK(!"it comes to rest");
}

/* Turns until the log has said so often enough. */
static void turn_until(struct live *live, struct live_wish *wish, const int *said, int times)
{
    live_poll(live, wish);
    for (int i = 0; i < 1000 && *said < times; i++) {
        wait_for_next(live);
        live_poll(live, wish);
    }
    CHECK(*said == times);
}

/* Lines of sight along z; voxels in memory are `pixels` long. */
static void look(struct live_wish *wish, float pixels)
{
    wish->view = (struct refine_view){ .width = 200, .height = 200 };
    for (int a = 0; a < 2; a++)
        wish->view.clip_from_voxel[5 * a] = pixels / 100, wish->view.clip_from_voxel[12 + a] = -0.5f;
    wish->view.clip_from_voxel[10] = 1e-3f, wish->view.clip_from_voxel[15] = 1;
}

static int compare(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(struct vertex)); }

static struct vertex *sorted(const struct vertex *v, const uint32_t *index, uint64_t triangles, float scale)
{
    struct vertex *to = malloc((triangles + 1) * 3 * sizeof *to);
    if (!to) exit(1);
    for (uint64_t i = 0; i < 3 * triangles; i++) {
        to[i] = v[index[i]];
        to[i].x *= scale, to[i].y *= scale, to[i].z *= scale;
    }
    qsort(to, triangles, 3 * sizeof *to, compare);
    return to;
}

/* Whether the drawn surface is that of all voxels in the file, of which only some are in memory. */
static bool is_whole(const struct live *live, double value)
{
    const struct mesh *mesh = live->surface[0].drawn.mesh;
    const struct mesh_out got = mesh_memory_of(mesh);
    struct volume whole;
    struct mesh_host want;
    struct iso iso;
    struct err err = { 0 };
    if (load_volume(&whole, path, NULL, &err) || iso_open(&iso, BACKEND_CPU, -1, 1, &err)) exit(1);
    if (iso_set_volume(&iso, &whole.grid, &err) || iso_extract(&iso, (float)value, &want, &err)) exit(1);
    struct vertex *a = sorted(got.vertices, got.indices, mesh->triangles, 1);
    struct vertex *b = sorted(want.vertices, want.indices, want.triangle_count, 1 / (float)live->volume.step);
    const bool same = mesh->triangles == want.triangle_count && !memcmp(a, b, mesh->triangles * 3 * sizeof *a);
    free(a), free(b);
    mesh_host_free(&want);
    iso_close(&iso);
    volume_free(&whole);
    return same && mesh == &live->surface[0].refined.mesh;
}

static bool is_full(const struct live *live) { return live->surface[0].drawn.mesh == &live->surface[0].mesh; }

static bool says(const struct live *live, const char *what)
{
    char text[256];
    live_refined_text(live, 0, text, sizeof text);
    return strstr(text, what);
}

static void test_rest(struct live *live, struct live_wish *wish)
{
    turn(live, wish, LIVE_REFINE);
    CHECK(live->volume.step == 2 && live->volume.finer && is_full(live) && !begun); /* nobody looks */
    look(wish, 0.5f);
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(is_full(live) && !begun && says(live, "smaller than pixels"));
    look(wish, 1.5f);
    turn(live, wish, LIVE_REFINE);
    CHECK(live->work.task == LIVE_REFINE && is_full(live) && says(live, "refining 0 %"));
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(begun == 1 && is_whole(live, 100.5) && says(live, "level 0 of 0 to 1, every voxel"));
    CHECK(live_refined_is_shown(live, wish, 0) &&
          live->refined_bytes == BALL_VOXELS * BALL_VOXELS * BALL_VOXELS + refine_mesh_bytes(&live->refiner->mesh));
}

static void test_movement(struct live *live, struct live_wish *wish)
{
    wish->moving = true;
    live_poll(live, wish);
    CHECK(is_full(live) && live->work.task == LIVE_IDLE);
    wish->moving = false;
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(begun == 1 && is_whole(live, 100.5)); /* it is still there */
    look(wish, 1.6f);
    live_poll(live, wish);
    CHECK(is_full(live) && live->work.task == LIVE_IDLE && live->deadline == fake_workers.now + live_limits.rest_ms);
    turn(live, wish, LIVE_REFINE);
    look(wish, 1.7f); /* in the middle */
    live_poll(live, wish);
    CHECK(worker_is_cancelled(&live->worker) && is_full(live));
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(cancelled == 1 && begun == 2 && is_whole(live, 100.5));
}

static void test_values(struct live *live, struct live_wish *wish)
{
    look(wish, 1.8f);
    turn(live, wish, LIVE_REFINE);
    wish->value[0] = 120.5;
    live_poll(live, wish);
    CHECK(worker_is_cancelled(&live->worker) && is_full(live));
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(cancelled == 2 && is_whole(live, 120.5));
    look(wish, 1.9f);
    turn(live, wish, LIVE_REFINE);
    live_cancel(live, wish);
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(cancelled == 3 && is_full(live)); /* given up, until the view changes */
    look(wish, 2);
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(is_whole(live, 120.5));
}

static void test_against(struct live *live, struct live_wish *wish)
{
    const int before = begun;
    wish->sigma = 1;
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(is_full(live) && says(live, "not refined: smoothing"));
    wish->sigma = 0;
    wish->close = true;
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(is_full(live) && says(live, "not refined: caps") && begun == before);
    wish->close = false;
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(is_whole(live, 120.5));
    look(wish, 3);
    turn(live, wish, LIVE_REFINE);
    CHECK(live->work.task == LIVE_REFINE && !told); /* live is closed while it runs */
}

/* ---- what is hidden ---------------------------------------------------------------------------------------------- */

enum { LONG = 600, WIDE = 40 }; /* five blocks in a row along z, every 3rd voxel in memory */

/* Two balls, in the first block and the fourth; and, if so wanted, what every 3rd voxel misses between them, in the
 * third. */
static void write_balls(bool also_small)
{
    snprintf(path, sizeof path, "%s/balls_40x40x600_uint8.raw", folder);
    FILE *file = fopen(path, "wb");
    if (!file) exit(1);
    for (int i = 0; i < WIDE * WIDE * LONG; i++) {
        const int x = i % WIDE, y = i / WIDE % WIDE, z = i / WIDE / WIDE;
        const double from = hypot(x - 20.3, y - 19.8), ball = fmin(hypot(from, z - 60), hypot(from, z - 460));
        const bool small = also_small && x / 3 == 6 && x % 3 && y / 3 == 6 && y % 3 && z / 3 == 100 && z % 3;
        fputc(small ? 200 : (int)fmax(0, 180 - 6 * ball), file);
    }
    if (fclose(file)) exit(1);
}

static uint64_t triangles(const struct live *live) { return live->surface[0].drawn.mesh->triangles; }

static void test_hidden(struct live *live, struct live_wish *wish)
{
    look(wish, 3);
    wish->view.hides = true;
    turn(live, wish, LIVE_REFINE);
    CHECK(live->volume.step == 3 && is_full(live) && says(live, "refining 0 %"));
    turn_until(live, wish, &seen, 1);
    CHECK(!begun && !is_full(live) && !is_whole(live, 100.5));
    const uint64_t first = triangles(live);
    CHECK(live->work.task == LIVE_REFINE && says(live, "hidden parts"));
    turn_until(live, wish, &begun, 1);
    const uint64_t both = triangles(live);
    CHECK(!is_whole(live, 100.5) && first > 100 && both > first + 100 && both < 2 * first + 100);
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(begun == 2 && is_whole(live, 100.5) && triangles(live) > both && triangles(live) < both + 100 && !told);
    wish->view.hides = false; /* all of it is there: nothing is to be made, or shown in two parts */
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(seen == 1 && begun == 3 && is_whole(live, 100.5));
}

/* What is seen has room, what is hidden has none. */
static void test_full(struct live *live, struct live_wish *wish)
{
    look(wish, 3);
    wish->view.hides = true;
    turn_until(live, wish, &begun, 1);
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(!seen && begun == 1 && !is_full(live) && !is_whole(live, 100.5));
    CHECK(says(live, "level 0") && says(live, "hidden parts need a larger --cache") && !told);
    wish->view.hides = false;
    turn(live, wish, LIVE_COPY_RATE);
    CHECK(begun == 2 && !is_full(live) && says(live, "level 1") && says(live, "finer voxels in view need --cache"));
}

static void run(const struct live_host *host, uint64_t cache, uint64_t memory,
                void (*const *test)(struct live *live, struct live_wish *wish))
{
    const struct setup setup = { .file = path,
                                 .iso_given = true,
                                 .iso = 100.5,
                                 .backend = CHOICE_CPU,
                                 .threads = 1,
                                 .cache = cache,
                                 .load = { .memory = memory, .threads = 1 } };
    struct live live;
    struct live_wish wish;
    struct err err;
    seen = begun = cancelled = 0;
    if (!CHECK(!live_open(&live, host, &setup, &wish, &err))) return;
    for (; *test; test++) (*test)(&live, &wish);
    live_close(&live);
}

int main(void)
{
    const struct live_host host = { .target = &mesh_memory,
                                    .executor = &fake_executor,
                                    .clock = clock_now,
                                    .wake = wake,
                                    .tell = tell,
                                    .limits = live_limits };
    static void (*const ball[])(struct live *, struct live_wish *) = { test_rest, test_movement, test_values, test_against,
                                                                       NULL };
    static void (*const hidden[])(struct live *, struct live_wish *) = { test_hidden, NULL };
    static void (*const full[])(struct live *, struct live_wish *) = { test_full, NULL };
    check_seed(73);
    fake_workers.duration = 10;
    write_volume();
    run(&host, 1 << 22, 40000, ball);
    write_balls(true);
    run(&host, 1 << 22, 100000, hidden);
    write_balls(false);
    run(&host, 400000, 100000, full); /* three quarters of it: one block of 210 kB, not two */
    check_remove(folder);
    return check_summary("test_live_refined");
}
