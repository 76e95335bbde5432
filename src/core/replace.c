#include "replace.h"

#include "file_io.h"
#include "leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, MOST_NAMES = 100 };

/* ---- the target ------------------------------------------------------------------------------------------------------ */

/* Length of the folder part of `path`, including the slash; 0: the current folder. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* Replaces the link `path` by its target. */
static bool follow(char path[PATH_MAX])
{
    char link[PATH_MAX];
    const ssize_t n = readlink(path, link, sizeof link - 1);
    if (n < 0) return false;
    link[n] = '\0';
    const size_t folder = *link == '/' ? 0 : folder_length(path);
    if (folder + (size_t)n < PATH_MAX) return memcpy(path + folder, link, (size_t)n + 1);
    errno = ENAMETOOLONG;
    return false;
}

/* Does not use realpath(), which fails if the file does not exist. */
bool replace_target(char target[PATH_MAX], const char *path)
{
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(target, path, strlen(path) + 1);
    for (int links = 0; links < MOST_LINKS; links++)
        if (!follow(target)) return errno == EINVAL || errno == ENOENT; /* not a link, or it does not exist yet */
    errno = ELOOP;
    return false;
}

/* ---- the new file -------------------------------------------------------------------------------------------------- */

bool replace_name(char name[PATH_MAX], const char *target, int attempt)
{
    char ending[64];
    const size_t folder = folder_length(target),
                 added = (size_t)snprintf(ending, sizeof ending, ".%ld-%d.tmp", (long)getpid(), attempt);
    errno = attempt < MOST_NAMES ? ENAMETOOLONG : EEXIST;
    if (attempt == MOST_NAMES || folder + added >= PATH_MAX) return false;
    const size_t left = PATH_MAX - 1 - folder, most = (left < NAME_MAX ? left : NAME_MAX) - added;
    snprintf(name, PATH_MAX, "%.*s%s", (int)(folder + most), target, ending);
    return true;
}

/* Opens the folder of `target`. */
static int open_folder(const char *target, int flags)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)folder_length(target), target);
    return open(*folder ? folder : ".", flags | O_CLOEXEC, 0666);
}

/* Creates a file without a name. However the program ends, nothing of it stays behind. -1: the file system cannot do
 * that. */
static int create_nameless(struct replace *replace)
{
    replace->temporary[0] = '\0';
    if (access("/proc/self/fd", X_OK)) return -1; /* give_name() needs it */
    return open_folder(replace->target, O_WRONLY | O_TMPFILE);
}

static int create_named(struct replace *replace)
{
    for (int attempt = 0; replace_name(replace->temporary, replace->target, attempt); attempt++) {
        leftover_hold();
        const int fd = open(replace->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) leftover_add(replace->temporary);
        leftover_release();
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static bool give_name(struct replace *replace, int fd)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    for (int attempt = 0; replace_name(replace->temporary, replace->target, attempt); attempt++) {
        leftover_hold();
        const bool named = !linkat(AT_FDCWD, link, AT_FDCWD, replace->temporary, AT_SYMLINK_FOLLOW);
        if (named) leftover_add(replace->temporary);
        leftover_release();
        if (named) return true;
        if (errno != EEXIST) break;
    }
    replace->temporary[0] = '\0';
    return false;
}

static bool sync_folder(const char *target)
{
    const int fd = open_folder(target, O_RDONLY | O_DIRECTORY);
    if (fd < 0) return errno == EACCES; /* a folder may be writable without being readable */
    const bool fine = file_sync(fd);
    close(fd);
    return fine;
}

int replace_sync_folder(const char *target, const char *path, struct err *err)
{
    if (sync_folder(target)) return ERR_NONE;
    return err_set(err, ERR_FAILED, "%s: written, but its folder could not be synchronised with the disk: %s", path,
                   strerror(errno));
}

/* ---- opening and closing ------------------------------------------------------------------------------------------- */

static int refuse(const struct replace *replace, struct err *err) { return file_refuse(replace->path, "written", err); }

/* rename() checks only the permissions of the folder. It would replace a device such as /dev/null, or a file that was made
 * read-only for protection. For root every file is writable, so check the mode, too. */
static int check_old(const char *path, const char *target, const struct stat *old, struct err *err)
{
    if (!S_ISREG(old->st_mode))
        return err_set(err, ERR_FAILED, "%s: this is not a regular file, so it cannot be replaced", path);
    if (!(old->st_mode & 0222) || faccessat(AT_FDCWD, target, W_OK, AT_EACCESS))
        return err_set(err, ERR_FAILED, "%s: this file is read-only", path);
    return ERR_NONE;
}

/* Finds the target. If it exists, sets *exists and `old`, its status. */
static int begin(struct replace *replace, const char *path, struct stat *old, bool *exists, struct err *err)
{
    replace->path = path;
    replace->joined = false;
    if (!replace_target(replace->target, path)) return refuse(replace, err);
    *exists = !stat(replace->target, old);
    return *exists ? check_old(path, replace->target, old, err) : ERR_NONE;
}

/* Removes the temporary file. */
static void discard(const struct replace *replace)
{
    if (!replace->temporary[0] || replace->joined) return;
    unlink(replace->temporary);
    leftover_drop(replace->temporary);
}

static int take(struct replace *replace, int fd, const struct stat *old, struct err *err)
{
    replace->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!replace->file) {
        if (fd >= 0) close(fd);
        if (fd >= 0) discard(replace);
        return refuse(replace, err);
    }
    if (old) (void)fchmod(fileno(replace->file), old->st_mode & 07777); /* a refusal does not matter */
    errno = 0;
    return ERR_NONE;
}

