/* NRRD: a text header, then voxels in the same file (.nrrd) or in another (.nhdr); raw or gzip.
 *
 * Follows teem.sourceforge.net/nrrd/format.html, versions 1 to 5. Refused by name: dimensions other than 3, encodings text,
 * hex and bzip2, and data in several files. The header is read in two steps: its lines are sorted into fields[], then each
 * field is checked, in the order of this file. */
#include "read.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_LENGTH 1e-15 /* of a voxel's edge; beyond, its square would leave float */
#define MAX_LENGTH 1e15

/* The fields that are read; others are ignored. */
enum field {
    TYPE,
    DIMENSION,
    SIZES,
    ENCODING,
    ENDIAN,
    DATA_FILE,
    BYTE_SKIP,
    LINE_SKIP,
    SPACINGS,
    SPACE,
    SPACE_DIMENSION,
    SPACE_DIRECTIONS,
    SPACE_ORIGIN,
    FIELD_COUNT
};

/* Without spaces: "data file" and "datafile" are the same. */
/* clang-format off */
static const char *const field_key[FIELD_COUNT] = {
    "type", "dimension", "sizes", "encoding", "endian", "datafile", "byteskip", "lineskip", "spacings", "space",
    "spacedimension", "spacedirections", "spaceorigin"
};
/* clang-format on */

/* As the format's definition spells them, for messages. */
/* clang-format off */
static const char *const field_name[FIELD_COUNT] = {
    "type", "dimension", "sizes", "encoding", "endian", "data file", "byte skip", "line skip", "spacings", "space",
    "space dimension", "space directions", "space origin"
};
/* clang-format on */

struct nrrd {
    const char *file;                /* for messages */
    char *text;                      /* the header, cut into lines; owned */
    const char *fields[FIELD_COUNT]; /* values, in `text`; NULL: absent */
    uint64_t data_at;                /* where attached data begins */
    struct layout *layout;
    bool skip_from_end; /* byte skip: -1 */
    uint64_t line_skip;
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Lower case, without spaces. */
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
    for (int f = 0; f < FIELD_COUNT; f++) {
        if (strcmp(key, field_key[f])) continue;
        if (nrrd->fields[f]) return err_set(err, ERR_INPUT, "%s: field '%s' appears twice", nrrd->file, field_name[f]);
        nrrd->fields[f] = text_skip(colon + 1);
    }
    return ERR_NONE;
}

/* Cuts trailing white space; a NUL must not hide the rest of the line. */
static void clean_line(char *line, char *end)
{
    while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    *end = 0;
    for (char *p = line; p < end; p++)
        if (!*p) *p = '?';
}

/* Cuts the text into lines up to the empty one, or to the end of a header without data. LF and CRLF end lines; a lone
 * CR does if it ends the first one (old Macintosh files). */
static int parse_lines(struct nrrd *nrrd, size_t size, struct err *err)
{
    char *end = nrrd->text + size, *line = nrrd->text;
    char newline = '\n';
    const char *cr = memchr(line, '\r', size < 16 ? size : 16);
    if (cr && cr + 1 < end && cr[1] != '\n') newline = '\r';
    for (bool first = true; line < end; first = false) {
        char *stop = memchr(line, newline, (size_t)(end - line));
        char *next = stop ? stop + 1 : end;
        clean_line(line, stop ? stop : end); /* the buffer has a byte to spare */
        if (!*line) {
            nrrd->data_at = (uint64_t)(next - nrrd->text);
            return ERR_NONE;
        }
        const int code = first ? ERR_NONE : parse_line(nrrd, line, err);
        if (code) return code;
        if (nrrd->fields[DATA_FILE] && !strncmp(nrrd->fields[DATA_FILE], "LIST", 4)) return ERR_NONE; /* names follow */
        line = next;
    }
    if (size == LAYOUT_MAX_HEADER)
        return err_set(err, ERR_INPUT, "%s: no empty line in the first %zu bytes, so this is no NRRD header", nrrd->file,
                       LAYOUT_MAX_HEADER);
    nrrd->data_at = size;
    return ERR_NONE;
}

