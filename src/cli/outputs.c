#include "outputs.h"

#include "load.h"
#include "options_table.h"
#include "pack.h"
#include "replace.h"
#include "save_table.h"

#include <string.h>
#include <unistd.h>

struct output {
    const char *option, *path;
    int (*check)(const char *path, struct err *err); /* NULL: opened before the work begins, or newly made */
};

enum { OUTPUTS = 6 };

/* Lists all output files. Those that are not asked for have no path. */
static void list(struct output output[OUTPUTS], const struct options *o, const struct command *command)
{
    const bool replaces = command->bit & (RENDER | EXTRACT | SYNTH), packs = command->bit & PACK;
    int (*const check)(const char *, struct err *) = replaces ? replace_check : packs ? pack_check : NULL;
    const struct output all[OUTPUTS] = { { "-o", o->output, check },
                                         { "--save", o->save, save_table_check },
                                         { "--report", o->report, replace_check },
                                         { "--save-state", o->view.save_state, replace_check },
                                         { "--trace", o->trace, NULL },
                                         { "--record", o->view.record, NULL } };
    memcpy(output, all, sizeof all);
}

static int check_volume(const struct options *o, const char *path, struct err *err)
{
    const char *file = o->setup.file;
    if (!file || access(file, F_OK)) return ERR_NONE; /* reported when it is opened */
    if (replace_is_same(path, file))
        return err_set(err, ERR_USAGE, "%s: this is the input file; choose another name for the output", path);
    if (!load_takes(file, &o->setup.load, path)) return ERR_NONE;
    if (access(path, F_OK))
        return err_set(err, ERR_USAGE, "%s: this would become part of the input %s; write to another folder", path, file);
    return err_set(err, ERR_USAGE, "%s: the input %s is read from this file; choose another name for the output", path,
                   file);
}

/* A state may be loaded and saved under one name, because it is read first. */
static int check_inputs(const struct options *o, const struct output *output, struct err *err)
{
    const char *const inputs[] = { o->view.rung_file, o->view.replay,
                                   output->path == o->view.save_state ? NULL : o->view.load_state };
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        if (inputs[i] && replace_is_same(output->path, inputs[i]))
            return err_set(err, ERR_USAGE, "%s: this file is also read; choose another name for the output", output->path);
    return ERR_NONE;
}

int outputs_check(const struct options *o, const struct command *command, struct err *err)
{
    struct output output[OUTPUTS];
    list(output, o, command);
    for (size_t i = 0; i < OUTPUTS; i++) {
        if (!output[i].path) continue;
        for (size_t k = 0; k < i; k++)
            if (output[k].path && replace_is_same(output[k].path, output[i].path))
                return err_set(err, ERR_USAGE, "%s: %s and %s would both write this file; choose two names", output[i].path,
                               output[k].option, output[i].option);
        if (check_inputs(o, &output[i], err)) return ERR_USAGE;
        if (command->bit & READ && check_volume(o, output[i].path, err)) return ERR_USAGE;
    }
    return ERR_NONE;
}

int outputs_check_name(const struct options *o, const char *path, struct err *err)
{
    if (o->trace && replace_is_same(path, o->trace))
        return err_set(err, ERR_USAGE, "%s: -o and --trace would both write this file; choose two names", path);
    return check_volume(o, path, err);
}

/* Whether a number or value stands in the name of a folder. */
static bool varies_in_folder(const char *path)
{
    const char *percent = strchr(path, '%');
    return percent && strchr(percent, '/');
}

int outputs_check_places(const struct options *o, const struct command *command, struct err *err)
{
    struct output output[OUTPUTS];
    int code = ERR_NONE;
    list(output, o, command);
    for (size_t i = 0; i < OUTPUTS && !code; i++)
        if (output[i].path && output[i].check && !varies_in_folder(output[i].path))
            code = output[i].check(output[i].path, err);
    return code;
}
