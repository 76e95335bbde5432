/* NRRD: a text header, then voxels in the same file (.nrrd) or in others (.nhdr).
 *
 * Follows teem.sourceforge.net/nrrd/format.html, versions 1 to 5. The header is read in two steps: its lines are sorted
 * into fields[], then each field is checked. Fields that the picture does not need (measurement frame, thicknesses, labels,
 * old min...) are ignored. */
#include "nrrd.h"
#include "read.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `key` has no spaces, because "data file" and "datafile" are the same. `name` is the spelling of the format's
 * definition. */
static const struct {
    const char *key, *also, *name;
} fields[NRRD_FIELD_COUNT] = {
    [NRRD_TYPE] = { "type", "", "type" },
    [NRRD_DIMENSION] = { "dimension", "", "dimension" },
    [NRRD_SIZES] = { "sizes", "", "sizes" },
    [NRRD_ENCODING] = { "encoding", "", "encoding" },
    [NRRD_ENDIAN] = { "endian", "", "endian" },
    [NRRD_DATA_FILE] = { "datafile", "", "data file" },
    [NRRD_BYTE_SKIP] = { "byteskip", "", "byte skip" },
    [NRRD_LINE_SKIP] = { "lineskip", "", "line skip" },
    [NRRD_KINDS] = { "kinds", "", "kinds" },
    [NRRD_SPACINGS] = { "spacings", "", "spacings" },
    [NRRD_AXIS_MINS] = { "axismins", "", "axis mins" },
    [NRRD_AXIS_MAXS] = { "axismaxs", "", "axis maxs" },
    [NRRD_CENTERS] = { "centers", "centerings", "centers" },
    [NRRD_UNITS] = { "units", "", "units" },
    [NRRD_SPACE] = { "space", "", "space" },
    [NRRD_SPACE_DIMENSION] = { "spacedimension", "", "space dimension" },
    [NRRD_SPACE_UNITS] = { "spaceunits", "", "space units" },
    [NRRD_SPACE_DIRECTIONS] = { "spacedirections", "", "space directions" },
    [NRRD_SPACE_ORIGIN] = { "spaceorigin", "", "space origin" },
};

int nrrd_refuse(const struct nrrd *nrrd, enum nrrd_field f, const char *expected, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: '%s: %.60s' is not %s", nrrd->file, fields[f].name, nrrd->fields[f], expected);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Converts to lower case and removes spaces. */
static void make_key(char *key, size_t capacity, const char *name, size_t n)
{
    size_t length = 0;
    for (size_t i = 0; i < n && length + 1 < capacity; i++)
        if (name[i] != ' ' && name[i] != '\t')
            key[length++] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
    key[length] = 0;
}

static int parse_line(struct nrrd *nrrd, char *line, struct err *err)
{
    if (*line == '#') return ERR_NONE;
    const char *colon = strchr(line, ':');
    if (!colon)
        return err_set(err, ERR_INPUT, "%s: header line '%.40s' is neither 'field: value' nor 'key:=value'", nrrd->file,
                       line);
    if (colon[1] == '=') return ERR_NONE;
    char key[32];
    make_key(key, sizeof key, line, (size_t)(colon - line));
    for (int f = 0; f < NRRD_FIELD_COUNT; f++) {
        if (!*key || (strcmp(key, fields[f].key) != 0 && strcmp(key, fields[f].also) != 0)) continue;
        if (nrrd->fields[f]) return err_set(err, ERR_INPUT, "%s: field '%s' appears twice", nrrd->file, fields[f].name);
        nrrd->fields[f] = text_skip(colon + 1);
    }
    return ERR_NONE;
}

void nrrd_clean_line(char *line, char *end)
{
    while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    *end = 0;
    for (char *p = line; p < end; p++)
        if (!*p) *p = '?';
}

/* Whether the names of the data files follow, one per line, up to the end of the file. */
static bool names_follow(const struct nrrd *nrrd)
{
    const char *value = nrrd->fields[NRRD_DATA_FILE];
    return value && text_begins(value, "LIST") && (!value[4] || value[4] == ' ' || value[4] == '\t');
}

/* Cuts the text into lines, up to the empty line or to the end of a header without data. Lines end with LF or CRLF, or with
 * CR alone if the first line does (old Macintosh files). */
static int parse_lines(struct nrrd *nrrd, size_t size, struct err *err)
{
    char *end = nrrd->end, *line = nrrd->text;
    char newline = '\n';
    const char *cr = memchr(line, '\r', size < 16 ? size : 16);
    if (cr && cr + 1 < end && cr[1] != '\n') newline = '\r';
    for (bool first = true; line < end; first = false) {
        char *stop = memchr(line, newline, (size_t)(end - line));
        char *next = stop ? stop + 1 : end;
        nrrd_clean_line(line, stop ? stop : end); /* the buffer has a spare byte */
        if (!*line) {
            nrrd->data_at = (uint64_t)(next - nrrd->text);
            return ERR_NONE;
        }
        const int code = first ? ERR_NONE : parse_line(nrrd, line, err);
        if (code) return code;
        line = next;
        if (names_follow(nrrd)) {
            nrrd->names = line;
            break;
        }
    }
    if (size == LAYOUT_MAX_HEADER)
        return err_set(err, ERR_INPUT, "%s: no empty line in the first %zu bytes, so this is not an NRRD header",
                       nrrd->file, LAYOUT_MAX_HEADER);
    nrrd->data_at = size;
    return ERR_NONE;
}

static int read_header(struct nrrd *nrrd, struct source *source, struct err *err)
{
    const size_t most = source->size < LAYOUT_MAX_HEADER ? (size_t)source->size : LAYOUT_MAX_HEADER;
    nrrd->text = malloc(most + 1);
    if (!nrrd->text) return err_set(err, ERR_FAILED, "%s: not enough memory for its header", nrrd->file);
    const size_t size = source_read(source, nrrd->text, most);
    nrrd->end = nrrd->text + size;
    *nrrd->end = 0;
    if (size < 9 || memcmp(nrrd->text, "NRRD000", 7) || nrrd->text[7] < '1' || nrrd->text[7] > '5' ||
        (nrrd->text[8] != '\n' && nrrd->text[8] != '\r'))
        return err_set(err, ERR_INPUT, "%s: does not begin with the line NRRD0001 to NRRD0005, so it is not an NRRD file",
                       nrrd->file);
    return parse_lines(nrrd, size, err);
}

/* ---- values of fields -------------------------------------------------------------------------------------------- */

bool nrrd_word(const char **text, char *word, size_t capacity)
{
    const char *p = text_skip(*text);
    const bool quoted = *p == '"';
    size_t length = 0;
    if (!*p) return false;
    for (p += quoted; *p && (quoted ? *p != '"' : *p != ' ' && *p != '\t'); p++)
        if (length + 1 < capacity) word[length++] = *p;
    word[length] = 0;
    *text = text_skip(p + (quoted && *p));
    return true;
}

int nrrd_numbers(const struct nrrd *nrrd, enum nrrd_field f, double to[NRRD_MAX_AXES], struct err *err)
{
    const char *p = nrrd->fields[f];
    for (int a = 0; a < NRRD_MAX_AXES; a++) to[a] = NAN;
    for (int a = 0; p && a < nrrd->dimension; a++) {
        if (!text_double(text_skip(p), &p, &to[a]) || (*p && *p != ' ' && *p != '\t'))
            return nrrd_refuse(nrrd, f, "a number for each axis", err);
    }
    return p && *text_skip(p) ? nrrd_refuse(nrrd, f, "as many numbers as the dimension says", err) : ERR_NONE;
}

static int parse_type(struct nrrd *nrrd, struct err *err)
{
    nrrd->layout->type = stored_type_find(nrrd->fields[NRRD_TYPE]);
    if (nrrd->layout->type) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: type '%.40s' is not one of %s", nrrd->file, nrrd->fields[NRRD_TYPE],
                   stored_type_list());
}

