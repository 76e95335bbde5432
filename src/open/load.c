#include "load.h"

#include "formats.h"
#include "replace.h"
#include "store.h"
#include "text.h"
#include "unpack.h"
#include "voxels.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define PREFIX LAYOUT_MAX_HEADER /* bytes of a compressed file that its reader gets */

static bool is_described(const struct load_desc *desc) { return desc->dims[0] || desc->dims[1] || desc->dims[2]; }

/* Refuses descriptions of RAW files for formats that describe themselves. NRRD checks the order of axes itself. */
static int refuse_description(const struct load_desc *desc, const char *name, const char *format, struct err *err)
{
    if (desc->z_fastest && strcmp(format, "NRRD") != 0)
        return err_set(err, ERR_USAGE,
                       "%s: this is %s, which says how its axes lie; --order is for RAW files, and NRRD files "
                       "without space directions",
                       name, format);
    if (!is_described(desc) && !desc->type && !desc->endian && !desc->offset_given) return ERR_NONE;
    return err_set(err, ERR_USAGE,
                   "%s: this is %s, whose header says how the voxels lie; --dims, --type, --endian and --offset are for "
                   "RAW files",
                   name, format);
}

/* Refuses an --array or --series that would be ignored because the format has only one. */
static int refuse_choice(const struct load_desc *desc, const char *name, const struct format *format, struct err *err)
{
    if (desc->array && !format->array)
        return err_set(err, ERR_USAGE, "%s: --array %s: the file has only one array; only VTK and Zarr can have several",
                       name, desc->array);
    if (desc->series && !format->series)
        return err_set(err, ERR_USAGE, "%s: --series %s: the file has only one series; only DICOM can have several", name,
                       desc->series);
    return ERR_NONE;
}

static int refuse_unread(const char *name, const struct format *format, struct err *err)
{
    err_set(err, ERR_INPUT, "%s: %s files cannot be read", name, format->name);
    err_advise(err, "%s", format->advice);
    return ERR_INPUT;
}

static int refuse_unknown(const char *name, struct err *err)
{
    char list[256];
    err_set(err, ERR_INPUT, "%s: not in a format that isoscope reads (%s)", name, format_list(list, sizeof list));
    err_advise(err, "if it is RAW, end its name in .raw and open it in the window, or give --dims XxYxZ and --type");
    return ERR_INPUT;
}

/* name: of the file. inside: without .gz, if it is compressed. */
static int choose_format(const struct format **format, const uint8_t *head, size_t n, const char *name, const char *inside,
                         const struct load_desc *desc, struct err *err)
{
    const struct format *found = *format = format_find(head, n, inside, is_described(desc));
    if (!found) return refuse_unknown(name, err);
    if (!found->read) return refuse_unread(name, found, err);
    const int code = format_is_raw(found) ? ERR_NONE : refuse_description(desc, name, found->name, err);
    return code ? code : refuse_choice(desc, name, found, err);
}

bool load_is_raw(struct source *source)
{
    uint8_t head[FORMAT_HEAD];
    const size_t n = source_read(source, head, FORMAT_HEAD);
    return source_seek(source, 0) && format_is_raw(format_find(head, n, source_name(source), false));
}

static int load_folder(struct layout *layout, struct source *folder, const struct load_desc *desc, struct err *err)
{
    const char *name = source_name(folder);
    const struct format *format = format_find_folder(folder->path);
    if (!format->read) return refuse_unread(name, format, err);
    int code = refuse_description(desc, name, format->name, err);
    if (!code) code = refuse_choice(desc, name, format, err);
    if (!code) code = format->read(layout, folder, desc, err);
    return code ? code : layout_check(layout, name, err);
}

/* ---- compressed files ---------------------------------------------------------------------------------------------- */

/* Sets `inner` to the first uncompressed bytes of `source`. The caller frees *bytes. */
static int open_inner(struct source *inner, uint8_t **bytes, struct source *source, struct err *err)
{
    struct unpack unpack;
    size_t n = 0;
    *bytes = malloc(PREFIX);
    if (!*bytes) return err_set(err, ERR_FAILED, "%s: not enough memory for its header", source_name(source));
    int code = unpack_open(&unpack, source, source->size, COMPRESSION_DEFLATE, err);
    if (!code) {
        code = unpack_read(&unpack, *bytes, PREFIX, &n, err);
        unpack_close(&unpack);
    }
    char name[sizeof source->path];
    snprintf(name, sizeof name, "%s", source->path);
    if (text_ends(name, ".gz")) name[strlen(name) - 3] = 0; /* the name of the file inside */
    source_memory(inner, *bytes, n, name);
    inner->partial = true;
    return code;
}

/* Turns the layout of the inner file into that of the compressed file. */
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
    if (__builtin_add_overflow(layout->skip, part->offset, &layout->skip))
        return err_set(err, ERR_INPUT, "%s: its data should begin past what 64 bits can count", name);
    layout->compression = COMPRESSION_DEFLATE;
    *part = (struct layout_part){ NULL, 0, source->size };
    return ERR_NONE;
}

