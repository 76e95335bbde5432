/* The size is read once, on opening. Parsers check a header's claims against it before they allocate. A file that shrinks
 * later causes a short read, but never a wait. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_open(const char *path, int reason, struct err *err)
{
    switch (reason) {
    case ENOENT: return err_set(err, ERR_INPUT, "%s: no such file", path);
    case ENOTDIR: return err_set(err, ERR_INPUT, "%s: a part of this path is a file, not a folder", path);
    case EACCES: return err_set(err, ERR_INPUT, "%s: no permission to read it", path);
    case ENXIO:
        return err_set(err, ERR_INPUT, "%s: a socket, or a device that is not there; expected a regular file", path);
    default: return err_set(err, ERR_INPUT, "%s: cannot be opened: %s", path, strerror(reason));
    }
}

static int refuse_kind(const char *path, mode_t mode, struct err *err)
{
    const char *kind = S_ISDIR(mode)                    ? "a folder"
                       : S_ISFIFO(mode)                 ? "a FIFO"
                       : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                                        : "not a regular file";
    return err_set(err, ERR_INPUT, "%s: this is %s; expected a regular file", path, kind);
}

int source_open(struct source *source, const char *path, struct err *err)
{
    memset(source, 0, sizeof *source);
    if (!*path) return err_set(err, ERR_INPUT, "the file name is empty");
    if (strlen(path) >= sizeof source->path)
        return err_set(err, ERR_INPUT, "the path is %zu bytes long; expected at most %zu", strlen(path),
                       sizeof source->path - 1);
    /* O_NONBLOCK: otherwise opening a FIFO without a writer would hang before fstat() can refuse it. */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return refuse_open(path, errno, err);
    struct stat status;
    const int reason = fstat(fd, &status) ? errno : 0;
    if (reason || !S_ISREG(status.st_mode)) {
        close(fd);
        return reason ? refuse_open(path, reason, err) : refuse_kind(path, status.st_mode, err);
    }
    source->file = fdopen(fd, "rb");
    if (!source->file) {
        close(fd);
        return err_set(err, ERR_FAILED, "%s: not enough memory to read it", path);
    }
    source->size = (uint64_t)status.st_size;
    memcpy(source->path, path, strlen(path) + 1);
    return ERR_NONE;
}

int source_open_folder(struct source *source, const char *path, bool *is, struct err *err)
{
    struct stat status;
    memset(source, 0, sizeof *source);
    *is = *path && !stat(path, &status) && S_ISDIR(status.st_mode);
    if (!*is) return ERR_NONE;
    char *real = realpath(path, NULL); /* gives "." a name, too */
    if (!real) return refuse_open(path, errno, err);
    snprintf(source->path, sizeof source->path, "%s", real);
    source->folder = true;
    free(real);
    return ERR_NONE;
}

void source_memory(struct source *source, const void *bytes, size_t size, const char *path)
{
    memset(source, 0, sizeof *source);
    source->memory = bytes;
    source->size = size;
    snprintf(source->path, sizeof source->path, "%s", path);
}

void source_close(struct source *source)
{
    if (source->file) fclose(source->file);
    memset(source, 0, sizeof *source);
}

size_t source_read(struct source *source, void *to, size_t n)
{
    const uint64_t left = source->size - source->at;
    if (n > left) n = (size_t)left;
    if (!n) return 0;
    if (source->file) n = fread(to, 1, n, source->file);
    else memcpy(to, source->memory + source->at, n);
    source->at += n;
    return n;
}

bool source_seek(struct source *source, uint64_t at)
{
    if (at > source->size) return false;
    if (source->file && fseeko(source->file, (off_t)at, SEEK_SET)) return false;
    source->at = at;
    return true;
}

const char *source_name(const struct source *source)
{
    const char *slash = strrchr(source->path, '/');
    const char *name = slash ? slash + 1 : source->path;
    return *name ? name : slash ? slash : "the data";
}
