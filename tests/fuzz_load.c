#include "fuzz_load.h"

#include "direct.h"

#include <ctype.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct fuzz_reader fuzz_readers[] = {
    { "nrrd", read_nrrd, "a.nrrd", true },
    { "raw", read_raw, NULL, true },
    { "nifti", read_nifti, "a.nii" },
    { "metaimage", read_metaimage, "a.mha" },
    { "qvis", read_qvis, "a.dat" },
    { "mrc", read_mrc, "a.mrc" },
    { "npy", read_npy, "a.npy" },
    { "vti", read_vti, "a.vti" },
    { "vtk", read_vtk, "a.vtk" },
    { "cube", read_cube, "a.cube" },
    { "dx", read_dx, "a.dx" },
    { "tiff", read_tiff, "a.tif" },
    { "slices", read_slices, .folder = true },
    { "zarr", read_zarr, .folder = true },
    { "nrrd_parts", read_nrrd, "a.nhdr", .folder = true },
    { "metaimage_parts", read_metaimage, "a.mhd", .folder = true },
    { "nifti_parts", read_nifti, "a.hdr", .folder = true },
    { "raw_parts", read_raw, "a.raw", .folder = true },
    { NULL },
};

const struct fuzz_reader *fuzz_reader;
long fuzz_accepted;

#define PROMISE(condition)                                             \
    do {                                                               \
        if (!(condition)) {                                            \
            fprintf(stderr, "broken: %s; %s\n", #condition, err.text); \
            abort();                                                   \
        }                                                              \
    } while (0)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("FUZZ_READER");
    (void)argc, (void)argv;
    for (fuzz_reader = fuzz_readers; fuzz_reader->name; fuzz_reader++)
        if (name && !strcmp(name, fuzz_reader->name)) return 0;
    fprintf(stderr, "FUZZ_READER=%s names no reader of fuzz_load.c\n", name ? name : "");
    exit(1);
}

/* Sets the file's name, in a folder that does not exist, where detached data will not be found. Returns the file's offset
 * in the input. */
static size_t name_input(char name[256], const uint8_t *data, size_t size)
{
    const uint8_t *end = fuzz_reader->file || fuzz_reader->folder || !size ? NULL : memchr(data, '\n', size);
    const int length = end && end - data < 200 ? (int)(end - data) : 0;
    snprintf(name, 256, "/nowhere/%.*s", length, fuzz_reader->file ? "" : (const char *)data);
    if (fuzz_reader->file) snprintf(name, 256, "/nowhere/%s", fuzz_reader->file);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127) *c = '_'; /* messages repeat the name and are checked below */
    return end ? (size_t)(end + 1 - data) : 0;
}

static void check_refusal(int code, const struct volume *volume, const struct err *e, const struct load_desc *desc)
{
    static const struct volume empty;
    const struct err err = *e;
    PROMISE(code == err.code && (code == ERR_INPUT || code == ERR_FAILED || (code == ERR_USAGE && desc->z_fastest)));
    PROMISE(strlen(err.text) > 10 && !memcmp(volume, &empty, sizeof empty));
    for (const char *c = err.text; *c; c++) PROMISE(((unsigned char)*c >= 32 || *c == '\t') && *c != 127);
}

static void check_volume(const struct volume *volume, const struct load_desc *desc)
{
    static const struct err err;
    const struct grid *g = &volume->grid;
    const uint64_t dims[3] = { g->nx, g->ny, g->nz }, voxels = volume_bytes(dims, voxel_bytes(g->type));
    unsigned sum = 0;
    PROMISE(voxels && g->voxels && volume->slope != 0 && isfinite(volume->slope) && isfinite(volume->intercept));
    for (uint64_t i = 0; i < voxels; i++) sum += ((const uint8_t *)g->voxels)[i];
    for (int a = 0; a < 3; a++)
        PROMISE(volume_spacing(volume, a) > 0 && isfinite(volume_spacing(volume, a)) && isfinite(volume->origin[a]));
    PROMISE(memchr(volume->note, 0, sizeof volume->note) && memchr(volume->unit, 0, sizeof volume->unit));
    for (const char *c = volume->note; *c; c++) PROMISE((unsigned char)*c >= 32 && *c != 127);
    fuzz_accepted += sum <= 255 * voxels && !desc->frame && !desc->component;
}

