/* The refined surface without a window, on a clock and a worker that the test controls: it comes at rest, goes when anything moves or
 * another value is wanted, and is that of the whole file, bit for bit. */
#include "ball_file.h"
#include "check.h"
#include "fake_workers.h"
#include "live_parts.h"

#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test_live_refined_XXXXXX";
static char path[64];
static int begun, cancelled, told; /* refined surfaces and jobs that were given up, by the log; errors */

static void wake(void *context) { (void)context; }

static void tell(void *context, enum live_kind kind, int code, const char *text)
{
    (void)context, (void)code;
    begun += !strncmp(text, "refined level", 13);
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

/* Turns until nothing is missing, or `task` has begun. */
static void turn(struct live *live, struct live_wish *wish, enum live_task task)
{
    for (int i = 0; i < 1000; i++) {
        live_poll(live, wish);
        if (live->work.task == task || live_is_idle(live)) return;
        const double next = fmin(fake_workers_next(), live->deadline);
        if (next < INFINITY) fake_workers.now = fmax(fake_workers.now, next);
    }
    CHECK(!"it comes to rest");
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

/* Whether what is drawn is the surface of all voxels, every 2nd of which is in memory. */
static bool is_whole(const struct live *live, double value)
{
    const struct mesh *mesh = live->surface[0].drawn.mesh;
    const struct mesh_out got = mesh_memory_of(mesh);
    struct volume whole;
    struct mesh_host want;
    struct iso iso;
    struct err err = { 0 };
    if (volume_load(&whole, path, NULL, &err) || iso_open(&iso, BACKEND_CPU, -1, 1, &err)) exit(1);
    if (iso_set_volume(&iso, &whole.grid, &err) || iso_extract(&iso, (float)value, &want, &err)) exit(1);
    struct vertex *a = sorted(got.vertices, got.indices, mesh->triangles, 1);
    struct vertex *b = sorted(want.vertices, want.indices, want.triangle_count, 0.5f);
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

int main(void)
{
    const struct live_host host = { .target = &mesh_memory,
                                    .executor = &fake_executor,
                                    .clock = clock_now,
                                    .wake = wake,
                                    .tell = tell,
                                    .limits = live_limits };
    struct live live;
    struct live_wish wish;
    struct err err;
    check_seed(73);
    write_volume();
    const struct setup setup = { .file = path,
                                 .iso_given = true,
                                 .iso = 100.5,
                                 .backend = CHOICE_CPU,
                                 .threads = 1,
                                 .cache = 1 << 22,
                                 .load = { .memory = 40000, .threads = 1 } };
    fake_workers.duration = 10;
    if (CHECK(!live_open(&live, &host, &setup, &wish, &err))) {
        test_rest(&live, &wish);
        test_movement(&live, &wish);
        test_values(&live, &wish);
        test_against(&live, &wish);
        live_close(&live);
    }
    check_remove(folder);
    return check_summary("test_live_refined");
}
