/* DX: scalar grids of OpenDX, as written by APBS, Chimera and VMD. z varies fastest. Values are text or binary, in the same
 * file or in another.
 *
 * Any number of objects may come before the array that is read. The grid's positions are needed, its connections are
 * skipped, and other classes are refused by name (OpenDX User's Guide, appendix B). */
#include "read.h"
#include "scan.h"
#include "text.h"

#include <string.h>

typedef unsigned long long ull; /* for printf */

struct dx {
    const char *file;
    struct layout *layout;
    const struct load_desc *desc;
    struct scan scan;
    uint64_t points[3]; /* 0: not known yet */
    double origin[3], delta[3][3];
    int deltas;
    uint64_t items, rank, shape;
    bool ordered; /* the byte order was given */
    bool found;   /* the array was found */
};

struct keyword {
    const char *word; /* NULL ends the table */
    int (*parse)(struct dx *dx, const char *word, struct err *err);
};

static int follow(const struct keyword *keyword, struct dx *dx, const char *word, struct err *err)
{
    while (keyword->word && !text_same(keyword->word, word)) keyword++;
    if (keyword->word) return keyword->parse(dx, word, err);
    return err_set(err, ERR_INPUT, "%s: unknown word '%.40s' before the values of an OpenDX grid", dx->file, word);
}

static int refuse(const struct dx *dx, const char *word, const char *expected, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: '%.40s' is not followed by %s", dx->file, word, expected);
}

static int skip_line(struct dx *dx, const char *word, struct err *err)
{
    return scan_lines(&dx->scan, 1) ? ERR_NONE : refuse(dx, word, "a whole line", err);
}

/* ---- positions ----------------------------------------------------------------------------------------------------- */

static int parse_positions(struct dx *dx, const char *word, struct err *err)
{
    char counts[SCAN_WORD];
    if (scan_word(&dx->scan, counts) && text_same(counts, "counts") && scan_uints(&dx->scan, dx->points, 3) &&
        scan_line_ends(&dx->scan))
        return ERR_NONE;
    return refuse(dx, word, "'counts' and three whole numbers", err);
}

static int parse_origin(struct dx *dx, const char *word, struct err *err)
{
    return scan_doubles(&dx->scan, dx->origin, 3) ? ERR_NONE : refuse(dx, word, "three numbers", err);
}

static int parse_delta(struct dx *dx, const char *word, struct err *err)
{
    if (dx->deltas == 3) return err_set(err, ERR_INPUT, "%s: more than three lines of delta", dx->file);
    return scan_doubles(&dx->scan, dx->delta[dx->deltas++], 3) ? ERR_NONE : refuse(dx, word, "three numbers", err);
}

/* ---- array --------------------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *name;
    int plain, with_unsigned; /* -1: does not exist */
} types[] = {
    { "byte", STORED_UINT8, STORED_UINT8 }, { "short", STORED_INT16, STORED_UINT16 }, { "int", STORED_INT32, STORED_UINT32 },
    { "float", STORED_FLOAT32, -1 }, { "double", STORED_FLOAT64, -1 },
};
/* clang-format on */

/* Reads a word and removes the quotes that GridDataFormats puts around types. */
static bool scan_unquoted(struct scan *scan, char word[SCAN_WORD])
{
    if (!scan_word(scan, word)) return false;
    if (word[0] == '"') memmove(word, word + 1, strlen(word));
    const size_t n = strlen(word);
    if (n && word[n - 1] == '"') word[n - 1] = 0;
    return true;
}

/* Parses "double", "unsigned short", "signed byte", ... */
static int parse_type(struct dx *dx, const char *word, struct err *err)
{
    char name[SCAN_WORD];
    int stored = -1;
    bool fine = scan_unquoted(&dx->scan, name);
    const bool with_signed = text_same(name, "signed"), with_unsigned = text_same(name, "unsigned");
    if (with_signed || with_unsigned) fine = scan_unquoted(&dx->scan, name);
    for (size_t i = 0; i < sizeof types / sizeof *types && fine; i++)
        if (text_same(name, types[i].name)) stored = with_unsigned ? types[i].with_unsigned : types[i].plain;
    if (with_signed && stored == STORED_UINT8) stored = STORED_INT8;
    if (stored < 0)
        return err_set(err, ERR_INPUT, "%s: %s '%.40s' is not byte, short, int, float or double", dx->file, word, name);
    dx->layout->type = &stored_types[stored];
    return ERR_NONE;
}

static int parse_category(struct dx *dx, const char *word, struct err *err)
{
    char category[SCAN_WORD];
    if (scan_word(&dx->scan, category) && text_same(category, "real")) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: %s '%.40s'; only real values can be read", dx->file, word, category);
}

static int parse_number(struct dx *dx, const char *word, struct err *err)
{
    uint64_t *to = text_same(word, "items") ? &dx->items : text_same(word, "rank") ? &dx->rank : &dx->shape;
    return scan_uints(&dx->scan, to, 1) ? ERR_NONE : refuse(dx, word, "a whole number", err);
}

static int set_order(struct dx *dx, const char *word, struct err *err)
{
    (void)err;
    dx->ordered = true;
    dx->layout->big_endian = !text_same(word, "lsb");
    return ERR_NONE;
}

static int set_binary(struct dx *dx, const char *word, struct err *err)
{
    dx->layout->encoding = ENCODING_BINARY;
    return text_same(word, "xdr") ? set_order(dx, word, err) : ERR_NONE;
}

