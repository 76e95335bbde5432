#include "tiff_meta.h"

#include "length_unit.h"
#include "text.h"

#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull; /* for printf */

/* Sets the unit from the file's spelling. */
static void set_unit(struct tiff_meta *meta, const char *spelling, char note[256])
{
    const struct length_unit *unit = length_unit_find(spelling);
    if (!unit) text_note(note, "its unit '%.20s' is unknown", spelling);
    snprintf(meta->unit, sizeof meta->unit, "%s", unit ? unit->name : "");
    meta->unit_scale = unit ? unit->scale : 1;
}

static bool read_count(const char *text, uint64_t *value)
{
    const char *end;
    return text_uint(text, &end, value) && !*text_skip(end) && *value && *value <= LAYOUT_MAX_AXIS;
}

static bool read_number(const char *text, double *value)
{
    const char *end;
    return text_double(text_skip(text), &end, value) && isfinite(*value);
}

/* ---- ImageJ: lines "key=value" ------------------------------------------------------------------------------------- */

/* Copies the value of the first line with this key. */
static bool find_line(const char *text, const char *key, char value[64])
{
    const size_t n = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) != 0 || line[n] != '=') continue;
        snprintf(value, 64, "%.*s", (int)strcspn(line + n + 1, "\r\n"), line + n + 1);
        return true;
    }
    return false;
}

/* Returns 1 if the line is absent. */
static uint64_t imagej_count(const char *text, const char *key)
{
    char value[64];
    uint64_t count;
    return find_line(text, key, value) && read_count(value, &count) ? count : 1;
}

/* ImageJ stores int16 as uint16 with an offset. */
static void parse_calibration(struct tiff_meta *meta, const char *text, char note[256])
{
    char function[64], c0[64], c1[64];
    double slope, intercept;
    if (!find_line(text, "cf", function)) return;
    const bool straight = !strcmp(function, "0") && find_line(text, "c0", c0) && find_line(text, "c1", c1) &&
                          read_number(c0, &intercept) && read_number(c1, &slope) && slope != 0;
    if (straight) meta->slope = slope, meta->intercept = intercept;
    else text_note(note, "its calibration is no straight line; stored values shown");
}

static void parse_imagej(struct tiff_meta *meta, const char *text, char note[256])
{
    char value[64];
    meta->kind = TIFF_IMAGEJ;
    meta->size[AXIS_Z] = imagej_count(text, "slices");
    meta->size[AXIS_COMPONENT] = imagej_count(text, "channels");
    meta->size[AXIS_FRAME] = imagej_count(text, "frames");
    const uint64_t images = imagej_count(text, "images");
    if (meta->size[AXIS_Z] == 1 && meta->size[AXIS_COMPONENT] == 1 && meta->size[AXIS_FRAME] == 1)
        meta->size[AXIS_Z] = images;
    if (find_line(text, "unit", value)) {
        set_unit(meta, value, note);
        if (images > 1) meta->spacing[AXIS_Z] = meta->unit_scale; /* the default; for a single image, ImageJ says nothing */
    }
    double spacing;
    if (find_line(text, "spacing", value) && read_number(value, &spacing) && spacing != 0)
        meta->spacing[AXIS_Z] = fabs(spacing) * meta->unit_scale;
    parse_calibration(meta, text, note);
}

/* ---- OME: XML ------------------------------------------------------------------------------------------------------ */

struct ome {
    struct tiff_meta *meta;
    const char *name; /* of the file */
    char *note;
    XML_Parser parser;
    int images;     /* number of Pixels elements so far */
    bool inside;    /* within the first of them */
    char data[256]; /* the file with its planes; "": not given */
    int code;
    struct err *err;
};

static const char *attribute(const char *const *attributes, const char *key)
{
    for (; *attributes; attributes += 2)
        if (!strcmp(attributes[0], key)) return attributes[1];
    return NULL;
}

static void stop(struct ome *ome, int code)
{
    ome->code = code;
    XML_StopParser(ome->parser, XML_FALSE);
}

