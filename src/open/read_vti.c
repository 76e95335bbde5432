/* VTI: the ImageData of VTK's XML files, with values as text, as base64, or appended after the XML.
 *
 * Follows VTKFileFormats.pdf and what VTK 9 writes. Refused by name: other data sets, several pieces, compressors other
 * than zlib, and document types, whose entities could grow without bound.
 *
 * expat gets the file in pieces. Text between elements is passed through and not stored; expat tells at which byte an array
 * begins and ends. Raw appended data is not XML, so the parser stops before it. */
#include "arrays.h"
#include "decode.h"
#include "read.h"
#include "text.h"

#include <expat.h>
#include <string.h>

#define CHUNK 65536 /* bytes of the file given to expat at once */
#define DEPTH 32    /* of nested elements, at most */

typedef unsigned long long ull; /* for printf */

enum { NO_ELEMENT = -1, VTK_FILE, IMAGE_DATA, PIECE, POINT_DATA, CELL_DATA, POINT_ARRAY, CELL_ARRAY, APPENDED, ELEMENTS };

struct array { /* from its element */
    char name[64];
    uint64_t components;
    const struct stored_type *type;
    bool cells, text, appended;
    uint64_t begin, end; /* in the file; appended: `begin` counts from the start of that data */
};

struct vti {
    const char *file;
    const struct load_desc *desc;
    struct layout *layout;
    XML_Parser parser;
    struct err *err;
    int code;          /* the first error; no handler works after that */
    int depth;         /* open elements */
    int place[DEPTH];  /* rows of elements[]; ELEMENTS: unknown */
    uint64_t fed;      /* bytes given to expat */
    uint64_t markup;   /* bytes of elements so far */
    bool done, base64; /* appended data was reached; it is in base64 */
    uint64_t appended; /* where it begins; 0: none */

    bool compressed; /* in blocks of zlib */
    char compressor[64];
    int64_t extent[6]; /* first and last point along x, y, z */
    double origin[3], spacing[3], matrix[9];
    int pieces;
    char scalars[256]; /* name of the array that this PointData or CellData marks */

    struct array array; /* the best one so far */
    int rank;           /* of it; 0: none */
    int inside;         /* depth at which its element is open, to find its end; 0: it is closed */
    struct array_list names;
};

static const char *find(const char **attributes, const char *key)
{
    for (; *attributes; attributes += 2)
        if (!strcmp(*attributes, key)) return attributes[1];
    return NULL;
}

/* Parses exactly n numbers. Without text they keep their values. */
static bool parse_numbers(const char *text, double *to, int n)
{
    if (!text) return true;
    for (int i = 0; i < n; i++) {
        text = text_skip(text);
        if (!text_double(text, &text, &to[i]) || (*text && *text != ' ')) return false;
    }
    return !*text_skip(text);
}

/* Parses three pairs of whole numbers of at most 32 bits. Each range must have at least one point. */
static bool parse_extent(const char *text, int64_t extent[6])
{
    for (int i = 0; i < 6; i++) {
        uint64_t value;
        text = text_skip(text);
        const bool minus = *text == '-';
        if (!text_uint(text + minus, &text, &value) || value > INT32_MAX || (*text && *text != ' ')) return false;
        extent[i] = minus ? -(int64_t)value : (int64_t)value;
        if (i % 2 && extent[i] < extent[i - 1]) return false;
    }
    return !*text_skip(text);
}

/* ---- elements ------------------------------------------------------------------------------------------------------ */

