/* Where the values of a NRRD file are: after its header, in a file, in a list of files, or in files numbered by a pattern.
 * Several files follow one another along the slowest axes. */
#include "nrrd.h"
#include "numbered.h"
#include "text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull; /* for printf */

/* ---- files ----------------------------------------------------------------------------------------------------------- */

static int add_file(struct nrrd *nrrd, const struct source *header, const char *name, bool anywhere, struct err *err)
{
    const struct layout_file file = { .name = name, .field = "data file", .anywhere = anywhere };
    return layout_add_file(nrrd->layout, header, &file, err);
}

/* Checks the number of files. There must be one per slice of `subdim` dimensions. If that is the dimension of all data, the
 * files must divide it into equal parts. Without `subdim` (0), a file holds one step along the slowest axis. */
static int check_count(const struct nrrd *nrrd, uint64_t count, uint64_t subdim, struct err *err)
{
    const uint64_t dimension = (uint64_t)nrrd->dimension, slowest = nrrd->axes[dimension - 1].size;
    uint64_t expected = 1;
    if (!subdim) subdim = dimension - 1;
    if (subdim == dimension && count && slowest % count == 0) return ERR_NONE;
    for (uint64_t a = subdim; a < dimension; a++)
        if (__builtin_mul_overflow(expected, nrrd->axes[a].size, &expected)) expected = UINT64_MAX;
    if (subdim < dimension && count == expected) return ERR_NONE;
    return subdim == dimension
               ? err_set(err, ERR_INPUT, "%s: %llu data files cannot share %llu %s equally", nrrd->file, (ull)count,
                         (ull)slowest, text_word(slowest, "slice", "slices"))
               : err_set(err, ERR_INPUT, "%s: the number of its data files is %llu; expected %llu of %llu dimensions",
                         nrrd->file, (ull)count, (ull)expected, (ull)subdim);
}

/* Parses the dimension of the values in each file, which comes last in the field; 0: not given. */
static bool parse_subdim(const struct nrrd *nrrd, const char *text, uint64_t *subdim)
{
    const char *p = text_skip(text);
    *subdim = 0;
    if (!*p) return true;
    return text_uint(p, &p, subdim) && !*p && *subdim >= 1 && *subdim <= (uint64_t)nrrd->dimension;
}

/* The end of the line, at its newline or at `end`. */
static char *line_end(char *line, char *end)
{
    char *stop = memchr(line, '\n', (size_t)(end - line));
    return stop ? stop : end;
}

/* Adds the files of a list: one name per line, up to the end of the header. Empty lines may follow. */
static int add_list(struct nrrd *nrrd, const struct source *header, bool anywhere, struct err *err)
{
    char *end = nrrd->end, *stop;
    uint64_t subdim, count = 0;
    if (!parse_subdim(nrrd, nrrd->fields[NRRD_DATA_FILE] + 4, &subdim))
        return nrrd_refuse(nrrd, NRRD_DATA_FILE, "LIST and the dimension of the data in each file", err);
    while (end > nrrd->names && strchr(" \t\r\n", end[-1])) end--;
    for (char *line = nrrd->names; line < end; line = line_end(line, end) + 1) count++;
    int code = check_count(nrrd, count, subdim, err);
    for (char *line = nrrd->names; line < end && !code; line = stop + 1) {
        stop = line_end(line, end);
        nrrd_clean_line(line, stop);
        code = add_file(nrrd, header, text_skip(line), anywhere, err);
    }
    return code;
}

/* Whether the value is a word with a percent sign, followed by numbers. Both are required, because a file's name may have
 * either. */
static bool is_pattern(const char *value)
{
    const size_t word = strcspn(value, " \t");
    const char *rest = text_skip(value + word);
    return memchr(value, '%', word) && *rest && !rest[strspn(rest, "0123456789+- \t")];
}

