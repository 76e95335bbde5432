/* Writes a volume as an attached NRRD, raw or gzip, in this machine's byte order.
 *
 * The bytes go to a new file beside the target, which takes its place only when it is whole: a full disk or an
 * interruption never costs the old file. */
#include "load.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define PIECE ((size_t)4 << 20) /* bytes handed to zlib at once; it counts in 32 bits */

static void write_vector(FILE *file, const double vector[3])
{
    char x[32], y[32], z[32];
    fprintf(file, "(%s,%s,%s)", text_print(x, vector[0]), text_print(y, vector[1]), text_print(z, vector[2]));
}

static void write_header(FILE *file, const struct volume *volume, bool gzip)
{
    const struct grid *grid = &volume->grid;
    fprintf(file, "NRRD0004\ntype: %s\ndimension: 3\nsizes: %zu %zu %zu\nspace dimension: 3\nspace directions:",
            grid->type == VOXEL_FLOAT32 ? "float" : voxel_type_name[grid->type], grid->nx, grid->ny, grid->nz);
    for (int a = 0; a < 3; a++) {
        fputc(' ', file);
        write_vector(file, (const double[3]){ volume->direction[0][a], volume->direction[1][a],
                                              volume->direction[2][a] });
    }
    fprintf(file, "\nspace origin: ");
    write_vector(file, volume->origin);
    fprintf(file, "\nendian: %s\nencoding: %s\n\n",
            __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little", gzip ? "gzip" : "raw");
}

static bool write_gzip(int fd, const uint8_t *bytes, size_t size)
{
    const int copy = dup(fd); /* gzclose() closes its own */
    gzFile out = copy < 0 ? NULL : gzdopen(copy, "wb");
    if (!out) {
        if (copy >= 0) close(copy);
        return false;
    }
    bool fine = true;
    for (size_t at = 0, n; fine && at < size; at += n) {
        n = size - at < PIECE ? size - at : PIECE;
        fine = gzwrite(out, bytes + at, (unsigned)n) == (int)n;
    }
    return gzclose_w(out) == Z_OK && fine;
}

static bool write_all(FILE *file, const struct volume *volume, bool gzip)
{
    const size_t size = grid_voxels(&volume->grid) * voxel_bytes(volume->grid.type);
    write_header(file, volume, gzip);
    if (gzip) return !fflush(file) && !ferror(file) && write_gzip(fileno(file), volume->grid.voxels, size);
    return fwrite(volume->grid.voxels, 1, size, file) == size && !fflush(file);
}

/* A new file beside `path`. Exclusive, so that two writers, or a link planted there, cannot meet in it. */
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

static int refuse(const char *path, struct err *err)
{
    return err_set(err, ERR_FAILED, "%s: cannot be written: %s", path, strerror(errno));
}

int save_nrrd(const struct volume *volume, const char *path, bool gzip, struct err *err)
{
    char target[PATH_MAX], temporary[PATH_MAX];
    struct stat status;
    if (volume->slope != 1 || volume->intercept != 0)
        return err_set(err, ERR_FAILED, "%s: these values have a slope and intercept (%g, %g), which NRRD cannot hold",
                       path, volume->slope, volume->intercept);
    /* A link is written through, not replaced; rename() would also replace a device such as /dev/null. */
    if (!realpath(path, target) && snprintf(target, sizeof target, "%s", path) >= (int)sizeof target)
        return err_set(err, ERR_FAILED, "%s: the path is too long", path);
    if (!stat(target, &status) && !S_ISREG(status.st_mode))
        return err_set(err, ERR_FAILED, "%s: this is not a regular file, so it cannot be replaced", path);
    FILE *file = create_beside(target, temporary, sizeof temporary);
    if (!file) return refuse(path, err);
    errno = 0;
    int code = write_all(file, volume, gzip) ? ERR_NONE : refuse(path, err);
    if (fclose(file) && !code) code = refuse(path, err);
    if (!code && rename(temporary, target)) code = refuse(path, err);
    if (code) unlink(temporary);
    return code;
}
