/* isoscope: parses the command line, runs one command, and reports what went wrong. */
#include "cmd.h"
#include "mine.h"
#include "mine_child.h"
#include "outputs.h"
#include "team.h"
#include "text.h"
#include "trace.h"

#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIN_STACK ((uint64_t)64 << 10) /* bytes; the deepest CPU op takes 24 KiB, its callers need some more */

/* Bytes that OMP_STACKSIZE asks for: "16k", "2 M", or in KiB without a letter. 0: OpenMP does not understand it. */
static uint64_t stack_bytes(const char *text)
{
    static const char units[] = "bkmgBKMG";
    uint64_t bytes;
    if (!text || !text_uint(text_skip(text), &text, &bytes)) return 0;
    text = text_skip(text);
    const char *unit = *text ? strchr(units, *text) : &units[1];
    if (!unit || (*text && *text_skip(text + 1))) return 0;
    return bytes << (unit - units) % 4 * 10;
}

/* OpenMP does not tell how large its threads' stacks are, so OMP_STACKSIZE is checked. Too small ones lead to a crash. */
static int check_stack(struct err *err)
{
    const char *name = stack_bytes(getenv("OMP_STACKSIZE")) ? "OMP_STACKSIZE" : "GOMP_STACKSIZE", *text = getenv(name);
    const uint64_t bytes = stack_bytes(text);
    if (!bytes || bytes >= MIN_STACK) return ERR_NONE;
    err_set(err, ERR_USAGE, "%s=%.40s gives the threads too little stack: expected 64k or more", name, text);
    err_advise(err, "unset it to use the default");
    return ERR_USAGE;
}

/* Checks OMP_NUM_THREADS, which counts unless an option gives the number of threads. OpenMP crashes if the system
 * cannot run so many. */
static int check_threads(const struct options *options, struct err *err)
{
    const char *text = getenv("OMP_NUM_THREADS");
    const int threads = omp_get_max_threads();
    if (options->setup.threads || !text || (threads > 0 && threads <= SETUP_MOST_THREADS)) return ERR_NONE;
    return err_set(err, ERR_USAGE, "OMP_NUM_THREADS=%.40s: expected at most %d threads", text, SETUP_MOST_THREADS);
}

/* Parses and runs a command. alone: the code of team_begin(), which `err` explains. It is ignored for --part, where
 * each process runs alone on purpose. */
static int run(struct team *team, int alone, int argc, char **argv, struct err *err)
{
    struct options options;
    const struct command *command;
    struct err unused = { 0 };
    int code = options_parse(&options, &command, argc, argv, alone ? &unused : err);
    if (alone && !code && !options.parts && command) code = alone;
    else if (alone) *err = unused;
    options.team = team;
    if (team->rank) options.trace = NULL; /* only rank 0 writes a timeline */
    if (!code && command && team->size > 1 && !command->shared)
        code = err_set(err, ERR_USAGE,
                       "'%s' runs in one process: only extract, info and bench can share work among several",
                       command->usage);
    if (!code && command) code = outputs_check(&options, command, err);
    if (!code && command) code = check_stack(err);
    if (!code && command) code = check_threads(&options, err);
    if (!code && command && !team->rank) code = outputs_check_places(&options, command, err);
    if (!code && command) code = trace_open(options.trace, err);
    if (!code && command) code = command->run(&options, err);
    const int untraced = trace_close(code ? NULL : err); /* report only the first error */
    if (!code) code = untraced;
    options_free(&options);
    return code;
}

/* Opens closed standard streams. Otherwise the next file to be opened would get the number of one of them, and receive what
 * is printed. Printing still fails. */
static void open_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv)
{
    struct team team;
    struct err err = { 0 };
    if (argc == 4 && !strcmp(argv[1], MINE_CHILD)) return mine_child(argv[2], argv[3]);
    open_streams();
    signal(SIGXFSZ, SIG_IGN); /* makes exceeding the shell's limit on files (ulimit -f) a write error */
    signal(SIGCHLD, SIG_DFL); /* who starts this program may ignore it; then child programs could not be waited for */
    const int alone = team_begin(&team, &err);
    int code = run(&team, alone, argc, argv, &err);
    if (!code && (fflush(stdout) || ferror(stdout))) code = err_set(&err, ERR_FAILED, "cannot write to standard output");
    char sentence[ERR_SENTENCE];
    code = team.ops->agree(&team, code, &err);
    if (code && !team.rank) text_say(stderr, "isoscope: %s", err_sentence(&err, sentence));
    team_end(&team);
    return code;
}
