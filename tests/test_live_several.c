/* Several surfaces of one volume, as test_live_steps.c plays one: events in any order, on a clock, workers and a GPU that
 * the test controls. At rest each surface that is shown must be that of its own value, translucent ones must be in one
 * order, hidden ones must not be drawn, and those that are gone must hold no memory.
 *
 * Usage: test_live_several [RANDOM [SEED]]: so many random sequences, 3000 by default; with SEED only that one, and what
 * happens. */
#include "check.h"
#include "fake_backends.h"
#include "fake_workers.h"
#include "live_util.h"
#include "shown_util.h"
#include "live.h"

enum { LONG = 40 };

static uint64_t only; /* the one sequence that is played; 0: all are */

static struct {
    struct live live;
    struct live_wish wish;
    struct setup setup;
    long polls, errors;
    bool faulty; /* something was made to fail */
    int loaded;  /* -1: none */
    uint64_t scene;
    bool draws; /* what is there is drawn after each poll that changes it */
} w;

static void wake(void *context) { (void)context; }

static void tell(void *context, enum live_kind kind, int code, const char *text)
{
    (void)context, (void)code;
    CHECK(text[0]);
    if (only) printf("%10.1f %d %s\n", fake_workers.now, (int)kind, text);
    if (kind == LIVE_ERROR || kind == LIVE_WARNING) w.errors++;
}

static void open_live(void)
{
    const double enough = fake_workers.eager ? 1e9 : 0;
    const struct live_host host = { .target = &mesh_memory,
                                    .executor = &fake_executor,
                                    .clock = fake_workers_clock,
                                    .wake = wake,
                                    .tell = tell,
                                    .limits = { 160, 50, 150, .turn_ms = enough, .sort_ms = enough, .filter_ms = enough,
                                                .coarse_ms = 40 } };
    struct err err = { 0 };
    w.setup.threads = 1;
    w.setup.file = file_path[0];
    w.loaded = -1;
    if (!CHECK(!live_open(&w.live, &host, &w.setup, &w.wish, &err))) exit(1);
    CHECK(w.wish.use[0] == LIVE_SHOWN && w.wish.use[1] == LIVE_OFF);
}

static void poll(void)
{
    const unsigned volumes = w.live.volumes;
    w.polls++;
    live_poll(&w.live, &w.wish);
    CHECK(w.live.deadline > fake_workers.now);
    if (w.live.volumes != volumes) w.loaded = !strcmp(w.live.volume.name, file_name[0]) ? 0 : 1;
    if (!w.draws || w.live.scene == w.scene) return;
    w.scene = w.live.scene;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const struct live_drawn *drawn = &w.live.surface[i].drawn;
        CHECK(!drawn->mesh == (w.wish.use[i] != LIVE_SHOWN));
        CHECK(!drawn->mesh || (drawn->step && !drawn->mesh->mapped));
    }
    live_resolve(&w.live, &w.wish);
}

static void pass(double ms)
{
    const double until = fake_workers.now + ms;
    const long before = w.polls;
    for (double next;
         (next = fmin(w.live.deadline, fake_workers_next())) <= until && isfinite(next) && CHECK(w.polls - before < 800);) {
        fake_workers.now = fmax(fake_workers.now, next);
        poll();
    }
    if (isfinite(until)) fake_workers.now = until;
}

/* ---- events -------------------------------------------------------------------------------------------------------- */

static int any_surface(void) { return choose(LIVE_SURFACES); }

static void set_value(int i)
{
    if (w.live.volume.grid.voxels) w.wish.value[i] = values[choose(VALUES)];
}

static void new_value(void) { set_value(any_surface()); }

static void add(void)
{
    const int i = any_surface();
    w.wish.use[i] = LIVE_SHOWN;
    set_value(i);
}

static void take_away(void) { w.wish.use[any_surface()] = LIVE_OFF; }

static void hide(void)
{
    const int i = any_surface();
    if (w.wish.use[i] != LIVE_OFF) w.wish.use[i] = w.wish.use[i] == LIVE_SHOWN ? LIVE_HIDDEN : LIVE_SHOWN;
}

static void drag(void)
{
    w.wish.held = true;
    w.wish.moving = choose(2);
    new_value();
}

static void release(void) { w.wish.held = w.wish.moving = false; }

static void translucent(void)
{
    bool *is = &w.wish.translucent[any_surface()];
    *is = !*is;
}

