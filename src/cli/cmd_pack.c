/* pack: any volume as an OME-Zarr image with levels. */
#include "cmd.h"

#include "pack.h"
#include "slabs.h"
#include "terminal.h"
#include "text.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* Global, because a signal handler gets no context. */
static atomic_bool is_cancelled;

static void cancel(int signal)
{
    (void)signal;
    atomic_store(&is_cancelled, true);
}

/* A signal is heeded when a band is done, so that the folder can be removed completely. */
static bool go_on(void *shown, double fraction)
{
    progress_tell(shown, fraction);
    return !atomic_load(&is_cancelled);
}

/* Handles the signals that would end the program, except ignored ones. Blocking them is not enough: the threads that have
 * loaded the volume would receive them. */
static void heed_signals(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    struct sigaction old, new = { .sa_handler = cancel, .sa_flags = SA_RESTART };
    sigemptyset(&new.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (!sigaction(ends[i], NULL, &old) && old.sa_handler != SIG_IGN) sigaction(ends[i], &new, NULL);
}

static int run(const struct options *o, const struct store *store, const struct volume *volume, struct err *err)
{
    const uint64_t most = slabs_memory(o);
    const uint64_t taken = volume ? grid_bytes(&volume->grid) : 0;
    const struct volume *v = store ? &store->volume : volume;
    struct pack_result result;
    struct terminal_progress terminal;
    struct progress shown = { NULL, NULL };
    const struct pack_desc desc = { store, volume, most > taken ? most - taken : 0, o->setup.threads, { go_on, &shown } };
    heed_signals();
    terminal_begin(&terminal, "packing", &shown);
    const int code = pack_write(&desc, o->output, &result, err);
    terminal_end(&terminal);
    if (code) return code;
    setup_say_note(v);
    if (store && store_has_gaps(store)) setup_say_gaps(v->name);
    if (*result.note) text_say(stderr, "isoscope: %s", result.note);
    text_say(stdout, "wrote %s: %zu x %zu x %zu %s, %d %s, %" PRIu64 " bytes in %" PRIu64 " %s", o->output, v->grid.nx,
             v->grid.ny, v->grid.nz, voxel_type_name[result.type], result.levels,
             text_word((uint64_t)result.levels, "level", "levels"), result.bytes, result.files,
             text_word(result.files, "file", "files"));
    return ERR_NONE;
}

/* Sets `output` to options->output without the slashes that shells add to the name of a folder. */
static int name_output(char output[PATH_MAX], const struct options *options, struct err *err)
{
    if (!options->output) return err_set(err, ERR_USAGE, "pack needs a folder to write: -o OUT.zarr");
    size_t n = strlen(options->output);
    while (n > 1 && options->output[n - 1] == '/') n--;
    if (snprintf(output, PATH_MAX, "%.*s", (int)n, options->output) >= PATH_MAX)
        return err_set(err, ERR_USAGE, "%s: the name is too long", options->output);
    if (!text_ends(output, ".zarr"))
        return err_set(err, ERR_USAGE, "%s: pack writes OME-Zarr, so the name must end in .zarr", output);
    return ERR_NONE;
}

static int pack(const struct options *options, struct err *err)
{
    struct store store;
    struct volume volume;
    double unused;
    bool is = false;
    int code = load_store(&store, options->setup.file, &options->setup.load, &is, err);
    if (code) return code;
    if (is) {
        code = run(options, &store, NULL, err);
        store_close(&store);
        return code;
    }
    code = setup_open_volume(&volume, &unused, &options->setup, err);
    if (!code) code = run(options, NULL, &volume, err);
    volume_free(&volume);
    return code;
}

int cmd_pack(const struct options *options, struct err *err)
{
    struct options own = *options;
    char output[PATH_MAX];
    if (!options->setup.file) return err_set(err, ERR_USAGE, "pack needs a file: isoscope pack FILE -o OUT.zarr");
    if (name_output(output, options, err)) return err->code;
    own.output = output;
    return pack(&own, err);
}
