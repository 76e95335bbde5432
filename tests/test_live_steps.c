/* The live surface without a window, a GPU or threads: fake_workers.h has the clock and runs the jobs, fake_backends.h the
 * GPU, and meshes are in plain memory. Plays all short sequences of events and long random ones. After each, the surface of
 * the last wish must be shown, no deadline may lie in the past, nothing may wait without a reason, and nothing may leak.
 *
 * Usage: test_live_steps [LENGTH [RANDOM [SEED]]]: all sequences up to LENGTH events, 4 by default, and RANDOM long ones,
 * 10000. With SEED, as a failure names it, only that one is played, and says what happens. */
#include "check.h"
#include "fake_backends.h"
#include "closed_util.h"
#include "fake_workers.h"
#include "live_util.h"
#include "parts_util.h"
#include "shown_util.h"
#include "live.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 50 };

static uint64_t only; /* the one sequence that is played; 0: all are */

/* ---- a window of a kind ---------------------------------------------------------------------------------------------- */

static struct world {
    struct live live;
    struct live_wish wish;
    struct setup setup;
    long polls;
    long errors;        /* that were told, with warnings, */
    long seen_errors;   /* and up to when all was well */
    bool half_smoothed; /* by the rung before, perhaps */
    bool faulty;        /* something was made to fail */
    int file;           /* last opened, */
    int loaded;         /* and last loaded; -1: none */
    double value;       /* last wished since then, or the automatic one; NaN: none so far */
    float sigma;
    unsigned volumes;
    uint64_t scene;
    char notice[512];        /* the last one */
    char made_by[256];       /* the rungs of the last surface, as the log names them */
    bool draws;              /* what is there is drawn after each poll */
    int repeats;             /* how often the first surface that is there is made once more */
    void (*meanwhile)(void); /* an event that comes while the next picture is drawn */
} w;

static void wake(void *context) { (void)context; }

static void tell(void *context, enum live_kind kind, int code, const char *text)
{
    (void)context, (void)code;
    CHECK(text[0] && !strstr(text, "iso nan"));
    if (only) printf("%10.1f %d %s\n", fake_workers.now, (int)kind, text);
    if (kind == LIVE_ERROR || kind == LIVE_WARNING) w.errors++;
    if (kind == LIVE_NOTICE) snprintf(w.notice, sizeof w.notice, "%s", text);
    if (strstr(text, "smooth stays")) w.half_smoothed = true;
    const char *rungs = strstr(text, ", rungs ");
    if (rungs) snprintf(w.made_by, sizeof w.made_by, "%s", rungs + strlen(", rungs"));
}

static void open_live(bool fresh)
{
    const struct live_host host = { .target = &mesh_memory,
                                    .executor = &fake_executor,
                                    .clock = fake_workers_clock,
                                    .wake = wake,
                                    .tell = tell,
                                    .limits = { 160, 50, 150, fake_workers.eager ? 1e9 : 0, fake_workers.eager ? 1e9 : 0,
                                                .filter_ms = fake_workers.eager ? 1e9 : 0, .coarse_ms = 40 } };
    struct err err = { 0 };
    w.setup.threads = 1;
    w.setup.file = file_path[0];
    w.loaded = -1;
    w.file = 0;
    w.value = NAN;
    w.sigma = 0;
    w.volumes = 0;
    int code = live_open(&w.live, &host, &w.setup, &w.wish, &err);
    if (code && !fresh) { /* what was to fail has failed here */
        CHECK(err.text[0] && !fake_backends.blocks && !fake_backends.execs);
        fake_backends = (struct fake_backends){ .lost = false };
        code = live_open(&w.live, &host, &w.setup, &w.wish, &err);
    }
    if (!CHECK(!code)) exit(1);
}

static void close_live(void)
{
    live_close(&w.live);
    CHECK(fake_backends.blocks == 0);
    CHECK(fake_backends.execs == 0);
    CHECK(!fake_workers.misuses && !fake_workers.job[0].worker && !fake_workers.job[1].worker);
}

/* Whether the window may have the surface made once more. */
static bool may_repeat(void) { return live_is_idle(&w.live) && !live_is_coming(&w.live, 0); }

static void take_meanwhile(void)
{
    void (*happen)(void) = w.meanwhile;
    w.meanwhile = NULL;
    if (happen) happen();
}

