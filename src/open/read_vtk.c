/* Legacy VTK: STRUCTURED_POINTS, as text or big-endian binary, versions 1 to 5.
 *
 * Follows VTKFileFormats.pdf and vtkDataReader. The reader goes through all arrays to learn their names, and chooses one.
 * Other data sets are refused by name. */
#include "arrays.h"
#include "bytes.h"
#include "read.h"
#include "scan.h"
#include "text.h"

#include <string.h>

#define MOST_STRINGS 65536 /* in an array that is skipped */

typedef unsigned long long ull; /* for printf */

struct array {
    char name[SCAN_WORD];
    const struct stored_type *type; /* NULL: not numbers */
    uint64_t components, tuples;
    uint64_t at;             /* in the file */
    bool scalars, fractions; /* fractions: of 255 */
};

struct vtk {
    const char *file;
    const struct load_desc *desc;
    struct layout *layout;
    struct scan scan;
    bool binary, partial;
    uint64_t points[3];
    double origin[3], spacing[3];
    uint64_t count;       /* of points or cells in the following arrays; 0: neither */
    bool cells, ends;     /* they are cells; no more arrays can be found */
    char stop[SCAN_WORD]; /* the array or keyword that ended the search; "": the end of the file */
    struct array array;   /* the best one so far */
    bool array_cells;
    int rank; /* of it; 0: none */
    struct array_list names;
};

struct keyword {
    const char *word; /* NULL ends the table */
    int (*parse)(struct vtk *vtk, const struct keyword *keyword, struct err *err);
    uint64_t components; /* of an attribute; 0: given in the file */
};

/* clang-format off */
static const struct {
    const char *name;
    int stored;
} types[] = {
    { "unsigned_char", STORED_UINT8 }, { "char", STORED_INT8 }, { "signed_char", STORED_INT8 },
    { "unsigned_short", STORED_UINT16 }, { "short", STORED_INT16 },
    { "unsigned_int", STORED_UINT32 }, { "int", STORED_INT32 },
    { "unsigned_long", STORED_UINT64 }, { "long", STORED_INT64 }, /* as on 64-bit systems other than Windows */
    { "vtktypeuint64", STORED_UINT64 }, { "vtktypeint64", STORED_INT64 },
    { "unsigned_long_long", STORED_UINT64 }, { "long_long", STORED_INT64 },
    { "vtkidtype", STORED_INT32 }, /* VTK writes it in this size, whatever its size in memory */
    { "float", STORED_FLOAT32 }, { "double", STORED_FLOAT64 },
};
/* clang-format on */

static const struct stored_type *find_type(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (text_same(name, types[i].name)) return &stored_types[types[i].stored];
    return NULL;
}

static int refuse(const struct vtk *vtk, const char *word, const char *expected, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: %.40s is not followed by %s", vtk->file, word, expected);
}

/* VTK writes a space in a name as %20. */
static void decode_name(char *name)
{
    static const char digits[] = "0123456789abcdef";
    char *to = name;
    for (const char *from = name; *from; from++) {
        const char *high = *from == '%' && from[1] ? strchr(digits, from[1] | 0x20) : NULL;
        const char *low = high && from[2] ? strchr(digits, from[2] | 0x20) : NULL;
        const int c = low ? (int)(high - digits) << 4 | (int)(low - digits) : 0;
        if (c) from += 2;
        *to++ = c ? (char)c : *from;
    }
    *to = 0;
}

/* ---- arrays -------------------------------------------------------------------------------------------------------- */

static bool skip_bytes(struct scan *scan, uint64_t n)
{
    uint64_t end;
    return !__builtin_add_overflow(scan_at(scan), n, &end) && scan_seek(scan, end);
}

