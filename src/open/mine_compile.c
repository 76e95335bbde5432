/* Compiles a source file to a library: finds a compiler, and makes a folder with the headers that the program carries. */
#include "mine_report.h"

#include "child.h"
#include "file_io.h"
#include "leftover.h"
#include "lesson.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WORDS = 40 };

/* ---- the folder ---------------------------------------------------------------------------------------------------- */

static bool make_in(struct mine *mine, const char *place, const char *below)
{
    if (!place || *place != '/') return false;
    const int n = snprintf(mine->folder, sizeof mine->folder, "%s%s/isoscope-rung-XXXXXX", place, below);
    leftover_hold();
    const bool made = n < (int)sizeof mine->folder && mkdtemp(mine->folder);
    if (made) leftover_add_folder(mine->folder);
    leftover_release();
    if (!made) mine->folder[0] = 0;
    return made;
}

/* Prefers the user's cache, because some systems allow no libraries to be loaded from /tmp. */
static int make_folder(struct mine *mine, struct err *err)
{
    if (make_in(mine, getenv("XDG_CACHE_HOME"), "") || make_in(mine, getenv("HOME"), "/.cache") ||
        make_in(mine, getenv("TMPDIR"), "") || make_in(mine, "/tmp", ""))
        return ERR_NONE;
    return err_set(err, ERR_FAILED, "%s: cannot make a folder to compile in: %s", mine->name, strerror(errno));
}

static bool write_file(const char *path, const void *from, size_t bytes)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool written = file >= 0 && file_write_at(file, from, bytes, 0);
    return (file < 0 || !close(file)) && written;
}

static bool is_header(const char *name)
{
    return text_ends(name, ".h") || text_ends(name, ".cuh") || text_ends(name, ".inc");
}

static int write_headers(const struct mine *mine, struct err *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/kernels", mine->folder);
    bool fine = !mkdir(path, 0700);
    for (const struct resource *r = kernel_sources; r->name && fine; r++) {
        if (!is_header(r->name)) continue;
        snprintf(path, sizeof path, "%s/%.60s", mine->folder, r->name);
        fine = write_file(path, r->begin, (size_t)(r->end - r->begin));
    }
    return fine ? ERR_NONE : err_set(err, ERR_FAILED, "%s cannot be written: %s", path, strerror(errno));
}

/* ---- what the compiler says ---------------------------------------------------------------------------------------- */

void mine_find_reason(const char *said, char reason[300])
{
    static const char *const signs[] = { "error:", "error ", "undefined reference", "fatal" };
    snprintf(reason, 300, "it said nothing");
    for (const char *line = said; *line;
         line += line[strcspn(line, "\n")] ? strcspn(line, "\n") + 1 : strcspn(line, "\n")) {
        const int length = (int)strcspn(line, "\n");
        char one[300];
        snprintf(one, sizeof one, "%.*s", length, line);
        if (line == said) snprintf(reason, 300, "%.299s", one);
        for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
            if (strstr(one, signs[i])) {
                snprintf(reason, 300, "%.299s", one);
                return;
            }
    }
}

/* ---- compilers ------------------------------------------------------------------------------------------------------ */

/* The rounding rules must be those of the program, or the rungs would differ from one another. */
static const char *const for_c[] = { "-shared",
                                     "-fPIC",
                                     "-std=gnu11",
                                     "-O3",
                                     "-g",
                                     "-fopenmp",
                                     "-ffp-contract=off",
                                     "-fno-math-errno",
                                     "-fno-trapping-math",
                                     "-D_GNU_SOURCE",
                                     "-Wall",
                                     "-Wextra",
                                     "-Wno-missing-field-initializers",
                                     "-Wno-unused-function",
                                     "-Wno-unused-parameter",
                                     "-Wno-unused-const-variable",
                                     "-Wl,--no-undefined",
                                     NULL };
static const char *const for_cuda[] = {
    "-shared",
    "-std=c++17",
    "-O3",
    "-lineinfo",
    "-fmad=false",
    "-diag-suppress=177",
    "-Xcompiler=-fPIC,-Wall,-Wextra,-Wno-missing-field-initializers,-Wno-unused-function,-Wno-unused-parameter",
    NULL
};

/* Names of compilers, in order of preference. Places that are often missing in PATH have a slash. */
static const char *const names[BACKEND_COUNT][4] = { { "cc", "gcc", "clang" }, { "nvcc", "/usr/local/cuda/bin/nvcc" } };

static bool find_compiler(enum backend backend, char path[PATH_MAX])
{
    for (int i = 0; names[backend][i]; i++) {
        if (*names[backend][i] != '/') {
            if (child_find(path, names[backend][i])) return true;
        } else if (!access(names[backend][i], X_OK)) {
            snprintf(path, PATH_MAX, "%s", names[backend][i]);
            return true;
        }
    }
    return false;
}

