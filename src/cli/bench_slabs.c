#include "bench_slabs.h"

#include "bench_ranks.h"
#include "export_format.h"
#include "export_pieces.h"
#include "file_io.h"
#include "leftover.h"
#include "replace.h"
#include "slabs.h"
#include "stream.h"
#include "stream_slabs.h"
#include "team.h"
#include "terminal.h"
#include "text.h"
#include "timing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUFFER ((uint64_t)16 << 20) /* bytes of slices to read at once, if one is not larger */

enum { BLOCK = 1 << 20 }; /* bytes to write at once */

struct job {
    const struct options *o;
    struct team alone, *team;
    char path[PATH_MAX];
    struct ledger ledger; /* which may be left behind */
    const struct export_format *format;
    struct store store;
    struct iso iso;
    struct ranks_row row; /* of this process */
    struct ranks_report report;
};

/* ---- what cannot be done ----------------------------------------------------------------------------------------- */

static int check_options(const struct options *o, struct err *err)
{
    const struct {
        bool is;
        const char *name;
    } others[] = { { o->values.count, "--iso with several values" },
                   { o->compare, "--compare" },
                   { o->pictures, "--pictures" },
                   { o->pipeline, "--pipeline" },
                   { o->runs, "--runs" } };
    if (!o->setup.file)
        return err_set(err, ERR_USAGE,
                       "-o times a file slab by slab and needs a volume file: isoscope bench FILE -o OUT.ply");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].is)
            return err_set(err, ERR_USAGE,
                           "%s times what is made in memory, but -o times writing a whole file: give only one of them",
                           others[i].name);
    return ERR_NONE;
}

static const char *against_slabs(const struct job *job)
{
    if (!job->format->fixed || job->format == &export_pvtp) return "other formats than PLY, STL and VTP are";
    return bench_ranks_against(job->o);
}

/* The file is removed afterwards, with its ledger, so neither may exist before. */
static int refuse_existing(struct job *job, struct err *err)
{
    struct stat any;
    const char *found = job->path;
    const int n = snprintf(job->ledger.folder, sizeof job->ledger.folder, "%s.parts", job->path);
    if (n >= PATH_MAX) return err_set(err, ERR_USAGE, "%s: the name is too long", job->path);
    if (lstat(found, &any) && lstat(found = job->ledger.folder, &any)) return ERR_NONE;
    return err_set(err, ERR_USAGE,
                   "%s already exists, and bench would overwrite and delete it: give another name with -o%s", found,
                   found == job->ledger.folder ? ", or delete it if a killed run left it" : "");
}

static int begin(struct job *job, struct err *err)
{
    const struct options *o = job->o;
    char why[512];
    snprintf(job->path, sizeof job->path, "%s", o->output);
    if (check_options(o, err)) return ERR_USAGE;
    job->format = export_format_of(job->path, err);
    if (!job->format || refuse_existing(job, err)) return ERR_USAGE;
    const int code = slabs_open(&job->store, &job->iso, o, against_slabs(job), why, sizeof why, err);
    if (!code) slabs_read_once(&job->store, o); /* as extract does */
    return code;
}

/* ---- what is timed ----------------------------------------------------------------------------------------------- */

static bool leads(const struct job *job) { return !job->team->rank; }

/* Processor time that this process has used so far, milliseconds. */
static double cpu_ms(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) ? 0 : 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* A signal removes the file, too: it is of no use. */
static void note_file(const struct job *job)
{
    leftover_hold();
    leftover_add(job->path);
    leftover_release();
}

static int make(struct job *job, struct err *err)
{
    struct export_file file = { .format = job->format };
    struct stream_file made = { job->o->setup.iso, job->path, &file, 0 };
    struct terminal_progress terminal;
    struct stream_desc desc = { .store = &job->store, .memory = slabs_memory_by(job->o, &job->iso), .team = job->team };
    const double waited = job->team->waited_ms, begun = timing_ms(), taken = cpu_ms();
    desc.keeps = job->team->size > 1, desc.holds = true, desc.times = &job->row.times;
    if (leads(job)) {
        note_file(job);
        terminal_begin(&terminal, "making the surface slab by slab", &desc.progress);
    }
    int code = stream_extract(&desc, &job->iso, &made, 1, err);
    if (leads(job)) terminal_end(&terminal);
    job->row.wall = timing_ms() - begun, job->row.others = job->team->waited_ms - waited;
    job->row.cpu = cpu_ms() - taken;
    job->report.vertices = file.vertices, job->report.triangles = file.triangles;
    if (!code && !file.count)
        code = err_set(err, ERR_FAILED, "no surface at isovalue %g: there is nothing to time", made.value);
    export_free(&file);
    return code;
}

