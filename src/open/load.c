#include "load.h"

#include "read.h"
#include "text.h"
#include "unpack.h"
#include "voxels.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD 1024                /* bytes that probes see */
#define PREFIX LAYOUT_MAX_HEADER /* bytes of a compressed file that its reader sees */

struct format {
    const char *name;
    const char *extensions[6];                    /* lower case, with their dot */
    bool (*probe)(const uint8_t *head, size_t n); /* is this the format's magic? NULL: it has none */
    int (*read)(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
    const char *advice; /* read NULL: what to do with a file that is known and not read */
};

static bool begins(const uint8_t *head, size_t n, const char *magic)
{
    return n >= strlen(magic) && !memcmp(head, magic, strlen(magic));
}

static bool has_at(const uint8_t *head, size_t n, size_t at, const char *magic)
{
    return n >= at && begins(head + at, n - at, magic);
}

static bool probe_nrrd(const uint8_t *head, size_t n) { return begins(head, n, "NRRD0"); }

static bool probe_tiff(const uint8_t *head, size_t n)
{
    static const char *const magics[] = { "II*\0", "MM\0*", "II+\0", "MM\0+" }; /* the latter two: BigTIFF */
    for (int i = 0; i < 4; i++)
        if (n >= 4 && !memcmp(head, magics[i], 4)) return true;
    return false;
}

static bool probe_nifti(const uint8_t *head, size_t n)
{
    return has_at(head, n, 344, "n+1") || has_at(head, n, 344, "ni1") || has_at(head, n, 4, "n+2") ||
           has_at(head, n, 4, "ni2");
}

/* The key of the line that a MetaImage must have, often not the first. */
static bool probe_metaimage(const uint8_t *head, size_t n)
{
    const uint8_t *key = memmem(head, n, "NDims", 5);
    const size_t at = key ? (size_t)(key - head) : 0;
    return key && (!at || head[at - 1] == '\n') && (has_at(head, n, at + 5, " =") || has_at(head, n, at + 5, "="));
}

static bool probe_hdf5(const uint8_t *head, size_t n) { return begins(head, n, "\x89HDF\r\n\x1a\n"); }
static bool probe_openvdb(const uint8_t *head, size_t n) { return begins(head, n, " BDV"); }
static bool probe_netcdf(const uint8_t *head, size_t n) { return begins(head, n, "CDF\x01") || begins(head, n, "CDF\x02"); }
static bool probe_png(const uint8_t *head, size_t n) { return begins(head, n, "\x89PNG\r\n\x1a\n"); }
static bool probe_jpeg(const uint8_t *head, size_t n) { return begins(head, n, "\xff\xd8\xff"); }
static bool probe_gif(const uint8_t *head, size_t n) { return begins(head, n, "GIF87a") || begins(head, n, "GIF89a"); }
static bool probe_zip(const uint8_t *head, size_t n) { return begins(head, n, "PK\x03\x04"); }
static bool probe_xz(const uint8_t *head, size_t n)
{
    return begins(head, n,
                  "\xfd"
                  "7zXZ");
}
static bool probe_zstd(const uint8_t *head, size_t n) { return begins(head, n, "\x28\xb5\x2f\xfd"); }

/* Advice on files that are known and not read. */
#define OPEN_FOLDER "give the folder that holds it, if it is one slice of a series"
#define TO_NRRD "save the array as NRRD, for instance with Python: nrrd.write('volume.nrrd', array)"
#define TO_TIFF "convert it to OME-TIFF, for instance with bfconvert"

/* To add a format: write read_X.c with its reader, declare it in read.h, add a row here and the file to CMakeLists.txt. Rows go
 * from the strongest magic to the weakest; RAW has none and comes last. */
static const struct format formats[] = {
    { "NRRD", { ".nrrd", ".nhdr" }, probe_nrrd, read_nrrd },
    { "NIfTI", { ".nii", ".hdr", ".img" }, probe_nifti, read_nifti },
    { "MetaImage", { ".mhd", ".mha" }, probe_metaimage, read_metaimage },
    { "TIFF", { ".tif", ".tiff", ".lsm", ".btf" }, probe_tiff, read_tiff },
    { "HDF5", { ".h5", ".hdf5", ".hdf", ".mnc", ".ims" }, probe_hdf5, NULL, TO_NRRD },
    { "NetCDF", { ".nc" }, probe_netcdf, NULL, TO_NRRD },
    { "OpenVDB", { ".vdb" }, probe_openvdb, NULL, TO_NRRD },
    { "single PNG", { ".png" }, probe_png, NULL, OPEN_FOLDER },
    { "single JPEG", { ".jpg", ".jpeg" }, probe_jpeg, NULL, OPEN_FOLDER },
    { "GIF", { ".gif" }, probe_gif, NULL, "convert its pictures to a folder of PNG files" },
    { "microscope maker's", { ".czi", ".nd2", ".lif", ".oib", ".oif" }, NULL, NULL, TO_TIFF },
    { "ZIP", { ".zip", ".npz" }, probe_zip, NULL, "unpack it first: unzip" },
    { "xz", { ".xz" }, probe_xz, NULL, "uncompress it first: xz -dk" },
    { "Zstandard", { ".zst" }, probe_zstd, NULL, "uncompress it first: zstd -dk" },
    { "RAW", { ".raw", ".bin", ".vol" }, NULL, read_raw },
};

#define FORMATS (sizeof formats / sizeof formats[0])
#define RAW (&formats[FORMATS - 1])

const char *load_formats(char *to, size_t capacity)
{
    size_t length = 0;
    to[0] = 0;
    for (size_t i = 0; i < FORMATS && length < capacity; i++)
        if (formats[i].read)
            length += (size_t)snprintf(to + length, capacity - length, "%s%s", length ? ", " : "", formats[i].name);
    return to;
}

static bool has_extension(const char *name, const struct format *format)
{
    for (int i = 0; i < 6 && format->extensions[i]; i++)
        if (text_ends(name, format->extensions[i])) return true;
    return false;
}

bool load_knows(const char *name)
{
    char inner[256];
    snprintf(inner, sizeof inner, "%s", name);
    if (text_ends(inner, ".gz")) inner[strlen(inner) - 3] = 0;
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].read && has_extension(inner, &formats[i])) return true;
    return false;
}

