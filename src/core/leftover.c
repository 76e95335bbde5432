#include "leftover.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FREE, FILLING, NOTED };
enum { MOST_PROGRAMS = 8, LOOKS = 100 /* checks of a killed program or of holders, 10 ms apart */ };

/* These are reused but never freed, because a signal handler may be reading them. */
struct left {
    struct left *next;
    atomic_int state;
    bool full; /* remove with all its content */
    size_t room;
    char path[];
};

/* Global, because a signal handler gets no context. */
static _Atomic(struct left *) newest;
static atomic_bool is_ending;
static atomic_int holders;                    /* threads between leftover_hold and leftover_release */
static _Atomic(pid_t) program[MOST_PROGRAMS]; /* 0: free */

/* ---- what a handler may do: no memory from malloc, no locks, so no readdir either -------------------------------- */

/* Kills the programs and waits a moment until each has ended, because a running one would create further files. */
static void kill_programs(void)
{
    for (int i = 0; i < MOST_PROGRAMS; i++) {
        const pid_t group = atomic_load(&program[i]);
        if (!group) continue;
        kill(-group, SIGKILL);
        for (int look = 0; look < LOOKS && !waitpid(group, NULL, WNOHANG); look++) poll(NULL, 0, 10);
    }
}

static void empty(int folder, int below);

static void remove_in(int folder, const char *name, int below)
{
    if (!strcmp(name, ".") || !strcmp(name, "..") || !unlinkat(folder, name, 0) || !below) return;
    const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) return;
    empty(inner, below - 1);
    close(inner);
    unlinkat(folder, name, AT_REMOVEDIR);
}

/* Removes the content of a folder. below: how many levels of subfolders to empty. */
static void empty(int folder, int below)
{
    _Alignas(struct dirent64) char entries[2048];
    long n;
    while ((n = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
        for (long at = 0; at < n;) {
            const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
            remove_in(folder, entry->d_name, below);
            at += entry->d_reclen;
        }
}

/* Clears it twice, as clear() does with files. */
static void clear_folder(const char *path)
{
    for (int round = 0; round < 2; round++) {
        const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0) return;
        empty(folder, 1);
        close(folder);
    }
}

/* Removes files first, then folders, which must be empty. Goes through the files twice: one may be renamed meanwhile, to a
 * name that is also noted. */
static void clear(void)
{
    kill_programs();
    for (int round = 0; round < 2; round++)
        for (struct left *l = atomic_load(&newest); l; l = l->next)
            if (atomic_load(&l->state) == NOTED) unlink(l->path);
    for (struct left *l = atomic_load(&newest); l; l = l->next)
        if (atomic_load(&l->state) == NOTED && l->full) clear_folder(l->path);
    for (struct left *l = atomic_load(&newest); l; l = l->next)
        if (atomic_load(&l->state) == NOTED) rmdir(l->path);
}

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
enum { ENDS = sizeof ends / sizeof ends[0] };

/* Stops a thread other than the one that clears. */
static void wait_for_end(void)
{
    while (true) pause();
}

static void end(int signal);

/* Replaces one handler of these signals by another. */
static void handle_by(void (*now)(int), void (*before)(int))
{
    struct sigaction old, new = { .sa_handler = now };
    sigemptyset(&new.sa_mask);
    for (int i = 0; i < ENDS; i++) sigaddset(&new.sa_mask, ends[i]);
    for (int i = 0; i < ENDS; i++)
        if (!sigaction(ends[i], NULL, &old) && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == before)
            sigaction(ends[i], &new, NULL);
}

/* The signal is raised again. It arrives after this handler has returned, finds no handler, and ends the program as usual.
 * Other threads run on until they make or unregister the next file. A second signal (`timeout` sends two) reaches another
 * thread, and must not end the program before this one has cleared. */
static void end(int signal)
{
    if (atomic_exchange(&is_ending, true)) wait_for_end();
    for (int look = 0; look < LOOKS && atomic_load(&holders); look++) poll(NULL, 0, 10);
    clear();
    handle_by(SIG_DFL, end);
    raise(signal);
}

/* ---- notes ----------------------------------------------------------------------------------------------------------- */

static pthread_once_t is_watching = PTHREAD_ONCE_INIT; /* once, because end() undoes it */

static void watch_signals(void) { handle_by(end, SIG_DFL); }

static _Thread_local sigset_t mask_before;
static _Thread_local int depth; /* calls of leftover_hold without their leftover_release */

/* Another thread handles the signal meanwhile, or this one does later. */
void leftover_hold(void)
{
    sigset_t held;
    if (depth++) return;
    pthread_once(&is_watching, watch_signals);
    sigemptyset(&held);
    for (int i = 0; i < ENDS; i++) sigaddset(&held, ends[i]);
    pthread_sigmask(SIG_BLOCK, &held, &mask_before);
    atomic_fetch_add(&holders, 1);
    if (!atomic_load(&is_ending)) return;
    atomic_fetch_sub(&holders, 1);
    wait_for_end();
}

void leftover_release(void)
{
    if (--depth) return;
    atomic_fetch_sub(&holders, 1);
    pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
}

/* A thread that holds signals goes on, because the handler waits for it. */
static void stop_if_ending(void)
{
    if (!depth && atomic_load(&is_ending)) wait_for_end();
}

/* Returns a free or new entry in the state FILLING, with room for a path of `size` bytes. */
static struct left *take(size_t size)
{
    for (struct left *l = atomic_load(&newest); l; l = l->next) {
        int unused = FREE;
        if (l->room >= size && atomic_compare_exchange_strong(&l->state, &unused, FILLING)) return l;
    }
    const size_t room = (size + 255) / 256 * 256; /* rounded up for reuse */
    struct left *l = malloc(sizeof *l + room);
    if (!l) return NULL;
    l->room = room;
    atomic_init(&l->state, FILLING);
    l->next = atomic_load(&newest);
    while (!atomic_compare_exchange_weak(&newest, &l->next, l)) continue;
    return l;
}

static void note(const char *path, bool full)
{
    const size_t size = strlen(path) + 1;
    struct left *l = take(size);
    if (!l) return;
    memcpy(l->path, path, size);
    l->full = full;
    atomic_store(&l->state, NOTED);
}

void leftover_add(const char *path) { note(path, false); }

void leftover_add_folder(const char *path) { note(path, true); }

void leftover_drop(const char *path)
{
    const size_t n = strlen(path);
    stop_if_ending();
    for (struct left *l = atomic_load(&newest); l; l = l->next)
        if (atomic_load(&l->state) == NOTED && !strncmp(l->path, path, n) && (!l->path[n] || l->path[n] == '/'))
            atomic_store(&l->state, FREE);
}

void leftover_add_program(pid_t group)
{
    for (int i = 0; i < MOST_PROGRAMS; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&program[i], &none, group)) break;
    }
}

void leftover_drop_program(pid_t group)
{
    stop_if_ending();
    for (int i = 0; i < MOST_PROGRAMS; i++) {
        pid_t own = group;
        if (atomic_compare_exchange_strong(&program[i], &own, 0)) return;
    }
}