static int start_file(struct vti *vti, const char **attributes)
{
    const char *type = find(attributes, "type"), *order = find(attributes, "byte_order");
    const char *count = find(attributes, "header_type"), *compressor = find(attributes, "compressor");
    if (!type || strcmp(type, "ImageData") != 0) {
        err_set(vti->err, ERR_INPUT, "%s: VTK XML of type '%.40s'; only ImageData can be read", vti->file,
                type ? type : "");
        err_advise(vti->err, "resample it to image data, as ParaView does, and save it as .vti");
        return ERR_INPUT;
    }
    if (order && strcmp(order, "LittleEndian") != 0 && strcmp(order, "BigEndian") != 0)
        return err_set(vti->err, ERR_INPUT, "%s: byte_order '%.40s' is not LittleEndian or BigEndian", vti->file, order);
    if (count && strcmp(count, "UInt32") != 0 && strcmp(count, "UInt64") != 0)
        return err_set(vti->err, ERR_INPUT, "%s: header_type '%.40s' is not UInt32 or UInt64", vti->file, count);
    if (!order) text_note(vti->layout->note, "no byte_order; little-endian assumed");
    vti->layout->big_endian = order && *order == 'B';
    vti->layout->vtk.count_bytes = count && !strcmp(count, "UInt64") ? 8 : 4;
    vti->compressed = compressor && *compressor;
    snprintf(vti->compressor, sizeof vti->compressor, "%s", vti->compressed ? compressor : "");
    return ERR_NONE;
}

static int start_image(struct vti *vti, const char **attributes)
{
    const char *extent = find(attributes, "WholeExtent");
    if (!extent || !parse_extent(extent, vti->extent))
        return err_set(vti->err, ERR_INPUT, "%s: WholeExtent '%.80s' is not three ranges of whole numbers", vti->file,
                       extent ? extent : "");
    static const char *const name[] = { "Origin", "Spacing", "Direction" };
    double *const to[] = { vti->origin, vti->spacing, vti->matrix };
    for (int i = 0; i < 3; i++) {
        const char *text = find(attributes, name[i]);
        if (!parse_numbers(text, to[i], i < 2 ? 3 : 9))
            return err_set(vti->err, ERR_INPUT, "%s: %s '%.80s' is not %d numbers", vti->file, name[i], text,
                           i < 2 ? 3 : 9);
    }
    return ERR_NONE;
}

static int start_piece(struct vti *vti, const char **attributes)
{
    const char *text = find(attributes, "Extent");
    int64_t extent[6];
    if (vti->pieces++)
        return err_set(vti->err, ERR_INPUT, "%s: the file has several pieces; only files with one piece can be read",
                       vti->file);
    if (text && (!parse_extent(text, extent) || memcmp(extent, vti->extent, sizeof extent) != 0))
        return err_set(vti->err, ERR_INPUT, "%s: its piece has the extent '%.80s', which is not the whole", vti->file,
                       text);
    return ERR_NONE;
}

static int start_data(struct vti *vti, const char **attributes)
{
    const char *scalars = find(attributes, "Scalars");
    snprintf(vti->scalars, sizeof vti->scalars, "%s", scalars ? scalars : "");
    return ERR_NONE;
}

static const struct stored_type *find_type(const char *name)
{
    const struct stored_type *type = name ? stored_type_find(name) : NULL;
    return type && text_same(type->name, name) ? type : NULL; /* no other spellings */
}

/* Sets the array from its element, and where its values begin. */
static int parse_array(struct vti *vti, struct array *array, const char **attributes)
{
    const char *format = find(attributes, "format"), *components = find(attributes, "NumberOfComponents");
    const char *offset = find(attributes, "offset"), *end;
    array->components = 1;
    if (components && (!text_uint(components, &end, &array->components) || *end))
        return err_set(vti->err, ERR_INPUT, "%s: array '%.40s': NumberOfComponents '%.40s' is not a number", vti->file,
                       array->name, components);
    array->appended = format && !strcmp(format, "appended");
    array->text = format && !strcmp(format, "ascii");
    if (!array->appended && !array->text && (!format || strcmp(format, "binary") != 0))
        return err_set(vti->err, ERR_INPUT, "%s: array '%.40s': format '%.40s' is not ascii, binary or appended", vti->file,
                       array->name, format ? format : "");
    if (array->appended && (!offset || !text_uint(offset, &end, &array->begin) || *end))
        return err_set(vti->err, ERR_INPUT, "%s: array '%.40s': offset '%.40s' is not a number", vti->file, array->name,
                       offset ? offset : "");
    if (!array->text && vti->compressed && strcmp(vti->compressor, "vtkZLibDataCompressor") != 0) {
        err_set(vti->err, ERR_INPUT, "%s: compressed by '%.60s'; only vtkZLibDataCompressor can be read", vti->file,
                vti->compressor);
        err_advise(vti->err, "save it again with zlib or without compression");
        return ERR_INPUT;
    }
    if (!array->appended)
        array->begin = (uint64_t)XML_GetCurrentByteIndex(vti->parser) + (uint64_t)XML_GetCurrentByteCount(vti->parser);
    return ERR_NONE;
}

