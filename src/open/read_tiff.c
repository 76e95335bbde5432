/* TIFF: one page per slice. Classic and BigTIFF, strips and tiles, whatever libtiff can uncompress. Descriptions by ImageJ,
 * OME and tifffile say which page is which slice, channel and frame. If each page lies uncompressed in one piece, the pages
 * are read without libtiff. */
#include "read.h"
#include "text.h"
#include "tiff_scale.h"

#include <tiffio.h>

typedef unsigned long long ull; /* for printf */

struct scan {
    struct tiff_file file;
    const char *name; /* for messages */
    struct layout *layout;
    struct source *source;
    struct tiff_page first; /* first page that is not an extra */
    struct tiff_scale scale;
    uint64_t expected; /* number of pages according to the description */
    size_t extra;      /* pages that are copies or masks */
    bool runs;         /* each page lies in one piece */
    uint64_t at;       /* where the first page's directory is */
};

/* ---- the first page ------------------------------------------------------------------------------------------------ */

/* If there are no slices, frames or else components are taken for slices. A single slice has no surface, and some writers
 * give the axis a wrong name. */
static void find_slices(struct tiff_meta *meta, char note[256])
{
    const int axis = meta->size[AXIS_FRAME] > 1 ? AXIS_FRAME : AXIS_COMPONENT;
    const uint64_t n = meta->size[axis];
    if (meta->size[AXIS_Z] > 1 || n == 1) return;
    text_note(note, "it names no slices: its %llu %s are these", (ull)n, axis == AXIS_FRAME ? "frames" : "channels");
    meta->size[axis] = 1;
    meta->size[AXIS_Z] = n;
    for (int i = 0; i < 3; i++)
        meta->order[i] = meta->order[i] == AXIS_Z ? (uint8_t)axis : meta->order[i] == axis ? AXIS_Z : meta->order[i];
}

/* Sets the number of pages to search for. Components that lie in each page do not count. */
static int expect_pages(struct scan *scan, struct err *err)
{
    struct tiff_meta *meta = &scan->scale.meta;
    const uint64_t together = scan->first.components;
    uint64_t *size = meta->size, pages;
    if (together > 1 && meta->kind == TIFF_OME && size[AXIS_COMPONENT] == together) size[AXIS_COMPONENT] = 1;
    find_slices(meta, scan->layout->note);
    if (together > 1 && size[AXIS_COMPONENT] > 1)
        return err_set(err, ERR_INPUT,
                       "%s: %llu channels of %llu components each; only channels or components can be read, not both",
                       scan->name, (ull)size[AXIS_COMPONENT], (ull)together);
    if (__builtin_mul_overflow(size[AXIS_Z], size[AXIS_COMPONENT], &pages) ||
        __builtin_mul_overflow(pages, size[AXIS_FRAME], &pages))
        return err_set(err, ERR_INPUT, "%s: its description names more pages than can be counted", scan->name);
    scan->expected = pages;
    return ERR_NONE;
}

/* ---- all pages ----------------------------------------------------------------------------------------------------- */

static int check_same(const struct scan *scan, const struct tiff_page *page, size_t number, struct err *err)
{
    const struct tiff_page *first = &scan->first;
    if (page->width == first->width && page->height == first->height && page->type == first->type &&
        page->components == first->components && page->planar == first->planar)
        return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: page %zu: %u x %u x %u %s values, unlike the first page with %u x %u x %u %s",
                   scan->name, number, page->width, page->height, page->components, page->type->name, first->width,
                   first->height, first->components, first->type->name);
}

/* Adds the page as a part that begins at its directory. Until all pages are known, part.bytes holds where its values
 * begin. */
static int add_page(struct scan *scan, size_t number, struct err *err)
{
    struct tiff_page page;
    int code = tiff_describe(&scan->file, number, &page, err);
    if (code) return code;
    if (!scan->layout->part_count) {
        scan->first = page;
        scan->at = tiff_at(&scan->file);
        code = tiff_scale_read(&scan->scale, &scan->file, scan->name, scan->layout->note, err);
        if (!code) code = expect_pages(scan, err);
    } else code = check_same(scan, &page, number, err);
    if (!code) code = layout_add_self(scan->layout, scan->source, tiff_at(&scan->file), err);
    if (code) return code;
    scan->layout->parts[scan->layout->part_count - 1].bytes = page.run;
    scan->runs = scan->runs && page.run;
    return ERR_NONE;
}

/* Whether all pages of the described image have been found. With OME and tifffile, other images may follow. */
static bool has_all(const struct scan *scan)
{
    const enum tiff_kind kind = scan->scale.meta.kind;
    return (kind == TIFF_OME || kind == TIFF_SHAPED) && scan->layout->part_count == scan->expected;
}

/* Notes if pages follow that the description does not cover. `number`: the next page. */
static void note_others(struct scan *scan, size_t number)
{
    bool last = false;
    if (scan->scale.meta.kind == TIFF_SHAPED && !tiff_next(&scan->file, number, &last, NULL) && !last)
        text_note(scan->layout->note, "pages from %zu on are of another image, and ignored", number);
}

static int scan_pages(struct scan *scan, struct err *err)
{
    bool last = false, all = false;
    for (size_t number = 1; !last && !all; number++) {
        const bool extra = tiff_is_extra(&scan->file);
        scan->extra += extra;
        int code = extra ? ERR_NONE : add_page(scan, number, err);
        all = !code && has_all(scan);
        if (all) note_others(scan, number + 1);
        else if (!code) code = tiff_next(&scan->file, number + 1, &last, err);
        if (code) return code;
    }
    if (!scan->layout->part_count)
        return err_set(err, ERR_INPUT, "%s: all its pages are reduced copies or masks", scan->name);
    if (scan->extra)
        text_note(scan->layout->note, "%zu %s ignored", scan->extra,
                  text_word(scan->extra, "reduced page or mask", "reduced pages or masks"));
    return ERR_NONE;
}

