/* Files that are made slab by slab have the bytes of those made of the whole volume: every format that can, types with and
 * without conversion, both byte orders, both topologies, axes that mirror, coordinates that need doubles; odd shapes; slabs
 * of 1 to 3 layers, which puts their ends and the last slice everywhere. And what a sink leaves when it fails. */
#include "stream_util.h"

#include "band.h"
#include "plan.h"
#include "sink.h"
#include "stream.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <zlib.h>

/* ---- the same bytes ---------------------------------------------------------------------------------------------- */

static int extract_slabs(const char *from, const char *to, const struct subject *s, const struct export_format *format,
                         const struct load_desc *load, size_t layers, struct err *err)
{
    struct store store;
    struct export_file e = { .format = format };
    open_store(&store, from, load);
    const struct stream_desc desc = { .store = &store, .memory = (uint64_t)1 << 30, .layers = layers };
    const int code = extract_one(&desc, s->value, &e, to, err);
    export_free(&e);
    store_close(&store);
    return code;
}

static void check_same(const struct subject *s, const struct export_format *format, size_t layers)
{
    char volume[256], whole[256], slabs[256], name[64];
    size_t n[2];
    struct err err = { 0 };
    const struct load_desc load = load_of(s);
    write_volume(volume_of(volume, s), s);
    snprintf(name, sizeof name, "whole%s", format->ending);
    path_of(whole, name);
    snprintf(name, sizeof name, "slabs%s", format->ending);
    path_of(slabs, name);
    unlink(whole), unlink(slabs);
    if (!CHECK(!extract_whole(volume, whole, s, format, &load, &err)) ||
        !CHECK(!extract_slabs(volume, slabs, s, format, &load, layers, &err)))
        printf("%s\n", err.text);
    char *a = read_file(whole, &n[0]), *b = read_file(slabs, &n[1]);
    if (!CHECK(!a == !b && n[0] == n[1] && (!a || !memcmp(a, b, n[0]))))
        printf("  %s of %s %d x %d x %d, %zu layers: %zu and %zu bytes\n", format->name, s->type, (int)s->n[0],
               (int)s->n[1], (int)s->n[2], layers, n[0], n[1]);
    free(a);
    free(b);
}

/* The same voxels, compressed, and with a file for each slice: the bytes are those of the plain file. */
static void check_in_order(const struct subject *s)
{
    char plain[256], packed[256], list[256], whole[256], slabs[256], head[512], name[32];
    size_t n, wanted, got;
    struct err err = { 0 };
    const struct load_desc any = { .threads = 2 };
    write_volume(path_of(plain, "volume.nrrd"), s);
    char *bytes = read_file(plain, &n), *data = strstr(bytes, "\n\n") + 2;
    const size_t header = (size_t)(data - bytes), slice = (n - header) / (size_t)s->n[2];
    gzFile gz = gzopen(path_of(packed, "packed.nrrd.gz"), "wb1");
    if (!gz || gzwrite(gz, bytes, (unsigned)n) != (int)n || gzclose(gz)) abort();
    for (size_t z = 0; z < s->n[2]; z++) {
        snprintf(name, sizeof name, "slice%d.raw", (int)z);
        write_file(path_of(list, name), data + z * slice, slice);
    }
    const int length = snprintf(head, sizeof head, "%.*sdata file: slice%%d.raw 0 %d 1\n\n", (int)header - 1, bytes,
                                (int)s->n[2] - 1);
    write_file(path_of(list, "list.nhdr"), head, (size_t)length);
    CHECK(!extract_whole(plain, path_of(whole, "whole.ply"), s, &export_ply, &any, &err));
    char *const want = read_file(whole, &wanted);
    for (int i = 0; i < 2; i++) {
        if (!CHECK(!extract_slabs(i ? list : packed, path_of(slabs, "slabs.ply"), s, &export_ply, &any, 1, &err)))
            printf("  %s\n", err.text);
        char *const made = read_file(slabs, &got);
        CHECK(want && made && wanted == got && !memcmp(want, made, got));
        free(made);
        unlink(slabs);
    }
    char *const all = read_file(packed, &got);
    write_file(packed, all, got / 2);
    free(all);
    CHECK(extract_slabs(packed, slabs, s, &export_ply, &any, 1, &err) == ERR_INPUT && strstr(err.text, "cut off"));
    free(want);
    free(bytes);
}

