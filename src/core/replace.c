#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name beside the target; two writers must not meet in it, so it is only ever taken exclusively. */
static bool name_beside(struct replace *replace, int attempt)
{
    const int capacity = sizeof replace->temporary;
    const int used = snprintf(replace->temporary, (size_t)capacity, "%s.%ld-%d.tmp", replace->target, (long)getpid(),
                              attempt);
    if (used < capacity) return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Without a name, so that nothing stays behind whatever ends the program. -1 where the file system cannot do that. */
static int create_nameless(struct replace *replace)
{
    char folder[PATH_MAX];
    memcpy(folder, replace->target, sizeof folder);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = '\0';
    replace->temporary[0] = '\0';
    if (access("/proc/self/fd", X_OK)) return -1; /* the way to a name */
    return open(slash ? folder : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
}

static int create_beside(struct replace *replace)
{
    for (int attempt = 0; attempt < 100 && name_beside(replace, attempt); attempt++) {
        const int fd = open(replace->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static bool give_name(struct replace *replace)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fileno(replace->file));
    for (int attempt = 0; attempt < 100 && name_beside(replace, attempt); attempt++) {
        if (!linkat(AT_FDCWD, link, AT_FDCWD, replace->temporary, AT_SYMLINK_FOLLOW)) return true;
        if (errno != EEXIST) break;
    }
    replace->temporary[0] = '\0';
    return false;
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
    int fd = create_nameless(replace);
    if (fd < 0) fd = create_beside(replace);
    replace->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!replace->file) {
        if (fd >= 0) close(fd);
        if (fd >= 0 && replace->temporary[0]) unlink(replace->temporary);
        return refuse(replace, err);
    }
    if (exists) (void)fchmod(fileno(replace->file), status.st_mode & 07777); /* as good as it can be had */
    errno = 0;
    return ERR_NONE;
}

int replace_close(struct replace *replace, bool written, struct err *err)
{
    int code = written ? ERR_NONE : refuse(replace, err);
    if (!code && fflush(replace->file)) code = refuse(replace, err);
    if (!code && !replace->temporary[0] && !give_name(replace)) code = refuse(replace, err);
    if (fclose(replace->file) && !code) code = refuse(replace, err);
    if (!code && rename(replace->temporary, replace->target)) code = refuse(replace, err);
    if (code && replace->temporary[0]) unlink(replace->temporary);
    return code;
}
