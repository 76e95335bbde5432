/* Files that several processes make through a ledger have the bytes of those made at once: in turns every possible
 * format,
 * subjects of stream_util.h, 1 to 8 parts in any order, each stopped in the middle, repeated, its records cut off and
 * lengthened. Also tests refusals, and the sharing of work: no gap, no overlap, no block that two write. */
#include "stream_util.h"

#include "plan.h"
#include "sink.h"
#include "stream.h"
#include <time.h>

/* ---- shares ------------------------------------------------------------------------------------------------------ */

/* Who writes which bytes of a section with records of `record` bytes from `head` on: own blocks are whole, and nobody
 * else's. */
static void check_blocks(const struct iso_layer *layer, const size_t *bounds, size_t parts, uint64_t head, uint64_t record)
{
    uint64_t at = head, last = 0, own = 0, rest = 0, all = 0;
    size_t wrong = 0;
    for (size_t k = 0; k < parts; k++) {
        const uint64_t n = record * plan_sum(layer, bounds[k], bounds[k + 1]).vertices;
        const struct plan_blocks b = plan_blocks_of(at, at + n, SINK_BLOCK);
        wrong += b.begin < at || b.end > at + n || b.begin > b.end;
        if (b.begin < b.end) wrong += b.begin % SINK_BLOCK || b.end % SINK_BLOCK || b.begin < last, last = b.end;
        wrong += n - (b.end - b.begin) >= 2 * SINK_BLOCK; /* what is handed over */
        own += b.end - b.begin, rest += n - (b.end - b.begin), at += n, all += n;
    }
    CHECK(!wrong && own + rest == all && at == head + all);
}

static void check_shares(const struct iso_layer *layer, size_t layers, size_t parts)
{
    const struct plan_cost cost = { 1 << 20, 24, 13 };
    size_t *bounds = calloc(parts + 1, sizeof *bounds), wrong = 0;
    uint64_t total = 0, most = 0, dearest = 0;
    if (!bounds || !parts) abort();
    plan_shares(bounds, parts, layer, layers, &cost);
    for (size_t k = 0; k < parts; k++) {
        uint64_t sum = 0;
        wrong += bounds[k] > bounds[k + 1];
        for (size_t i = bounds[k]; i < bounds[k + 1]; i++) {
            const uint64_t bytes = 24 * layer[i].vertices + 13 * layer[i].triangles, c = bytes ? bytes + cost.layer : 0;
            sum += c, dearest = c > dearest ? c : dearest;
        }
        total += sum, most = sum > most ? sum : most;
        const struct plan_share even = plan_even(layers, k, parts), next = plan_even(layers, k + 1, parts);
        wrong += even.end != next.begin || even.end < even.begin || even.end - even.begin > layers / parts + 1;
    }
    CHECK(!wrong && bounds[0] == 0 && bounds[parts] == layers && plan_even(layers, 0, parts).begin == 0 &&
          plan_even(layers, parts - 1, parts).end == layers);
    CHECK(most <= total / parts + dearest + 1);
    check_blocks(layer, bounds, parts, 300, 24);
    check_blocks(layer, bounds, parts, 65536, 13);
    free(bounds);
}