/* Reads the voxels again, slice by slice, the second half first, so that the decoder has to begin again. */
static void check_slices(const struct layout *layout, struct source *source, const struct load_desc *desc,
                         const struct volume *volume)
{
    const struct grid *g = &volume->grid;
    const size_t slice = g->nx * g->ny * voxel_bytes(g->type), half = g->nz / 2;
    struct voxels_slices *slices;
    struct volume other;
    struct direct direct;
    struct err err = { 0 };
    uint8_t *to = malloc(slice * g->nz);
    if (!to) return;
    PROMISE(!voxels_describe(&other, &direct, layout, source, desc, &err) && other.grid.type == g->type);
    PROMISE(other.grid.nx == g->nx && other.grid.ny == g->ny && other.grid.nz == g->nz && !other.grid.voxels);
    PROMISE(!voxels_slices_open(&slices, layout, source, desc, desc->memory, &err));
    PROMISE(!voxels_slices_read(slices, half, g->nz - half, to + half * slice, &err));
    PROMISE(!voxels_slices_read(slices, 0, half, to, &err));
    PROMISE(!memcmp(to, g->voxels, slice * g->nz));
    voxels_slices_close(slices);
    free(to);
}

/* ---- inputs that are folders ------------------------------------------------------------------------------------- */

static char place[64]; /* of the present one; "": none was made */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    return remove(path);
}

static void clear_place(void)
{
    if (*place) nftw(place, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Whether the name stays in the folder. The reader has to refuse others. */
static bool is_harmless(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_' && (name[i] != '.' || name[i + 1] == '.') &&
            (name[i] != '/' || !i))
            return false;
    return n > 0 && n < 60;
}

static void write_one(const char *name, size_t n, const char *from, const char *to)
{
    char path[128];
    if (!is_harmless(name, n)) return;
    snprintf(path, sizeof path, "%s/%.*s", place, (int)n, name);
    for (char *slash = strchr(path + strlen(place) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    if (!file) return; /* a file where a folder should be */
    fwrite(from, 1, (size_t)(to - from), file);
    fclose(file);
}

/* Makes the input a folder. */
static void make_place(const uint8_t *data, size_t size)
{
    static const char mark[] = "\n=== ";
    const char *at = (const char *)data, *const end = at + size;
    if (!*place) atexit(clear_place);
    else clear_place();
    snprintf(place, sizeof place, "/tmp/iso_fuzz_XXXXXX");
    if (!mkdtemp(place)) abort();
    for (at = size > 4 && !memcmp(at, mark + 1, 4) ? at + 4 : end; at < end;) {
        const char *line = memchr(at, '\n', (size_t)(end - at)), *next = memmem(at, (size_t)(end - at), mark, 5);
        if (line && (!next || line < next)) write_one(at, (size_t)(line - at), line + 1, next ? next : end);
        at = next ? next + 5 : end;
    }
}

/* False: the file that is opened in the folder is not there. */
static bool open_input(struct source *source, const uint8_t *file, size_t bytes, const char *name)
{
    char path[128];
    if (!fuzz_reader->folder) return source_memory(source, file, bytes, name), true;
    make_place(file, bytes);
    *source = (struct source){ .folder = true };
    snprintf(source->path, sizeof source->path, "%s", place);
    snprintf(path, sizeof path, "%s/%s", place, fuzz_reader->file ? fuzz_reader->file : "");
    return !fuzz_reader->file || !source_open(source, path, NULL);
}

/* ---- all inputs -------------------------------------------------------------------------------------------------- */

/* Reads the file, and has `desc` choose the last frame and component that it then has. */
static void read_once(const uint8_t *file, size_t bytes, const char *name, struct load_desc *desc)
{
    struct source source;
    struct layout layout;
    struct volume volume;
    struct err err = { 0 };
    if (!open_input(&source, file, bytes, name)) return;
    memset(&volume, 0xff, sizeof volume);
    const int code = read_layout_with(fuzz_reader->read, &volume, &layout, &source, desc, &err);
    if (code) check_refusal(code, &volume, &err, desc);
    else check_volume(&volume, desc);
    if (!code && voxels_are_ordered(&layout)) check_slices(&layout, &source, desc, &volume);
    layout_free(&layout);
    source_close(&source);
    desc->frame = volume.frames ? volume.frames - 1 : 0;
    desc->component = volume.components ? volume.components - 1 : 0;
    volume_free(&volume);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[256];
    const size_t at = name_input(name, data, size), bytes = size - at;
    /* A copy of the file's exact size: AddressSanitizer then finds reads past the end. */
    uint8_t *file = malloc(bytes ? bytes : 1);
    if (!file) return 0;
    memcpy(file, data + at, bytes);

    for (int turn = 0; turn < fuzz_turns(fuzz_reader); turn++) {
        struct load_desc desc = { .z_fastest = turn == 1, .memory = (uint64_t)16 << 20 };
        read_once(file, bytes, name, &desc);
        if (desc.frame || desc.component) read_once(file, bytes, name, &desc); /* the last ones */
    }
    free(file);
    return 0;
}