/* Reads the slices of its share, and does nothing else. */
static int read_plain(struct job *job, struct err *err)
{
    const struct store *s = &job->store;
    const struct plan_share share = plan_even(s->volume.grid.nz, (size_t)job->team->rank, (size_t)job->team->size);
    const uint64_t each = store_slice_bytes(s);
    const size_t most = each < BUFFER ? (size_t)(BUFFER / each) : 1;
    const int threads = stream_slabs_readers(&job->iso);
    struct progress progress = { NULL, NULL };
    struct terminal_progress terminal;
    void *buffer = malloc((size_t)each * most);
    int code = buffer ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for %zu slices of the volume", most);
    if (leads(job)) terminal_begin(&terminal, "reading only", &progress);
    const double begun = timing_ms();
    for (size_t z = share.begin; z < share.end && !code; z += most) {
        code = store_read(s, z, min_size(z + most, share.end), buffer, threads, err);
        progress_tell(&progress, (double)(z - share.begin) / (double)(share.end - share.begin));
    }
    job->row.plain.read = timing_ms() - begun;
    job->row.plain.read_bytes = each * (share.end - share.begin);
    job->row.voxels = (uint64_t)s->volume.grid.nx * s->volume.grid.ny * (share.end - share.begin);
    if (leads(job)) terminal_end(&terminal);
    free(buffer);
    return code;
}

static bool write_blocks(const struct replace *to, const char *block, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += BLOCK)
        if (!file_write_at(fileno(to->file), block, (size_t)(bytes - at < BLOCK ? bytes - at : BLOCK), at)) return false;
    return replace_sync(to);
}

/* Writes as many bytes as before, to an unnamed file in the same folder. */
static int write_plain(struct job *job, struct err *err)
{
    struct replace to;
    char *block = calloc(1, BLOCK);
    int code = block ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory to write %s", job->path);
    if (!code) code = replace_open(&to, job->path, err);
    const double begun = timing_ms();
    if (!code) {
        if (!write_blocks(&to, block, job->row.times.written_bytes))
            code = err_set(err, ERR_FAILED, "%s: cannot be written: %s", job->path, strerror(errno));
        job->row.plain.write = timing_ms() - begun;
        job->row.plain.written_bytes = job->row.times.written_bytes;
        replace_abandon(&to, NULL);
    }
    free(block);
    return code;
}

/* Removes the file, or what is left of it. */
static void clean(const struct job *job)
{
    if (!access(job->ledger.folder, F_OK)) ledger_remove(&job->ledger, NULL);
    unlink(job->path);
    leftover_drop(job->path);
}

static int evict(struct job *job, struct err *err)
{
    if (store_evict(&job->store)) return ERR_NONE;
    return err_set(err, ERR_USAGE, "%s: --cold needs voxels that lie in one uncompressed piece of a file: leave it out",
                   job->store.volume.name);
}

/* All processes begin each step together. */
static int measure(struct job *job, int code, struct err *err)
{
    enum { STEPS = 5 };
    static int (*const all[2][STEPS])(struct job *, struct err *) = { { read_plain, make, read_plain, write_plain },
                                                                      { evict, make, evict, read_plain, write_plain } };
    int (*const *const steps)(struct job *, struct err *) = all[job->o->cold];
    code = job->team->ops->agree(job->team, code, err);
    if (code) return code;
    for (size_t i = 0; i < STEPS && steps[i] && !code; i++)
        code = job->team->ops->agree(job->team, steps[i](job, err), err);
    if (leads(job)) clean(job);
    return code;
}

static int answer(struct job *job, struct err *err)
{
    struct ranks_report *r = &job->report;
    r->volume = &job->store.volume, r->format = job->format->name, r->cold = job->o->cold;
    r->memory = slabs_memory_by(job->o, &job->iso);
    return bench_ranks_answer(r, &job->row, &job->iso, job->team, job->o, err);
}

int bench_slabs(const struct options *options, struct err *err)
{
    struct job job = { .o = options };
    team_alone(&job.alone);
    job.team = options->team ? options->team : &job.alone;
    const int begun = begin(&job, err);
    int code = measure(&job, begun, err);
    if (!code) code = answer(&job, err);
    free(job.report.rows);
    if (begun) return code;
    iso_close(&job.iso);
    store_close(&job.store);
    return code;
}