static void leave_out(void)
{
    static const struct component_filter filters[] = { { 0, false, 0 }, { 0, false, 1 }, { 1e9, false, 0 } };
    w.wish.filter[any_surface()] = filters[choose(3)];
}

static void turn(void)
{
    for (int a = 0; a < 3; a++) w.wish.along[a] = (float)(choose(200) - 100) / 100;
    w.wish.moving = choose(2);
}

static void slice(void)
{
    w.wish.slice_on[choose(3)] = choose(2);
    w.wish.slice[choose(3)] = (size_t)choose(6);
}

static void smooth(void)
{
    if (w.live.volume.grid.voxels) w.wish.sigma = sigmas[choose(SIGMAS)];
}

static void new_file(void)
{
    w.wish.open = (struct setup){ .file = file_path[choose(2)], .threads = 1 };
    w.wish.opens++;
}

static void same_file(void)
{
    if (!w.wish.open.file) return;
    w.wish.again = true;
    w.wish.opens++;
    for (int i = 0; i < 30 && w.live.opened != w.wish.opens; i++) poll(), pass(500);
    pass(500);
    w.wish.again = false;
}

static void close_it(void) { w.wish.close = !w.wish.close; }
static void change_backend(void) { w.wish.backend = w.wish.backend == BACKEND_CPU ? BACKEND_CUDA : BACKEND_CPU; }
static void write_file(void) { live_export(&w.live, (unsigned)any_surface(), export_formats[0], NULL); }

static void cancel(void)
{
    w.faulty = w.faulty || w.live.work.task != LIVE_IDLE; /* what was cancelled is not there, and stays so */
    live_cancel(&w.live, &w.wish);
}

static void no_memory(void)
{
    w.faulty = true;
    fake_backends.fail_alloc = 1 + choose(4);
}

static void lose_gpu(void) { fake_backends.lost = w.faulty = true; }

/* clang-format off */
static const struct event {
    const char *name;
    void (*happen)(void);
} events[] = {
    { "value", new_value }, { "add", add }, { "add", add }, { "away", take_away }, { "hide", hide },
    { "drag", drag }, { "release", release }, { "translucent", translucent }, { "translucent", translucent },
    { "parts", leave_out }, { "turn", turn }, { "slice", slice }, { "smooth", smooth }, { "file", new_file },
    { "again", same_file }, { "caps", close_it }, { "backend", change_backend }, { "export", write_file },
    { "cancel", cancel }, { "memory", no_memory }, { "lost", lose_gpu },
};
/* clang-format on */

enum { EVENTS = sizeof events / sizeof events[0], FAULTS = 3 /* the last */ };

/* ---- rest ---------------------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct mesh *mesh)
{
    const struct mesh_out at = mesh_memory_of(mesh);
    return hash_mesh(at.vertices, at.indices, mesh->triangles);
}

/* The filtered surface. If it is the lower one of a pair, it is closed around what lies below it. */
static bool is_filtered(int i)
{
    const struct live_surface *s = &w.live.surface[i];
    struct filtered_by by = { .filter = w.wish.filter[i], .border = w.wish.close ? &s->capped.border : NULL };
    double shown[LIVE_SURFACES];
    for (int k = 0; k < LIVE_SURFACES; k++) shown[k] = w.wish.use[k] == LIVE_SHOWN ? w.wish.value[k] : NAN;
    by.surface.side = caps_side_of(w.wish.value[i], shown, LIVE_SURFACES);
    return filtered_is_now(&s->filtered, &s->mesh, &by);
}

static bool is_there(int i)
{
    const struct live_surface *s = &w.live.surface[i];
    const struct component_filter *filter = &w.wish.filter[i];
    const uint64_t want = expected(w.loaded, w.wish.value[i], w.wish.sigma, w.wish.rung[AUX_GAUSSIAN]->name);
    if (!s->drawn.mesh || s->drawn.step != 1 || hash_of(&s->mesh) != want) return false;
    if (!!s->empty[0] != !s->mesh.triangles) return false;
    if (!s->mesh.triangles) return true;
    if (component_filter_is_on(filter)) return is_filtered(i);
    return s->drawn.mesh->triangles == s->mesh.triangles;
}

static bool is_gone(int i)
{
    const struct live_surface *s = &w.live.surface[i];
    return !s->drawn.mesh && !s->drawn.caps && !s->mesh.store && !s->spare.store && !s->coarse.mesh.store &&
           !s->filtered.iso && !s->sorted.iso && !s->capped.mesh.store;
}