int replace_open(struct replace *replace, const char *path, struct err *err)
{
    struct stat old;
    bool exists = false;
    if (begin(replace, path, &old, &exists, err)) return ERR_FAILED;
    int fd = create_nameless(replace);
    if (fd < 0) fd = create_named(replace);
    return take(replace, fd, exists ? &old : NULL, err);
}

int replace_join(struct replace *replace, const char *path, const struct replace_common *common, struct err *err)
{
    struct stat old;
    bool is = false;
    if (begin(replace, path, &old, &is, err)) return ERR_FAILED;
    if (strlen(common->name) >= sizeof replace->temporary) {
        errno = ENAMETOOLONG;
        return refuse(replace, err);
    }
    memcpy(replace->temporary, common->name, strlen(common->name) + 1);
    replace->joined = true;
    const int fd = open(common->name, common->exists ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return file_refuse(common->name, "written", err);
    return take(replace, fd, is ? &old : NULL, err);
}

bool replace_sync(const struct replace *replace) { return !fflush(replace->file) && file_sync(fileno(replace->file)); }

void replace_leave(struct replace *replace)
{
    fclose(replace->file); /* it buffers nothing: bytes were written directly to the descriptor and synchronised */
    replace->file = NULL;
}

/* A file without a name gets the temporary one last, once it is closed: a process that is killed between that and rename()
 * leaves it behind. */
int replace_close(struct replace *replace, bool written, struct err *err)
{
    int fd = -1; /* keeps the file without a name until it has one */
    int code = written ? ERR_NONE : refuse(replace, err);
    if (!code && !replace_sync(replace)) code = refuse(replace, err);
    if (!code && !replace->temporary[0]) {
        fd = fcntl(fileno(replace->file), F_DUPFD_CLOEXEC, 0);
        if (fd < 0) code = refuse(replace, err);
    }
    if (fclose(replace->file) && !code) code = refuse(replace, err);
    if (!code && fd >= 0 && !give_name(replace, fd)) code = refuse(replace, err);
    if (!code && rename(replace->temporary, replace->target)) code = refuse(replace, err);
    if (fd >= 0) close(fd);
    if (code) discard(replace);
    else leftover_drop(replace->temporary);
    return code ? code : replace_sync_folder(replace->target, replace->path, err); /* the old file is gone already */
}

int replace_abandon(struct replace *replace, struct err *err) { return replace_close(replace, false, err); }

int replace_check(const char *path, struct err *err)
{
    struct replace replace;
    struct stat old;
    bool exists = false;
    if (begin(&replace, path, &old, &exists, err)) return ERR_FAILED;
    const int fd = open_folder(replace.target, O_PATH | O_DIRECTORY);
    if (fd < 0) return refuse(&replace, err);
    const bool writable = !faccessat(fd, ".", W_OK | X_OK, AT_EACCESS);
    const int why = errno;
    close(fd);
    errno = why;
    return writable ? ERR_NONE : refuse(&replace, err);
}

static bool is_same(const char *path, const char *other)
{
    struct stat a, b;
    return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Sets `folder` to the folder of `path`, and returns the file name, which is a part of `path`. */
static const char *split(char folder[PATH_MAX], const char *path)
{
    const size_t n = folder_length(path);
    snprintf(folder, PATH_MAX, "%.*s", n ? (int)n : 1, n ? path : ".");
    return path + n;
}

bool replace_is_same(const char *path, const char *other)
{
    char a[PATH_MAX], b[PATH_MAX], folder[PATH_MAX], others[PATH_MAX];
    if (is_same(path, other)) return true;
    if (!replace_target(a, path) || !replace_target(b, other)) return false;
    const char *name = split(folder, a), *others_name = split(others, b);
    return !strcmp(name, others_name) && is_same(folder, others);
}
