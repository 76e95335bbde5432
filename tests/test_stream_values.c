/* Files of several values that are made together, slab by slab, have the bytes of each made alone. They are made by one
 * process, which reads the volume once per pass, and by parts, with each value's journals cut anywhere, so that some
 * are ahead of others. Also if a value has no surface, or continues alone. */
#include "stream_util.h"

#include "stream.h"

enum { VALUES = 4, PARTS = 3 };
static const double values[VALUES] = { 2.5, 0.7, 9, 3.9 }; /* values go from 0 to 6 */

struct set {
    char path[VALUES][256];
    struct export_file e[VALUES];
    struct stream_file files[VALUES];
};

static void set_begin(struct set *set, const struct export_format *format)
{
    char name[32];
    for (int i = 0; i < VALUES; i++) {
        snprintf(name, sizeof name, "value%d", i);
        path_of(set->path[i], name);
        set->e[i] = (struct export_file){ .format = format };
        set->files[i] = (struct stream_file){ values[i], set->path[i], &set->e[i], 0 };
    }
}

/* Makes values `from` to from + n - 1. */
static int run(const struct subject *s, const struct stream_desc *how, const struct export_format *format, int from, int n,
               struct err *err)
{
    char volume[256];
    const struct load_desc load = load_of(s);
    struct stream_desc desc = *how;
    struct set set;
    struct store store;
    set_begin(&set, format);
    open_store(&store, volume_of(volume, s), &load);
    desc.store = &store;
    const int code = stream_extract(&desc, &iso, set.files + from, (size_t)n, err);
    for (int i = from; i < from + n && !code; i++)
        if (!desc.phases || desc.phases == STREAM_FINISH)
            CHECK(set.e[i].count == (i != 2) && (i == 2 || set.e[i].parts[0].value == values[i]));
    for (int i = 0; i < VALUES; i++) export_free(&set.e[i]);
    store_close(&store);
    return code;
}

/* Compares all files with those made of the whole volume, and removes them. */
static void compare(const struct subject *s, const struct export_format *format, const char *how)
{
    char volume[256], whole[256];
    const struct load_desc load = load_of(s);
    struct subject one = *s;
    struct set set;
    set_begin(&set, format);
    volume_of(volume, s), path_of(whole, "whole");
    for (int i = 0; i < VALUES; i++) {
        one.value = values[i];
        check_like_whole(volume, whole, set.path[i], &one, format, &load, how);
    }
}

/* ---- by one process ---------------------------------------------------------------------------------------------- */

static void check_together(void)
{
    static const struct export_format *const formats[] = { &export_ply, &export_stl, &export_vtp };
    char path[256];
    struct err err = { 0 };
    for (size_t i = 0; i < subject_count; i++) {
        const struct subject *s = &subjects[i];
        if (s->n[2] < 2) continue;
        write_volume(volume_of(path, s), s);
        for (size_t layers = 1; layers < 4; layers++) {
            const struct stream_desc desc = { .memory = (uint64_t)1 << 30, .layers = layers };
            if (!CHECK(!run(s, &desc, formats[(i + layers) % 3], 0, VALUES, &err))) printf("  %s\n", err.text);
            compare(s, formats[(i + layers) % 3], "together");
        }
    }
}

/* 2 MiB, of which every layer has surface of three values: a pass for each would read 8 times as much. */
static void check_reads_once(void)
{
    static const struct subject s = { NULL, "uint8", 1, { 128, 128, 128 }, 2.5 };
    char path[256];
    struct err err = { 0 };
    const struct stream_desc desc = { .memory = (uint64_t)1 << 30, .layers = 4 };
    write_volume(path_of(path, "volume.raw"), &s);
    const unsigned long long before = bytes_read();
    CHECK(!run(&s, &desc, &export_ply, 0, VALUES, &err));
    const unsigned long long read = bytes_read() - before, all = 128 * 128 * 128;
    if (before && !CHECK(read >= 2 * all && read < 2 * all + all / 4))
        printf("  %llu bytes were read of %llu, twice\n", read, all);
    if (!before) printf("skipped: no /proc/self/io here\n");
    compare(&s, &export_ply, "read once");
}

/* ---- by parts ---------------------------------------------------------------------------------------------------- */

static bool stop_at(void *context, double fraction) { return fraction < *(double *)context; }

static int run_part(const struct subject *s, int k, unsigned phase, double until, int from, int n, struct err *err)
{
    struct team team;
    team_files(&team, k, PARTS);
    const struct stream_desc desc = { .memory = (uint64_t)1 << 30,
                                      .layers = 1 + check_random() % 3,
                                      .progress = { stop_at, &until },
                                      .team = &team,
                                      .keeps = true,
                                      .phases = phase };
    return run(s, &desc, &export_ply, from, n, err);
}

/* Takes the end off a journal of each value, as a crash does, or leaves it. */
static void tear(const char *name, int k)
{
    char path[300];
    struct stat status;
    for (int i = 0; i < VALUES; i++) {
        snprintf(path, sizeof path, "%s/value%d.parts/%s.%d", folder, i, name, k + 1);
        if (check_random() % 2 || stat(path, &status) || !status.st_size) continue;
        if (truncate(path, status.st_size - 1 - (off_t)(check_random() % (uint64_t)status.st_size))) abort();
    }
}

static void run_phase(const struct subject *s, unsigned phase, const char *name)
{
    struct err err = { 0 };
    for (int k = PARTS - 1; k >= 0; k--) {
        for (int turn = 0; turn < 3; turn++) {
            const int from = (int)(check_random() % VALUES), n = 1 + (int)(check_random() % (uint64_t)(VALUES - from));
            const bool some = check_random() % 2; /* of the values: they are ahead then */
            const int code = run_part(s, k, phase, (double)(check_random() % 100) / 100, some ? from : 0, some ? n : VALUES,
                                      &err);
            if (!CHECK(!code || strstr(err.text, "cancelled"))) printf("  %s\n", err.text);
            tear(name, k);
        }
        if (!CHECK(!run_part(s, k, phase, 2, 0, VALUES, &err))) printf("  %s of part %d: %s\n", name, k, err.text);
    }
}

static void check_parts(void)
{
    char path[256];
    struct err err = { 0 };
    for (size_t i = 1; i < subject_count; i += 2) { /* half of them: it is the disk that takes time */
        const struct subject *s = &subjects[i];
        if (s->n[2] < 2) continue;
        write_volume(volume_of(path, s), s);
        run_phase(s, STREAM_COUNT, "count");
        run_phase(s, STREAM_WRITE, "write");
        if (!CHECK(!run_part(s, 0, STREAM_FINISH, 2, 0, VALUES, &err))) printf("  %s\n", err.text);
        for (int v = 0; v < VALUES; v++) {
            snprintf(path, sizeof path, "%s/value%d.parts", folder, v);
            CHECK(access(path, F_OK));
        }
        compare(s, &export_ply, "by parts");
    }
}

int main(void)
{
    set_up(20261125, 2);
    check_reads_once();
    check_together();
    check_parts();
    return tear_down("stream_values");
}
