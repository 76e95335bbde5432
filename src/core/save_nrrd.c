/* Writes a volume as an attached NRRD, raw or gzip, in this machine's byte order. */
#include "save_nrrd.h"

#include "replace.h"
#include "text.h"

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
        write_vector(file, (const double[3]){ volume->direction[0][a], volume->direction[1][a], volume->direction[2][a] });
    }
    fprintf(file, "\nspace origin: ");
    write_vector(file, volume->origin);
    fprintf(file, "\nendian: %s\nencoding: %s\n\n", __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little",
            gzip ? "gzip" : "raw");
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

int save_nrrd(const struct volume *volume, const char *path, bool gzip, struct err *err)
{
    struct replace replace;
    if (volume->slope != 1 || volume->intercept != 0)
        return err_set(err, ERR_FAILED, "%s: these values have a slope and intercept (%g, %g), which NRRD cannot hold",
                       path, volume->slope, volume->intercept);
    const int code = replace_open(&replace, path, err);
    return code ? code : replace_close(&replace, write_all(replace.file, volume, gzip), err);
}