/* Polls and draws, as the window does. Software OpenGL takes so long that events are handled while it draws. */
static void poll(void)
{
    w.polls++;
    const bool held = w.wish.held, moving = w.wish.moving;
    live_poll(&w.live, &w.wish);
    CHECK(w.wish.held == held && w.wish.moving == moving);
    CHECK(w.live.deadline > fake_workers.now);
    if (!held && w.live.volumes) /* nothing waits without a reason */
        CHECK(w.live.work.task != LIVE_IDLE || w.live.sorting || w.live.filtering || live_is_idle(&w.live));
    if (w.live.volumes != w.volumes) {
        w.volumes = w.live.volumes;
        w.value = NAN;
        w.sigma = 0;
        w.loaded = !strcmp(w.live.volume.name, file_name[0]) ? 0 : 1;
    }
    if (isnan(w.value) && !isnan(w.wish.value[0])) {
        CHECK(w.wish.value[0] == w.live.first_value);
        w.value = w.wish.value[0];
    }
    const bool repeats = w.repeats > 0 && !held && may_repeat();
    bool woken = repeats;
    if (repeats) live_repeat(&w.live, 0); /* the second time it may be queued */
    w.repeats -= repeats;
    if (w.live.scene != w.scene && w.draws) {
        w.scene = w.live.scene;
        const struct live_drawn *drawn = &w.live.surface[0].drawn;
        CHECK(drawn->mesh && drawn->step && !drawn->mesh->mapped);
        if (w.meanwhile) woken = true, take_meanwhile();
        live_resolve(&w.live, &w.wish);
        CHECK(!w.live.surface[0].drawn.mesh->queued);
    }
    if (woken) poll();
}

/* Lets time pass. Counts polls: there must be one for each job that ends and for each deadline. */
static void pass(double ms)
{
    const double until = fake_workers.now + ms;
    const long before = w.polls;
    for (double next;
         (next = fmin(w.live.deadline, fake_workers_next())) <= until && isfinite(next) && CHECK(w.polls - before < 400);) {
        fake_workers.now = fmax(fake_workers.now, next);
        poll();
    }
    if (isfinite(until)) fake_workers.now = until;
}

/* ---- events -------------------------------------------------------------------------------------------------------- */

static void new_file(void)
{
    w.file = w.file == FILES - 1 ? 0 : w.file + 1;
    if (choose(3) && w.file == FILES - 1) w.file = 0;
    w.wish.open = (struct setup){ .file = file_path[w.file], .threads = 1 };
    w.wish.opens++;
    w.faulty = w.faulty || w.file == FILES - 1;
}

static void set_value(double value)
{
    if (!w.live.volume.grid.voxels) return;
    w.wish.value[0] = w.value = value;
}

static void new_value(void) { set_value(values[choose(VALUES)]); }

static void new_rung(void)
{
    static const enum stage stages[] = { STAGE_FUSED,  STAGE_CLASSIFY, STAGE_BRICKS, STAGE_SCAN,           STAGE_GENERATE,
                                         AUX_GAUSSIAN, AUX_SORT,       AUX_REDUCE,   AUX_MARCHING_SQUARES, AUX_UPLOAD };
    const enum stage stage = stages[choose(10)];
    const struct ladder *ladder = ladder_of(stage_name[stage]);
    const struct rung *rung;
    int n = 0;
    while (ladder_rung(ladder, w.wish.backend, (size_t)n)) n++;
    rung = ladder_rung(ladder, w.wish.backend, (size_t)choose(n));
    if (!rung_unavailable(rung, &w.live.iso.exec)) iso_list_rung(w.wish.rung, w.wish.backend, stage, rung);
}

static void drag(void)
{
    w.wish.held = true;
    w.wish.moving = choose(2);
    new_value();
}

static void release(void) { w.wish.held = w.wish.moving = false; }

static void smooth(void)
{
    if (!w.live.volume.grid.voxels) return;
    w.wish.sigma = w.sigma = sigmas[choose(SIGMAS)];
}

