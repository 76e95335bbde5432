#include "child.h"

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

#define POLL_NS 50000000L /* between two looks at the child */

bool child_find(char path[PATH_MAX], const char *program)
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        const int n = (int)strcspn(folders, ":");
        struct stat status;
        /* a relative folder would run whatever lies beside the data */
        if (*folders == '/' && snprintf(path, PATH_MAX, "%.*s/%s", n, folders, program) < PATH_MAX && !access(path, X_OK) &&
            !stat(path, &status) && S_ISREG(status.st_mode))
            return true;
        folders += n + (folders[n] == ':');
    }
    return false;
}

/* The environment with messages and numbers as programs expect them; owned, for the caller to free; NULL: no memory. */
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

/* Its own process group, default signals, output to `log`. Returns an errno. */
static int start(pid_t *child, const char *const argv[], const char *log)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    char **environment = plain_environment();
    if (!environment) return ENOMEM;
    sigfillset(&all);
    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&files)) {
        free(environment);
        return ENOMEM;
    }
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&files);
        free(environment);
        return ENOMEM;
    }
    int reason = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!reason) reason = posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!reason) reason = posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    if (!reason) reason = posix_spawn(child, argv[0], &files, &attributes, (char *const *)argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    free(environment);
    return reason;
}

int child_run(const char *const argv[], const char *log, const struct progress *progress, int *status, struct err *err)
{
    const struct timespec pause = { 0, POLL_NS };
    pid_t child, ended;
    bool cancelled = false;
    const int reason = start(&child, argv, log);
    if (reason) return err_set(err, ERR_FAILED, "%s cannot be started: %s", argv[0], strerror(reason));
    while ((ended = waitpid(child, status, cancelled ? 0 : WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (progress->step && !progress->step(progress->context, 0)) {
            cancelled = true;
            kill(-child, SIGKILL);
        } else nanosleep(&pause, NULL);
    }
    if (cancelled) return err_set(err, ERR_FAILED, "cancelled");
    if (ended < 0) return err_set(err, ERR_FAILED, "%s: its end was not seen: %s", argv[0], strerror(errno));
    return ERR_NONE;
}