int load_layout(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    const char *name = source_name(source);
    struct source inner = *source;
    uint8_t head[FORMAT_HEAD], *bytes = NULL;
    if (source->folder) return load_folder(layout, source, desc, err);
    if (!source->size) return err_set(err, ERR_INPUT, "%s: the file is empty", name);
    size_t n = source_read(source, head, FORMAT_HEAD);
    if (!n || !source_seek(source, 0)) return err_set(err, ERR_INPUT, "%s: cannot be read", name);
    const bool compressed = n > 2 && head[0] == 0x1f && head[1] == 0x8b;
    int code = ERR_NONE;
    if (compressed) {
        code = open_inner(&inner, &bytes, source, err);
        n = code ? 0 : source_read(&inner, head, FORMAT_HEAD);
    }
    const struct format *format = NULL;
    if (!code) code = choose_format(&format, head, n, name, source_name(&inner), desc, err);
    if (!code && !source_seek(&inner, 0)) code = err_set(err, ERR_INPUT, "%s: cannot be read", name);
    if (!code) code = format->read(layout, &inner, desc, err);
    if (!code && compressed) code = wrap_layout(layout, source, format->name, err);
    if (!code) code = layout_check(layout, name, err);
    free(bytes);
    return code;
}

/* ---- all ----------------------------------------------------------------------------------------------------------- */

static int check_spacing(const struct load_desc *desc, struct err *err)
{
    for (int a = 0; a < 3; a++) {
        const double length = desc->spacing[a]; /* 0: that of the file */
        if (length != 0 && !(length >= LAYOUT_MIN_LENGTH && length <= LAYOUT_MAX_LENGTH))
            return err_set(err, ERR_USAGE, "spacing %g along %c: expected %g to %g", length, "xyz"[a], LAYOUT_MIN_LENGTH,
                           LAYOUT_MAX_LENGTH);
    }
    return ERR_NONE;
}

/* Changes the lengths of the axes, not their directions. `spacing` is that of the file's voxels, also where not all were
 * read. Zarr's reader has done so, because it knows the other levels. */
static void override_spacing(struct volume *volume, const struct layout *layout, const double spacing[3])
{
    const double step = volume->step > 1 ? (double)volume->step : 1;
    for (int a = 0; a < 3; a++) {
        if (spacing[a] == 0 || layout->zarr) continue;
        const double scale = step * spacing[a] / volume_spacing(volume, a); /* not 0: layout_check makes sure */
        for (int row = 0; row < 3; row++) volume->direction[row][a] *= scale;
    }
}

/* Opens a file or a folder. A file that describes its folder opens the folder, because dialogs choose files only. */
static int open_source(struct source *source, const char *path, struct err *err)
{
    char folder[sizeof source->path];
    const char *slash = strrchr(path, '/');
    bool is;
    if (format_is_zarr_file(slash ? slash + 1 : path)) {
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 2, slash ? path : "./");
        path = folder;
    }
    const int code = source_open_folder(source, path, &is, err);
    return code || is ? code : source_open(source, path, err);
}

/* ---- what is read ---------------------------------------------------------------------------------------------------- */

static bool lists(struct source *source, const struct load_desc *desc, const char *other)
{
    struct layout layout = { 0 };
    struct err unused;
    bool is = false;
    if (!load_layout(&layout, source, desc, &unused))
        for (size_t i = 0; i < layout.part_count && !is; i++)
            is = layout.parts[i].path && replace_is_same(layout.parts[i].path, other);
    layout_free(&layout);
    return is;
}

/* Reads a header only if `other` exists. */
static bool file_takes(struct source *source, const struct load_desc *desc, const char *other)
{
    uint8_t head[FORMAT_HEAD];
    if (access(other, F_OK)) return false;
    const size_t n = source_read(source, head, FORMAT_HEAD);
    const struct format *format = format_find(head, n, source_name(source), is_described(desc));
    if (format && format->takes) return format->takes(source->path, other);
    return source_seek(source, 0) && lists(source, desc, other);
}

bool load_takes(const char *path, const struct load_desc *desc, const char *other)
{
    struct source source;
    struct err unused;
    if (replace_is_same(path, other)) return true;
    if (open_source(&source, path, &unused)) return false;
    const struct format *folder = source.folder ? format_find_folder(source.path) : NULL;
    const bool takes = !folder         ? file_takes(&source, desc, other)
                       : folder->takes ? folder->takes(source.path, other)
                                       : false;
    source_close(&source);
    return takes;
}

/* ---- a first look ---------------------------------------------------------------------------------------------------- */

enum {
    LOOK_ROWS = 10000, /* rows of voxels that may each cost a disk request: 2 s at 5000 requests a second */
    PACKED = 4,        /* unpacking chunks takes so many times as long per byte as reading voxels */
    AT_HAND = 8        /* and reading a stored level is so many times faster per voxel than picking voxels out of all */
};

