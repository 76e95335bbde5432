/* synth: writes a procedural volume as an NRRD file, some slices at a time. */
#include "cmd.h"

#include "save_nrrd.h"
#include "synth.h"
#include "terminal.h"
#include "text.h"
#include "kernels/backend.h"

#include <stdlib.h>

#define AT_ONCE ((size_t)64 << 20) /* bytes of slices; at least one slice */

static int fill(struct save_nrrd *save, const struct synth_field *field, char *slices, size_t most,
                const struct progress *progress, struct err *err)
{
    const struct grid *g = &field->volume.grid;
    const size_t bytes = g->nx * g->ny * voxel_bytes(g->type);
    int code = ERR_NONE;
    bool written = true;
    for (size_t from = 0, to; from < g->nz && written && !code; from = to) {
        to = min_size(from + most, g->nz);
        code = synth_slices(field, from, to, slices, NULL, err);
        written = !code && save_nrrd_add(save, slices, (to - from) * bytes);
        progress_tell(progress, (double)to / (double)g->nz);
    }
    const int closed = save_nrrd_close(save, code ? NULL : err);
    return code ? code : closed;
}

static int make(const struct synth_field *field, const struct options *options, struct err *err)
{
    const struct grid *g = &field->volume.grid;
    const size_t bytes = g->nx * g->ny * voxel_bytes(g->type), most = bytes < AT_ONCE ? AT_ONCE / bytes : 1;
    struct terminal_progress terminal;
    struct progress progress = { NULL, NULL };
    struct save_nrrd save;
    char needed[32], unused[32];
    const size_t all = min_size(most, g->nz) * bytes;
    const uint64_t at_hand = backend_cpu.memory_free();
    char *slices = all <= at_hand ? malloc(all) : NULL;
    if (!slices)
        return err_set(err, ERR_FAILED, "not enough memory for a slice: %s needed, %s free",
                       text_bytes(needed, (double)bytes), text_bytes(unused, (double)at_hand));
    int code = save_nrrd_open(&save, &field->volume, options->output, options->gzip, err);
    terminal_begin(&terminal, "making the volume", &progress);
    if (!code) code = fill(&save, field, slices, most, &progress, err);
    terminal_end(&terminal);
    free(slices);
    return code;
}

int cmd_synth(const struct options *options, struct err *err)
{
    uint64_t dims[3];
    struct synth_field field;
    if (!options->setup.file) return err_set(err, ERR_USAGE, "synth needs the name of a field: see isoscope synth --help");
    if (!options->output) return err_set(err, ERR_USAGE, "synth needs a file to write: -o FILE.nrrd");
    if (!text_ends(options->output, ".nrrd"))
        return err_set(err, ERR_USAGE, "%s: synth writes NRRD, so the name must end in .nrrd", options->output);
    for (int a = 0; a < 3; a++) dims[a] = options->size[a] ? options->size[a] : 256;
    if (synth_open(&field, options->setup.file, dims, options->seed, options->setup.threads, err)) return err->code;
    const int code = make(&field, options, err);
    const struct grid *g = &field.volume.grid;
    if (!code)
        text_say(stdout, "wrote %s: %s, %zu x %zu x %zu %s", options->output, options->setup.file, g->nx, g->ny, g->nz,
                 voxel_type_name[g->type]);
    synth_close(&field);
    return code;
}
