/* NumPy arrays (.npy), versions 1 to 3: a magic, the length of the header, a Python dictionary, values.
 *
 * Follows numpy.org/doc/stable/reference/generated/numpy.lib.format.html. x is always the axis that varies fastest: the
 * last axis of an array in C order, the first in Fortran order. A fourth, slowest axis becomes frames. Structures, objects,
 * complex numbers, strings, times and long doubles are refused by name. */
#include "read.h"

#include "bytes.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define START 12    /* bytes before the dictionary; version 1 has two fewer */
#define MAX_DIMS 16 /* arrays with more are refused */

enum key { DESCR, FORTRAN, SHAPE, KEY_COUNT };

static const char *const key_name[KEY_COUNT] = { "descr", "fortran_order", "shape" };

struct npy {
    const char *file; /* for messages */
    const char *at;   /* the next character of the dictionary */
    char descr[16];   /* cut; a type that does not fit cannot be read */
    bool fortran;
    uint64_t shape[MAX_DIMS];
    int dims;
    struct layout *layout;
};

/* ---- the dictionary ------------------------------------------------------------------------------------------------ */

static char peek(struct npy *npy)
{
    while (*npy->at == ' ' || *npy->at == '\n' || *npy->at == '\t') npy->at++;
    return *npy->at;
}

static bool take(struct npy *npy, char c)
{
    if (peek(npy) != c) return false;
    npy->at++;
    return true;
}

static bool take_word(struct npy *npy, const char *word)
{
    peek(npy);
    const size_t n = strlen(word);
    if (strncmp(npy->at, word, n) != 0) return false;
    npy->at += n;
    return true;
}

static int expect(const struct npy *npy, const char *what, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: its header has '%.30s' where %s was expected", npy->file, npy->at, what);
}

static int parse_string(struct npy *npy, char *to, size_t capacity, struct err *err)
{
    const char quote = peek(npy), *begin = npy->at + 1;
    const char *end = quote == '\'' || quote == '"' ? strchr(begin, quote) : NULL;
    if (!end) return expect(npy, "a string", err);
    snprintf(to, capacity, "%.*s", (int)(end - begin), begin);
    npy->at = end + 1;
    return ERR_NONE;
}

static int parse_descr(struct npy *npy, struct err *err)
{
    if (peek(npy) == '[') return err_set(err, ERR_INPUT, "%s: an array of structures cannot be read", npy->file);
    return parse_string(npy, npy->descr, sizeof npy->descr, err);
}

static int parse_fortran(struct npy *npy, struct err *err)
{
    npy->fortran = take_word(npy, "True");
    return npy->fortran || take_word(npy, "False") ? ERR_NONE : expect(npy, "True or False", err);
}

/* Parses a tuple: "(3, 4, 5)", "(3,)" for a single number, or "(3L, 4L)" from Python 2. */
static int parse_shape(struct npy *npy, struct err *err)
{
    if (!take(npy, '(')) return expect(npy, "a tuple", err);
    while (!take(npy, ')')) {
        if (npy->dims == MAX_DIMS) return err_set(err, ERR_INPUT, "%s: more than %d axes", npy->file, MAX_DIMS);
        if (!text_uint(npy->at, &npy->at, &npy->shape[npy->dims])) return expect(npy, "a length", err);
        npy->dims++;
        take(npy, 'L');
        if (!take(npy, ',') && peek(npy) != ')') return expect(npy, "a comma", err);
    }
    return ERR_NONE;
}

static int parse_dictionary(struct npy *npy, struct err *err)
{
    static int (*const parse[KEY_COUNT])(struct npy *, struct err *) = { parse_descr, parse_fortran, parse_shape };
    bool seen[KEY_COUNT] = { false };
    if (!take(npy, '{')) return expect(npy, "a dictionary", err);
    while (!take(npy, '}')) {
        char name[16];
        int key = 0, code = parse_string(npy, name, sizeof name, err);
        if (code) return code;
        while (key < KEY_COUNT && strcmp(name, key_name[key]) != 0) key++;
        if (key == KEY_COUNT || seen[key])
            return err_set(err, ERR_INPUT, "%s: its header has the key '%s'%s", npy->file, name,
                           key == KEY_COUNT ? ", which NumPy headers do not have" : " twice");
        seen[key] = true;
        if (!take(npy, ':')) return expect(npy, "a colon", err);
        code = parse[key](npy, err);
        if (code) return code;
        if (!take(npy, ',') && peek(npy) != '}') return expect(npy, "a comma", err);
    }
    if (peek(npy)) return expect(npy, "the end", err);
    for (int key = 0; key < KEY_COUNT; key++)
        if (!seen[key]) return err_set(err, ERR_INPUT, "%s: its header has no key '%s'", npy->file, key_name[key]);
    return ERR_NONE;
}

