/* A folder of slices: PNG, JPEG or TIFF files of one size, in the order of the numbers in their names. */
#include "read.h"

#include "folder.h"
#include "image_decode.h"
#include "replace.h"
#include "text.h"
#include "tiff_scale.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LOOK ((size_t)64 << 10) /* bytes that nearly always contain the whole header */

/* The shape and type of a slice. */
struct slice {
    uint64_t width, height, components;
    bool planar;
    const struct stored_type *type;
    uint64_t offset; /* as in struct layout_part */
    bool scaled;     /* `scale` has what the file says */
    struct tiff_scale scale;
    char note[256]; /* as in struct layout */
};

struct kind {
    const char *extensions[3];
    enum encoding encoding;
    int (*describe)(struct slice *slice, struct source *file, struct err *err);
};

static int describe_image(struct slice *slice, struct source *file, struct err *err)
{
    struct image_shape shape;
    uint8_t *bytes = malloc(LAYOUT_MAX_HEADER);
    if (!bytes) return err_set(err, ERR_FAILED, "%s: not enough memory for its header", source_name(file));
    size_t n = source_read(file, bytes, FIRST_LOOK);
    bool known = image_describe(bytes, n, &shape);
    if (!known) {
        n += source_read(file, bytes + n, LAYOUT_MAX_HEADER - n);
        known = image_describe(bytes, n, &shape);
    }
    free(bytes);
    if (!known)
        return err_set(err, ERR_INPUT, "%s: neither a PNG nor a JPEG file, whatever its name says", source_name(file));
    *slice = (struct slice){ .width = shape.width,
                             .height = shape.height,
                             .components = shape.components,
                             .type = &stored_types[shape.bytes == 2 ? STORED_UINT16 : STORED_UINT8] };
    return ERR_NONE;
}

/* Describes the page. Its description may be invalid for a stack, such as that of an image whose planes are in many files;
 * it still gives distances. */
static int describe_page(struct slice *slice, struct tiff_file *tiff, size_t number, struct err *err)
{
    struct tiff_page page;
    const int code = tiff_describe(tiff, number, &page, err);
    if (code) return code;
    *slice = (struct slice){ .width = page.width,
                             .height = page.height,
                             .components = page.components,
                             .planar = page.planar,
                             .type = page.type,
                             .offset = tiff_at(tiff),
                             .scaled = true };
    (void)tiff_scale_read(&slice->scale, tiff, source_name(tiff->source), slice->note, NULL);
    return ERR_NONE;
}

/* Describes the first page that is not a reduced copy, and refuses a second one. */
static int describe_only_page(struct slice *slice, struct tiff_file *tiff, struct err *err)
{
    bool last = false;
    size_t pages = 0;
    for (size_t number = 1; !last; number++) {
        if (!tiff_is_extra(tiff)) {
            if (pages++)
                return err_set(err, ERR_INPUT, "%s: it has several pages, but a slice has one; open this file by itself",
                               source_name(tiff->source));
            const int code = describe_page(slice, tiff, number, err);
            if (code) return code;
        }
        const int code = tiff_next(tiff, number + 1, &last, err);
        if (code) return code;
    }
    return pages ? ERR_NONE : err_set(err, ERR_INPUT, "%s: it is a reduced copy or a mask", source_name(tiff->source));
}

static int describe_tiff(struct slice *slice, struct source *file, struct err *err)
{
    struct tiff_file tiff;
    int code = tiff_open(&tiff, file, TIFF_HEADER_MEMORY, 2 * file->size + LAYOUT_MAX_HEADER, err);
    if (!code) code = describe_only_page(slice, &tiff, err);
    tiff_close(&tiff);
    return code;
}

static const struct kind kinds[] = {
    { { ".png" }, ENCODING_IMAGE, describe_image },
    { { ".jpg", ".jpeg" }, ENCODING_IMAGE, describe_image },
    { { ".tif", ".tiff" }, ENCODING_TIFF, describe_tiff },
};

#define KINDS (sizeof kinds / sizeof kinds[0])

