#include "fuzz_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_with.h"

long fuzz_accepted;

static reader_fn *const readers[FUZZ_READERS] = {
    [FUZZ_NRRD] = read_nrrd, [FUZZ_RAW] = read_raw, [FUZZ_VTI] = read_vti,   [FUZZ_VTK] = read_vtk,
    [FUZZ_CUBE] = read_cube, [FUZZ_DX] = read_dx,   [FUZZ_TIFF] = read_tiff,
};

#define PROMISE(condition)                                             \
    do {                                                               \
        if (!(condition)) {                                            \
            fprintf(stderr, "broken: %s; %s\n", #condition, err.text); \
            abort();                                                   \
        }                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data + 1, '\n', size - 1) : NULL;
    if (!end) return 0;
    char name[256] = "/nowhere/"; /* the folder of detached data */
    const size_t length = strlen(name), most = sizeof name - 1 - length, given = (size_t)(end - data - 1);
    memcpy(name + length, data + 1, given < most ? given : most);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127) *c = '_'; /* messages repeat the name and are checked below */

    /* A copy of the file's exact size: AddressSanitizer then finds reads past the end. */
    const size_t bytes = size - (size_t)(end + 1 - data);
    uint8_t *file = malloc(bytes ? bytes : 1);
    if (!file) return 0;
    memcpy(file, end + 1, bytes);

    const struct load_desc desc = { .z_fastest = (data[0] & FUZZ_Z_FASTEST) != 0 };
    struct source source;
    struct volume volume;
    struct err err = { 0 };
    source_memory(&source, file, bytes, name);
    memset(&volume, 0xff, sizeof volume);
    const int code = read_with(readers[(data[0] & ~FUZZ_Z_FASTEST) % FUZZ_READERS], &volume, &source, &desc, &err);
    source_close(&source);
    free(file);

    if (code) {
        static const struct volume empty;
        PROMISE(code == err.code && (code == ERR_INPUT || code == ERR_FAILED || (code == ERR_USAGE && desc.z_fastest)));
        PROMISE(strlen(err.text) > 10 && !memcmp(&volume, &empty, sizeof empty));
        for (const char *c = err.text; *c; c++) PROMISE(((unsigned char)*c >= 32 || *c == '\t') && *c != 127);
    } else {
        const struct grid *g = &volume.grid;
        const uint64_t dims[3] = { g->nx, g->ny, g->nz }, voxels = volume_bytes(dims, voxel_bytes(g->type));
        unsigned sum = 0;
        PROMISE(voxels && g->voxels && volume.slope != 0 && isfinite(volume.slope) && isfinite(volume.intercept));
        for (uint64_t i = 0; i < voxels; i++) sum += ((const uint8_t *)g->voxels)[i];
        for (int a = 0; a < 3; a++)
            PROMISE(volume_spacing(&volume, a) > 0 && isfinite(volume_spacing(&volume, a)) && isfinite(volume.origin[a]));
        fuzz_accepted += sum <= 255 * voxels;
    }
    volume_free(&volume);
    return 0;
}
