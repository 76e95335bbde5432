/* synth: a procedural volume as an NRRD file. */
#include "cmd.h"

#include "save_nrrd.h"
#include "synth.h"
#include "text.h"

int cmd_synth(const struct options *options, struct err *err)
{
    uint64_t dims[3];
    struct volume volume;
    if (!options->setup.file) return err_set(err, ERR_USAGE, "synth needs the name of a field: see isoscope synth --help");
    if (!options->output) return err_set(err, ERR_USAGE, "synth needs a file to write: -o FILE.nrrd");
    if (!text_ends(options->output, ".nrrd"))
        return err_set(err, ERR_USAGE, "%s: synth writes NRRD, so the name must end in .nrrd", options->output);
    for (int a = 0; a < 3; a++) dims[a] = options->size[a] ? options->size[a] : 256;
    if (synth_volume(&volume, options->setup.file, dims, options->seed, options->setup.threads, NULL, err))
        return err->code;
    const int code = save_nrrd(&volume, options->output, options->gzip, err);
    if (!code)
        text_say(stdout, "wrote %s: %s, %zu x %zu x %zu %s", options->output, options->setup.file, volume.grid.nx,
                 volume.grid.ny, volume.grid.nz, voxel_type_name[volume.grid.type]);
    volume_free(&volume);
    return code;
}
