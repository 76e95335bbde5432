#include "past.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGES = 1024 }; /* that are looked at together */

bool past_open(struct past *past, int fd)
{
    char path[32];
    struct stat s;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    past->fd = fstat(fd, &s) ? -1 : open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (past->fd < 0) return false;
    past->bytes = (size_t)s.st_size, past->pages = mmap(NULL, past->bytes, PROT_NONE, MAP_SHARED, past->fd, 0);
    if (past->pages != MAP_FAILED) return true;
    close(past->fd);
    return false;
}

void past_close(struct past *past)
{
    munmap(past->pages, past->bytes);
    close(past->fd);
}

/* Looking through the file (preadv2) makes Linux read ahead what is not there. */
bool past_is_cached(const struct past *past, uint64_t offset, size_t n)
{
    unsigned char seen[PAGES];
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = offset + n < past->bytes ? offset + n : past->bytes;
    for (uint64_t at = offset / page * page; at < end; at += PAGES * page) {
        const size_t bytes = (size_t)(end - at < PAGES * page ? end - at : PAGES * page);
        if (mincore((char *)past->pages + at, bytes, seen)) return false;
        for (size_t i = 0; i < (bytes + page - 1) / page; i++)
            if (!(seen[i] & 1)) return false;
    }
    return true;
}

bool past_read(const struct past *past, void *to, size_t n, uint64_t offset, void *block)
{
    const size_t before = (size_t)(offset % PAST_ALIGN), all = (before + n + PAST_ALIGN - 1) / PAST_ALIGN * PAST_ALIGN;
    const ssize_t got = pread(past->fd, block, all, (off_t)(offset - before));
    if (got < (ssize_t)(before + n)) return false;
    memcpy(to, (char *)block + before, n);
    return true;
}
