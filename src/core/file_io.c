#include "file_io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool file_read_at(int file, void *to, size_t n, uint64_t at)
{
    char *next = to;
    while (n) {
        const ssize_t done = pread(file, next, n, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (!done) errno = 0;
        if (done <= 0) return false;
        next += done, at += (uint64_t)done, n -= (size_t)done;
    }
    return true;
}

bool file_write_at(int file, const void *bytes, size_t n, uint64_t at)
{
    const char *next = bytes;
    while (n) {
        const ssize_t done = pwrite(file, next, n, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (!done) errno = EIO; /* else this would loop forever */
        if (done <= 0) return false;
        next += done, at += (uint64_t)done, n -= (size_t)done;
    }
    return true;
}

const char *file_where(const char *path, char where[FILE_WHERE])
{
    char folder[FILE_WHERE];
    if (*path == '/' || !getcwd(folder, sizeof folder)) return path;
    const int n = snprintf(where, FILE_WHERE, "%s/%s", strcmp(folder, "/") != 0 ? folder : "", path);
    return n < FILE_WHERE ? where : path;
}

int file_refuse(const char *path, const char *what, struct err *err)
{
    return err_set(err, ERR_FAILED, "%s: cannot be %s: %s", path, what, strerror(errno));
}

bool file_sync(int file) { return !fsync(file) || errno == EINVAL; }