/* The triangles of surface i in the common order, as a mesh of its own. */
static uint64_t hash_part(int i, uint64_t *count)
{
    const struct live_together *t = &w.live.together;
    const struct mesh_out at = mesh_memory_of(t->drawn.mesh);
    const uint32_t first = t->first[i], end = i + 1 < LIVE_SURFACES ? t->first[i + 1] : UINT32_MAX;
    uint32_t *indices = malloc(t->drawn.mesh->triangles * 3 * sizeof *indices);
    *count = 0;
    for (uint64_t k = 0; indices && k < t->drawn.mesh->triangles; k++) {
        const uint32_t a = at.indices[3 * k], b = at.indices[3 * k + 1], c = at.indices[3 * k + 2];
        if (a < first || a >= end) continue;
        CHECK(b >= first && b < end && c >= first && c < end);
        memcpy(&indices[3 * (*count)++], &at.indices[3 * k], 3 * sizeof a);
    }
    const uint64_t hash = hash_mesh(at.vertices, indices, *count);
    free(indices);
    return hash;
}

static void check_together(void)
{
    const struct live_together *t = &w.live.together;
    uint64_t triangles = 0, count = 0;
    int several = 0, filled = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        if (w.wish.use[i] != LIVE_SHOWN || !w.wish.translucent[i]) continue;
        several++;
        filled += w.live.surface[i].drawn.mesh->triangles > 0;
    }
    if (!CHECK(!t->drawn.mesh == (several < 2 || !filled)) || !filled) return;
    if (several < 2) CHECK(!t->merged.mesh.store && !t->sorted.iso);
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const struct live_drawn *drawn = &w.live.surface[i].drawn;
        if (w.wish.use[i] != LIVE_SHOWN || !w.wish.translucent[i] || !drawn->mesh->triangles) continue;
        if (several == 1) CHECK(drawn->ordered && is_ordered(drawn->mesh, w.wish.along));
        if (several == 1) continue;
        CHECK(!drawn->ordered && hash_part(i, &count) == hash_of(drawn->mesh) && count == drawn->mesh->triangles);
        triangles += count;
    }
    if (several > 1)
        CHECK(t->drawn.ordered && t->drawn.mesh->triangles == triangles && is_ordered(t->drawn.mesh, w.wish.along));
}

static void check_rest(void)
{
    const struct live *live = &w.live;
    const long errors = w.errors;
    release();
    poll();
    pass(INFINITY);
    poll();
    CHECK(live->work.task == LIVE_IDLE && !live->sorting && !live->filtering && isinf(live->deadline));
    for (int i = 0; i < LIVE_SURFACES; i++) {
        if (w.wish.use[i] == LIVE_OFF) CHECK(is_gone(i));
        if (w.wish.use[i] != LIVE_SHOWN) CHECK(!live->surface[i].drawn.mesh);
    }
    if (w.faulty || w.errors != errors) return;
    CHECK(w.loaded >= 0 && live_is_idle(live));
    for (int i = 0; i < LIVE_SURFACES; i++)
        if (w.wish.use[i] == LIVE_SHOWN) CHECK(is_there(i) && contours_are_right(&w.live, &w.wish, i, w.loaded));
    check_together();
}

/* On a GPU that was asked for by name and has too little memory, the message says which surface it was; the other stays. */
static char told[512];

static void keep(void *context, enum live_kind kind, int code, const char *text)
{
    (void)context, (void)code;
    if (kind == LIVE_ERROR) snprintf(told, sizeof told, "%s", text);
}

static void test_memory(void)
{
    check_subject("memory");
    fake_workers = (struct fake_workers){ .duration = 1 };
    fake_backends = (struct fake_backends){ .lost = false };
    memset(&w, 0, sizeof w);
    w.setup.backend = CHOICE_CUDA;
    open_live();
    w.live.host.tell = keep;
    poll();
    pass(INFINITY);
    const uint64_t first = hash_of(&w.live.surface[0].mesh);
    w.wish.use[1] = LIVE_SHOWN;
    w.wish.value[1] = values[1];
    fake_backends.free_bytes = 1;
    poll();
    pass(INFINITY);
    CHECK(strstr(told, "the surface at 100.5 could not be made: ") && strstr(told, "memory"));
    CHECK(w.live.surface[0].drawn.mesh && hash_of(&w.live.surface[0].mesh) == first);
    fake_backends.free_bytes = 0;
    live_close(&w.live);
    CHECK(fake_backends.blocks == 0 && fake_backends.execs == 0);
}