/* Ranks an array; the highest is read. The wanted array is first; without one, arrays of points come before those of cells,
 * and the marked one comes before others. */
static int rank_array(const struct vti *vti, const struct array *array, const char *name)
{
    if (vti->desc->array) return !strcmp(name, vti->desc->array);
    return array->type ? 1 + 2 * !array->cells + (*name && !strcmp(name, vti->scalars)) : 0;
}

static int start_array(struct vti *vti, const char **attributes)
{
    const char *name = find(attributes, "Name"), *type = find(attributes, "type");
    struct array array = { .type = find_type(type), .end = UINT64_MAX };
    if (!name) name = "";
    array.cells = vti->place[vti->depth] == CELL_ARRAY;
    const int rank = rank_array(vti, &array, name);
    if (array.type) arrays_add(&vti->names, name);
    if (rank <= vti->rank) return ERR_NONE;
    if (!array.type)
        return err_set(vti->err, ERR_INPUT, "%s: array '%.40s' has the type '%.40s', which is not one of %s", vti->file,
                       name, type ? type : "", stored_type_list());
    snprintf(array.name, sizeof array.name, "%s", name);
    const int code = parse_array(vti, &array, attributes);
    vti->array = array;
    vti->rank = rank;
    vti->inside = array.appended ? 0 : vti->depth;
    return code;
}

static int start_appended(struct vti *vti, const char **attributes)
{
    const char *encoding = find(attributes, "encoding");
    if (!encoding || (strcmp(encoding, "raw") != 0 && strcmp(encoding, "base64") != 0))
        return err_set(vti->err, ERR_INPUT, "%s: appended data encoded as '%.40s', not raw or base64", vti->file,
                       encoding ? encoding : "");
    vti->base64 = !strcmp(encoding, "base64");
    vti->appended = (uint64_t)XML_GetCurrentByteIndex(vti->parser) + (uint64_t)XML_GetCurrentByteCount(vti->parser);
    vti->done = true;
    XML_StopParser(vti->parser, XML_FALSE);
    return ERR_NONE;
}

/* clang-format off */
static const struct {
    const char *name;
    int parent;
    int (*start)(struct vti *vti, const char **attributes);
} elements[] = {
    [VTK_FILE]    = { "VTKFile",      NO_ELEMENT, start_file },
    [IMAGE_DATA]  = { "ImageData",    VTK_FILE,   start_image },
    [PIECE]       = { "Piece",        IMAGE_DATA, start_piece },
    [POINT_DATA]  = { "PointData",    PIECE,      start_data },
    [CELL_DATA]   = { "CellData",     PIECE,      start_data },
    [POINT_ARRAY] = { "DataArray",    POINT_DATA, start_array },
    [CELL_ARRAY]  = { "DataArray",    CELL_DATA,  start_array },
    [APPENDED]    = { "AppendedData", VTK_FILE,   start_appended },
};
/* clang-format on */

/* ---- parsing ------------------------------------------------------------------------------------------------------- */

static void stop(struct vti *vti, int code)
{
    vti->code = code;
    XML_StopParser(vti->parser, XML_FALSE);
}

/* The text of an array ends at a child element or at the end of its own element. */
static void end_text(struct vti *vti)
{
    const uint64_t at = (uint64_t)XML_GetCurrentByteIndex(vti->parser);
    if (vti->inside && vti->array.end == UINT64_MAX) vti->array.end = at > vti->array.begin ? at : vti->array.begin;
}

