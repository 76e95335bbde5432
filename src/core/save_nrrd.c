/* Writes a volume as an attached NRRD, raw or gzip, in this machine's byte order. */
#include "save_nrrd.h"

#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#define PIECE ((size_t)4 << 20) /* bytes handed to zlib at once, because it counts in 32 bits */

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
        write_vector(file, (const double[3]){ volume->direction[0][a], volume->direction[1][a], volume->direction[2][a] });
    }
    fprintf(file, "\nspace origin: ");
    write_vector(file, volume->origin);
    fprintf(file, "\nendian: %s\nencoding: %s\n\n", __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little",
            gzip ? "gzip" : "raw");
}

/* Reserves disk space, if the file system supports that, so that a full disk is noticed before the work. */
static bool reserve(int fd, uint64_t size)
{
    int code;
    do code = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size);
    while (code && errno == EINTR);
    return !code || errno == EOPNOTSUPP || errno == ENOSYS;
}

int save_nrrd_open(struct save_nrrd *s, const struct volume *volume, const char *path, bool gzip, struct err *err)
{
    *s = (struct save_nrrd){ .left = grid_bytes(&volume->grid) };
    if (volume->slope != 1 || volume->intercept != 0)
        return err_set(err, ERR_FAILED, "%s: its values have a slope and intercept (%g, %g), which NRRD cannot hold", path,
                       volume->slope, volume->intercept);
    const int code = replace_open(&s->replace, path, err);
    if (code) return code;
    write_header(s->replace.file, volume, gzip);
    const int fd = fileno(s->replace.file);
    bool fine = !fflush(s->replace.file) && !ferror(s->replace.file);
    if (!gzip) fine = fine && reserve(fd, (uint64_t)ftello(s->replace.file) + s->left);
    const int copy = fine && gzip ? dup(fd) : -1; /* gzclose() closes its descriptor */
    s->gzip = copy < 0 ? NULL : gzdopen(copy, "wb");
    if (copy >= 0 && !s->gzip) close(copy);
    return fine && (!gzip || s->gzip) ? ERR_NONE : replace_abandon(&s->replace, err);
}

bool save_nrrd_add(struct save_nrrd *s, const void *voxels, size_t n)
{
    const char *bytes = voxels;
    bool fine = s->gzip || fwrite(bytes, 1, n, s->replace.file) == n;
    for (size_t at = 0, each; s->gzip && fine && at < n; at += each) {
        each = min_size(n - at, PIECE);
        fine = gzwrite(s->gzip, bytes + at, (unsigned)each) == (int)each;
    }
    if (fine) s->left -= n;
    return fine;
}

int save_nrrd_close(struct save_nrrd *s, struct err *err)
{
    const int why = errno; /* why it was not written */
    const bool packed = !s->gzip || gzclose_w(s->gzip) == Z_OK;
    if (s->left) errno = why;
    return replace_close(&s->replace, packed && !s->left && !fflush(s->replace.file), err);
}

int save_nrrd(const struct volume *volume, const char *path, bool gzip, struct err *err)
{
    struct save_nrrd save;
    const int code = save_nrrd_open(&save, volume, path, gzip, err);
    if (code) return code;
    save_nrrd_add(&save, volume->grid.voxels, grid_bytes(&volume->grid)); /* save_nrrd_close reports failures */
    return save_nrrd_close(&save, err);
}