static uint64_t voxels_of(const struct layout *layout) { return layout->size[0] * layout->size[1] * layout->size[2]; }

/* Folders other than Zarr's are converted or joined; DICOM, the only format with several series, by another program. */
static bool needs_converter(struct source *source, const struct load_desc *desc)
{
    uint8_t head[FORMAT_HEAD];
    if (source->folder) return !format_is_zarr(source->path);
    const size_t n = source_read(source, head, FORMAT_HEAD);
    const struct format *format = format_find(head, n, source_name(source), is_described(desc));
    return (format && format->series) || !source_seek(source, 0);
}

/* Whether the header could be read. False for what has to be converted first. */
static bool open_layout(struct layout *layout, const char *path, const struct load_desc *desc)
{
    struct source source;
    struct err unused;
    memset(layout, 0, sizeof *layout);
    if (open_source(&source, path, &unused)) return false;
    const bool is = !needs_converter(&source, desc) && !load_layout(layout, &source, desc, &unused);
    source_close(&source);
    return is;
}

/* For voxels in one piece: every n-th. */
static uint64_t look_by_step(struct load_desc *desc, const struct layout *layout, uint64_t bytes, uint64_t voxels)
{
    const uint64_t *n = layout->size;
    uint64_t step = 1;
    if (layout->parts[0].bytes < bytes || !voxels_are_direct(layout)) return 1;
    while (n[0] / step * (n[1] / step) > voxels / (n[2] / step + 1) || (n[1] / step + 1) * (n[2] / step + 1) > LOOK_ROWS)
        step++;
    desc->step = step;
    return step;
}

/* For a Zarr image: a coarser level. */
static uint64_t look_by_level(struct load_desc *desc, const struct layout *chosen, const char *path, uint64_t bytes,
                              uint64_t voxels)
{
    struct load_desc look = *desc;
    uint64_t factor = 1;
    bool ends = voxels_of(chosen) < bytes / PACKED / chosen->type->bytes;
    look.level_given = true;
    for (look.level = 0; !ends; look.level++) {
        struct layout layout;
        ends = !open_layout(&layout, path, &look) || voxels_of(&layout) <= AT_HAND * voxels;
        if (ends && voxels_of(&layout) && layout.size[0] < chosen->size[0]) {
            factor = chosen->size[0] / layout.size[0];
            desc->level = look.level, desc->level_given = true;
        }
        layout_free(&layout);
    }
    return factor;
}

uint64_t load_look(struct load_desc *desc, const char *path, uint64_t bytes, uint64_t voxels)
{
    struct layout layout;
    uint64_t factor = 1;
    if (open_layout(&layout, path, desc))
        factor = layout.zarr ? look_by_level(desc, &layout, path, bytes, voxels)
                             : look_by_step(desc, &layout, bytes, voxels);
    layout_free(&layout);
    return factor;
}

/* ---- how voxels lie -------------------------------------------------------------------------------------------------- */

bool load_is_plain(const char *path, const struct load_desc *desc, uint64_t bytes)
{
    struct layout layout;
    const bool is = open_layout(&layout, path, desc) && voxels_are_direct(&layout) && !layout.type->convert &&
                    layout.slope >= 0 && voxels_of(&layout) >= bytes / layout.type->bytes;
    layout_free(&layout);
    return is;
}

/* ---- voxels ------------------------------------------------------------------------------------------------------ */

int load_store(struct store *store, const char *path, const struct load_desc *desc, bool *is, struct err *err)
{
    *is = false;
    memset(store, 0, sizeof *store);
    if (check_spacing(desc, err)) return ERR_USAGE;
    int code = open_source(&store->header, path, err);
    if (!code) code = load_layout(&store->layout, &store->header, desc, err);
    if (!code && (store->layout.zarr || voxels_are_ordered(&store->layout))) {
        *is = true;
        code = store_begin(store, desc, err);
    }
    if (!code && *is) {
        volume_set_name(&store->volume, source_name(&store->header));
        override_spacing(&store->volume, &store->layout, desc->spacing);
    }
    if (code || !*is) store_close(store);
    return code;
}

/* Like load_volume; the source stays open. */
static int load_from(struct volume *volume, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct layout layout = { 0 };
    memset(volume, 0, sizeof *volume);
    if (check_spacing(desc, err)) return ERR_USAGE;
    int code = load_layout(&layout, source, desc, err);
    if (!code) code = voxels_read(volume, &layout, source, desc, err);
    if (!code) {
        volume_set_name(volume, source_name(source));
        override_spacing(volume, &layout, desc->spacing);
    }
    layout_free(&layout);
    return code;
}

int load_volume(struct volume *volume, const char *path, const struct load_desc *desc, struct err *err)
{
    static const struct load_desc all_from_the_file;
    struct source source;
    memset(volume, 0, sizeof *volume);
    int code = open_source(&source, path, err);
    if (code) return code;
    code = load_from(volume, &source, desc ? desc : &all_from_the_file, err);
    source_close(&source);
    return code;
}