/* Parses an order such as "XYCZT". */
static bool parse_order(struct tiff_meta *meta, const char *order)
{
    static const struct {
        char letter;
        uint8_t axis;
    } axes[] = { { 'Z', AXIS_Z }, { 'C', AXIS_COMPONENT }, { 'T', AXIS_FRAME } };
    unsigned seen = 0;
    if (!order || !text_begins(order, "XY") || strlen(order) != 5) return false;
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++)
            if (order[2 + i] == axes[a].letter) meta->order[i] = axes[a].axis, seen |= 1U << a;
    return seen == 7;
}

/* Lengths in different units are converted to millimetres. */
static void parse_spacing(struct ome *ome, const char *const *attributes)
{
    static const char *const keys[] = { "PhysicalSizeX", "PhysicalSizeY", "PhysicalSizeZ" };
    static const char *const unit_keys[] = { "PhysicalSizeXUnit", "PhysicalSizeYUnit", "PhysicalSizeZUnit" };
    struct tiff_meta *meta = ome->meta;
    const struct length_unit *units[3] = { NULL, NULL, NULL }, *first = NULL;
    bool same = true;
    for (int a = 0; a < 3; a++) {
        const char *text = attribute(attributes, keys[a]), *unit = attribute(attributes, unit_keys[a]);
        if (!text || !read_number(text, &meta->spacing[a]) || meta->spacing[a] <= 0) {
            meta->spacing[a] = 0;
            continue;
        }
        units[a] = length_unit_find(unit ? unit : "um");
        if (!units[a]) text_note(ome->note, "its unit '%.20s' is unknown", unit);
        if (!first) first = units[a];
        same = same && units[a] == first;
    }
    if (!first) return;
    snprintf(meta->unit, sizeof meta->unit, "%s", same ? first->name : "mm");
    for (int a = 0; a < 3; a++)
        if (units[a]) meta->spacing[a] *= same ? units[a]->scale : units[a]->mm;
}

static void parse_pixels(struct ome *ome, const char *const *attributes)
{
    static const struct {
        const char *key;
        int axis;
    } sizes[] = { { "SizeZ", AXIS_Z }, { "SizeC", AXIS_COMPONENT }, { "SizeT", AXIS_FRAME } };
    ome->meta->kind = TIFF_OME;
    for (int i = 0; i < 3; i++) {
        const char *text = attribute(attributes, sizes[i].key);
        if (!text || !read_count(text, &ome->meta->size[sizes[i].axis]))
            return stop(ome, err_set(ome->err, ERR_INPUT, "%s: OME: %s is '%.40s'; a number from 1 to %d was expected",
                                     ome->name, sizes[i].key, text ? text : "", LAYOUT_MAX_AXIS));
    }
    const char *order = attribute(attributes, "DimensionOrder");
    if (!parse_order(ome->meta, order))
        return stop(ome, err_set(ome->err, ERR_INPUT, "%s: OME: DimensionOrder is '%.40s'; XYZCT or its like was expected",
                                 ome->name, order ? order : ""));
    parse_spacing(ome, attributes);
}

/* Checks that the pages come in the order of the axes. */
static void check_plane(struct ome *ome, const char *const *attributes)
{
    static const char *const firsts[AXIS_COUNT] = {
        [AXIS_Z] = "FirstZ", [AXIS_COMPONENT] = "FirstC", [AXIS_FRAME] = "FirstT"
    };
    uint64_t expected = 0, stride = 1, page = 0, at;
    const char *text = attribute(attributes, "IFD"), *end;
    bool fine = !text || text_uint(text, &end, &page);
    for (int i = 0; i < 3; i++) {
        const int axis = ome->meta->order[i];
        text = attribute(attributes, firsts[axis]);
        at = 0;
        if (text) fine = fine && text_uint(text, &end, &at) && at < ome->meta->size[axis];
        expected += at * stride;
        stride *= ome->meta->size[axis];
    }
    if (fine && page == expected) return;
    err_set(ome->err, ERR_INPUT, "%s: OME: its pages are not in the order that it names", ome->name);
    err_advise(ome->err, "save it again with Bio-Formats or tifffile, one plane after another");
    stop(ome, ERR_INPUT);
}