/* ---- the layout ---------------------------------------------------------------------------------------------------- */

/* Sets a part per page: its bytes or, for libtiff, its directory and the whole file. */
static void place_parts(struct scan *scan)
{
    struct layout *layout = scan->layout;
    layout->encoding = scan->runs ? ENCODING_BINARY : ENCODING_TIFF;
    for (size_t i = 0; i < layout->part_count; i++) {
        struct layout_part *part = &layout->parts[i];
        if (!scan->runs) {
            part->bytes = scan->source->size;
            continue;
        }
        part->offset = part->bytes;
        const uint64_t there = part->offset < scan->source->size ? scan->source->size - part->offset : 0;
        part->bytes = there < scan->first.bytes ? there : scan->first.bytes; /* if too few, decode_check reports it */
    }
}

/* ImageJ writes stacks of more than 4 GiB as one page, followed by the others without directories. tifffile does so on
 * request. The page's own directory cannot lie among them; other writers put it behind the page. */
static bool has_hidden_pages(const struct scan *scan)
{
    const struct layout *layout = scan->layout;
    uint64_t bytes;
    const enum tiff_kind kind = scan->scale.meta.kind;
    if ((kind != TIFF_IMAGEJ && kind != TIFF_SHAPED) || layout->part_count != 1 || !scan->runs || scan->expected < 2 ||
        __builtin_mul_overflow(scan->first.bytes, scan->expected, &bytes))
        return false;
    const uint64_t first = layout->parts[0].offset;
    return first <= scan->source->size && bytes <= scan->source->size - first &&
           (scan->at < first || scan->at - first >= bytes);
}

/* Sets how many pages lie along z, components and frames. */
static int set_sizes(struct scan *scan, struct err *err)
{
    struct layout *layout = scan->layout;
    uint64_t *size = scan->scale.meta.size;
    const size_t pages = layout->part_count;
    if (has_hidden_pages(scan)) layout->parts[0].bytes = scan->first.bytes * scan->expected;
    else if (scan->scale.meta.kind == TIFF_OME && scan->expected != pages) {
        err_set(err, ERR_INPUT, "%s: OME describes %llu %s, but the file has %zu", scan->name, (ull)scan->expected,
                text_word(scan->expected, "page", "pages"), pages);
        err_advise(err, "if the others lie in further files, convert them to one with bfconvert");
        return ERR_INPUT;
    } else if (scan->expected != pages) {
        if (scan->scale.meta.kind != TIFF_PLAIN)
            text_note(layout->note, "%s describes %llu %s and the file has %zu: these are the slices",
                      scan->scale.meta.kind == TIFF_IMAGEJ ? "ImageJ" : "tifffile", (ull)scan->expected,
                      text_word(scan->expected, "page", "pages"), pages);
        size[AXIS_Z] = pages;
        size[AXIS_COMPONENT] = size[AXIS_FRAME] = 1;
    }
    if (size[AXIS_Z] == 1) text_note(layout->note, "one slice; if others lie beside it, give the folder");
    layout->size[AXIS_X] = scan->first.width;
    layout->size[AXIS_Y] = scan->first.height;
    layout->size[AXIS_Z] = size[AXIS_Z];
    layout->size[AXIS_FRAME] = size[AXIS_FRAME];
    layout->size[AXIS_COMPONENT] = scan->first.components > 1 ? scan->first.components : size[AXIS_COMPONENT];
    return ERR_NONE;
}

/* Components within a page come before x or after y. Pages follow in the order of the description. */
static void set_order(struct scan *scan)
{
    uint8_t *order = scan->layout->order;
    const bool inside = scan->first.components > 1;
    int n = 0;
    if (inside && !scan->first.planar) order[n++] = AXIS_COMPONENT;
    order[n++] = AXIS_X;
    order[n++] = AXIS_Y;
    if (inside && scan->first.planar) order[n++] = AXIS_COMPONENT;
    for (int i = 0; i < 3; i++)
        if (!inside || scan->scale.meta.order[i] != AXIS_COMPONENT) order[n++] = scan->scale.meta.order[i];
}

static int finish(struct scan *scan, struct err *err)
{
    struct layout *layout = scan->layout;
    layout->type = scan->first.type;
    layout->big_endian = TIFFIsBigEndian(scan->file.tiff) != 0;
    place_parts(scan);
    const int code = set_sizes(scan, err);
    if (code) return code;
    set_order(scan);
    tiff_scale_place(&scan->scale, layout);
    return ERR_NONE;
}

int read_tiff(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct scan scan = { .name = source_name(source), .layout = layout, .source = source, .runs = true };
    (void)desc;
    layout_begin(layout);
    if (source->partial) {
        err_set(err, ERR_INPUT, "%s: a TIFF file cannot be read through gzip", scan.name);
        err_advise(err, "uncompress it first: gunzip -k");
        return ERR_INPUT;
    }
    /* Reading twice the file suffices if directories do not overlap. */
    int code = tiff_open(&scan.file, source, TIFF_HEADER_MEMORY, 2 * source->size + LAYOUT_MAX_HEADER, err);
    if (!code) code = scan_pages(&scan, err);
    if (!code) code = finish(&scan, err);
    tiff_close(&scan.file);
    return code;
}