/* The two highest bits say how many bytes the length has: 8, 4, 2 or 1. The other bits are the length. */
static bool skip_binary_string(struct scan *scan)
{
    const uint64_t at = scan_at(scan);
    uint8_t head[8];
    if (!source_seek(scan->source, at) || source_read(scan->source, head, 1) != 1) return false;
    const size_t n = (size_t)8 >> (head[0] >> 6);
    if (source_read(scan->source, head + 1, n - 1) != n - 1) return false;
    head[0] &= 0x3f;
    return scan_seek(scan, at + n) && skip_bytes(scan, bytes_uint(head, n, true));
}

/* As text, there is one string per line. */
static bool skip_strings(struct vtk *vtk, uint64_t n)
{
    bool fine = n <= MOST_STRINGS;
    for (uint64_t i = 0; i < n && fine; i++)
        fine = vtk->binary ? skip_binary_string(&vtk->scan) : scan_lines(&vtk->scan, 1);
    return fine;
}

static bool skip_bits(struct vtk *vtk, uint64_t n)
{
    return vtk->binary ? skip_bytes(&vtk->scan, n / 8 + (n % 8 > 0)) : scan_skip(&vtk->scan, n);
}

static bool skip_numbers(struct vtk *vtk, const struct stored_type *type, uint64_t n)
{
    uint64_t bytes;
    if (!vtk->binary) return scan_skip(&vtk->scan, n);
    return !__builtin_mul_overflow(n, type->bytes, &bytes) && skip_bytes(&vtk->scan, bytes);
}

/* Skips the values of an array of type `type`, at the scan's position. If they cannot be skipped, the search for arrays
 * ends. */
static void skip_array(struct vtk *vtk, const struct array *array, const char *type)
{
    static const struct {
        const char *name;
        bool (*skip)(struct vtk *vtk, uint64_t n);
    } others[] = { { "string", skip_strings }, { "utf8_string", skip_strings }, { "bit", skip_bits } };
    uint64_t n;
    const bool counts = !__builtin_mul_overflow(array->components, array->tuples, &n);
    bool fine = counts && array->type && skip_numbers(vtk, array->type, n);
    for (size_t i = 0; i < sizeof others / sizeof *others && counts && !array->type; i++)
        if (text_same(type, others[i].name)) fine = others[i].skip(vtk, n);
    vtk->ends = !fine;
    if (!array->type && !fine) memcpy(vtk->stop, array->name, sizeof vtk->stop);
}

/* Ranks an array; the highest is read. The wanted array is first; without one, arrays of points come before those of cells,
 * and scalars come before others. */
static int rank_array(const struct vtk *vtk, const struct array *array)
{
    if (!vtk->count || array->tuples != vtk->count) return 0;
    if (vtk->desc->array) return !strcmp(array->name, vtk->desc->array);
    return array->type ? 1 + 2 * !vtk->cells + array->scalars : 0;
}

/* Adds an array, whose values begin on the next line. */
static int add_array(struct vtk *vtk, struct array *array, const char *type, struct err *err)
{
    decode_name(array->name);
    if (!scan_lines(&vtk->scan, 1))
        return err_set(err, ERR_INPUT, "%s: it ends before the values of array '%.40s'", vtk->file, array->name);
    array->at = scan_at(&vtk->scan);
    const int rank = rank_array(vtk, array);
    if (array->type && vtk->count && array->tuples == vtk->count) arrays_add(&vtk->names, array->name);
    if (rank > vtk->rank && !array->type)
        return err_set(err, ERR_INPUT, "%s: array '%.40s' is of type %.40s; only numbers can be read", vtk->file,
                       array->name, type);
    if (rank > vtk->rank) {
        vtk->rank = rank;
        vtk->array = *array;
        vtk->array_cells = vtk->cells;
    }
    skip_array(vtk, array, type);
    return ERR_NONE;
}

