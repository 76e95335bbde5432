#include "past.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENOUGH ((uint64_t)32 << 20) /* bytes that tell how fast a disk is */

/* Whether Linux tells which parts of a file are in memory. It tells the owner, anyone who may write the file, and root. */
static bool is_told(int fd, const char *path)
{
    struct stat file;
    return !geteuid() || (!fstat(fd, &file) && file.st_uid == geteuid()) || !access(path, W_OK);
}

bool past_open(struct past *past, int fd, uint64_t least)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    *past = (struct past){ .fd = is_told(fd, path) ? open(path, O_RDONLY | O_DIRECT | O_CLOEXEC) : -1, .least = least };
    return past->fd >= 0;
}

void past_close(struct past *past) { close(past->fd); }

bool past_is_fast(const struct past *past)
{
    const uint64_t bytes = __atomic_load_n(&past->bytes, __ATOMIC_RELAXED),
                   ns = __atomic_load_n(&past->ns, __ATOMIC_RELAXED);
    return bytes < ENOUGH || 1e9 * (double)bytes >= (double)ns * (double)past->least;
}

void past_note(struct past *past, uint64_t bytes, double ms)
{
    __atomic_fetch_add(&past->ns, (uint64_t)(1e6 * ms), __ATOMIC_RELAXED);
    __atomic_fetch_add(&past->bytes, bytes, __ATOMIC_RELAXED);
}

/* Asks with a mapping that is never read. Testing by reading (preadv2) would make Linux read ahead what is missing. */
bool past_is_cached(const struct past *past, uint64_t offset, size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (size_t)(offset % page),
                 pages = (before + n + page - 1) / page;
    unsigned char *there = calloc(pages, 1);
    void *map = mmap(NULL, before + n, PROT_NONE, MAP_SHARED, past->fd, (off_t)(offset - before));
    const bool asked = there && map != MAP_FAILED && !mincore(map, before + n, there);
    size_t cached = 0;
    while (asked && cached < pages && there[cached] & 1) cached++;
    if (map != MAP_FAILED) munmap(map, before + n);
    free(there);
    return asked && cached == pages;
}

size_t past_room(size_t n) { return (n + 3 * PAST_ALIGN - 1) / PAST_ALIGN * PAST_ALIGN; }

void *past_read(const struct past *past, size_t n, uint64_t offset, void *block)
{
    const size_t before = (size_t)(offset % PAST_ALIGN), all = (before + n + PAST_ALIGN - 1) / PAST_ALIGN * PAST_ALIGN;
    const ssize_t got = pread(past->fd, block, all, (off_t)(offset - before));
    return got < (ssize_t)(before + n) ? NULL : (char *)block + before;
}