static void cancel(void)
{
    const enum live_task task = w.live.work.task;
    const float before = w.wish.sigma;
    live_cancel(&w.live, &w.wish);
    if (w.wish.sigma != before) w.sigma = w.wish.sigma;
    w.faulty = w.faulty || task != LIVE_IDLE; /* what was cancelled is not there, and stays so */
    w.errors += task != LIVE_IDLE;
}

static void lose_gpu(void) { fake_backends.lost = w.faulty = true; }

static void no_memory(void)
{
    w.faulty = true;
    if (choose(4)) fake_backends.fail_alloc = 1 + choose(4);
    else fake_backends.free_bytes = 2000;
}

static void quit(void)
{
    close_live();
    open_live(false);
}

/* Those below are in the random sequences only. */
static void change_backend(void) { w.wish.backend = w.wish.backend == BACKEND_CPU ? BACKEND_CUDA : BACKEND_CPU; }
static void translucent(void) { w.wish.translucent[0] = !w.wish.translucent[0]; }
static void close_it(void) { w.wish.close = !w.wish.close, w.wish.cut ^= w.wish.close; }
static void write_file(void) { live_export(&w.live, 0, export_formats[0], NULL); }

static void turn(void)
{
    for (int a = 0; a < 3; a++) w.wish.along[a] = (float)(choose(200) - 100) / 100;
    w.wish.moving = choose(2);
}

static void slice(void)
{
    const int axis = choose(3);
    w.wish.slice_on[axis] = !w.wish.slice_on[axis];
    w.wish.slice[axis] = (size_t)choose(9);
}

static void leave_out(void)
{
    static const struct component_filter filters[] = {
        { 0, false, 0 }, { 0, false, 1 }, { 1e9, false, 0 }, { 100, true, 1 }
    };
    w.wish.filter[0] = filters[choose(4)];
    w.wish.measured = choose(2);
}

static void ask_percent(void)
{
    struct err err = { 0 };
    double value = w.wish.value[0];
    if (w.live.stats.bins && !live_aux_step(&w.live, 0.01, &value, &err)) set_value(value);
}

static void again(void)
{
    if (may_repeat()) live_repeat(&w.live, 0);
}

static const struct event {
    const char *name;
    void (*happen)(void);
    bool changes_wish; /* and nothing else: it may come while a picture is drawn */
} events[] = { { "file", new_file },   { "value", new_value, true },  { "rung", new_rung, true },
               { "drag", drag, true }, { "release", release, true },  { "smooth", smooth, true },
               { "cancel", cancel },   { "lost", lose_gpu },          { "memory", no_memory },
               { "quit", quit },       { "backend", change_backend }, { "translucent", translucent, true },
               { "caps", close_it },   { "export", write_file },      { "turn", turn },
               { "slice", slice },     { "percent", ask_percent },    { "parts", leave_out },
               { "again", again } };

enum { FIRST_EVENTS = 10, EVENTS = sizeof events / sizeof events[0] };

/* ---- rest ---------------------------------------------------------------------------------------------------------- */

static bool is_by_wished_rungs(void)
{
    char rungs[256] = "";
    for (int stage = 0, used = 0; stage < STAGE_COUNT; stage++)
        used += snprintf(rungs + used, sizeof rungs - (size_t)used, " %s=%s", stage_name[stage], w.wish.rung[stage]->name);
    return !strcmp(rungs, w.made_by);
}

static bool is_as_wished(void)
{
    const struct live *live = &w.live;
    const struct live_surface *s = &live->surface[0];
    const double value = w.wish.value[0];
    if (w.loaded < 0 || isnan(value) || s->drawn.step != 1 || w.wish.sigma != live->sigma) return false;
    const struct mesh *mesh = component_filter_is_on(&w.wish.filter[0]) ? &s->mesh : s->drawn.mesh;
    const struct mesh_out at = mesh_memory_of(mesh);
    const uint64_t hash = hash_mesh(at.vertices, at.indices, mesh->triangles);
    return hash == expected(w.loaded, value, w.wish.sigma, w.wish.rung[AUX_GAUSSIAN]->name);
}

static uint64_t parts_of(const struct mesh *mesh)
{
    return count_parts(mesh_memory_of(mesh).indices, mesh->vertices, mesh->triangles);
}

/* Ends the lack of memory. Returns the fault that was set. */
static struct fake_backends end_lack(void)
{
    const struct fake_backends before = fake_backends;
    fake_backends.fail_alloc = 0;
    fake_backends.free_bytes = 0;
    return before;
}

