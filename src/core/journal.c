#include "journal.h"

#include "file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { LOCK_TRIES = 50 /* in 5 seconds */ };

#define MAGIC 0x4c4a5349u /* "ISJL"; reads differently in another byte order */

struct head {
    uint32_t magic, job;
    uint64_t begin, end, n;
    uint32_t unused, crc; /* crc: of the head before it and of the bytes that follow */
};

static uint32_t crc_of(const struct head *head, const uint8_t *bytes)
{
    uLong crc = crc32_z(0, (const Bytef *)head, offsetof(struct head, crc));
    return (uint32_t)(head->n ? crc32_z(crc, bytes, (size_t)head->n) : crc); /* crc32_z of NULL would return 0 */
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Reads the record at `at`. The caller frees its bytes. *whole false: there is no complete record. Returns errno, or 0. */
static int read_record(struct head *head, uint8_t **bytes, bool *whole, int fd, uint64_t at, uint64_t size)
{
    *bytes = NULL, *whole = false;
    if (size - at < sizeof *head) return 0;
    if (!file_read_at(fd, head, sizeof *head, at)) return errno;
    if (head->magic != MAGIC || head->n > size - at - sizeof *head) return 0;
    *bytes = malloc((size_t)head->n + 1);
    if (!*bytes) return ENOMEM;
    if (!file_read_at(fd, *bytes, (size_t)head->n, at + sizeof *head)) return errno;
    *whole = head->crc == crc_of(head, *bytes);
    return 0;
}

/* Takes all complete records. *end: the end of the last one. */
static int read_all(int fd, const char *path, uint32_t job, const struct journal_take *take, uint64_t *end, struct err *err)
{
    struct stat status;
    struct head head;
    bool whole = true;
    *end = 0;
    if (fstat(fd, &status)) return file_refuse(path, "read", err);
    while (whole) {
        uint8_t *bytes;
        int code = ERR_NONE;
        errno = read_record(&head, &bytes, &whole, fd, *end, (uint64_t)status.st_size);
        if (errno) code = file_refuse(path, "read", err);
        else if (whole && head.job != job)
            code = err_set(err, ERR_FAILED, "%s was written by a command with other options", path);
        if (!code && whole) {
            const struct journal_record record = { head.begin, head.end, head.n, bytes };
            code = take->take(take->context, &record, err);
            *end += sizeof head + head.n;
        }
        free(bytes);
        if (code) return code;
    }
    return ERR_NONE;
}

int journal_read(const char *path, uint32_t job, const struct journal_take *take, struct err *err)
{
    uint64_t end;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? ERR_NONE : file_refuse(path, "read", err);
    const int code = read_all(fd, path, job, take, &end, err);
    close(fd);
    return code;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Two processes that write the same part would mix their records. This cannot be detected on a file system without locks. A
 * process that was killed may hold its lock for some more seconds, until its memory is freed or the file server has
 * noticed. */
static int lock(int fd, const char *path, struct err *err)
{
    const struct timespec pause = { 0, 100000000 };
    for (int left = LOCK_TRIES; flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; left--) {
        if (!left) {
            err_set(err, ERR_FAILED, "%s: another process is working on this part", path);
            err_advise(err, "wait for it, or stop it; if it was killed, try again in a minute");
            return ERR_FAILED;
        }
        nanosleep(&pause, NULL);
    }
    return ERR_NONE;
}

int journal_open(struct journal *j, const char *path, uint32_t job, const struct journal_take *take, struct err *err)
{
    *j = (struct journal){ .job = job };
    if (strlen(path) >= sizeof j->path) return err_set(err, ERR_FAILED, "%s: the name is too long", path);
    memcpy(j->path, path, strlen(path) + 1);
    j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->fd < 0) {
        file_refuse(path, "written", err);
        j->path[0] = '\0';
        return ERR_FAILED;
    }
    int code = lock(j->fd, path, err);
    if (!code) code = read_all(j->fd, path, job, take, &j->size, err);
    if (!code && ftruncate(j->fd, (off_t)j->size)) code = file_refuse(path, "written", err);
    if (code) journal_close(j);
    return code;
}

int journal_append(struct journal *j, const struct journal_record *r, struct err *err)
{
    struct head head = { MAGIC, j->job, r->begin, r->end, r->n, 0, 0 };
    head.crc = crc_of(&head, r->bytes);
    const bool written = file_write_at(j->fd, &head, sizeof head, j->size) &&
                         file_write_at(j->fd, r->bytes, (size_t)r->n, j->size + sizeof head);
    if (!written || !file_sync(j->fd)) return file_refuse(j->path, "written", err);
    j->size += sizeof head + r->n;
    return ERR_NONE;
}

void journal_close(struct journal *j)
{
    if (*j->path) close(j->fd);
    *j = (struct journal){ .fd = 0 };
}