static bool is_kind(const char *name, const struct kind *kind)
{
    for (int i = 0; i < 3 && kind->extensions[i]; i++)
        if (text_ends(name, kind->extensions[i])) return true;
    return false;
}

bool slice_is_named(const char *name)
{
    for (size_t k = 0; k < KINDS; k++)
        if (is_kind(name, &kinds[k])) return true;
    return false;
}

bool slices_are_in(const char *folder)
{
    struct folder files;
    const bool some = !folder_list(&files, folder, slice_is_named, NULL) && files.count > 1;
    folder_free(&files);
    return some;
}

bool slices_hold(const char *folder, const char *other)
{
    char path[PATH_MAX], target[PATH_MAX];
    const char *slash = strrchr(other, '/');
    struct folder files;
    if (folder_list(&files, folder, slice_is_named, NULL)) return false;
    const char *name = slash ? slash + 1 : other;
    bool takes = slice_is_named(name) && snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
                 replace_is_same(path, other);
    for (size_t i = 0; i < files.count && !takes; i++) /* also through a link */
        takes = snprintf(path, sizeof path, "%s/%s", folder, files.names[i]) < (int)sizeof path &&
                replace_is_same(path, other);
    folder_free(&files);
    return takes || (replace_target(target, other) && strcmp(target, other) && slices_hold(folder, target));
}

/* Keeps the names of the most frequent kind of file. *others: how many names were dropped. */
static const struct kind *keep_one_kind(struct folder *files, size_t *others)
{
    size_t count[KINDS] = { 0 }, best = 0, kept = 0;
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < KINDS; k++) count[k] += is_kind(files->names[i], &kinds[k]);
    for (size_t k = 1; k < KINDS; k++)
        if (count[k] > count[best]) best = k;
    for (size_t i = 0; i < files->count; i++)
        if (is_kind(files->names[i], &kinds[best])) {
            char *name = files->names[i];
            files->names[i] = files->names[kept];
            files->names[kept++] = name;
        }
    *others = files->count - kept;
    while (files->count > kept) free(files->names[--files->count]);
    return &kinds[best];
}

/* ---- numbers in names ---------------------------------------------------------------------------------------------- */

/* Finds the last number in a name, before its extension. False: there is none. */
static bool find_number(const char *name, uint64_t *number)
{
    const char *end = strrchr(name, '.'), *begin;
    while (end > name && !(end[-1] >= '0' && end[-1] <= '9')) end--;
    for (begin = end; begin > name && begin[-1] >= '0' && begin[-1] <= '9';) begin--;
    return begin < end && text_uint(begin, &end, number);
}

/* Notes a missing number: it is not an error, but a slice may be missing. */
static void note_gaps(struct layout *layout, const struct folder *files)
{
    uint64_t before = 0, number = 0, step = UINT64_MAX;
    for (size_t i = 0; i < files->count; i++, before = number) {
        if (!find_number(files->names[i], &number)) return;
        if (i && number - before < step) step = number - before;
    }
    for (size_t i = 0; i < files->count; i++, before = number) {
        find_number(files->names[i], &number);
        if (!i || number - before == step) continue;
        text_note(layout->note, "the numbers of its slices jump: %.60s, then %.60s", files->names[i - 1], files->names[i]);
        return;
    }
}

/* ---- all slices ---------------------------------------------------------------------------------------------------- */

static int check_same(const struct slice *slice, const struct slice *first, const char *name, const char *first_name,
                      struct err *err)
{
    typedef unsigned long long ull; /* for printf */
    if (slice->width == first->width && slice->height == first->height && slice->components == first->components &&
        slice->type == first->type && slice->planar == first->planar)
        return ERR_NONE;
    return err_set(err, ERR_INPUT, "%.200s: %llu x %llu x %llu %s values, unlike %.200s with %llu x %llu x %llu %s", name,
                   (ull)slice->width, (ull)slice->height, (ull)slice->components, slice->type->name, first_name,
                   (ull)first->width, (ull)first->height, (ull)first->components, first->type->name);
}

