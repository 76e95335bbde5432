#include "child.h"

#include "leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 50000000L /* between two checks of the child */

bool child_find(char path[PATH_MAX], const char *program)
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        const int n = (int)strcspn(folders, ":");
        struct stat status;
        /* a relative folder would run whatever lies next to the data */
        if (*folders == '/' && snprintf(path, PATH_MAX, "%.*s/%s", n, folders, program) < PATH_MAX && !access(path, X_OK) &&
            !stat(path, &status) && S_ISREG(status.st_mode))
            return true;
        folders += n + (folders[n] == ':');
    }
    return false;
}

/* The environment in which programs print messages and numbers in their standard form. The caller frees it; NULL: no
 * memory. */
static char **plain_environment(void)
{
    static char plain[] = "LC_ALL=C";
    size_t n = 0, kept = 0;
    while (environ[n]) n++;
    char **copy = malloc((n + 2) * sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0) copy[kept++] = environ[i];
    if (copy) copy[kept++] = plain, copy[kept] = NULL;
    return copy;
}

/* Connects the child's streams. There is no input. Output and errors go to the new file `log`; if that is NULL, output goes
 * to the pipe, and errors are dropped. */
static int connect(posix_spawn_file_actions_t *files, const char *log, int pipe)
{
    int reason = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
    if (!reason && !log) reason = posix_spawn_file_actions_addopen(files, 2, "/dev/null", O_WRONLY, 0);
    if (!reason && !log) return posix_spawn_file_actions_adddup2(files, pipe, 1);
    if (!reason) reason = posix_spawn_file_actions_addopen(files, 1, log, O_WRONLY | O_CREAT | O_EXCL, 0600);
    return reason ? reason : posix_spawn_file_actions_adddup2(files, 1, 2);
}

/* Starts the child in a process group of its own, with default signals and the streams of connect(). Returns an errno. */
static int start(pid_t *child, const char *const argv[], char *const environment[], const char *log, int pipe)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&files)) return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    int reason = connect(&files, log, pipe);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    if (!reason) reason = posix_spawn(child, argv[0], &files, &attributes, (char *const *)argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return reason;
}

/* Like start(). Also notes the child's process group for the handler of signals that end this program, because the terminal
 * sends them to this program's group alone. */
static int start_noted(pid_t *child, const char *const argv[], char *const environment[], const char *log, int pipe)
{
    leftover_hold();
    const int reason = start(child, argv, environment, log, pipe);
    if (!reason) leftover_add_program(*child);
    leftover_release();
    return reason;
}

/* Returns 1 if the child has ended and can be waited for, 0 if it has not ended; -1: errno says why that is unknown. */
static int has_ended(pid_t child, bool wait)
{
    siginfo_t info = { .si_pid = 0 };
    const int failed = waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG));
    if (failed) return errno == EINTR ? 0 : -1;
    return info.si_pid != 0;
}

static int wait_for(pid_t child, const char *const argv[], const struct progress *progress, int *status, struct err *err)
{
    const struct timespec pause = { 0, POLL_NS };
    int ended;
    bool cancelled = false;
    while (!(ended = has_ended(child, cancelled))) {
        if (progress->step && !progress->step(progress->context, 0)) {
            cancelled = true;
            kill(-child, SIGKILL);
        } else nanosleep(&pause, NULL);
    }
    leftover_drop_program(child);
    if (ended > 0 && waitpid(child, status, 0) < 0) ended = -1;
    if (cancelled) return err_set(err, ERR_FAILED, "cancelled");
    if (ended < 0) return err_set(err, ERR_FAILED, "%s: cannot tell how it ended: %s", argv[0], strerror(errno));
    return ERR_NONE;
}

static int cannot_start(const char *const argv[], int reason, struct err *err)
{
    return err_set(err, ERR_FAILED, "%s cannot be started: %s", argv[0], strerror(reason));
}

int child_run(const char *const argv[], const char *log, const struct progress *progress, int *status, struct err *err)
{
    pid_t child;
    char **environment = plain_environment();
    const int reason = environment ? start_noted(&child, argv, environment, log, -1) : ENOMEM;
    free(environment);
    return reason ? cannot_start(argv, reason, err) : wait_for(child, argv, progress, status, err);
}

/* Answers are short, so they fit into the pipe until the program has ended. */
int child_ask(const char *const argv[], char *answer, size_t size, const struct progress *progress, int *status,
              struct err *err)
{
    pid_t child;
    int ends[2];
    answer[0] = 0;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) return cannot_start(argv, errno, err);
    const int reason = start_noted(&child, argv, environ, NULL, ends[1]);
    close(ends[1]);
    const int code = reason ? cannot_start(argv, reason, err) : wait_for(child, argv, progress, status, err);
    const ssize_t n = code ? 0 : read(ends[0], answer, size - 1);
    close(ends[0]);
    answer[n > 0 ? n : 0] = 0;
    return code;
}