static bool parse_int(const char **text, int64_t *value)
{
    const char *p = text_skip(*text);
    const bool minus = *p == '-';
    uint64_t magnitude;
    if (!text_uint(p + (minus || *p == '+'), text, &magnitude) || magnitude > INT32_MAX) return false;
    *value = minus ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* Adds the files of "PATTERN MIN MAX STEP [SUBDIM]". */
static int add_numbered(struct nrrd *nrrd, const struct source *header, bool anywhere, struct err *err)
{
    const char *value = nrrd->fields[NRRD_DATA_FILE], *p = value + strcspn(value, " \t");
    char pattern[PATH_MAX], name[PATH_MAX];
    int64_t min, max, step;
    uint64_t subdim;
    if (p - value >= PATH_MAX) return err_set(err, ERR_INPUT, "%s: the path of its data files is too long", nrrd->file);
    memcpy(pattern, value, (size_t)(p - value));
    pattern[p - value] = 0;
    if (!parse_int(&p, &min) || !parse_int(&p, &max) || !parse_int(&p, &step) || !parse_subdim(nrrd, p, &subdim) || !step)
        return nrrd_refuse(nrrd, NRRD_DATA_FILE, "a pattern with first number, last number and step", err);
    const int64_t way = step < 0 ? min - max : max - min, count = way < 0 ? 0 : way / llabs(step) + 1;
    int code = check_count(nrrd, (uint64_t)count, subdim, err);
    for (int64_t i = 0; i < count && !code; i++) {
        if (!numbered_name(name, sizeof name, pattern, min + i * step))
            return nrrd_refuse(nrrd, NRRD_DATA_FILE, "a pattern with one number, such as slice%03d.raw 1 20 1", err);
        code = add_file(nrrd, header, name, anywhere, err);
    }
    return code;
}

/* ---- what is to be skipped ------------------------------------------------------------------------------------------- */

/* Moves the part past `lines` lines of the file, counted before it is uncompressed. */
static int skip_lines(struct nrrd *nrrd, const struct source *header, size_t i, uint64_t lines, struct err *err)
{
    struct layout_part *part = &nrrd->layout->parts[i];
    char piece[4096];
    struct source data;
    uint64_t skipped = 0;
    int code = layout_open_part(nrrd->layout, i, header, &data, err);
    if (code) return code;
    for (uint64_t left = lines; left && !code;) {
        const size_t n = source_read(&data, piece, sizeof piece);
        size_t at = 0;
        while (at < n && left) left -= piece[at++] == '\n';
        skipped += at;
        if (!n)
            code = err_set(err, ERR_INPUT, "%s: line skip is %llu, but the data has only %llu %s", nrrd->file, (ull)lines,
                           (ull)(lines - left), text_word(lines - left, "line", "lines"));
    }
    layout_close_part(nrrd->layout, i, &data);
    part->offset += skipped;
    part->bytes -= skipped;
    return code;
}

/* Moves the part to its last `bytes` bytes. If it has fewer, decode_check reports it. */
static void skip_to_end(struct layout_part *part, uint64_t bytes)
{
    if (!bytes || bytes > part->bytes) return;
    part->offset += part->bytes - bytes;
    part->bytes = bytes;
}

static int skip(struct nrrd *nrrd, const struct source *header, struct err *err)
{
    struct layout *layout = nrrd->layout;
    const char *bytes = nrrd->fields[NRRD_BYTE_SKIP], *lines = nrrd->fields[NRRD_LINE_SKIP], *p;
    const bool from_end = bytes && !strcmp(bytes, "-1");
    uint64_t line_count = 0;
    int code = ERR_NONE;
    if (from_end && (layout->encoding != ENCODING_BINARY || layout->compression || header->partial))
        return nrrd_refuse(nrrd, NRRD_BYTE_SKIP, "possible here: only raw data can be found from its end", err);
    if (bytes && !from_end && (!text_uint(bytes, &p, &layout->skip) || *p))
        return nrrd_refuse(nrrd, NRRD_BYTE_SKIP, "a number of bytes, or -1", err);
    if (lines && (!text_uint(lines, &p, &line_count) || *p))
        return nrrd_refuse(nrrd, NRRD_LINE_SKIP, "a number of lines", err);
    for (size_t i = 0; i < layout->part_count && !code; i++) {
        if (from_end) skip_to_end(&layout->parts[i], layout_bytes(layout) / layout->part_count);
        else if (line_count) code = skip_lines(nrrd, header, i, line_count, err);
    }
    return code;
}

int nrrd_add_data(struct nrrd *nrrd, const struct source *header, bool anywhere, struct err *err)
{
    const char *file = nrrd->fields[NRRD_DATA_FILE];
    int code;
    if (!file) code = layout_add_self(nrrd->layout, header, nrrd->data_at, err);
    else if (nrrd->names) code = add_list(nrrd, header, anywhere, err);
    else if (is_pattern(file)) code = add_numbered(nrrd, header, anywhere, err);
    else code = add_file(nrrd, header, file, anywhere, err);
    return code ? code : skip(nrrd, header, err);
}