static void check_all_same(void)
{
    struct err err = { 0 };
    for (size_t i = 0; i < subject_count; i++)
        for (size_t layers = 1; layers < 4; layers++)
            for (const struct export_format *const *f = export_formats; *f; f++) {
                CHECK(!iso_set_topology(&iso, (i + layers) % 2 ? TOPOLOGY_TRILINEAR : TOPOLOGY_FIXED, &err));
                iso_set_exact(&iso, (i + layers) % 3 == 0);
                CHECK(!iso_set_rung(&iso, STAGE_FUSED, (i + layers) % 4 ? NULL : "none", &err));
                if ((*f)->fixed) check_same(&subjects[i], *f, layers);
            }
    CHECK(!iso_set_rung(&iso, STAGE_FUSED, NULL, &err));
}

/* ---- what goes wrong --------------------------------------------------------------------------------------------- */

static bool stop(void *context, double fraction)
{
    double *last = context;
    CHECK(fraction >= *last && fraction <= 1);
    *last = fraction;
    return fraction < 0.7;
}

/* Too little memory, a file that shrinks, a cancel in the second pass: a sentence, and the old file stays. */
static void check_failures(void)
{
    static const struct subject s = { NULL, "uint8", 1, { 70, 31, 41 }, 2.5 };
    char volume[256], target[256], old[] = "old";
    struct store store;
    struct err err = { 0 };
    double last = 0;
    size_t n;
    const struct load_desc load = { .dims = { 70, 31, 41 }, .type = "uint8" };
    write_volume(path_of(volume, "volume.raw"), &s);
    write_file(path_of(target, "target.ply"), old, 3);
    for (int what = 0; what < 3; what++) {
        struct export_file e = { .format = &export_ply };
        open_store(&store, volume, &load);
        if (what == 1 && truncate(volume, 50000)) abort();
        const struct stream_desc desc = { .store = &store,
                                          .memory = what ? (uint64_t)1 << 30 : 1 << 20,
                                          .layers = 1,
                                          .progress = { what ? stop : NULL, &last } };
        last = 0;
        CHECK(extract_one(&desc, 2.5, &e, target, &err) == (what == 1 ? ERR_INPUT : ERR_FAILED));
        CHECK(strstr(err.text, what == 0 ? "1.0 MiB is allowed" : what == 1 ? "shorter" : "cancelled"));
        CHECK(what < 2 || last >= 0.7);
        export_free(&e);
        store_close(&store);
        write_volume(volume, &s);
        char *bytes = read_file(target, &n);
        CHECK(bytes && n == 3 && !memcmp(bytes, old, 3));
        free(bytes);
    }
}

/* Runs of every length at every place of a block, and one that is longer than two; each goes on where another process
 * stopped. */