/* 5 * 10^9 vertices among 1 to 5000 parts; then 10^12 on 10^5 layers, whose time is told. */
static void check_plan(void)
{
    const size_t layers = 100000;
    struct iso_layer *layer = calloc(layers, sizeof *layer);
    struct timespec a, b;
    if (!layer) abort();
    for (size_t parts = 1; parts <= 5000; parts += parts < 40 ? 1 : 1 + check_random() % 100) {
        const size_t n = 1 + check_random() % 3000;
        const uint64_t each = (uint64_t)5e9 / n * 2;
        for (size_t i = 0; i < n; i++) {
            const uint64_t vertices = check_random() % 4 ? check_random() % (each + 1) : 0;
            layer[i] = (struct iso_layer){ vertices, 2 * vertices, 0 };
        }
        check_shares(layer, n, parts);
    }
    check_shares(layer, 1, 5000);
    for (size_t i = 0; i < layers; i++) layer[i] = (struct iso_layer){ 10000000, 20000000, 0 };
    clock_gettime(CLOCK_MONOTONIC, &a);
    check_shares(layer, layers, 5000);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("10^12 vertices of 10^5 layers among 5000 parts: %.1f ms, with the checks\n",
           (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6);
    free(layer);
}

/* ---- the same bytes ---------------------------------------------------------------------------------------------- */

struct work {
    const struct subject *s;
    const struct export_format *format;
    const char *volume, *target;
    size_t layers; /* of a slab */
    int parts;
};

static bool stop_at(void *context, double fraction) { return fraction < *(double *)context; }

/* Runs a phase of part k, up to a share of its slabs. */
static int run(const struct work *w, int k, unsigned phase, double until, struct export_file *e, struct err *err)
{
    const struct load_desc load = load_of(w->s);
    struct store store;
    struct team team;
    *e = (struct export_file){ .format = w->format };
    open_store(&store, w->volume, &load);
    team_files(&team, k, w->parts);
    const struct stream_desc desc = { .store = &store,
                                      .memory = (uint64_t)1 << 30,
                                      .layers = w->layers,
                                      .progress = { stop_at, &until },
                                      .team = &team,
                                      .keeps = true,
                                      .phases = phase };
    const int code = extract_one(&desc, w->s->value, e, w->target, err);
    export_free(e);
    store_close(&store);
    return code;
}

/* Changes the end of a journal as a crash does. */
static void tear(const struct work *w, const char *name, int k)
{
    char path[300];
    struct stat status;
    snprintf(path, sizeof path, "%s.parts/%s.%d", w->target, name, k + 1);
    if (stat(path, &status)) return;
    if (check_random() % 2) {
        FILE *file = fopen(path, "ab");
        if (!file || fputs("ISJL and what follows", file) < 0 || fclose(file)) abort();
    } else if (status.st_size && truncate(path, status.st_size - 1 - (off_t)(check_random() % (uint64_t)status.st_size)))
        abort();
}

/* All parts of a phase in a random order, some twice, some stopped before. */
static bool run_all(const struct work *w, unsigned phase, const char *name)
{
    struct export_file e;
    struct err err = { 0 };
    int order[8];
    for (int k = 0; k < w->parts; k++) order[k] = k;
    for (int k = w->parts - 1; k > 0; k--) {
        const int other = (int)(check_random() % (uint64_t)(k + 1)), kept = order[k];
        order[k] = order[other], order[other] = kept;
    }
    for (int i = 0; i < w->parts; i++) {
        for (int turn = 0; turn < 2; turn++)
            if (check_random() % 2) {
                const int code = run(w, order[i], phase, (double)(check_random() % 100) / 100, &e, &err);
                CHECK(!code || strstr(err.text, "cancelled"));
                if (check_random() % 2) tear(w, name, order[i]);
            }
        if (!CHECK(!run(w, order[i], phase, 2, &e, &err))) printf("  %s %d of %d: %s\n", name, i, w->parts, err.text);
        if (check_random() % 4 == 0) CHECK(!run(w, order[i], phase, 2, &e, &err));
    }
    return true;
}

static bool is_there(const char *target)
{
    char path[300];
    snprintf(path, sizeof path, "%s.parts", target);
    return !access(path, F_OK);
}

static void remove_parts(const char *target)
{
    char command[400];
    snprintf(command, sizeof command, "rm -r %s.parts", target);
    CHECK(!system(command));
}

static void check_same(const struct subject *s, const struct export_format *format, size_t layers, int parts)
{
    char volume[256], whole[256], target[256];
    const struct work w = { s, format, volume, target, layers, parts };
    const struct load_desc load = load_of(s);
    struct export_file e;
    struct err err = { 0 };
    size_t n[2];
    volume_of(volume, s), path_of(whole, "whole"), path_of(target, "parts");
    unlink(whole), unlink(target);
    write_volume(volume, s);
    if (!CHECK(!extract_whole(volume, whole, s, format, &load, &err))) printf("%s\n", err.text);
    run_all(&w, STREAM_COUNT, "count");
    run_all(&w, STREAM_WRITE, "write");
    CHECK(access(target, F_OK));
    if (!CHECK(!run(&w, 0, STREAM_FINISH, 2, &e, &err))) printf("%s\n", err.text);
    if (!CHECK(!is_there(target))) remove_parts(target);
    char *a = read_file(whole, &n[0]), *b = read_file(target, &n[1]);
    if (!CHECK(!a == !b && n[0] == n[1] && (!a || !memcmp(a, b, n[0]))))
        printf("  %s of %s %d x %d x %d, %zu layers, %d parts: %zu and %zu bytes\n", format->name, s->type, (int)s->n[0],
               (int)s->n[1], (int)s->n[2], layers, parts, n[0], n[1]);
    free(a);
    free(b);
}

static void check_all_same(void)
{
    static const int parts[] = { 1, 2, 3, 5, 8 };
    static const struct export_format *const formats[] = { &export_ply, &export_stl, &export_vtp };
    size_t turn = 0;
    for (size_t i = 0; i < subject_count; i++)
        for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++, turn++)
            check_same(&subjects[i], formats[turn % 3], 1 + turn % 4, parts[p]);
}