/* The magic decides; then the extension, for a damaged file to be refused by the reader that knows why; then RAW, if the
 * caller describes the voxels. */
static const struct format *find_format(const uint8_t *head, size_t n, const char *name, bool described)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].probe && formats[i].probe(head, n)) return &formats[i];
    for (size_t i = 0; i < FORMATS; i++)
        if (has_extension(name, &formats[i])) return &formats[i];
    return described ? RAW : NULL;
}

/* What describes a RAW file contradicts a format that describes itself. */
static int refuse_description(const struct load_desc *desc, const char *name, const char *format, struct err *err)
{
    const bool described = desc->dims[0] || desc->dims[1] || desc->dims[2];
    if (!described && !desc->type && !desc->endian && !desc->offset_given) return ERR_NONE;
    return err_set(err, ERR_USAGE,
                   "%s: this is %s, whose header says how the voxels lie; --dims, --type, --endian and --offset are for "
                   "RAW files",
                   name, format);
}

static const struct format *choose_format(const uint8_t *head, size_t n, const char *name, const struct load_desc *desc,
                                          struct err *err)
{
    const bool described = desc->dims[0] || desc->dims[1] || desc->dims[2];
    const struct format *format = find_format(head, n, name, described);
    char list[256];
    if (!format) {
        err_set(err, ERR_INPUT, "%s: not a format isoscope reads (%s)", name, load_formats(list, sizeof list));
        err_advise(err, "if it is RAW, give --dims XxYxZ and --type");
    } else if (!format->read) {
        err_set(err, ERR_INPUT, "%s: %s files cannot be read", name, format->name);
        err_advise(err, "%s", format->advice);
        format = NULL;
    } else if (format != RAW && refuse_description(desc, name, format->name, err)) format = NULL;
    return format;
}

bool load_is_raw(struct source *source)
{
    uint8_t head[HEAD];
    const size_t n = source_read(source, head, HEAD);
    return source_seek(source, 0) && find_format(head, n, source_name(source), false) == RAW;
}

/* ---- folders ------------------------------------------------------------------------------------------------------- */

/* Folders that are one data set, by a file in them. */
static const struct {
    const char *file, *name, *advice;
} data_sets[] = {
    { ".zattrs", "OME-Zarr", TO_NRRD }, { ".zgroup", "Zarr", TO_NRRD },       { ".zarray", "Zarr", TO_NRRD },
    { "zarr.json", "Zarr", TO_NRRD },   { "attributes.json", "N5", TO_NRRD },
};

static int refuse_data_set(const struct source *folder, struct err *err)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof data_sets / sizeof *data_sets; i++) {
        snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 32, folder->path, data_sets[i].file);
        if (access(path, F_OK)) continue;
        err_set(err, ERR_INPUT, "%s: a %s folder cannot be read", source_name(folder), data_sets[i].name);
        err_advise(err, "%s", data_sets[i].advice);
        return ERR_INPUT;
    }
    return ERR_NONE;
}

static int load_folder(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    const char *name = source_name(source);
    int code = refuse_description(desc, name, "a folder of slices", err);
    if (!code) code = refuse_data_set(source, err);
    if (!code) code = read_slices(layout, source, desc, err);
    return code ? code : layout_check(layout, name, err);
}