/* "VECTORS name type"; TEXTURE_COORDINATES has the number of components before the type. */
static int parse_attribute(struct vtk *vtk, const struct keyword *keyword, struct err *err)
{
    struct array array = { .components = keyword->components, .tuples = vtk->count };
    char type[SCAN_WORD];
    if (!scan_word(&vtk->scan, array.name) || (!array.components && !scan_uints(&vtk->scan, &array.components, 1)) ||
        !scan_word(&vtk->scan, type))
        return refuse(vtk, keyword->word, "a name and a type", err);
    array.type = find_type(type);
    return add_array(vtk, &array, type, err);
}

/* "SCALARS name type [components]", followed by a line "LOOKUP_TABLE name". */
static int parse_scalars(struct vtk *vtk, const struct keyword *keyword, struct err *err)
{
    struct array array = { .components = 1, .tuples = vtk->count, .scalars = true };
    char type[SCAN_WORD], word[SCAN_WORD];
    if (!scan_word(&vtk->scan, array.name) || !scan_word(&vtk->scan, type))
        return refuse(vtk, keyword->word, "a name and a type", err);
    if (!scan_line_ends(&vtk->scan) && !scan_uints(&vtk->scan, &array.components, 1))
        return refuse(vtk, keyword->word, "a name, a type and a number of components", err);
    if (!scan_word(&vtk->scan, word) || !text_same(word, "LOOKUP_TABLE") || !scan_word(&vtk->scan, word))
        return refuse(vtk, keyword->word, "a line LOOKUP_TABLE with a name", err);
    array.type = find_type(type);
    return add_array(vtk, &array, type, err);
}

/* "COLOR_SCALARS name components": bytes; as text, they are divided by 255. VTK writes all scalars of one byte like
 * this. */
static int parse_colours(struct vtk *vtk, const struct keyword *keyword, struct err *err)
{
    struct array array = { .tuples = vtk->count, .scalars = true, .fractions = !vtk->binary };
    array.type = &stored_types[STORED_UINT8];
    if (!scan_word(&vtk->scan, array.name) || !scan_uints(&vtk->scan, &array.components, 1))
        return refuse(vtk, keyword->word, "a name and a number of components", err);
    return add_array(vtk, &array, "", err);
}

/* "LOOKUP_TABLE name size": colours of four components, not for points. */
static int parse_table(struct vtk *vtk, const struct keyword *keyword, struct err *err)
{
    struct array array = { .components = 4, .type = &stored_types[STORED_UINT8] };
    if (!scan_word(&vtk->scan, array.name) || !scan_uints(&vtk->scan, &array.tuples, 1) || !scan_lines(&vtk->scan, 1))
        return refuse(vtk, keyword->word, "a name and a size", err);
    array.at = scan_at(&vtk->scan);
    skip_array(vtk, &array, "");
    return ERR_NONE;
}

/* Skips lines up to an empty one. */
static void skip_metadata(struct scan *scan)
{
    while (scan_lines(scan, 1) && !scan_line_ends(scan)) continue;
}

/* "FIELD name arrays"; before the values of each array, "name components tuples type". */
static int parse_field(struct vtk *vtk, const struct keyword *keyword, struct err *err)
{
    char word[SCAN_WORD];
    uint64_t arrays;
    int code = ERR_NONE;
    if (!scan_word(&vtk->scan, word) || !scan_uints(&vtk->scan, &arrays, 1))
        return refuse(vtk, keyword->word, "a name and a number of arrays", err);
    while (arrays && !vtk->ends && !code) {
        struct array array = { .scalars = false };
        if (!scan_word(&vtk->scan, array.name)) return refuse(vtk, keyword->word, "as many arrays as it says", err);
        if (text_same(array.name, "METADATA")) { /* of the previous array */
            skip_metadata(&vtk->scan);
            continue;
        }
        if (!scan_uints(&vtk->scan, &array.components, 1) || !scan_uints(&vtk->scan, &array.tuples, 1) ||
            !scan_word(&vtk->scan, word))
            return refuse(vtk, keyword->word, "arrays that have a name, two numbers and a type", err);
        array.type = find_type(word);
        code = add_array(vtk, &array, word, err);
        arrays--;
    }
    return code;
}