/* ---- meaning ------------------------------------------------------------------------------------------------------- */

static int find_type(struct npy *npy, struct err *err)
{
    /* clang-format off */
    static const struct { const char *descr; int stored; } types[] = {
        { "b1", STORED_UINT8 }, { "u1", STORED_UINT8 }, { "i1", STORED_INT8 }, { "u2", STORED_UINT16 },
        { "i2", STORED_INT16 }, { "u4", STORED_UINT32 }, { "i4", STORED_INT32 }, { "u8", STORED_UINT64 },
        { "i8", STORED_INT64 }, { "f2", STORED_FLOAT16 }, { "f4", STORED_FLOAT32 }, { "f8", STORED_FLOAT64 },
    };
    static const struct { char kind; const char *name; } refused[] = {
        { 'O', "Python objects" }, { 'c', "complex numbers" }, { 'f', "long doubles" }, { 'S', "strings" },
        { 'a', "strings" }, { 'U', "strings" }, { 'V', "structures" }, { 'M', "times" }, { 'm', "times" },
    };
    /* clang-format on */
    const char *kind = npy->descr + (*npy->descr && strchr("<>|=", *npy->descr) != NULL);
    npy->layout->big_endian = *npy->descr == '>';
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(kind, types[i].descr)) npy->layout->type = &stored_types[types[i].stored];
    if (npy->layout->type) return ERR_NONE;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (*kind == refused[i].kind)
            return err_set(err, ERR_INPUT, "%s: an array of %s, '%s', cannot be read", npy->file, refused[i].name,
                           npy->descr);
    return err_set(err, ERR_INPUT, "%s: '%s' is not a NumPy type", npy->file, npy->descr);
}

static int find_sizes(struct npy *npy, struct err *err)
{
    static const uint8_t axis[] = { AXIS_X, AXIS_Y, AXIS_Z, AXIS_FRAME };
    const int n = npy->dims;
    if (n != 3 && n != 4) {
        err_set(err, ERR_INPUT, "%s: the array has %d %s; expected 3, or 4 with frames", npy->file, n,
                text_word((uint64_t)n, "axis", "axes"));
        err_advise(err, "reshape it, or stack slices with numpy.stack");
        return ERR_INPUT;
    }
    for (int i = 0; i < n; i++) npy->layout->size[axis[i]] = npy->shape[npy->fortran ? i : n - 1 - i];
    if (npy->fortran) text_note(npy->layout->note, "in Fortran order: the first axis is x");
    return ERR_NONE;
}

/* ---- file ---------------------------------------------------------------------------------------------------------- */

/* Reads the dictionary as text. *at: where the values begin. */
static int read_text(const struct npy *npy, struct source *source, char **text, uint64_t *at, struct err *err)
{
    uint8_t start[START];
    const size_t got = source_read(source, start, START);
    if (got < START || memcmp(start, "\x93NUMPY", 6) != 0)
        return err_set(err, ERR_INPUT, "%s: the file does not begin like a NumPy file", npy->file);
    if (start[6] < 1 || start[6] > 3)
        return err_set(err, ERR_INPUT, "%s: NumPy format version %d; only 1 to 3 can be read", npy->file, start[6]);
    const size_t bytes = start[6] == 1 ? 2 : 4;
    const uint64_t length = bytes_uint(start + 8, bytes, false);
    *at = 8 + bytes + length;
    if (length > LAYOUT_MAX_HEADER || *at > source->size)
        return err_set(err, ERR_INPUT, "%s: a header of %llu bytes; the file is cut off, or this is no NumPy file",
                       npy->file, (unsigned long long)length);
    *text = calloc(1, (size_t)length + 1);
    if (!*text) return err_set(err, ERR_FAILED, "%s: not enough memory for its header", npy->file);
    if (!source_seek(source, 8 + bytes) || source_read(source, *text, (size_t)length) < length)
        return err_set(err, ERR_INPUT, "%s: its header cannot be read", npy->file);
    return ERR_NONE;
}

int read_npy(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct npy npy = { .file = source_name(source), .layout = layout };
    char *text = NULL;
    uint64_t at = 0;
    (void)desc;
    layout_begin(layout);
    int code = read_text(&npy, source, &text, &at, err);
    npy.at = text;
    if (!code) code = parse_dictionary(&npy, err);
    if (!code) code = find_type(&npy, err);
    if (!code) code = find_sizes(&npy, err);
    free(text);
    return code ? code : layout_add_self(layout, source, at, err);
}
