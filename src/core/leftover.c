#include "leftover.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FREE, FILLING, NOTED };

/* Never freed, as a handler may be reading them, but used again. */
struct left {
    struct left *next;
    atomic_int state;
    size_t room;
    char path[];
};

/* What a process has one of: a handler of signals gets no context. */
static _Atomic(struct left *) newest;
static atomic_bool is_ending;

/* Folders go when they are empty. Files twice: one may get the next name, which is noted too, while it is looked for. */
static void clear(void)
{
    for (int round = 0; round < 2; round++)
        for (struct left *l = atomic_load(&newest); l; l = l->next)
            if (atomic_load(&l->state) == NOTED) unlink(l->path);
    for (struct left *l = atomic_load(&newest); l; l = l->next)
        if (atomic_load(&l->state) == NOTED) rmdir(l->path);
}

/* The second time, once this one has returned, the signal finds no handler, and ends the program as ever. Other threads go
 * on until they make or name the next file. */
static void end(int signal)
{
    atomic_store(&is_ending, true);
    clear();
    raise(signal);
}

/* For threads other than the one that handles the signal. */
static void wait_for_end(void)
{
    while (true) pause();
}

static void watch_signals(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction old, new = { .sa_handler = end, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&new.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (!sigaction(ends[i], NULL, &old) && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
            sigaction(ends[i], &new, NULL);
}

/* One that is being filled, with room for a path of `size` bytes. */
static struct left *take(size_t size)
{
    for (struct left *l = atomic_load(&newest); l; l = l->next) {
        int unused = FREE;
        if (l->room >= size && atomic_compare_exchange_strong(&l->state, &unused, FILLING)) return l;
    }
    const size_t room = (size + 255) / 256 * 256; /* for others like it, too */
    struct left *l = malloc(sizeof *l + room);
    if (!l) return NULL;
    l->room = room;
    atomic_init(&l->state, FILLING);
    l->next = atomic_load(&newest);
    while (!atomic_compare_exchange_weak(&newest, &l->next, l)) continue;
    return l;
}

void leftover_add(const char *path)
{
    const size_t size = strlen(path) + 1;
    struct left *l = take(size);
    if (!l) return;
    memcpy(l->path, path, size);
    atomic_store(&l->state, NOTED);
    watch_signals();
    if (!atomic_load(&is_ending)) return;
    clear(); /* it was made after all others had gone */
    wait_for_end();
}

void leftover_drop(const char *path)
{
    const size_t n = strlen(path);
    if (atomic_load(&is_ending)) wait_for_end();
    for (struct left *l = atomic_load(&newest); l; l = l->next)
        if (atomic_load(&l->state) == NOTED && !strncmp(l->path, path, n) && (!l->path[n] || l->path[n] == '/'))
            atomic_store(&l->state, FREE);
}