/* Adds a file as a part. Links may lead anywhere, because the caller chose the folder. */
static int add_slice(struct layout *layout, const struct source *folder, const char *name, const struct kind *kind,
                     struct slice *slice, struct err *err)
{
    char path[PATH_MAX];
    struct source file;
    if (snprintf(path, sizeof path, "%s/%s", folder->path, name) >= (int)sizeof path)
        return err_set(err, ERR_INPUT, "%.200s: its path is too long", name);
    int code = source_open(&file, path, err);
    if (code) return code;
    code = kind->describe(slice, &file, err);
    const uint64_t size = file.size;
    source_close(&file);
    const struct layout_file data = { .name = path, .field = "slice", .offset = slice->offset, .anywhere = true };
    if (!code) code = layout_add_file(layout, folder, &data, err);
    if (!code) layout->parts[layout->part_count - 1].bytes = size; /* the whole file is decoded, whatever the offset */
    return code;
}

static void set_axes(struct layout *layout, const struct slice *first, size_t slices)
{
    const uint64_t size[] = { first->width, first->height, slices, first->components, 1 };
    static const uint8_t together[] = { AXIS_COMPONENT, AXIS_X, AXIS_Y, AXIS_Z, AXIS_FRAME };
    static const uint8_t planar[] = { AXIS_X, AXIS_Y, AXIS_COMPONENT, AXIS_Z, AXIS_FRAME };
    memcpy(layout->size, size, sizeof layout->size);
    memcpy(layout->order, first->planar ? planar : together, sizeof layout->order);
    layout->type = first->type;
}

/* Whether both give the same distances and values. */
static bool same_scale(const struct tiff_scale *a, const struct tiff_scale *b)
{
    const struct tiff_meta *m = &a->meta, *n = &b->meta;
    return !memcmp(a->pixel, b->pixel, sizeof a->pixel) && a->pixel_mm == b->pixel_mm &&
           !memcmp(m->spacing, n->spacing, sizeof m->spacing) && !strcmp(m->unit, n->unit) && m->slope == n->slope &&
           m->intercept == n->intercept;
}

static void set_scale(struct layout *layout, const struct slice *first, const char *unlike)
{
    if (*first->note) text_note(layout->note, "%s", first->note);
    if (first->scaled) tiff_scale_place(&first->scale, layout);
    else text_note(layout->note, "the size of its voxels is unknown; 1 assumed");
    if (unlike)
        text_note(layout->note, "%.60s has another pixel size, unit or calibration than the first slice, whose are taken",
                  unlike);
}

static int read_files(struct layout *layout, const struct source *source, const struct folder *files,
                      const struct kind *kind, struct err *err)
{
    struct slice first = { 0 }, slice;
    const char *unlike = NULL; /* the first slice with another scale */
    for (size_t i = 0; i < files->count; i++) {
        int code = add_slice(layout, source, files->names[i], kind, &slice, err);
        if (!code && !i) first = slice;
        if (!code) code = check_same(&slice, &first, files->names[i], files->names[0], err);
        if (code) return code;
        if (!unlike && !same_scale(&slice.scale, &first.scale)) unlike = files->names[i];
    }
    layout->encoding = kind->encoding;
    set_axes(layout, &first, files->count);
    set_scale(layout, &first, unlike);
    return ERR_NONE;
}

static bool any_file(const char *name) { return (void)name, true; }

int read_slices(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct folder files;
    size_t others = 0;
    (void)desc;
    layout_begin(layout);
    int code = folder_list(&files, source->path, any_file, err);
    if (code) return code;
    const struct kind *kind = keep_one_kind(&files, &others);
    if (files.count < 2)
        code = err_set(err, ERR_INPUT, "%s: %s slices in this folder; two or more PNG, JPEG or TIFF files were expected",
                       source_name(source), files.count ? "fewer than two" : "no");
    if (!code) code = read_files(layout, source, &files, kind, err);
    if (!code) {
        note_gaps(layout, &files);
        if (others)
            text_note(layout->note, "%zu other %s in the folder ignored", others, text_word(others, "file", "files"));
    }
    folder_free(&files);
    return code;
}
