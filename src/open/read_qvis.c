/* QVis and Inviwo: a text header (.dat) of lines "Key: value", and a file of voxels that it names.
 *
 * The keys are those that ImageVis3D and Inviwo read. Others are ignored, as both programs do. A sequence of volumes
 * becomes frames. */
#include "read.h"

#include "fields.h"
#include "text.h"

#include <math.h>
#include <string.h>

enum field {
    FILE_NAME,
    RESOLUTION,
    SPACING,
    FORMAT,
    BYTE_ORDER,
    BYTE_OFFSET,
    SEQUENCES,
    MODEL,
    GRID,
    PACKING,
    BASIS_1,
    BASIS_2,
    BASIS_3,
    OFFSET,
    DATA_RANGE,
    VALUE_RANGE
};

/* clang-format off */
static const struct field_spelling known[] = {
    { "ObjectFileName", FILE_NAME }, { "RawFile", FILE_NAME }, { "Resolution", RESOLUTION }, { "Dimensions", RESOLUTION },
    { "SliceThickness", SPACING }, { "Spacing", SPACING }, { "Format", FORMAT },
    { "ByteOrder", BYTE_ORDER }, { "Endianness", BYTE_ORDER }, { "Endianess", BYTE_ORDER },
    { "ByteOffset", BYTE_OFFSET }, { "Sequences", SEQUENCES }, { "ObjectModel", MODEL }, { "GridType", GRID },
    { "Compression", PACKING },
    { "BasisVector1", BASIS_1 }, { "BasisVector2", BASIS_2 }, { "BasisVector3", BASIS_3 }, { "Offset", OFFSET },
    { "DataRange", DATA_RANGE }, { "ValueRange", VALUE_RANGE }, { 0 }
};

static const char *const field_name[] = {
    "ObjectFileName", "Resolution", "SliceThickness", "Format", "ByteOrder", "ByteOffset", "Sequences", "ObjectModel",
    "GridType", "Compression", "BasisVector1", "BasisVector2", "BasisVector3", "Offset", "DataRange", "ValueRange"
};

/* Besides the names that all formats share. */
static const struct { const char *name; int stored; } types[] = {
    { "CHAR", STORED_INT8 }, { "BYTE", STORED_UINT8 }, { "USHORT_12", STORED_UINT16 },
};

static const struct { const char *name; uint64_t components; } models[] = {
    { "DENSITY", 1 }, { "I", 1 }, { "LUMINANCE", 1 }, { "RGB", 3 }, { "RGBA", 4 },
};
/* clang-format on */

struct qvis {
    struct fields fields;
    struct layout *layout;
    uint64_t offset;
};

static int refuse(const struct qvis *qvis, enum field f, const char *expected, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: '%s: %.60s' is not %s", qvis->fields.file, field_name[f], qvis->fields.value[f],
                   expected);
}

static int parse_sizes(struct qvis *qvis, struct err *err)
{
    static const uint8_t order[AXIS_COUNT] = { AXIS_COMPONENT, AXIS_X, AXIS_Y, AXIS_Z, AXIS_FRAME };
    struct layout *layout = qvis->layout;
    const char *sequences = qvis->fields.value[SEQUENCES], *model = qvis->fields.value[MODEL];
    if (!fields_sizes(qvis->fields.value[RESOLUTION], layout->size, 3))
        return refuse(qvis, RESOLUTION, "three whole numbers", err);
    if (sequences && !fields_sizes(sequences, &layout->size[AXIS_FRAME], 1))
        return refuse(qvis, SEQUENCES, "a number", err);
    if (model) layout->size[AXIS_COMPONENT] = 0;
    for (size_t i = 0; model && i < sizeof models / sizeof *models; i++)
        if (text_same(model, models[i].name)) layout->size[AXIS_COMPONENT] = models[i].components;
    if (!layout->size[AXIS_COMPONENT]) return refuse(qvis, MODEL, "DENSITY, RGB or RGBA", err);
    memcpy(layout->order, order, sizeof order);
    return ERR_NONE;
}

static int parse_format(struct qvis *qvis, struct err *err)
{
    struct layout *layout = qvis->layout;
    const char *format = qvis->fields.value[FORMAT], *byte_order = qvis->fields.value[BYTE_ORDER];
    layout->type = stored_type_find(format);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (text_same(format, types[i].name)) layout->type = &stored_types[types[i].stored];
    if (!layout->type) return refuse(qvis, FORMAT, "UCHAR, USHORT, FLOAT or another plain type", err);
    if (!byte_order) {
        if (layout->type->bytes > 1) text_note(layout->note, "no byte order given; little-endian assumed");
        return ERR_NONE;
    }
    layout->big_endian = text_same(byte_order, "big") || text_same(byte_order, "BigEndian");
    if (layout->big_endian || text_same(byte_order, "little") || text_same(byte_order, "LittleEndian")) return ERR_NONE;
    return refuse(qvis, BYTE_ORDER, "little or big", err);
}

