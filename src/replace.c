#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Exclusive, so that two writers, or a link planted there, cannot meet in it. */
static FILE *create_beside(const char *path, char *temporary, size_t room)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        if (snprintf(temporary, room, "%s.%ld-%d.tmp", path, (long)getpid(), attempt) >= (int)room) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) return fdopen(fd, "wb");
        if (errno != EEXIST) return NULL;
    }
    return NULL;
}

static int refuse(const struct replace *replace, struct err *err)
{
    return err_set(err, ERR_FAILED, "%s: cannot be written: %s", replace->path, strerror(errno));
}

int replace_open(struct replace *replace, const char *path, struct err *err)
{
    struct stat status;
    replace->path = path;
    if (!realpath(path, replace->target) &&
        snprintf(replace->target, sizeof replace->target, "%s", path) >= (int)sizeof replace->target)
        return err_set(err, ERR_FAILED, "%s: the path is too long", path);
    const bool exists = !stat(replace->target, &status);
    if (exists && !S_ISREG(status.st_mode)) /* rename() would also replace a device such as /dev/null */
        return err_set(err, ERR_FAILED, "%s: this is not a regular file, so it cannot be replaced", path);
    replace->file = create_beside(replace->target, replace->temporary, sizeof replace->temporary);
    if (!replace->file) return refuse(replace, err);
    if (exists) (void)fchmod(fileno(replace->file), status.st_mode & 07777); /* as good as it can be had */
    errno = 0;
    return ERR_NONE;
}

int replace_close(struct replace *replace, bool written, struct err *err)
{
    int code = written ? ERR_NONE : refuse(replace, err);
    if (fclose(replace->file) && !code) code = refuse(replace, err);
    if (!code && rename(replace->temporary, replace->target)) code = refuse(replace, err);
    if (code) unlink(replace->temporary);
    return code;
}
