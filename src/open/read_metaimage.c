/* MetaImage: lines "Key = Value". The last one says where the voxels are: after it (.mha), in another file (.mhd), or in
 * several files.
 *
 * Follows itk.org/Wiki/MetaIO/Documentation and, where that says nothing, what ITK does. The fourth dimension becomes
 * frames. AnatomicalOrientation is ignored: it repeats what the directions say, and is often wrong. */
#include "read.h"

#include "fields.h"
#include "numbered.h"
#include "text.h"

#include <math.h>
#include <string.h>

#define MAX_DIMS 4

typedef unsigned long long ull; /* for printf */

enum field {
    OBJECT_TYPE,
    NDIMS,
    DIM_SIZE,
    ELEMENT_TYPE,
    CHANNELS,
    SPACING,
    ELEMENT_SIZE,
    OFFSET,
    MATRIX,
    UNITS,
    BINARY,
    BIG_ENDIAN_DATA,
    COMPRESSED,
    HEADER_SIZE,
    DATA_FILE
};

/* clang-format off */
static const struct field_spelling known[] = {
    { "ObjectType", OBJECT_TYPE }, { "NDims", NDIMS }, { "DimSize", DIM_SIZE }, { "ElementType", ELEMENT_TYPE },
    { "ElementNumberOfChannels", CHANNELS }, { "ElementSpacing", SPACING }, { "ElementSize", ELEMENT_SIZE },
    { "Offset", OFFSET }, { "Position", OFFSET }, { "Origin", OFFSET },
    { "TransformMatrix", MATRIX }, { "Rotation", MATRIX }, { "Orientation", MATRIX },
    { "DistanceUnits", UNITS }, { "BinaryData", BINARY },
    { "BinaryDataByteOrderMSB", BIG_ENDIAN_DATA }, { "ElementByteOrderMSB", BIG_ENDIAN_DATA },
    { "CompressedData", COMPRESSED }, { "HeaderSize", HEADER_SIZE }, { "ElementDataFile", DATA_FILE }, { 0 }
};

static const char *const field_name[] = {
    "ObjectType", "NDims", "DimSize", "ElementType", "ElementNumberOfChannels", "ElementSpacing", "ElementSize", "Offset",
    "TransformMatrix", "DistanceUnits", "BinaryData", "BinaryDataByteOrderMSB", "CompressedData", "HeaderSize",
    "ElementDataFile"
};

static const struct { const char *name; int stored; } types[] = {
    { "MET_CHAR", STORED_INT8 }, { "MET_UCHAR", STORED_UINT8 }, { "MET_SHORT", STORED_INT16 },
    { "MET_USHORT", STORED_UINT16 }, { "MET_INT", STORED_INT32 }, { "MET_UINT", STORED_UINT32 },
    { "MET_LONG", STORED_INT32 }, { "MET_ULONG", STORED_UINT32 }, /* 4 bytes on every machine */
    { "MET_LONG_LONG", STORED_INT64 }, { "MET_ULONG_LONG", STORED_UINT64 },
    { "MET_FLOAT", STORED_FLOAT32 }, { "MET_DOUBLE", STORED_FLOAT64 },
};
/* clang-format on */

struct meta {
    struct fields fields;
    struct layout *layout;
    const struct load_desc *desc;
    struct source *source;
    int dims;
    uint64_t size[MAX_DIMS];
    uint64_t header_size; /* bytes before the voxels of each file */
    bool from_end;        /* header_size is -1: the voxels are at the end */
};

static int refuse(const struct meta *meta, enum field f, const char *expected, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: '%s = %.60s' is not %s", meta->fields.file, field_name[f], meta->fields.value[f],
                   expected);
}

/* ---- voxels -------------------------------------------------------------------------------------------------------- */

static int parse_sizes(struct meta *meta, struct err *err)
{
    const char *channels = meta->fields.value[CHANNELS];
    static const uint8_t axis[MAX_DIMS] = { AXIS_X, AXIS_Y, AXIS_Z, AXIS_FRAME };
    static const uint8_t order[AXIS_COUNT] = { AXIS_COMPONENT, AXIS_X, AXIS_Y, AXIS_Z, AXIS_FRAME };
    uint64_t dims;
    if (!fields_sizes(meta->fields.value[NDIMS], &dims, 1) || dims < 2 || dims > MAX_DIMS)
        return refuse(meta, NDIMS, "2, 3 or 4", err);
    meta->dims = (int)dims;
    meta->size[2] = meta->size[3] = 1;
    if (!fields_sizes(meta->fields.value[DIM_SIZE], meta->size, meta->dims))
        return refuse(meta, DIM_SIZE, "as many whole numbers as NDims says", err);
    for (int i = 0; i < MAX_DIMS; i++) meta->layout->size[axis[i]] = meta->size[i];
    if (channels && !fields_sizes(channels, &meta->layout->size[AXIS_COMPONENT], 1))
        return refuse(meta, CHANNELS, "a number", err);
    memcpy(meta->layout->order, order, sizeof order);
    return ERR_NONE;
}