static int parse_metadata(struct vtk *vtk, const struct keyword *keyword, struct err *err)
{
    (void)keyword, (void)err;
    skip_metadata(&vtk->scan);
    return ERR_NONE;
}

/* ---- geometry ------------------------------------------------------------------------------------------------------ */

static int parse_dimensions(struct vtk *vtk, const struct keyword *keyword, struct err *err)
{
    return scan_uints(&vtk->scan, vtk->points, 3) ? ERR_NONE : refuse(vtk, keyword->word, "three whole numbers", err);
}

static int parse_spacing(struct vtk *vtk, const struct keyword *keyword, struct err *err)
{
    return scan_doubles(&vtk->scan, vtk->spacing, 3) ? ERR_NONE : refuse(vtk, keyword->word, "three numbers", err);
}

static int parse_origin(struct vtk *vtk, const struct keyword *keyword, struct err *err)
{
    return scan_doubles(&vtk->scan, vtk->origin, 3) ? ERR_NONE : refuse(vtk, keyword->word, "three numbers", err);
}

/* Values along an axis: one per point, or one per cell between two points. An axis with one point has one cell. */
static uint64_t values_along(const struct vtk *vtk, int axis, bool cells)
{
    return vtk->points[axis] - (cells && vtk->points[axis] > 1);
}

/* "POINT_DATA n" or "CELL_DATA n". */
static int parse_count(struct vtk *vtk, const struct keyword *keyword, struct err *err)
{
    uint64_t expected = 1;
    bool fits = true;
    vtk->cells = text_same(keyword->word, "CELL_DATA");
    for (int a = 0; a < 3; a++)
        fits = fits && !__builtin_mul_overflow(expected, values_along(vtk, a, vtk->cells), &expected);
    if (!scan_uints(&vtk->scan, &vtk->count, 1)) return refuse(vtk, keyword->word, "a whole number", err);
    if (fits && vtk->count && vtk->count == expected) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: %s %llu, but DIMENSIONS are %llu %llu %llu", vtk->file, keyword->word,
                   (ull)vtk->count, (ull)vtk->points[0], (ull)vtk->points[1], (ull)vtk->points[2]);
}

/* ---- file ---------------------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct keyword keywords[] = {
    { "DIMENSIONS", parse_dimensions }, { "ORIGIN", parse_origin },
    { "SPACING", parse_spacing }, { "ASPECT_RATIO", parse_spacing },
    { "POINT_DATA", parse_count }, { "CELL_DATA", parse_count },
    { "SCALARS", parse_scalars }, { "COLOR_SCALARS", parse_colours }, { "LOOKUP_TABLE", parse_table },
    { "VECTORS", parse_attribute, 3 }, { "NORMALS", parse_attribute, 3 },
    { "TENSORS", parse_attribute, 9 }, { "TENSORS6", parse_attribute, 6 }, { "TEXTURE_COORDINATES", parse_attribute },
    { "GLOBAL_IDS", parse_attribute, 1 }, { "PEDIGREE_IDS", parse_attribute, 1 }, { "EDGE_FLAGS", parse_attribute, 1 },
    { "FIELD", parse_field }, { "METADATA", parse_metadata },
    { 0 },
};
/* clang-format on */