/* The surface with caps as a file has it, closed before parts are left out. Made by a pipeline of its own. */
static uint64_t hash_left(uint64_t *triangles)
{
    const struct fake_backends before = end_lack();
    const float value = volume_iso(&w.live.volume, w.wish.value[0]);
    struct volume volume = w.live.volume;
    struct mesh_host mesh;
    struct iso iso;
    struct err err = { 0 };
    volume.grid = w.live.grid;
    if (iso_open(&iso, BACKEND_CPU, -1, 1, &err) || iso_set_volume(&iso, &volume.grid, &err) ||
        iso_extract(&iso, value, &mesh, &err) || !close_and_filter(&mesh, &iso, &volume, value, false, &w.wish.filter[0])) {
        printf("%s\n", err.text);
        exit(1);
    }
    const uint64_t hash = hash_places(mesh.vertices, mesh.indices, mesh.triangle_count);
    *triangles = mesh.triangle_count;
    mesh_host_free(&mesh);
    iso_close(&iso);
    fake_backends = before;
    return hash;
}

/* Whether the drawn surface, and what is reported about it, is what the filter keeps. */
static bool filter_is_right(void)
{
    const struct live_surface *s = &w.live.surface[0];
    const struct component_filter *filter = &w.wish.filter[0];
    const struct filtered_by by = { .filter = *filter, .border = w.wish.close ? &s->capped.border : NULL };
    const struct mesh *drawn = s->drawn.mesh;
    const uint64_t facts = s->filtered.facts.measure.triangles;
    if (!s->mesh.triangles) return true;
    if (!component_filter_is_on(filter))
        return drawn->triangles == s->mesh.triangles &&
               (!w.wish.measured || filtered_is_now(&s->filtered, &s->mesh, &by)) &&
               (!w.wish.measured || (w.wish.close ? facts >= drawn->triangles : facts == drawn->triangles));
    if (drawn == &s->mesh || !filtered_is_now(&s->filtered, &s->mesh, &by)) return false;
    if (s->filtered.facts.kept != (filter->keep ? 1 : 0) || drawn->triangles > s->mesh.triangles) return false;
    return w.wish.close || (drawn->triangles == facts && s->filtered.facts.parts == parts_of(&s->mesh) &&
                            (!drawn->triangles || s->drawn.ordered || parts_of(drawn) == 1));
}

static uint64_t hash_drawn(const struct mesh *mesh)
{
    const struct mesh_out at = mesh_memory_of(mesh);
    return hash_places(at.vertices, at.indices, mesh->triangles);
}

/* Whether the caps that are drawn close what is left of the surface, and nothing else. */
static bool caps_close_what_is_left(void)
{
    const struct live_drawn *drawn = &w.live.surface[0].drawn;
    uint64_t triangles;
    const uint64_t hash = hash_left(&triangles);
    return hash_drawn(drawn->mesh) + (drawn->caps ? hash_drawn(drawn->caps) : 0) == hash &&
           drawn->mesh->triangles + (drawn->caps ? drawn->caps->triangles : 0) == triangles;
}

/* The hash of the caps of the volume that the stages see, at the value. */
static uint64_t hash_caps(void)
{
    const struct fake_backends before = end_lack();
    struct grid grid = w.live.grid;
    struct caps border;
    struct mesh_host planes;
    struct err err = { 0 };
    const struct caps_desc desc = { volume_iso(&w.live.volume, w.wish.value[0]), CAPS_ABOVE, TOPOLOGY_TRILINEAR };
    grid.margin = grid_margin(&grid);
    if (caps_read(&border, &grid, 1, &err) || caps_make(&border, &desc, 1, &planes, &err)) {
        printf("%s\n", err.text);
        exit(1);
    }
    const uint64_t hash = hash_mesh(planes.vertices, planes.indices, planes.triangle_count);
    mesh_host_free(&planes);
    caps_free(&border);
    fake_backends = before;
    return hash;
}