/* ---- compressed files ---------------------------------------------------------------------------------------------- */

/* Sets `inner` to the first bytes of what `source` holds compressed; *bytes: owned, for the caller to free. */
static int open_inner(struct source *inner, uint8_t **bytes, struct source *source, struct err *err)
{
    struct unpack unpack;
    size_t n = 0;
    *bytes = malloc(PREFIX);
    if (!*bytes) return err_set(err, ERR_FAILED, "%s: no memory for its header", source_name(source));
    int code = unpack_open(&unpack, source, source->size, COMPRESSION_DEFLATE, err);
    if (!code) {
        code = unpack_read(&unpack, *bytes, PREFIX, &n, err);
        unpack_close(&unpack);
    }
    char name[sizeof source->path];
    snprintf(name, sizeof name, "%s", source->path);
    if (text_ends(name, ".gz")) name[strlen(name) - 3] = 0; /* the name of what is inside */
    source_memory(inner, *bytes, n, name);
    inner->partial = true;
    return code;
}

/* Turns a layout of the inner file into one of the compressed file. */
static int wrap_layout(struct layout *layout, const struct source *source, const char *format, struct err *err)
{
    const char *name = source_name(source);
    if (layout->part_count != 1 || layout->parts[0].path || layout->compression != COMPRESSION_NONE ||
        layout->encoding > ENCODING_HEX) {
        err_set(err, ERR_INPUT, "%s: a %s file of this kind cannot be read through gzip", name, format);
        err_advise(err, "uncompress it first: gunzip -k");
        return ERR_INPUT;
    }
    struct layout_part *part = &layout->parts[0];
    layout->compression = COMPRESSION_DEFLATE;
    layout->skip += part->offset;
    *part = (struct layout_part){ NULL, 0, source->size };
    return ERR_NONE;
}

int load_layout(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    const char *name = source_name(source);
    struct source inner = *source;
    uint8_t head[HEAD], *bytes = NULL;
    if (source->folder) return load_folder(layout, source, desc, err);
    if (!source->size) return err_set(err, ERR_INPUT, "%s: the file is empty", name);
    size_t n = source_read(source, head, HEAD);
    if (!n || !source_seek(source, 0)) return err_set(err, ERR_INPUT, "%s: cannot be read", name);
    const bool compressed = begins(head, n, "\x1f\x8b");
    int code = ERR_NONE;
    if (compressed) {
        code = open_inner(&inner, &bytes, source, err);
        n = code ? 0 : source_read(&inner, head, HEAD);
    }
    const struct format *format = code ? NULL : choose_format(head, n, source_name(&inner), desc, err);
    if (!code && !format) code = err ? err->code : ERR_INPUT;
    if (!code && !source_seek(&inner, 0)) code = err_set(err, ERR_INPUT, "%s: cannot be read", name);
    if (!code) code = format->read(layout, &inner, desc, err);
    if (!code && compressed) code = wrap_layout(layout, source, format->name, err);
    if (!code) code = layout_check(layout, name, err);
    free(bytes);
    return code;
}

/* ---- all ----------------------------------------------------------------------------------------------------------- */

/* Keeps the directions of the axes, sets their lengths. */
static void override_spacing(struct volume *volume, const double spacing[3])
{
    for (int a = 0; a < 3; a++) {
        if (spacing[a] == 0) continue;
        const double scale = spacing[a] / volume_spacing(volume, a); /* layout_check leaves no axis without a length */
        for (int row = 0; row < 3; row++) volume->direction[row][a] *= scale;
    }
}

int volume_load_source(struct volume *volume, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct layout layout = { 0 };
    memset(volume, 0, sizeof *volume);
    for (int a = 0; a < 3; a++)
        if (!(desc->spacing[a] >= 0) || isinf(desc->spacing[a]))
            return err_set(err, ERR_USAGE, "spacing %g: must be a positive number", desc->spacing[a]);
    int code = load_layout(&layout, source, desc, err);
    if (!code) code = voxels_read(volume, &layout, source, desc, err);
    layout_free(&layout);
    if (code) return code;
    text_visible(volume->name, sizeof volume->name, source_name(source));
    override_spacing(volume, desc->spacing);
    return ERR_NONE;
}

int volume_load(struct volume *volume, const char *path, const struct load_desc *desc, struct err *err)
{
    static const struct load_desc all_from_the_file;
    struct source source;
    bool folder;
    memset(volume, 0, sizeof *volume);
    int code = source_open_folder(&source, path, &folder, err);
    if (!code && !folder) code = source_open(&source, path, err);
    if (code) return code;
    code = volume_load_source(volume, &source, desc ? desc : &all_from_the_file, err);
    source_close(&source);
    return code;
}