static int set_text(struct dx *dx, const char *word, struct err *err)
{
    (void)word, (void)err;
    dx->layout->encoding = ENCODING_TEXT;
    return ERR_NONE;
}

/* "follows": the values begin on the next line. */
static int data_follows(struct dx *dx, const char *word, struct err *err)
{
    const int code = skip_line(dx, word, err);
    dx->found = true;
    return code ? code : layout_add_self(dx->layout, dx->scan.source, scan_at(&dx->scan), err);
}

/* "file name" or "file name,offset". */
static int data_in_file(struct dx *dx, const char *word, struct err *err)
{
    char name[SCAN_WORD];
    uint64_t offset = 0;
    if (!scan_word(&dx->scan, name)) return refuse(dx, word, "a name", err);
    char *comma = strrchr(name, ',');
    const char *end;
    if (comma && (!text_uint(comma + 1, &end, &offset) || *end))
        return refuse(dx, word, "a name, a comma and a number of bytes", err);
    if (comma) *comma = 0;
    dx->found = true;
    const struct layout_file file = { name, "data file", offset, dx->desc->anywhere };
    return layout_add_file(dx->layout, dx->scan.source, &file, err);
}

static int pass(struct dx *dx, const char *word, struct err *err) { return (void)dx, (void)word, (void)err, ERR_NONE; }

/* How values are stored may be said before or after `data`. */
static const struct keyword array_words[] = {
    { "type", parse_type },    { "category", parse_category }, { "rank", parse_number }, { "shape", parse_number },
    { "items", parse_number }, { "msb", set_order },           { "lsb", set_order },     { "ieee", set_binary },
    { "binary", set_binary },  { "xdr", set_binary },          { "ascii", set_text },    { "text", set_text },
    { "data", pass },          { "follows", data_follows },    { "file", data_in_file }, { 0 },
};

static int check_array(const struct dx *dx, struct err *err)
{
    uint64_t points = 1;
    bool fits = true;
    for (int a = 0; a < 3; a++) fits = fits && !__builtin_mul_overflow(points, dx->points[a], &points);
    if (dx->deltas < 3)
        return err_set(err, ERR_INPUT, "%s: its array comes before the counts and deltas of a 3D grid", dx->file);
    if (dx->rank > 1)
        return err_set(err, ERR_INPUT, "%s: its values have rank %llu; only scalars and vectors can be read", dx->file,
                       (ull)dx->rank);
    if (!fits || points != dx->items)
        return err_set(err, ERR_INPUT, "%s: %llu %s for counts of %llu %llu %llu", dx->file, (ull)dx->items,
                       text_word(dx->items, "item", "items"), (ull)dx->points[0], (ull)dx->points[1], (ull)dx->points[2]);
    return ERR_NONE;
}

static int parse_array(struct dx *dx, const char *word, struct err *err)
{
    char next[SCAN_WORD];
    int code = ERR_NONE;
    while (!dx->found && !code) {
        if (!scan_word(&dx->scan, next)) return refuse(dx, word, "'data follows' or 'data file'", err);
        code = follow(array_words, dx, next, err);
    }
    return code ? code : check_array(dx, err);
}

/* ---- objects ------------------------------------------------------------------------------------------------------- */

static const struct keyword classes[] = {
    { "gridpositions", parse_positions }, { "gridconnections", skip_line }, { "array", parse_array }, { 0 }
};

/* Parses "object 1 class array", "object "the grid" class gridpositions". */
static int parse_object(struct dx *dx, const char *word, struct err *err)
{
    char next[SCAN_WORD];
    bool more = scan_word(&dx->scan, next);
    const bool quoted = *next == '"' && (!next[1] || next[strlen(next) - 1] != '"');
    while (quoted && more && (more = scan_word(&dx->scan, next)) && next[strlen(next) - 1] != '"') continue;
    if (!more || !scan_word(&dx->scan, next) || !text_same(next, "class") || !scan_word(&dx->scan, next))
        return refuse(dx, word, "a name and a class", err);
    return follow(classes, dx, next, err);
}

static const struct keyword statements[] = {
    { "object", parse_object }, { "origin", parse_origin }, { "delta", parse_delta }, { "attribute", skip_line }, { 0 }
};

int read_dx(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    static const uint8_t order[] = { AXIS_Z, AXIS_Y, AXIS_X, AXIS_COMPONENT, AXIS_FRAME };
    struct dx dx = { .file = source_name(source), .layout = layout, .desc = desc, .shape = 1 };
    char word[SCAN_WORD];
    int code = ERR_NONE;
    layout_begin(layout);
    layout->type = &stored_types[STORED_FLOAT32];
    layout->encoding = ENCODING_TEXT;
    layout->trailer = true;
    layout->density = true;
    scan_begin(&dx.scan, source, '#');
    while (!code && !dx.found) {
        if (!scan_word(&dx.scan, word)) return err_set(err, ERR_INPUT, "%s: the file has no array of values", dx.file);
        code = follow(statements, &dx, word, err);
    }
    if (code) return code;
    for (int a = 0; a < 3; a++) {
        layout->size[a] = dx.points[a];
        layout->origin[a] = dx.origin[a];
        for (int row = 0; row < 3; row++) layout->direction[row][a] = dx.delta[a][row];
    }
    memcpy(layout->order, order, sizeof order);
    layout->size[AXIS_COMPONENT] = dx.rank ? dx.shape : 1;
    layout_interleave(layout);
    if (layout->encoding == ENCODING_BINARY && layout->type->bytes > 1 && !dx.ordered)
        text_note(layout->note, "no byte order given; little-endian assumed");
    return ERR_NONE;
}