/* Two that finish at once both remove what is left. */
static void check_removed_twice(void)
{
    char target[256], job[] = "a job\n";
    struct ledger l;
    struct err err = { 0 };
    path_of(target, "removed");
    if (!CHECK(!ledger_open(&l, target, job, false, &err)) || !CHECK(is_there(target))) return;
    for (int i = 0; i < 2; i++) {
        CHECK(!ledger_remove(&l, &err) && !is_there(target));
        if (*err.text) printf("  it says: %s\n", err.text);
    }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void check_refused(const struct work *w, int k, unsigned phase, const char *says)
{
    struct export_file e;
    struct err err = { 0 };
    if (!CHECK(run(w, k, phase, 2, &e, &err) != ERR_NONE) || !CHECK(strstr(err.text, says) || strstr(err.advice, says)))
        printf("  '%s' was expected, not '%s; %s'\n", says, err.text, err.advice);
}

/* Lines at the end of the job that this command does not have. */
static void check_longer_job(const struct work *w)
{
    char path[300];
    static const char *const more[] = { "\n", "more\n" }, *const says[] = { "begun with ''", "begun with 'more'" };
    struct stat status;
    snprintf(path, sizeof path, "%s.parts/job", w->target);
    if (!CHECK(!stat(path, &status))) return;
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(path, "a");
        if (!CHECK(file)) return;
        fputs(more[i], file);
        fclose(file);
        check_refused(w, 2, STREAM_COUNT, says[i]);
        CHECK(!truncate(path, status.st_size));
    }
}

static void check_refusals(void)
{
    char volume[256], target[256], surface[300];
    struct subject s = subjects[1];
    struct work w = { &s, &export_ply, volume, target, 1, 8 };
    struct export_file e;
    struct err err = { 0 };
    path_of(volume, "volume.raw"), path_of(target, "refused");
    snprintf(surface, sizeof surface, "%s.parts/surface", target);
    write_volume(volume, &s);
    check_refused(&w, 0, STREAM_WRITE, "no part of");
    check_refused(&w, 0, STREAM_FINISH, "no part of");
    for (int k = 0; k < 8; k++)
        if (k != 2 && k != 6) CHECK(!run(&w, k, STREAM_COUNT, 2, &e, &err));
    check_refused(&w, 0, STREAM_WRITE, "parts 3 and 7 of 8 have not been counted");
    check_refused(&w, 0, STREAM_FINISH, "run --part 3/8 --phase count");
    check_longer_job(&w);
    s.value = 3.5;
    check_refused(&w, 2, STREAM_COUNT, "begun with 'iso 3', but this command is 'iso 3.5'");
    s.value = 3, w.parts = 4;
    check_refused(&w, 2, STREAM_COUNT, "begun with '8 parts', but this command is '4 parts'");
    w.parts = 8, w.format = &export_stl;
    check_refused(&w, 2, STREAM_COUNT, "begun with 'PLY', but this command is 'STL'");
    w.format = &export_ply;
    write_volume(volume, &s);
    check_refused(&w, 2, STREAM_COUNT, "begun with 'input volume.raw");
    remove_parts(target);
    for (int k = 0; k < 8; k++) CHECK(!run(&w, k, STREAM_COUNT, 2, &e, &err));
    check_refused(&w, 0, STREAM_FINISH, "parts 1, 2, 3, 4, 5, 6, 7 and 8 of 8 have not been written");
    for (int k = 0; k < 8; k++)
        if (k != 4) CHECK(!run(&w, k, STREAM_WRITE, 2, &e, &err));
    check_refused(&w, 0, STREAM_FINISH, "part 5 of 8 has not been written");
    CHECK(access(target, F_OK) && !access(surface, F_OK));
    unlink(surface);
    check_refused(&w, 0, STREAM_WRITE, "surface"); /* its records speak of a file that is gone */
    remove_parts(target);
}

int main(void)
{
    set_up(20261124, 2);
    check_plan();
    check_removed_twice();
    check_refusals();
    check_all_same();
    return tear_down("parts");
}