/* Whether the caps that are drawn are those of the surface; none while parts of an open one are left out. */
static bool caps_are_right(void)
{
    const struct live_drawn *drawn = &w.live.surface[0].drawn;
    const bool filtered = component_filter_is_on(&w.wish.filter[0]) && w.live.surface[0].mesh.triangles;
    if (!w.wish.close && (!w.wish.cut || filtered)) return drawn->caps == NULL;
    if (filtered) return caps_close_what_is_left();
    const struct mesh_out at = drawn->caps ? mesh_memory_of(drawn->caps) : (struct mesh_out){ NULL, NULL };
    return hash_mesh(at.vertices, at.indices, drawn->caps ? drawn->caps->triangles : 0) == hash_caps();
}

/* Whether live_memory() counts exactly the bytes of the meshes. */
static bool memory_counts_meshes(const struct live *live)
{
    const struct live_surface *s = &live->surface[0];
    struct live without = *live;
    without.surface[0].mesh = without.surface[0].spare = without.surface[0].coarse.mesh = (struct mesh){ .store = NULL };
    return live_memory(live) - live_memory(&without) ==
           mesh_bytes(&s->mesh) + mesh_bytes(&s->spare) + mesh_bytes(&s->coarse.mesh);
}

static void check_rest(bool surely)
{
    const struct live *live = &w.live;
    const struct live_surface *s = &live->surface[0];
    for (int i = 0; i < 2; i++) { /* what comes meanwhile may hold something */
        release();
        poll();
        pass(INFINITY);
        take_meanwhile();
    }
    if (!w.draws) poll(); /* what is queued and not drawn is left to the next */
    CHECK(live->work.task == LIVE_IDLE && !live->sorting && !live->filtering && !live->due_export && !s->mesh.queued);
    CHECK(isinf(live->deadline));
    CHECK(memory_counts_meshes(live));
    CHECK(live->opened == w.wish.opens && live->iso.exec.backend == w.wish.backend);
    const bool told = w.errors != w.seen_errors;
    if (surely || !w.faulty || !told) {
        CHECK(w.loaded >= 0 && (w.loaded == w.file || w.file == FILES - 1 || told || w.faulty));
        CHECK(w.wish.value[0] == w.value);
        CHECK(w.wish.sigma == w.sigma || told);
        CHECK(is_as_wished());
        CHECK(is_by_wished_rungs());
        CHECK(live_is_idle(live));
        CHECK(!!s->empty[0] == (s->mesh.triangles == 0));
        CHECK(filter_is_right());
        CHECK(caps_are_right());
        CHECK(!w.wish.translucent[0] || !s->drawn.mesh->triangles ||
              (s->drawn.ordered && is_ordered(s->drawn.mesh, w.wish.along)));
        CHECK(contours_are_right(&w.live, &w.wish, 0, w.loaded));
    }
    if (!w.faulty) CHECK(!told);
    if (told) w.sigma = w.wish.sigma; /* smoothing may have failed */
    w.seen_errors = w.errors;
}

static void start(uint64_t seed)
{
    static const double durations[] = { 0.5, 20, 90, 400 };
    check.random = seed * 0x9e3779b97f4a7c15 + 1;
    for (int i = 0; i < 4; i++) check_random();
    fake_workers = (struct fake_workers){ .eager = choose(2), .duration = durations[choose(4)] };
    w = (struct world){ .draws = choose(4), .repeats = (int)(seed % 3) };
    w.setup.backend = (enum backend_choice)choose(3);
    fake_backends = (struct fake_backends){ .lost = false };
    open_live(true);
    w.wish.draw_ms = choose(2) ? 100 : 1;
    if (choose(2)) {
        poll();
        pass(INFINITY);
    }
}

/* Comes to rest, then without faults to another value, whose surface must be shown; and ends. */
static void finish(void)
{
    check_rest(false);
    end_lack();
    if (w.loaded < 0) { /* the first file was cancelled */
        w.file = 0;
        w.wish.open = (struct setup){ .file = file_path[0], .threads = 1 };
        w.wish.opens++;
        check_rest(false);
    }
    live_count(&w.live);
    for (int i = 0; i < 2; i++) { /* a lost GPU is found out by the first */
        set_value(w.wish.value[0] == values[1] ? values[2] : values[1]);
        if (w.half_smoothed) w.wish.sigma = w.sigma = w.wish.sigma == sigmas[1] ? sigmas[2] : sigmas[1];
        check_rest(i == 1);
    }
    close_live();
}