/* No nvcc accepts "native" without a GPU. Nothing will run then, so take the lowest that every nvcc from 11.8 on knows. */
static const char *architecture(void)
{
    char text[256];
    return backend_cuda.available(text, sizeof text) ? "-arch=native" : "-arch=sm_75";
}

/* Runs the compiler once. `host`: the C++ compiler for nvcc; NULL: its own choice. */
static int run_compiler(struct mine *mine, const char *compiler, const char *host, const struct progress *progress,
                        int *status, struct err *err)
{
    char log[PATH_MAX], below[PATH_MAX], kernels[PATH_MAX];
    const char *argv[MOST_WORDS] = { compiler };
    int n = 1;
    snprintf(log, sizeof log, "%s/compiler.txt", mine->folder);
    snprintf(below, sizeof below, "-I%s", mine->folder);
    snprintf(kernels, sizeof kernels, "-I%s/kernels", mine->folder);
    for (const char *const *word = mine->backend == BACKEND_CUDA ? for_cuda : for_c; *word; word++) argv[n++] = *word;
    if (mine->backend == BACKEND_CUDA) argv[n++] = architecture();
    if (host) argv[n++] = "-ccbin", argv[n++] = host;
    argv[n++] = below, argv[n++] = kernels, argv[n++] = "-o", argv[n++] = mine->library, argv[n++] = mine->source;
    argv[n++] = "-lm";
    unlink(log);
    const struct progress none = { NULL, NULL };
    const int code = child_run(argv, log, progress ? progress : &none, status, err);
    mine_read_said(mine, log, false); /* later errors follow from the first */
    return code;
}

/* nvcc refuses C++ compilers that are newer than itself. Often an older one is installed, too. */
static int try_hosts(struct mine *mine, const char *compiler, const struct progress *progress, int *status, struct err *err)
{
    static const char *const hosts[] = { "g++-15", "g++-14", "g++-13", "g++-12", "g++-11", NULL };
    int code = run_compiler(mine, compiler, NULL, progress, status, err);
    for (int i = 0; hosts[i] && !code && *status && strstr(mine->said, "unsupported GNU version"); i++) {
        char host[PATH_MAX];
        if (child_find(host, hosts[i])) code = run_compiler(mine, compiler, host, progress, status, err);
    }
    return code;
}

/* Reads the whole file as text, which the caller frees. NULL: it cannot be read. */
static char *read_source(const struct mine *mine)
{
    enum { MOST = 1 << 22 };
    FILE *const file = fopen(mine->source, "rb");
    char *const text = file ? malloc(MOST) : NULL;
    if (text) text[fread(text, 1, MOST - 1, file)] = 0;
    if (file) fclose(file);
    return text;
}

static int link_library(struct mine *mine, const struct progress *progress, struct err *err)
{
    char compiler[PATH_MAX], reason[300];
    int status = 0;
    if (!find_compiler(mine->backend, compiler)) {
        const bool cuda = mine->backend == BACKEND_CUDA;
        err_set(err, ERR_FAILED, "%s: cannot be compiled, because there is no %s", mine->name,
                cuda ? "nvcc in PATH or /usr/local/cuda/bin" : "cc, gcc or clang in PATH");
        err_advise(err, cuda ? "some ops take a file with a single kernel, which needs no nvcc: 'isoscope ladder OP "
                               "--contract' lists them at its end"
                             : "sudo apt install gcc");
        return ERR_FAILED;
    }
    if (write_headers(mine, err)) return err->code;
    snprintf(mine->library, sizeof mine->library, "%s/mine.so", mine->folder);
    const int code = try_hosts(mine, compiler, progress, &status, err);
    if (code || !status) return code;
    mine_find_reason(mine->said, reason);
    return err_set(err, ERR_FAILED, "%s does not compile: %s", mine->name, reason);
}

static bool is_kernel(const struct mine *mine, const char *source)
{
    return mine->backend == BACKEND_CUDA && !strstr(source, "ISO_MINE(");
}

bool mine_has_compiler(const struct mine *mine)
{
    char path[PATH_MAX];
    char *const source = read_source(mine);
    const bool has = source && !is_kernel(mine, source) && find_compiler(mine->backend, path);
    free(source);
    return has;
}

int mine_build(struct mine *mine, const struct progress *progress, struct err *err)
{
    mine_close(mine); /* of an earlier build */
    mine->said[0] = 0;
    char *const source = read_source(mine);
    if (!source) return err_set(err, ERR_FAILED, "%s cannot be read: %s", mine->name, strerror(errno));
    const bool kernel = is_kernel(mine, source);
    int code = make_folder(mine, err);
    if (!code) code = kernel ? mine_build_kernel(mine, source, err) : link_library(mine, progress, err);
    free(source);
    return code;
}