static void check_file(struct ome *ome, const char *file)
{
    if (!file) return;
    if (!*ome->data) snprintf(ome->data, sizeof ome->data, "%s", file);
    if (!strncmp(ome->data, file, sizeof ome->data - 1)) return;
    err_set(ome->err, ERR_INPUT, "%s: OME: its planes lie in several files, '%.60s' and '%.60s'; only one can be read",
            ome->name, ome->data, file);
    err_advise(ome->err, "convert it to one file with bfconvert");
    stop(ome, ERR_INPUT);
}

static void start_element(void *data, const char *element, const char **attributes)
{
    struct ome *ome = data;
    const char *const *list = (const char *const *)attributes;
    const char *colon = strchr(element, ':'), *name = colon ? colon + 1 : element;
    if (ome->code) return;
    if (!strcmp(name, "Pixels") && !ome->images++) {
        ome->inside = true;
        parse_pixels(ome, list);
    } else if (!strcmp(name, "BinaryOnly")) {
        const char *file = attribute(list, "MetadataFile");
        stop(ome,
             err_set(ome->err, ERR_INPUT, "%s: OME: its description lies in '%.60s'; files in several parts cannot be read",
                     ome->name, file ? file : "another file"));
    } else if (ome->inside && !strcmp(name, "TiffData")) check_plane(ome, list);
    else if (ome->inside && !strcmp(name, "UUID")) check_file(ome, attribute(list, "FileName"));
}

static void end_element(void *data, const char *element)
{
    const char *colon = strchr(element, ':');
    if (!strcmp(colon ? colon + 1 : element, "Pixels")) ((struct ome *)data)->inside = false;
}

/* OME has no document type; a document type could define entities that grow without bound. */
static void refuse_doctype(void *data, const char *name, const char *system, const char *public, int internal)
{
    struct ome *ome = data;
    (void)name, (void)system, (void)public, (void)internal;
    stop(ome, err_set(ome->err, ERR_INPUT, "%s: OME: XML with a document type is not read", ome->name));
}

static int parse_ome(struct tiff_meta *meta, const char *text, const char *name, char note[256], struct err *err)
{
    struct ome ome = { .meta = meta, .name = name, .note = note, .err = err, .parser = XML_ParserCreate("UTF-8") };
    if (!ome.parser) return err_set(err, ERR_FAILED, "%s: not enough memory to read its description", name);
    XML_SetUserData(ome.parser, &ome);
    XML_SetElementHandler(ome.parser, start_element, end_element);
    XML_SetStartDoctypeDeclHandler(ome.parser, refuse_doctype);
    if (XML_Parse(ome.parser, text, (int)strlen(text), XML_TRUE) != XML_STATUS_OK && !ome.code)
        ome.code = err_set(err, ERR_INPUT, "%s: OME: its XML is broken in line %llu: %s", name,
                           (ull)XML_GetCurrentLineNumber(ome.parser), XML_ErrorString(XML_GetErrorCode(ome.parser)));
    if (!ome.code && !ome.images) ome.code = err_set(err, ERR_INPUT, "%s: OME: no Pixels are described", name);
    if (!ome.code && ome.images > 1) text_note(note, "image 1 of %d", ome.images);
    XML_ParserFree(ome.parser);
    return ome.code;
}

/* -------------------------------------------------------------------------------------------------------------------- */

static bool is_ome(const char *text)
{
    while (*text && strchr(" \t\r\n\xef\xbb\xbf", *text)) text++;
    return *text == '<' && (strstr(text, "<OME") || strstr(text, ":OME"));
}

int tiff_meta_parse(struct tiff_meta *meta, const char *description, const char *name, char note[256], struct err *err)
{
    *meta = (struct tiff_meta){ .size = { [AXIS_Z] = 1, [AXIS_COMPONENT] = 1, [AXIS_FRAME] = 1 },
                                .order = { AXIS_COMPONENT, AXIS_Z, AXIS_FRAME },
                                .unit_scale = 1,
                                .slope = 1 };
    if (!description) return ERR_NONE;
    if (strlen(description) > TIFF_MAX_DESCRIPTION)
        return err_set(err, ERR_INPUT, "%s: a description of more than %zu bytes", name, TIFF_MAX_DESCRIPTION);
    if (text_begins(description, "ImageJ=")) parse_imagej(meta, description, note);
    else if (is_ome(description)) return parse_ome(meta, description, name, note, err);
    return ERR_NONE;
}