static void after(double gap)
{
    poll();
    pass(gap);
}

/* Of the events that may, one in four comes while the next picture is drawn. */
static void happen(const struct event *event)
{
    take_meanwhile(); /* none was drawn */
    if (event->changes_wish && choose(4) == 0) w.meanwhile = event->happen;
    else event->happen();
}

/* ---- all orders, and random ones ------------------------------------------------------------------------------------- */

static char subject[1024];

static void describe(uint64_t seed, const int *sequence, int length)
{
    int used = snprintf(subject, sizeof subject, "seed %llu:", (unsigned long long)seed);
    for (int i = 0; i < length; i++)
        used += snprintf(subject + used, sizeof subject - (size_t)used, " %s", events[sequence[i]].name);
    check_subject(subject);
}

static void play(uint64_t seed, const int *sequence, int length)
{
    static const double gaps[] = { 0, 1, 30, 160, 500 };
    if (only && seed != only) return;
    describe(seed, sequence, length);
    start(seed);
    for (int i = 0; i < length; i++) {
        if (only) printf("%10.1f ---- %s\n", fake_workers.now, events[sequence[i]].name);
        happen(&events[sequence[i]]);
        after(gaps[choose(5)]);
    }
    finish();
}

static long play_all(int most)
{
    long played = 0;
    for (int length = 1, count = FIRST_EVENTS; length <= most; length++, count *= FIRST_EVENTS)
        for (int n = 0; n < count; n++) {
            int sequence[8];
            for (int i = 0, rest = n; i < length; i++, rest /= FIRST_EVENTS) sequence[i] = rest % FIRST_EVENTS;
            play((uint64_t)++played, sequence, length);
        }
    return played;
}

static void play_random(long count)
{
    for (long n = 1; n <= count; n++) {
        int sequence[LONG];
        const uint64_t seed = 1000000 + (uint64_t)n;
        check.random = seed;
        for (int i = 0; i < LONG; i++) sequence[i] = choose(n % 2 ? (int)EVENTS : FIRST_EVENTS);
        play(seed, sequence, LONG);
    }
}

/* ---- files that are cancelled ---------------------------------------------------------------------------------------- */

static void begin_at_rest(const char *what)
{
    check_subject(what);
    fake_workers = (struct fake_workers){ .eager = true, .duration = 20 };
    w = (struct world){ .draws = true };
    w.setup.backend = CHOICE_CPU;
    open_live(true);
    poll();
    pass(INFINITY);
}

/* Checks that a notice names a file that was written, and removes the file. */
static void check_written(void)
{
    if (!CHECK(!strncmp(w.notice, "wrote ", 6))) printf("  it says: %s\n", w.notice);
    char *name = strrchr(w.notice, '/');
    CHECK(name && !remove(strtok(name + 1, " ")));
}

/* The file exists and that is reported, although the task was cancelled before its result was collected. */
static void cancel_what_is_written(void)
{
    if (only) return;
    begin_at_rest("a file that is written when it is cancelled");
    write_file();
    poll();
    CHECK(w.live.work.task == LIVE_EXPORT);
    w.notice[0] = '\0';
    live_cancel(&w.live, &w.wish);
    pass(INFINITY);
    check_written();
    close_live();
    check_subject("");
}

/* It never begins. */
static void cancel_what_is_due(void)
{
    if (only) return;
    begin_at_rest("a file that is cancelled before it is begun");
    CHECK(live_is_idle(&w.live));
    write_file();
    CHECK(!live_is_idle(&w.live)); /* or a replay would end, and its window not wait */
    live_cancel(&w.live, &w.wish);
    CHECK(live_is_idle(&w.live));
    CHECK(strstr(w.notice, "nothing was written") && !live_is_writing(&w.live));
    poll();
    CHECK(w.live.work.task != LIVE_EXPORT);
    pass(INFINITY);
    CHECK(strstr(w.notice, "nothing was written"));
    close_live();
    check_subject("");
}

/* While the volume is smoothed anew, a slice that moves shows the original. If the old smoothing stays, so that no voxel
 * changes, its contour has to be made once more. */