static int parse_type(struct meta *meta, struct err *err)
{
    for (size_t i = 0; i < sizeof types / sizeof *types && !meta->layout->type; i++)
        if (text_same(meta->fields.value[ELEMENT_TYPE], types[i].name)) meta->layout->type = &stored_types[types[i].stored];
    return meta->layout->type ? ERR_NONE : refuse(meta, ELEMENT_TYPE, "MET_UCHAR, MET_SHORT, ... or MET_DOUBLE", err);
}

/* If the field is absent, *answer keeps its value. */
static int parse_bool(const struct meta *meta, enum field f, bool *answer, struct err *err)
{
    const char *value = meta->fields.value[f];
    if (!value) return ERR_NONE;
    *answer = text_same(value, "True") || text_same(value, "T") || text_same(value, "1");
    if (*answer || text_same(value, "False") || text_same(value, "F") || text_same(value, "0")) return ERR_NONE;
    return refuse(meta, f, "True or False", err);
}

static int parse_encoding(struct meta *meta, struct err *err)
{
    struct layout *layout = meta->layout;
    bool binary = true, compressed = false;
    int code = parse_bool(meta, BINARY, &binary, err);
    if (!code) code = parse_bool(meta, COMPRESSED, &compressed, err);
    if (!code) code = parse_bool(meta, BIG_ENDIAN_DATA, &layout->big_endian, err);
    layout->encoding = binary ? ENCODING_BINARY : ENCODING_TEXT;
    layout->compression = compressed ? COMPRESSION_DEFLATE : COMPRESSION_NONE;
    if (binary && layout->type->bytes > 1 && !meta->fields.value[BIG_ENDIAN_DATA])
        text_note(layout->note, "no byte order given; little-endian assumed");
    return code;
}

static int parse_header_size(struct meta *meta, struct err *err)
{
    const char *value = meta->fields.value[HEADER_SIZE];
    meta->from_end = value && !strcmp(value, "-1");
    if (!value) return ERR_NONE;
    if (!meta->from_end)
        return fields_sizes(value, &meta->header_size, 1) ? ERR_NONE : refuse(meta, HEADER_SIZE, "a number or -1", err);
    if (meta->layout->compression || meta->layout->encoding != ENCODING_BINARY || meta->source->partial)
        return refuse(meta, HEADER_SIZE, "possible here: only plain binary data can be found from its end", err);
    return ERR_NONE;
}

/* ---- position in the world ----------------------------------------------------------------------------------------- */

static int parse_spacing(struct meta *meta, double spacing[MAX_DIMS], struct err *err)
{
    const enum field f = meta->fields.value[SPACING] ? SPACING : ELEMENT_SIZE;
    for (int a = 0; a < MAX_DIMS; a++) spacing[a] = 1;
    if (meta->fields.value[f] && !fields_numbers(meta->fields.value[f], spacing, meta->dims))
        return refuse(meta, f, "as many numbers as NDims says", err);
    for (int a = 0; a < 3; a++) {
        if (isinf(spacing[a])) return refuse(meta, f, "finite", err);
        if (spacing[a] != 0 && !isnan(spacing[a])) continue;
        spacing[a] = 1;
        text_note(meta->layout->note, "a spacing is 0 or unknown; 1 assumed");
    }
    return ERR_NONE;
}

/* Each row of the matrix is the direction of an axis. */
static int parse_matrix(struct meta *meta, const double spacing[3], struct err *err)
{
    double matrix[MAX_DIMS * MAX_DIMS] = { 0 };
    const int n = meta->dims;
    for (int i = 0; i < n; i++) matrix[i * (n + 1)] = 1;
    if (meta->fields.value[MATRIX] && !fields_numbers(meta->fields.value[MATRIX], matrix, n * n))
        return refuse(meta, MATRIX, "NDims times NDims numbers", err);
    for (int a = 0; a < 3; a++)
        for (int row = 0; row < 3; row++) {
            const double cosine = a < n && row < n ? matrix[a * n + row] : a == row;
            meta->layout->direction[row][a] = cosine * spacing[a];
        }
    return ERR_NONE;
}