static void XMLCALL on_start(void *context, const char *name, const char **attributes)
{
    struct vti *vti = context;
    if (vti->code || vti->done) return;
    end_text(vti);
    vti->markup += (uint64_t)XML_GetCurrentByteCount(vti->parser);
    const int parent = vti->depth ? vti->place[vti->depth] : NO_ELEMENT;
    int code = ERR_NONE, row = 0;
    while (row < ELEMENTS && (elements[row].parent != parent || strcmp(elements[row].name, name) != 0)) row++;
    if (vti->markup > LAYOUT_MAX_HEADER)
        code = err_set(vti->err, ERR_INPUT, "%s: more than %zu bytes of XML elements", vti->file, LAYOUT_MAX_HEADER);
    else if (vti->depth + 1 >= DEPTH)
        code = err_set(vti->err, ERR_INPUT, "%s: XML elements nested more than %d deep", vti->file, DEPTH);
    else if (!vti->depth && row != VTK_FILE)
        code = err_set(vti->err, ERR_INPUT, "%s: the XML begins with '%.40s'; expected VTKFile", vti->file, name);
    if (!code) {
        vti->place[++vti->depth] = row;
        if (row < ELEMENTS) code = elements[row].start(vti, attributes);
    }
    if (code) stop(vti, code);
}

static void XMLCALL on_end(void *context, const char *name)
{
    struct vti *vti = context;
    (void)name;
    if (vti->code || vti->done) return;
    end_text(vti);
    if (vti->inside == vti->depth) vti->inside = 0;
    vti->depth--;
}

static void XMLCALL on_doctype(void *context, const char *name, const char *system, const char *public, int internal)
{
    struct vti *vti = context;
    (void)name, (void)system, (void)public, (void)internal;
    stop(vti, err_set(vti->err, ERR_INPUT, "%s: XML with a document type, which no VTK file has", vti->file));
}

/* Judges expat's result, if no handler has stopped it. */
static int judge(struct vti *vti, enum XML_Status status)
{
    if (vti->code || vti->done) return vti->code;
    const enum XML_Error error = XML_GetErrorCode(vti->parser);
    if (status == XML_STATUS_OK) {
        const uint64_t waits = vti->fed - (uint64_t)XML_GetCurrentByteIndex(vti->parser);
        return waits <= LAYOUT_MAX_HEADER ? ERR_NONE
                                          : err_set(vti->err, ERR_INPUT, "%s: an XML element or comment of over %zu bytes",
                                                    vti->file, LAYOUT_MAX_HEADER);
    }
    if (error == XML_ERROR_NO_MEMORY)
        return err_set(vti->err, ERR_FAILED, "%s: not enough memory to parse its XML", vti->file);
    return err_set(vti->err, ERR_INPUT, "%s: broken XML at line %llu (%s); the file is cut off or damaged", vti->file,
                   (ull)XML_GetCurrentLineNumber(vti->parser), XML_ErrorString(error));
}

/* Feeds expat to the end of the file, or to where the XML ends. For a compressed file, only its beginning may be
 * available. */
static int parse_file(struct vti *vti, struct source *source)
{
    int code = ERR_NONE;
    for (bool last = false; !last && !code && !vti->done;) {
        void *buffer = XML_GetBuffer(vti->parser, CHUNK);
        if (!buffer) return err_set(vti->err, ERR_FAILED, "%s: not enough memory to parse its XML", vti->file);
        const size_t n = source_read(source, buffer, CHUNK);
        last = n < CHUNK;
        vti->fed += n;
        code = judge(vti, XML_ParseBuffer(vti->parser, (int)n, last && !source->partial));
    }
    return code;
}