/* ---- sequences ----------------------------------------------------------------------------------------------------- */

static void start(uint64_t seed)
{
    static const double durations[] = { 0.5, 20, 90, 400 };
    check.random = seed * 0x9e3779b97f4a7c15 + 1;
    for (int i = 0; i < 4; i++) check_random();
    fake_workers = (struct fake_workers){ .eager = choose(2), .duration = durations[choose(4)] };
    memset(&w, 0, sizeof w);
    w.draws = choose(2);
    w.setup.backend = (enum backend_choice)choose(3);
    fake_backends = (struct fake_backends){ .lost = false };
    open_live();
    w.wish.draw_ms = choose(2) ? 100 : 1;
}

/* From here on there are no faults. Once each surface was asked for again, everything must be there. */
static void finish(void)
{
    check_rest();
    fake_backends.fail_alloc = 0;
    live_count(&w.live);
    for (int round = 0; round < 2; round++) { /* a lost GPU is found out by the first */
        for (int i = 0; i < LIVE_SURFACES; i++)
            w.wish.value[i] = values[(i + round) % VALUES] == w.wish.value[i] ? values[(i + round + 1) % VALUES]
                                                                              : values[(i + round) % VALUES];
        if (w.live.volume.grid.voxels) w.faulty = w.wish.sigma != w.live.sigma || round == 0;
        check_rest();
    }
    for (int i = 0; i < LIVE_SURFACES; i++) w.wish.use[i] = LIVE_OFF;
    check_rest();
    live_close(&w.live);
    CHECK(fake_backends.blocks == 0 && fake_backends.execs == 0);
    CHECK(!fake_workers.misuses && !fake_workers.job[0].worker && !fake_workers.job[1].worker);
}

static void play(uint64_t seed)
{
    static const double gaps[] = { 0, 1, 30, 160, 500 };
    const int kinds = seed % 3 ? EVENTS - FAULTS : EVENTS;
    char subject[64];
    snprintf(subject, sizeof subject, "seed %llu", (unsigned long long)seed);
    check_subject(subject);
    start(seed);
    for (int i = 0; i < LONG; i++) {
        const struct event *event = &events[choose(kinds)];
        if (only) printf("%10.1f ---- %s\n", fake_workers.now, event->name);
        event->happen();
        poll();
        pass(gaps[choose(5)]);
        if (!choose(8)) check_rest();
    }
    finish();
}

/* ---- a preview whose whole is not loaded ---------------------------------------------------------------------------- */

static void begin_preview(const char *what)
{
    check_subject(what);
    fake_workers = (struct fake_workers){ .eager = true, .duration = 20 };
    memset(&w, 0, sizeof w);
    w.setup.backend = CHOICE_CPU;
    open_live();
    w.wish.open.preview = true;
    for (int i = 0; i < 100 && !(w.live.preview > 1 && w.live.work.task == LIVE_LOAD); i++) poll(), pass(5);
    CHECK(w.live.preview > 1 && w.live.volume.grid.nx < file_dims[0][0]);
}

static void end_preview(bool is_whole)
{
    poll();
    pass(INFINITY);
    CHECK(w.loaded == 0 && live_is_idle(&w.live));
    CHECK(is_whole ? w.live.preview == 1 && w.live.volume.grid.nx == file_dims[0][0] : w.live.preview > 1);
    live_close(&w.live);
    check_subject("");
}

static void test_previews(void)
{
    begin_preview("a file that is missing is opened while the whole is loaded, which then comes after all");
    w.wish.open = (struct setup){ .file = file_path[FILES - 1], .threads = 1, .preview = true };
    w.wish.opens++;
    end_preview(true);
    CHECK(w.errors == 1);

    begin_preview("a whole that is cancelled does not come");
    live_cancel(&w.live, &w.wish);
    end_preview(false);
    CHECK(!w.errors);
}

int main(int argc, char **argv)
{
    const long count = argc > 1 ? atol(argv[1]) : 3000;
    only = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    write_files();
    if (chdir(folder)) return 1;
    if (only) {
        play(only);
    } else {
        test_memory();
        test_previews();
    }
    for (long n = 1; n <= count && !only; n++) play((uint64_t)n);
    remove_files();
    return check_summary("test_live_several");
}
