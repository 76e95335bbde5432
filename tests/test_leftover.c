/* Files, folders and programs that are being made when a signal ends the program: nothing of them stays. */
#include "check.h"
#include "leftover.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { AT_ONCE, LATE, FROM_ANOTHER_THREAD, TWICE, WAYS };

static const char *const ways[] = { "a file in the signal's thread", "a file made in another thread when the signal comes",
                                    "a file whose thread was still to make it",
                                    "a second signal, in a third thread, while the first is handled" };

static char path[PATH_MAX];
static atomic_bool holding;

static void sleep_ms(long ms)
{
    const struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };
    nanosleep(&pause, NULL);
}

static void make(void)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) _exit(1);
    close(file);
}

/* The signal comes between the making and the noting. */
static void make_and_raise(void)
{
    leftover_hold();
    make();
    raise(SIGINT);
    leftover_add(path);
    leftover_release();
}

/* The signal comes long before the noting: main raises it as soon as this thread holds signals. */
static void *make_slowly(void *way)
{
    if (*(int *)way == FROM_ANOTHER_THREAD) sleep_ms(50);
    leftover_hold();
    atomic_store(&holding, true);
    make();
    sleep_ms(100);
    leftover_add(path);
    leftover_release();
    sleep_ms(10000);
    return NULL;
}

static void *raise_again(void *unused)
{
    while (!atomic_load(&holding)) sleep_ms(1);
    sleep_ms(50);
    raise(SIGINT);
    return unused;
}

static void run(int way)
{
    pthread_t thread;
    if (way == AT_ONCE) make_and_raise();
    if (pthread_create(&thread, NULL, make_slowly, &way)) _exit(1);
    if (way == TWICE && pthread_create(&thread, NULL, raise_again, NULL)) _exit(1);
    while ((way == LATE || way == TWICE) && !atomic_load(&holding)) sleep_ms(1);
    raise(SIGINT);
    sleep_ms(10000);
}

static void ends_without(int way)
{
    int status = 0;
    check_subject(ways[way]);
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        leftover_hold(); /* handles signals from now on */
        leftover_release();
        run(way);
        _exit(1);
    }
    if (!CHECK(child > 0) || !CHECK(waitpid(child, &status, 0) == child)) return;
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    CHECK(access(path, F_OK) != 0);
    unlink(path);
}

/* The signal comes while the file gets its final name, which takes calls that hold signals, too. */
static void test_named_meanwhile(void)
{
    int status = 0;
    check_subject("a file that gets its final name");
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        make();
        leftover_hold();
        leftover_add(path);
        leftover_hold();
        leftover_release();
        raise(SIGINT);
        leftover_drop(path);
        leftover_release();
        _exit(1);
    }
    if (!CHECK(child > 0) || !CHECK(waitpid(child, &status, 0) == child)) return;
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    CHECK(!unlink(path));
}

/* Signals that were blocked before stay blocked, others come through again. */
static void test_mask(void)
{
    sigset_t set;
    check_subject("the mask of signals");
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    leftover_hold();
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    CHECK(sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGTERM) == 1 && sigismember(&set, SIGHUP) == 1);
    leftover_release();
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    CHECK(sigismember(&set, SIGINT) == 0 && sigismember(&set, SIGTERM) == 1 && sigismember(&set, SIGHUP) == 0);
}

int main(void)
{
    char folder[] = "/tmp/iso_test_XXXXXX";
    if (!CHECK(mkdtemp(folder) != NULL)) return check_summary("test_leftover");
    snprintf(path, sizeof path, "%s/made", folder);
    for (int way = 0; way < WAYS; way++) ends_without(way);
    test_named_meanwhile();
    test_mask();
    CHECK(!rmdir(folder));
    return check_summary("test_leftover");
}