static int parse_xml(struct vti *vti, struct source *source)
{
    vti->parser = XML_ParserCreate(NULL);
    if (!vti->parser) return err_set(vti->err, ERR_FAILED, "%s: not enough memory to parse its XML", vti->file);
    XML_SetUserData(vti->parser, vti);
    XML_SetElementHandler(vti->parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(vti->parser, on_doctype);
    const int code = parse_file(vti, source);
    XML_ParserFree(vti->parser);
    return code;
}

/* ---- layout -------------------------------------------------------------------------------------------------------- */

/* Cells are read as points at their centres. An axis with one point has one cell. */
static void set_geometry(struct vti *vti)
{
    struct layout *layout = vti->layout;
    double first[3];
    for (int a = 0; a < 3; a++) {
        const int64_t steps = vti->extent[2 * a + 1] - vti->extent[2 * a];
        const bool between = vti->array.cells && steps > 0;
        layout->size[a] = (uint64_t)steps + !between;
        first[a] = (double)vti->extent[2 * a] + (between ? 0.5 : 0);
    }
    for (int row = 0; row < 3; row++) {
        layout->origin[row] = vti->origin[row];
        for (int a = 0; a < 3; a++) {
            layout->direction[row][a] = vti->matrix[3 * row + a] * vti->spacing[a];
            layout->origin[row] += layout->direction[row][a] * first[a];
        }
    }
    if (vti->array.cells) text_note(layout->note, "values of cells, placed at their centres");
}

/* Sets array.begin to the array's place in the file. Its offset counts from after the _ of the appended data. */
static int find_appended(struct vti *vti, struct source *source)
{
    const uint64_t offset = vti->array.begin;
    char c = ' ';
    if (!vti->appended)
        return err_set(vti->err, ERR_INPUT, "%s: no appended data%s", vti->file,
                       source->partial ? " in its beginning; uncompress it first" : "");
    bool more = source_seek(source, vti->appended);
    while (more && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) more = source_read(source, &c, 1) == 1;
    if (c != '_') return err_set(vti->err, ERR_INPUT, "%s: its appended data does not begin with _", vti->file);
    if (!__builtin_add_overflow(source->at, offset, &vti->array.begin) &&
        (source->partial || vti->array.begin <= source->size))
        return ERR_NONE;
    return err_set(vti->err, ERR_INPUT,
                   "%s: array '%.40s' should begin at byte %llu of the appended data, which ends before", vti->file,
                   vti->array.name, (ull)offset);
}

/* Raw values that are neither compressed nor in base64 are plain binary data after their count. */
static int skip_count(struct vti *vti, struct source *source)
{
    struct layout *layout = vti->layout;
    uint8_t bytes[8] = { 0 };
    const size_t n = layout->vtk.count_bytes;
    const bool there = source_seek(source, vti->array.begin) && source_read(source, bytes, n) == n;
    const uint64_t count = decode_vtk_count(layout, bytes), expected = layout_bytes(layout);
    layout->encoding = ENCODING_BINARY;
    vti->array.begin += n;
    if (!there && source->partial) return ERR_NONE;
    if (there && (count == expected || !expected)) return ERR_NONE;
    return err_set(vti->err, ERR_INPUT, "%s: array '%.40s' has %llu %s of values; %llu %s expected", vti->file,
                   vti->array.name, (ull)count, text_word(count, "byte", "bytes"), (ull)expected,
                   text_word(expected, "was", "were"));
}

static int set_data(struct vti *vti, struct source *source)
{
    struct layout *layout = vti->layout;
    const struct array *array = &vti->array;
    layout->encoding = array->text ? ENCODING_TEXT : ENCODING_VTK;
    layout->vtk.deflate = vti->compressed;
    layout->vtk.base64 = array->appended ? vti->base64 : true;
    layout->trailer = true;
    int code = array->appended ? find_appended(vti, source) : ERR_NONE;
    if (!code && array->appended && !vti->compressed && !vti->base64) code = skip_count(vti, source);
    if (!code) code = layout_add_self(layout, source, array->begin, vti->err);
    if (!code && array->end != UINT64_MAX) layout->parts[0].bytes = array->end - array->begin;
    return code;
}

int read_vti(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct vti vti = { .file = source_name(source), .desc = desc, .layout = layout, .err = err };
    layout_begin(layout);
    for (int a = 0; a < 3; a++) vti.spacing[a] = vti.matrix[4 * a] = 1;
    int code = parse_xml(&vti, source);
    if (!code && !vti.rank) {
        if (desc->array) return arrays_refuse(&vti.names, vti.file, desc->array, err);
        return err_set(err, ERR_INPUT, "%s: the file has no array of numbers at points or cells", vti.file);
    }
    if (code) return code;
    layout->type = vti.array.type;
    layout->size[AXIS_COMPONENT] = vti.array.components;
    layout_interleave(layout);
    set_geometry(&vti);
    if (!desc->array) arrays_note(&vti.names, vti.array.name, layout->note);
    return set_data(&vti, source);
}