/* "# vtk DataFile Version 3.0", a title, ASCII or BINARY, and DATASET STRUCTURED_POINTS. */
static int parse_start(struct vtk *vtk, struct err *err)
{
    static const char magic[] = "# vtk DataFile Version ";
    char start[sizeof magic], word[SCAN_WORD];
    const size_t n = source_read(vtk->scan.source, start, sizeof start);
    if (n < sizeof start || memcmp(start, magic, sizeof magic - 1) != 0 || start[n - 1] < '1' || start[n - 1] > '5')
        return err_set(err, ERR_INPUT, "%s: does not begin with '%s' and 1 to 5, so it is not a VTK file", vtk->file,
                       magic);
    scan_begin(&vtk->scan, vtk->scan.source, 0);
    if (!scan_lines(&vtk->scan, 2) || !scan_word(&vtk->scan, word))
        return err_set(err, ERR_INPUT, "%s: the file ends within its first lines", vtk->file);
    vtk->binary = text_same(word, "BINARY");
    if (!vtk->binary && !text_same(word, "ASCII"))
        return err_set(err, ERR_INPUT, "%s: '%.40s' after the title is neither ASCII nor BINARY", vtk->file, word);
    if (!scan_word(&vtk->scan, word) || !text_same(word, "DATASET") || !scan_word(&vtk->scan, word))
        return err_set(err, ERR_INPUT, "%s: no DATASET after its first lines", vtk->file);
    if (text_same(word, "STRUCTURED_POINTS")) return ERR_NONE;
    err_set(err, ERR_INPUT, "%s: the data set is %.40s; only STRUCTURED_POINTS can be read", vtk->file, word);
    err_advise(err, "resample it to image data, as ParaView does, and save it as .vti");
    return ERR_INPUT;
}

/* Handles keywords up to the end of the file, or up to an unknown one. */
static int parse_keywords(struct vtk *vtk, struct err *err)
{
    char word[SCAN_WORD];
    int code = ERR_NONE;
    while (!code && !vtk->ends && scan_word(&vtk->scan, word)) {
        const struct keyword *keyword = keywords;
        while (keyword->word && !text_same(word, keyword->word)) keyword++;
        if (keyword->word) code = keyword->parse(vtk, keyword, vtk->rank && vtk->partial ? NULL : err);
        else {
            memcpy(vtk->stop, word, sizeof word);
            vtk->ends = true;
        }
    }
    return code && vtk->rank && vtk->partial ? ERR_NONE : code; /* only the first bytes of the file were seen */
}

static int set_data(struct vtk *vtk, const struct source *source, struct err *err)
{
    struct layout *layout = vtk->layout;
    const struct array *array = &vtk->array;
    layout->type = array->type;
    layout->big_endian = true;
    layout->encoding = vtk->binary ? ENCODING_BINARY : ENCODING_TEXT;
    layout->trailer = true;
    layout->fractions = array->fractions;
    layout->size[AXIS_COMPONENT] = array->components;
    layout_interleave(layout);
    layout_set_spacing(layout, vtk->spacing);
    for (int a = 0; a < 3; a++) {
        layout->size[a] = values_along(vtk, a, vtk->array_cells);
        layout->origin[a] = vtk->origin[a] + (layout->size[a] < vtk->points[a] ? vtk->spacing[a] / 2 : 0);
    }
    if (vtk->array_cells) text_note(layout->note, "values of cells, placed at their centres");
    if (!vtk->desc->array) arrays_note(&vtk->names, array->name, layout->note);
    if (*vtk->stop) text_note(layout->note, "what follows '%.40s' is not understood", vtk->stop);
    return layout_add_self(layout, source, array->at, err);
}

int read_vtk(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct vtk vtk = { .file = source_name(source), .desc = desc, .layout = layout, .partial = source->partial };
    vtk.scan.source = source;
    for (int a = 0; a < 3; a++) vtk.spacing[a] = 1;
    layout_begin(layout);
    int code = parse_start(&vtk, err);
    if (!code) code = parse_keywords(&vtk, err);
    if (code) return code;
    if (vtk.rank) return set_data(&vtk, source, err);
    if (*vtk.stop) return err_set(err, ERR_INPUT, "%s: unknown word '%.40s' before the first array", vtk.file, vtk.stop);
    if (desc->array) return arrays_refuse(&vtk.names, vtk.file, desc->array, err);
    return err_set(err, ERR_INPUT, "%s: the file has no array of numbers at points or cells", vtk.file);
}