static int parse_endian(struct nrrd *nrrd, struct err *err)
{
    const char *endian = nrrd->fields[NRRD_ENDIAN];
    struct layout *layout = nrrd->layout;
    if (endian && !text_same(endian, "little") && !text_same(endian, "big"))
        return nrrd_refuse(nrrd, NRRD_ENDIAN, "little or big", err);
    layout->big_endian = endian && text_same(endian, "big");
    if (!endian && layout->type->bytes > 1 && layout->encoding != ENCODING_TEXT)
        text_note(layout->note, "no endian field; little-endian assumed");
    return ERR_NONE;
}

static int parse_encoding(struct nrrd *nrrd, struct err *err)
{
    static const struct {
        const char *name;
        enum encoding encoding;
        enum compression compression;
    } encodings[] = {
        { "raw", ENCODING_BINARY, COMPRESSION_NONE },   { "gzip", ENCODING_BINARY, COMPRESSION_DEFLATE },
        { "gz", ENCODING_BINARY, COMPRESSION_DEFLATE }, { "bzip2", ENCODING_BINARY, COMPRESSION_BZIP2 },
        { "bz2", ENCODING_BINARY, COMPRESSION_BZIP2 },  { "ascii", ENCODING_TEXT, COMPRESSION_NONE },
        { "text", ENCODING_TEXT, COMPRESSION_NONE },    { "txt", ENCODING_TEXT, COMPRESSION_NONE },
        { "hex", ENCODING_HEX, COMPRESSION_NONE },
    };
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++) {
        if (!text_same(nrrd->fields[NRRD_ENCODING], encodings[i].name)) continue;
        nrrd->layout->encoding = encodings[i].encoding;
        nrrd->layout->compression = encodings[i].compression;
        return parse_endian(nrrd, err);
    }
    return nrrd_refuse(nrrd, NRRD_ENCODING, "raw, gzip, bzip2, ascii or hex", err);
}

static int parse_fields(struct nrrd *nrrd, const struct load_desc *desc, struct err *err)
{
    static const enum nrrd_field required[] = { NRRD_TYPE, NRRD_DIMENSION, NRRD_SIZES, NRRD_ENCODING };
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        if (!nrrd->fields[required[i]])
            return err_set(err, ERR_INPUT, "%s: the header has no field '%s'", nrrd->file, fields[required[i]].name);
    int code = parse_type(nrrd, err);
    if (!code) code = parse_encoding(nrrd, err);
    if (!code) code = nrrd_parse_axes(nrrd, desc->z_fastest, err);
    if (!code) code = nrrd_parse_world(nrrd, err);
    return code;
}

int read_nrrd(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct nrrd nrrd = { .file = source_name(source), .layout = layout };
    layout_begin(layout);
    int code = read_header(&nrrd, source, err);
    if (!code) code = parse_fields(&nrrd, desc, err);
    if (!code) code = nrrd_add_data(&nrrd, source, desc->anywhere, err);
    free(nrrd.text);
    return code;
}