static void cancel_smoothing_with_a_slice(void)
{
    if (only) return;
    begin_at_rest("a slice that moves while a smoothing is made that is given up");
    fake_workers.eager = false;
    w.wish.sigma = sigmas[1];
    poll();
    pass(INFINITY);
    CHECK(w.live.sigma == sigmas[1]);
    for (int way = 0; way < 2; way++) { /* by Esc, and by the old sigma */
        w.wish.sigma = sigmas[2];
        poll();
        CHECK(w.live.work.task == LIVE_SMOOTH);
        w.wish.slice_on[2] = true;
        w.wish.slice[2] = (size_t)way + 2;
        poll();
        if (way) w.wish.sigma = sigmas[1];
        else live_cancel(&w.live, &w.wish);
        poll();
        pass(INFINITY);
        CHECK(w.live.work.task == LIVE_IDLE && w.live.sigma == sigmas[1] && w.wish.sigma == sigmas[1]);
        CHECK(contours_are_right(&w.live, &w.wish, 0, w.loaded));
    }
    close_live();
    check_subject("");
}

/* A surface that is hidden is not made again for another value, but written with that. */
static void write_what_is_hidden(void)
{
    if (only) return;
    begin_at_rest("a surface that was empty before it was hidden");
    w.wish.value[0] = values[VALUES - 1];
    poll();
    pass(INFINITY);
    CHECK(w.live.surface[0].empty[0]);
    w.wish.use[0] = LIVE_HIDDEN, w.draws = false;
    w.wish.value[0] = values[1];
    poll();
    pass(INFINITY);
    write_file();
    poll();
    pass(INFINITY);
    check_written();
    close_live();
    check_subject("");
}

/* The surface that is made once more is still there: for its value it is drawn, whatever was drawn in between. */
static void return_to_what_is_repeated(void)
{
    if (only) return;
    begin_at_rest("a value that comes back while its surface is made once more");
    fake_workers.eager = false;
    const double value = w.wish.value[0];
    w.wish.draw_ms = 100; /* slow: what is dragged is coarse */
    live_repeat(&w.live, 0);
    poll();
    CHECK(w.live.work.task == LIVE_SURFACE && w.live.surface[0].drawn.step == 1);
    w.wish.held = true;
    w.wish.value[0] = value + 20;
    poll();
    CHECK(w.live.surface[0].drawn.step == 2);
    w.wish.value[0] = value;
    poll();
    CHECK(w.live.surface[0].drawn.step == 1);
    w.wish.held = false;
    pass(INFINITY);
    CHECK(w.live.surface[0].made.value == value && w.live.surface[0].drawn.step == 1);
    close_live();
    check_subject("");
}

/* A step asked for while the values are counted has nothing to search in. */
static void step_before_values_are_counted(void)
{
    if (only) return;
    check_subject("a step of the value before there are statistics");
    fake_workers = (struct fake_workers){ .duration = 20 };
    w = (struct world){ .draws = true };
    w.setup.backend = CHOICE_CPU;
    open_live(true);
    while (w.live.work.task != LIVE_STATS) {
        poll();
        pass(1);
    }
    struct err err = { 0 };
    double value = w.wish.value[0];
    CHECK(!live_aux_step(&w.live, 0.01, &value, &err) && isnan(value));
    CHECK(!w.live.times.stage[AUX_LOWER_BOUND].count);
    pass(INFINITY);
    value = w.wish.value[0];
    CHECK(!live_aux_step(&w.live, 0.01, &value, &err) && value != w.wish.value[0]);
    CHECK(w.live.times.stage[AUX_LOWER_BOUND].count == 1);
    close_live();
    check_subject("");
}

int main(int argc, char **argv)
{
    const int length = argc > 1 ? atoi(argv[1]) : 4;
    const long randoms = argc > 2 ? atol(argv[2]) : 10000;
    only = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    write_files();
    printf("all sequences up to %d events, and %ld random ones, from seed 1000001\n", length, randoms);
    if (chdir(folder)) return 1;
    cancel_what_is_written();
    cancel_what_is_due();
    cancel_smoothing_with_a_slice();
    return_to_what_is_repeated();
    write_what_is_hidden();
    step_before_values_are_counted();
    const long played = play_all(length);
    printf("%ld sequences\n", played);
    play_random(randoms);
    remove_files();
    return check_summary("test_live_steps");
}