static int read_header(struct nrrd *nrrd, struct source *source, struct err *err)
{
    const size_t most = source->size < LAYOUT_MAX_HEADER ? (size_t)source->size : LAYOUT_MAX_HEADER;
    nrrd->text = malloc(most + 1);
    if (!nrrd->text) return err_set(err, ERR_FAILED, "%s: no memory for its header", nrrd->file);
    const size_t size = source_read(source, nrrd->text, most);
    nrrd->text[size] = 0;
    if (size < 9 || memcmp(nrrd->text, "NRRD000", 7) || nrrd->text[7] < '1' || nrrd->text[7] > '5' ||
        (nrrd->text[8] != '\n' && nrrd->text[8] != '\r'))
        return err_set(err, ERR_INPUT, "%s: does not begin with the line NRRD0001 to NRRD0005, so it is no NRRD file",
                       nrrd->file);
    return parse_lines(nrrd, size, err);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static int refuse(const struct nrrd *nrrd, enum field f, const char *expected, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: '%s: %.60s' is not %s", nrrd->file, field_name[f], nrrd->fields[f], expected);
}

static int parse_type(struct nrrd *nrrd, struct err *err)
{
    nrrd->layout->type = stored_type_find(nrrd->fields[TYPE]);
    if (nrrd->layout->type) return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: type '%.40s' is not one of %s", nrrd->file, nrrd->fields[TYPE], stored_type_list());
}

static int parse_sizes(struct nrrd *nrrd, struct err *err)
{
    uint64_t dimension;
    const char *p;
    if (!text_uint(nrrd->fields[DIMENSION], &p, &dimension) || *p) return refuse(nrrd, DIMENSION, "a number", err);
    if (dimension != 3) return refuse(nrrd, DIMENSION, "3; only single volumes can be read", err);
    p = nrrd->fields[SIZES];
    for (int a = 0; a < 3; a++) {
        if (!text_uint(p, &p, &nrrd->layout->size[a]) || (*p && *p != ' ' && *p != '\t') || !nrrd->layout->size[a] ||
            nrrd->layout->size[a] > LAYOUT_MAX_AXIS)
            return refuse(nrrd, SIZES, "three whole numbers from 1 to 2147483647", err);
        p = text_skip(p);
    }
    return *p ? refuse(nrrd, SIZES, "as many numbers as the dimension says (3)", err) : ERR_NONE;
}

static int parse_encoding(struct nrrd *nrrd, struct err *err)
{
    const char *encoding = nrrd->fields[ENCODING], *endian = nrrd->fields[ENDIAN];
    const bool gzip = text_same(encoding, "gzip") || text_same(encoding, "gz");
    nrrd->layout->compression = gzip ? COMPRESSION_DEFLATE : COMPRESSION_NONE;
    if (!gzip && !text_same(encoding, "raw"))
        return refuse(nrrd, ENCODING, "raw or gzip; save it again as one of these (unu save -f nrrd -e gzip)", err);
    if (endian && !text_same(endian, "little") && !text_same(endian, "big"))
        return refuse(nrrd, ENDIAN, "little or big", err);
    nrrd->layout->big_endian = endian && text_same(endian, "big");
    if (!endian && nrrd->layout->type->bytes > 1) text_note(nrrd->layout->note, "no endian field; little-endian assumed");
    return ERR_NONE;
}

static int parse_skips(struct nrrd *nrrd, struct err *err)
{
    const char *bytes = nrrd->fields[BYTE_SKIP], *lines = nrrd->fields[LINE_SKIP], *p;
    nrrd->skip_from_end = bytes && !strcmp(bytes, "-1");
    if (nrrd->skip_from_end && nrrd->layout->compression)
        return refuse(nrrd, BYTE_SKIP, "possible with gzip: only raw data can be found from its end", err);
    if (bytes && !nrrd->skip_from_end && (!text_uint(bytes, &p, &nrrd->layout->skip) || *p))
        return refuse(nrrd, BYTE_SKIP, "a number of bytes, or -1", err);
    if (lines && (!text_uint(lines, &p, &nrrd->line_skip) || *p)) return refuse(nrrd, LINE_SKIP, "a number of lines", err);
    return ERR_NONE;
}

/* ---- position in the world ---------------------------------------------------------------------------------- */

/* Parses "(x, y, z)". Infinities are garbage; NaN is how writers say "not known". */
static bool parse_vector(const char **text, double vector[3])
{
    const char *p = text_skip(*text);
    if (*p++ != '(') return false;
    for (int i = 0; i < 3; i++) {
        if (!text_double(text_skip(p), &p, &vector[i]) || isinf(vector[i])) return false;
        p = text_skip(p);
        if (*p++ != (i < 2 ? ',' : ')')) return false;
    }
    *text = text_skip(p);
    return true;
}

static int parse_directions(struct nrrd *nrrd, struct err *err)
{
    const char *p = nrrd->fields[SPACE_DIRECTIONS];
    if (nrrd->fields[SPACINGS])
        text_note(nrrd->layout->note, "both spacings and space directions; the directions are used");
    for (int a = 0; a < 3; a++) {
        double vector[3];
        if (!parse_vector(&p, vector)) return refuse(nrrd, SPACE_DIRECTIONS, "three vectors like (1,0,0)", err);
        for (int row = 0; row < 3; row++) nrrd->layout->direction[row][a] = vector[row];
    }
    if (*p) return refuse(nrrd, SPACE_DIRECTIONS, "three vectors like (1,0,0) and no more", err);
    return ERR_NONE;
}

static int parse_spacings(struct nrrd *nrrd, struct err *err)
{
    const char *p = nrrd->fields[SPACINGS];
    for (int a = 0; a < 3; a++) {
        double spacing;
        if (!text_double(text_skip(p), &p, &spacing) || (*p && *p != ' ' && *p != '\t'))
            return refuse(nrrd, SPACINGS, "three numbers", err);
        if (isnan(spacing) || spacing == 0) {
            spacing = 1;
            text_note(nrrd->layout->note, "a spacing is 0 or unknown; 1 assumed");
        }
        if (!(fabs(spacing) >= MIN_LENGTH && fabs(spacing) <= MAX_LENGTH))
            return refuse(nrrd, SPACINGS, "three sensible numbers", err);
        nrrd->layout->direction[a][a] = spacing; /* negative: the axis runs backwards */
        p = text_skip(p);
    }
    return *p ? refuse(nrrd, SPACINGS, "as many numbers as the dimension says (3)", err) : ERR_NONE;
}

static int parse_origin(struct nrrd *nrrd, struct err *err)
{
    const char *p = nrrd->fields[SPACE_ORIGIN];
    return parse_vector(&p, nrrd->layout->origin) && !*p ? ERR_NONE
                                                         : refuse(nrrd, SPACE_ORIGIN, "a vector like (0,0,0)", err);
}

static int parse_world(struct nrrd *nrrd, struct err *err)
{
    const char *space = nrrd->fields[SPACE], *dimension = nrrd->fields[SPACE_DIMENSION];
    const size_t n = space ? strlen(space) : 0;
    if (dimension && strcmp(dimension, "3")) return refuse(nrrd, SPACE_DIMENSION, "3", err);
    if (n > 5 && text_same(space + n - 5, "-time")) return refuse(nrrd, SPACE, "a space of 3 dimensions", err);
    int code = ERR_NONE;
    if (nrrd->fields[SPACE_DIRECTIONS]) code = parse_directions(nrrd, err);
    else if (nrrd->fields[SPACINGS]) code = parse_spacings(nrrd, err);
    return code || !nrrd->fields[SPACE_ORIGIN] ? code : parse_origin(nrrd, err);
}

static int parse_fields(struct nrrd *nrrd, struct err *err)
{
    static const enum field required[] = { TYPE, DIMENSION, SIZES, ENCODING };
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        if (!nrrd->fields[required[i]])
            return err_set(err, ERR_INPUT, "%s: the header has no field '%s'", nrrd->file, field_name[required[i]]);
    int code = parse_type(nrrd, err);
    if (!code) code = parse_sizes(nrrd, err);
    if (!code) code = parse_encoding(nrrd, err);
    if (!code) code = parse_skips(nrrd, err);
    if (!code) code = parse_world(nrrd, err);
    return code;
}

/* Makes the file's first axis z and its last x, unless the header has space directions. */
static int reverse_axes(struct nrrd *nrrd, struct err *err)
{
    if (nrrd->fields[SPACE_DIRECTIONS])
        return err_set(err, ERR_USAGE,
                       "%s: its space directions define the axes; --order is for files without them (RAW, "
                       "and NRRD without space directions)",
                       nrrd->file);
    const uint64_t first = nrrd->layout->size[0];
    const double spacing = nrrd->layout->direction[0][0];
    nrrd->layout->size[0] = nrrd->layout->size[2], nrrd->layout->size[2] = first;
    nrrd->layout->direction[0][0] = nrrd->layout->direction[2][2], nrrd->layout->direction[2][2] = spacing;
    nrrd->layout->order[0] = AXIS_Z, nrrd->layout->order[2] = AXIS_X;
    return ERR_NONE;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

static int check_name(const struct nrrd *nrrd, struct err *err)
{
    const char *name = nrrd->fields[DATA_FILE];
    if (!strncmp(name, "LIST", 4))
        return refuse(nrrd, DATA_FILE, "supported: lists of files cannot be read, only a single one", err);
    if (strchr(name, '%'))
        return refuse(nrrd, DATA_FILE, "supported: patterns over several files cannot be read, only a single one", err);
    return ERR_NONE;
}

/* Moves the part past its lines. */
static int skip_lines(struct nrrd *nrrd, const struct source *header, struct layout_part *part, struct err *err)
{
    char piece[4096];
    struct source data;
    uint64_t skipped = 0;
    if (!nrrd->line_skip) return ERR_NONE;
    int code = layout_open_part(nrrd->layout, (size_t)(part - nrrd->layout->parts), header, &data, err);
    if (code) return code;
    for (uint64_t left = nrrd->line_skip; left && !code;) {
        const size_t n = source_read(&data, piece, sizeof piece);
        size_t i = 0;
        while (i < n && left) left -= piece[i++] == '\n';
        skipped += i;
        if (!n)
            code = err_set(err, ERR_INPUT, "%s: line skip is %llu, but the data has only %llu lines", nrrd->file,
                           (unsigned long long)nrrd->line_skip, (unsigned long long)(nrrd->line_skip - left));
    }
    layout_close_part(nrrd->layout, (size_t)(part - nrrd->layout->parts), &data);
    part->offset += skipped;
    part->bytes -= skipped;
    return code;
}

/* Moves the part to its first value. */
static int skip_start(struct nrrd *nrrd, const struct source *header, struct layout_part *part, struct err *err)
{
    if (!nrrd->skip_from_end) return skip_lines(nrrd, header, part, err);
    const uint64_t bytes = layout_bytes(nrrd->layout);
    if (!bytes || bytes > part->bytes) return ERR_NONE; /* too few bytes: decode_check says so */
    part->offset += part->bytes - bytes;
    part->bytes = bytes;
    return ERR_NONE;
}

int read_nrrd(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct nrrd nrrd = { .file = source_name(source), .layout = layout };
    layout_begin(layout);
    int code = read_header(&nrrd, source, err);
    const char *data = nrrd.fields[DATA_FILE];
    if (!code && data) code = check_name(&nrrd, err);
    if (!code) code = parse_fields(&nrrd, err);
    if (!code && desc->z_fastest) code = reverse_axes(&nrrd, err);
    if (!code && data) code = layout_add_file(layout, source, data, field_name[DATA_FILE], 0, desc->anywhere, err);
    else if (!code) code = layout_add_self(layout, source, nrrd.data_at, err);
    if (!code) code = skip_start(&nrrd, source, &layout->parts[0], err);
    free(nrrd.text);
    return code;
}