static int parse_spacing(struct qvis *qvis, struct err *err)
{
    double spacing[3];
    if (!qvis->fields.value[SPACING]) return ERR_NONE;
    if (!fields_numbers(qvis->fields.value[SPACING], spacing, 3)) return refuse(qvis, SPACING, "three numbers", err);
    for (int a = 0; a < 3; a++) {
        if (isinf(spacing[a])) return refuse(qvis, SPACING, "finite", err);
        if (spacing[a] > 0) continue;
        spacing[a] = 1;
        text_note(qvis->layout->note, "a slice thickness is not positive; 1 assumed");
    }
    layout_set_spacing(qvis->layout, spacing);
    return ERR_NONE;
}

/* Inviwo's vectors are the edges of the whole volume. Its offset is the corner of the volume, half a voxel before the first
 * voxel. */
static int parse_basis(struct qvis *qvis, struct err *err)
{
    struct layout *layout = qvis->layout;
    double edge[3][3], corner[3];
    for (int a = 0; a < 3; a++) {
        const enum field f = (enum field)(BASIS_1 + a);
        if (!qvis->fields.value[f]) return ERR_NONE;
        if (!fields_numbers(qvis->fields.value[f], edge[a], 3)) return refuse(qvis, f, "three numbers", err);
    }
    for (int a = 0; a < 3; a++)
        for (int row = 0; row < 3; row++)
            if (layout->size[a]) layout->direction[row][a] = edge[a][row] / (double)layout->size[a];
    if (!qvis->fields.value[OFFSET]) return ERR_NONE;
    if (!fields_numbers(qvis->fields.value[OFFSET], corner, 3)) return refuse(qvis, OFFSET, "three numbers", err);
    for (int row = 0; row < 3; row++) {
        layout->origin[row] = corner[row];
        for (int a = 0; a < 3; a++) layout->origin[row] += layout->direction[row][a] / 2;
    }
    return ERR_NONE;
}

/* Inviwo's values: the ends of DataRange, stored, stand for those of ValueRange. Without a DataRange it takes the least and
 * the largest stored value, which no header tells. */
static int parse_ranges(struct qvis *qvis, struct err *err)
{
    const char *const *text = qvis->fields.value;
    struct layout *layout = qvis->layout;
    const bool bits_12 = text_same(text[FORMAT], "USHORT_12");
    double stored[2] = { 0, bits_12 ? 4095 : NAN }, value[2];
    if (!text[VALUE_RANGE]) return ERR_NONE;
    if (!fields_numbers(text[VALUE_RANGE], value, 2)) return refuse(qvis, VALUE_RANGE, "two numbers", err);
    if (text[DATA_RANGE] && !fields_numbers(text[DATA_RANGE], stored, 2))
        return refuse(qvis, DATA_RANGE, "two numbers", err);
    const double slope = (value[1] - value[0]) / (stored[1] - stored[0]), intercept = value[0] - slope * stored[0];
    if (isfinite(slope) && slope != 0 && isfinite(intercept)) layout->slope = slope, layout->intercept = intercept;
    else if (!text[DATA_RANGE]) text_note(layout->note, "its ValueRange is ignored, because it has no DataRange");
    else text_note(layout->note, "its DataRange or ValueRange is empty, so both are ignored");
    return ERR_NONE;
}

/* Checks the fields that would change the meaning of the voxels. */
static int parse_others(struct qvis *qvis, struct err *err)
{
    const char *grid = qvis->fields.value[GRID], *packing = qvis->fields.value[PACKING];
    if (grid && !text_same(grid, "EQUIDISTANT") && !text_same(grid, "UNIFORM"))
        return refuse(qvis, GRID, "EQUIDISTANT or UNIFORM", err);
    if (packing && !text_same(packing, "none")) return refuse(qvis, PACKING, "none, and cannot be read", err);
    if (qvis->fields.value[BYTE_OFFSET] && !fields_sizes(qvis->fields.value[BYTE_OFFSET], &qvis->offset, 1))
        return refuse(qvis, BYTE_OFFSET, "a number", err);
    return ERR_NONE;
}

static int parse(struct qvis *qvis, struct err *err)
{
    static const enum field required[] = { FILE_NAME, RESOLUTION, FORMAT };
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!qvis->fields.value[required[i]])
            return err_set(err, ERR_INPUT, "%s: the header has no line '%s: ...'", qvis->fields.file,
                           field_name[required[i]]);
    int code = parse_sizes(qvis, err);
    if (!code) code = parse_format(qvis, err);
    if (!code) code = parse_spacing(qvis, err);
    if (!code) code = parse_basis(qvis, err);
    if (!code) code = parse_ranges(qvis, err);
    return code ? code : parse_others(qvis, err);
}

int read_qvis(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct qvis qvis = { .layout = layout };
    layout_begin(layout);
    int code = fields_read(&qvis.fields, source, known, -1, err);
    if (!code) code = parse(&qvis, err);
    const struct layout_file file = { qvis.fields.value[FILE_NAME], field_name[FILE_NAME], qvis.offset, desc->anywhere };
    if (!code) code = layout_add_file(layout, source, &file, err);
    fields_free(&qvis.fields);
    return code;
}