static void check_sink(void)
{
    enum { SIZE = 5 * (64 << 10) + 77 };
    static char want[SIZE];
    char path[256];
    struct sink sink;
    struct pieces pieces = { .n = 0 };
    struct piece piece;
    struct err err = { 0 };
    size_t n, from = 0;
    for (size_t i = 0; i < SIZE; i++) want[i] = (char)check_random();
    if (!CHECK(!sink_open(&sink, path_of(path, "sink"), SIZE, &err))) return;
    const size_t starts[] = { 0, 100, SINK_BLOCK - 1, 2 * SINK_BLOCK, SIZE };
    for (int r = 3; r >= 0; r--) { /* last ones first: no run relies on another */
        struct sink_run run;
        size_t at = starts[r];
        CHECK(sink_run_open(&run, &sink, at, at, starts[r + 1], &pieces));
        while (at < starts[r + 1]) {
            const size_t part = min_size((size_t)(check_random() % (r == 3 ? 3 * SINK_BLOCK : 50)), starts[r + 1] - at);
            CHECK(sink_run_add(&run, want + at, part));
            at += part;
            if (check_random() % 100) continue;
            CHECK(sink_run_flush(&run));
            sink_run_close(&run);
            pieces_end(&pieces);
            CHECK(sink_run_open(&run, &sink, starts[r], at, starts[r + 1], &pieces));
        }
        CHECK(!run.held);
        sink_run_close(&run);
    }
    while (pieces_next(&piece, pieces.bytes, pieces.n, &from)) CHECK(sink_write(&sink, piece.at, piece.bytes, piece.n));
    CHECK(from == pieces.n);
    pieces_free(&pieces);
    CHECK(access(path, F_OK)); /* not before it is complete */
    CHECK(!sink_close(&sink, &err));
    char *got = read_file(path, &n);
    CHECK(got && n == SIZE && !memcmp(got, want, SIZE));
    free(got);
    unlink(path);
    CHECK(sink_open(&sink, path, (uint64_t)1 << 60, &err) == ERR_FAILED); /* more than any disk */
    CHECK(strstr(err.text, "cannot be written") && access(path, F_OK));
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* If a slab may hold a layer of chunks, slabs end at the chunks' borders, so each chunk is read once. */
static void check_plan_chunks(void)
{
    struct iso_layer layer[400] = { { 0, 0, 0 } };
    struct plan_slab slabs[400];
    for (size_t chunk = 1; chunk < 150; chunk++) {
        const size_t nz = 1190 + chunk, most = chunk / BRICK_Z + 2, layers = plan_layers(nz);
        const size_t n = plan_cut(slabs, layer, (struct plan_share){ 0, layers }, nz,
                                  &(struct plan_limits){ most, 0, chunk });
        for (size_t k = 0; k < n; k++)
            if (!CHECK(plan_read(&slabs[k], chunk, nz) % chunk == 0 || plan_read(&slabs[k], chunk, nz) == nz))
                printf("  chunk %zu, slab %zu: %zu to %zu\n", chunk, k, slabs[k].begin, slabs[k].end);
        CHECK(slabs[n - 1].end == nz && n <= 2 + layers / (chunk < 2 * BRICK_Z ? 1 : chunk / BRICK_Z - 1));
    }
    CHECK(plan_end(0, 16, 64) == 15 && plan_end(15, 31, 64) == 31 && plan_end(15, 30, 64) == 30);
    CHECK(plan_end(0, 40, 64) == 31 && plan_end(0, 40, 1) == 40 && plan_end(0, 15, 64) == 15 && plan_end(0, 3, 64) == 3);
}

/* Random layers, many of them empty: slabs follow one another without a gap, and hold what they may. */
static void check_plan(void)
{
    for (int turn = 0; turn < 300; turn++) {
        const size_t nz = 1 + check_random() % 3000, layers = plan_layers(nz), most = 1 + check_random() % 40;
        const uint64_t bytes = check_random() % 100000;
        const size_t chunk = turn % 3 ? 1 + check_random() % 70 : 1;
        struct iso_layer *layer = calloc(layers, sizeof *layer), sum = { 0, 0, 0 };
        struct plan_slab *slabs = calloc(layers, sizeof *slabs);
        if (!layer || !slabs) abort();
        for (size_t i = 0; i < layers; i++)
            if (check_random() % 3)
                layer[i] = (struct iso_layer){ check_random() % 500 << turn % 24, check_random() % 900, 1 };
        const struct plan_share share = plan_even(layers, check_random() % 3, 3);
        const size_t n = plan_cut(slabs, layer, share, nz, &(struct plan_limits){ most, bytes, chunk });
        size_t at = share.begin * BRICK_Z;
        sum = plan_sum(layer, 0, share.begin);
        for (size_t k = 0; k < n; k++) {
            const struct plan_slab *s = &slabs[k];
            CHECK(s->begin == at && s->end > at && s->begin % BRICK_Z == 0 && plan_layers(s->end - s->begin) <= most);
            CHECK(s->first.vertices == sum.vertices && s->first.triangles == sum.triangles);
            CHECK(s->from + PLAN_BELOW == s->begin || (!s->from && s->begin < PLAN_BELOW));
            CHECK(s->to == min_size(s->end + PLAN_ABOVE, nz));
            const size_t read = plan_read(s, chunk, nz);
            CHECK(read >= s->to && read < s->to + BRICK_Z && read <= nz &&
                  (read == s->to || read == nz || read % chunk == 0));
            CHECK(plan_bytes(s->room) <= bytes || plan_layers(s->end - s->begin) == 1);
            CHECK(s->room.vertices >= s->own.vertices && s->room.triangles >= s->own.triangles);
            sum.vertices += s->own.vertices, sum.triangles += s->own.triangles;
            at = s->end;
        }
        CHECK(n ? at == min_size(share.end * BRICK_Z, nz) : share.begin == share.end);
        for (size_t i = 0; i < share.end; i++) sum.vertices -= layer[i].vertices, sum.triangles -= layer[i].triangles;
        CHECK(!sum.vertices && !sum.triangles);
        free(layer);
        free(slabs);
    }
}

/* ---- bands ------------------------------------------------------------------------------------------------------- */

static uint64_t memory_taken(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%llu", &pages) == 1 && !fclose(file));
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* To so much more than there is. Returns what the limit was. */
static struct rlimit limit_memory(uint64_t more)
{
    struct rlimit before = { 0, 0 };
    CHECK(!getrlimit(RLIMIT_AS, &before));
    const struct rlimit small = { memory_taken() + more, before.rlim_max };
    CHECK(!setrlimit(RLIMIT_AS, &small));
    return before;
}

/* Both halves are taken where there is room for two and a half; where there is less, none is, and what comes after is tried
 * again. */
static void check_band(void)
{
    enum { SIDE = 4096, SLICES = 4, HALF = SIDE * SIDE * SLICES };
    struct load_desc load = { .frame = 0 };
    char volume[256];
    struct store store;
    struct band band = { .store = NULL };
    struct err err = { 0 };
    if (memory_taken() >> 40) return; /* sanitizers map terabytes */
    check_subject("bands");
    const int file = open(path_of(volume, "band_4096x4096x8_uint8.raw"), O_WRONLY | O_CREAT, 0600);
    CHECK(file >= 0 && !ftruncate(file, 2 * HALF) && !close(file));
    open_store(&store, volume, &load);
    const struct band_desc desc = { .store = &store, .slices = SLICES, .threads = 1, .first_threads = 1 };
    struct rlimit before = limit_memory(HALF + HALF / 2);
    CHECK(band_open(&band, &desc, &err) == ERR_FAILED && strstr(err.text, "twice 4 slices") && !band.bytes);
    band_end(&band);
    CHECK(!setrlimit(RLIMIT_AS, &before));
    before = limit_memory(2 * (uint64_t)HALF + HALF / 2);
    CHECK(!band_open(&band, &desc, &err) && band.memory[0] && band.memory[1] && band.bytes == HALF);
    CHECK(!setrlimit(RLIMIT_AS, &before));
    band_close(&band);
    store_close(&store);
    check_subject("");
}

int main(void)
{
    set_up(20261123, 2);
    check_plan();
    check_plan_chunks();
    check_sink();
    check_all_same();
    for (size_t i = 0; i < subject_count; i++)
        if (subjects[i].header) check_in_order(&subjects[i]);
    check_failures();
    check_band();
    return tear_down("stream");
}
