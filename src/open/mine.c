#include "mine_report.h"

#include "leftover.h"
#include "source.h"
#include "text.h"
#include "kernels/own_kernel.h"

#include <dlfcn.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mine_open(struct mine *mine, const char *source, struct err *err)
{
    struct source file;
    *mine = (struct mine){ .name = "" };
    const char *const slash = strrchr(source, '/');
    const char *const ending = strrchr(slash ? slash : source, '.');
    const bool cuda = ending && !strcmp(ending, ".cu");
    if (!cuda && !(ending && !strcmp(ending, ".c")))
        return err_set(err, ERR_USAGE, "--rung-file %s: expected a .c file (a rung for the CPU) or a .cu file (for CUDA)",
                       source);
    if (snprintf(mine->source, sizeof mine->source, "%s%s", *source == '-' ? "./" : "", source) >= (int)sizeof mine->source)
        return err_set(err, ERR_USAGE, "--rung-file: the path is too long");
    mine->name = strrchr(mine->source, '/') ? strrchr(mine->source, '/') + 1 : mine->source;
    mine->backend = cuda ? BACKEND_CUDA : BACKEND_CPU;
    if (source_open(&file, source, err)) return err->code;
    source_close(&file);
    return ERR_NONE;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    (void)remove(path);
    return 0;
}

void mine_close(struct mine *mine)
{
    if (mine->folder[0]) {
        (void)nftw(mine->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        leftover_drop(mine->folder);
    }
    mine->folder[0] = 0;
}

void mine_read_said(struct mine *mine, const char *log, bool end)
{
    const long most = sizeof mine->said - 1;
    FILE *file = fopen(log, "r");
    mine->said[0] = 0;
    if (!file) return;
    const long size = end && !fseek(file, 0, SEEK_END) ? ftell(file) : 0;
    const int cut = size > most ? snprintf(mine->said, sizeof mine->said, "...") : 0;
    (void)fseek(file, cut ? size - most + cut : 0, SEEK_SET);
    mine->said[(size_t)cut + fread(mine->said + cut, 1, (size_t)(most - cut), file)] = 0;
    fclose(file);
}

/* ---- the row ------------------------------------------------------------------------------------------------------- */

/* Finds the row that the library defines, and its ladder. */
static const void *find_row(void *library, const struct ladder **ladder)
{
    for (const struct ladder *l = ladders; l->op; l++) {
        char symbol[64];
        snprintf(symbol, sizeof symbol, "%s_%s", l->op, MINE_NAME);
        const void *const row = dlsym(library, symbol);
        if (row) {
            *ladder = l;
            return row;
        }
    }
    return NULL;
}

/* Loads the row of a library made by a compiler that links. */
static int load_library(const char *library, enum backend backend, const struct ladder **ladder, const void **row,
                        struct err *err)
{
    void *const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!opened) return err_set(err, ERR_FAILED, "it cannot be loaded: %s", dlerror());
    *row = find_row(opened, ladder);
    if (*row) return ERR_NONE;
    return err_set(
        err, ERR_FAILED,
        "it defines no rung: expected a line ISO_MINE(OP) = ..., as in what 'isoscope ladder OP --template%s' prints",
        backend == BACKEND_CUDA ? " --backend cuda" : "");
}

/* Loads the row of an image with a single kernel. */
static int load_kernel(const char *image, const struct ladder **ladder, const void **row, struct err *err)
{
    const char *op, *why;
    *row = own_kernel_load(image, &op, &why);
    if (!*row) return err_set(err, ERR_FAILED, "it cannot be loaded: %s", why);
    *ladder = ladder_of(op);
    return ERR_NONE;
}

int mine_load(const char *library, enum backend backend, const struct ladder **ladder, struct rung **row, struct err *err)
{
    const void *found;
    const int code = text_ends(library, MINE_IMAGE) ? load_kernel(library, ladder, &found, err)
                                                    : load_library(library, backend, ladder, &found, err);
    if (code) return code;
    *row = malloc((*ladder)->row_bytes);
    if (!*row) return err_set(err, ERR_FAILED, "not enough memory for a rung");
    memcpy(*row, found, (*ladder)->row_bytes);
    (*row)->name = MINE_NAME, (*row)->is_default = (*row)->is_library = false;
    if (!(*row)->idea) (*row)->idea = "";
    return ERR_NONE;
}

int mine_join(struct mine *mine, struct err *err)
{
    const struct ladder *ladder;
    struct rung *row;
    struct err why = { 0 };
    if (mine_load(mine->library, mine->backend, &ladder, &row, &why))
        return err_set(err, ERR_FAILED, "%s: %s", mine->name, why.text);
    mine->ladder = ladder;
    ladder_append(ladder, mine->backend, row);
    return ERR_NONE;
}

bool mine_is(const struct rung *rung) { return rung && !strcmp(rung->name, MINE_NAME); }