static int parse_world(struct meta *meta, struct err *err)
{
    double spacing[MAX_DIMS], offset[MAX_DIMS] = { 0 };
    const char *units = meta->fields.value[UNITS];
    int code = parse_spacing(meta, spacing, err);
    if (!code) code = parse_matrix(meta, spacing, err);
    if (!code && meta->fields.value[OFFSET] && !fields_numbers(meta->fields.value[OFFSET], offset, meta->dims))
        code = refuse(meta, OFFSET, "as many numbers as NDims says", err);
    memcpy(meta->layout->origin, offset, sizeof meta->layout->origin);
    meta->layout->world = WORLD_LPS;
    if (!units || text_same(units, "mm")) memcpy(meta->layout->unit, "mm", 3);
    else if (text_same(units, "um") || text_same(units, "cm")) memcpy(meta->layout->unit, units, 3);
    return code;
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

/* How many files a list or pattern must name if each holds `each` dimensions. */
static uint64_t files_needed(const struct meta *meta, uint64_t each)
{
    uint64_t files = 1;
    for (int d = (int)each; d < meta->dims; d++)
        if (__builtin_mul_overflow(files, meta->size[d], &files)) return 0;
    return files;
}

static int add_file(struct meta *meta, const char *name, struct err *err)
{
    const struct layout_file file = { name, field_name[DATA_FILE], meta->header_size, meta->desc->anywhere };
    return layout_add_file(meta->layout, meta->source, &file, err);
}

/* "LIST" or "LIST 2D", followed by one name per line. */
static int add_list(struct meta *meta, struct err *err)
{
    const char *after = text_skip(meta->fields.value[DATA_FILE] + 4);
    uint64_t each = (uint64_t)meta->dims - 1, files = 0;
    if (*after && (!text_uint(after, &after, &each) || !each || each > (uint64_t)meta->dims))
        return refuse(meta, DATA_FILE, "LIST and a number of dimensions", err);
    const uint64_t need = files_needed(meta, each);
    for (const char *line = fields_line(&meta->fields); line && files < need; line = fields_line(&meta->fields)) {
        if (!*line) continue;
        const int code = add_file(meta, line, err);
        if (code) return code;
        files++;
    }
    if (files && files == need) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: a list of %llu %s; %llu %s expected", meta->fields.file, (ull)files,
                   text_word(files, "file", "files"), (ull)need, text_word(need, "was", "were"));
}

/* "name%03d.raw first last step". */
static int add_pattern(struct meta *meta, struct err *err)
{
    const char *value = meta->fields.value[DATA_FILE];
    const size_t n = strcspn(value, " \t");
    char pattern[1024], name[1024];
    uint64_t range[3] = { 0, 0, 1 };
    if (n >= sizeof pattern) return refuse(meta, DATA_FILE, "a pattern of at most 1023 characters", err);
    memcpy(pattern, value, n);
    pattern[n] = 0;
    value = text_skip(value + n);
    if ((!fields_sizes(value, range, 2) && !fields_sizes(value, range, 3)) || !range[2] || range[0] > range[1] ||
        range[1] > INT32_MAX)
        return refuse(meta, DATA_FILE, "a pattern, then the first number, the last and the step", err);
    const uint64_t files = (range[1] - range[0]) / range[2] + 1, need = files_needed(meta, (uint64_t)meta->dims - 1);
    if (files != need)
        return err_set(err, ERR_INPUT, "%s: '%.60s' names %llu %s; %llu %s expected", meta->fields.file,
                       meta->fields.value[DATA_FILE], (ull)files, text_word(files, "file", "files"), (ull)need,
                       text_word(need, "was", "were"));
    for (uint64_t i = 0; i < files; i++) {
        if (!numbered_name(name, sizeof name, pattern, (int64_t)(range[0] + i * range[2])))
            return refuse(meta, DATA_FILE, "a pattern with one number such as %03d", err);
        const int code = add_file(meta, name, err);
        if (code) return code;
    }
    return ERR_NONE;
}

/* The voxels of each file are its last bytes. */
static void skip_start(struct layout *layout)
{
    const uint64_t bytes = layout_bytes(layout) / layout->part_count;
    for (size_t i = 0; i < layout->part_count && bytes; i++) {
        struct layout_part *part = &layout->parts[i];
        if (bytes > part->bytes) continue; /* decode_check reports it */
        part->offset += part->bytes - bytes;
        part->bytes = bytes;
    }
}

static int add_data(struct meta *meta, struct err *err)
{
    const char *value = meta->fields.value[DATA_FILE];
    int code;
    if (text_same(value, "LOCAL"))
        code = layout_add_self(meta->layout, meta->source, meta->header_size ? meta->header_size : meta->fields.next, err);
    else if (text_begins(value, "LIST") && (!value[4] || text_skip(value + 4) > value + 4)) code = add_list(meta, err);
    else if (strchr(value, '%')) code = add_pattern(meta, err);
    else code = add_file(meta, value, err);
    if (!code && meta->from_end) skip_start(meta->layout);
    return code;
}

static int parse(struct meta *meta, struct err *err)
{
    static const enum field required[] = { NDIMS, DIM_SIZE, ELEMENT_TYPE, DATA_FILE };
    const char *object = meta->fields.value[OBJECT_TYPE];
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!meta->fields.value[required[i]])
            return err_set(err, ERR_INPUT, "%s: the header has no line '%s = ...'", meta->fields.file,
                           field_name[required[i]]);
    if (object && !text_same(object, "Image")) return refuse(meta, OBJECT_TYPE, "Image; no other object can be read", err);
    int code = parse_sizes(meta, err);
    if (!code) code = parse_type(meta, err);
    if (!code) code = parse_encoding(meta, err);
    if (!code) code = parse_header_size(meta, err);
    if (!code) code = parse_world(meta, err);
    return code ? code : add_data(meta, err);
}

int read_metaimage(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct meta meta = { .layout = layout, .desc = desc, .source = source };
    layout_begin(layout);
    int code = fields_read(&meta.fields, source, known, DATA_FILE, err);
    if (!code) code = parse(&meta, err);
    fields_free(&meta.fields);
    return code;
}
