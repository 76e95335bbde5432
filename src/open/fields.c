#include "fields.h"

#include "layout.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

const char *fields_line(struct fields *fields)
{
    char *line = fields->text + fields->next;
    if (fields->next >= fields->size) return NULL;
    char *stop = memchr(line, '\n', fields->size - fields->next), *end = stop ? stop : fields->text + fields->size;
    fields->next = (size_t)(end - fields->text) + (stop != NULL);
    while (end > line && is_space(end[-1])) end--;
    while (line < end && is_space(*line)) line++;
    *end = 0; /* the text has a spare byte */
    for (char *p = line; p < end; p++)
        if (!*p) *p = '?'; /* a NUL must not hide the rest of the line */
    return line;
}

/* Whether the `n` characters at `text` are `name`, ignoring case. */
static bool is_name(const char *text, size_t n, const char *name)
{
    char copy[64];
    if (n >= sizeof copy || n != strlen(name)) return false;
    memcpy(copy, text, n);
    copy[n] = 0;
    return text_same(copy, name);
}

/* Finds the field of a line, and its value. -1: the line has no known key. */
static int find_field(const char *line, const struct field_spelling *known, const char **value)
{
    const char *separator = strpbrk(line, ":=");
    if (!separator) return -1;
    const char *end = separator;
    while (end > line && is_space(end[-1])) end--;
    *value = text_skip(separator + 1);
    for (const struct field_spelling *key = known; key->name; key++)
        if (is_name(line, (size_t)(end - line), key->name)) return key->field;
    return -1;
}

static int parse_lines(struct fields *fields, const struct field_spelling *known, int last, struct err *err)
{
    for (const char *line = fields_line(fields), *value; line; line = fields_line(fields)) {
        const int field = find_field(line, known, &value);
        if (field < 0) continue;
        const char *before = fields->value[field];
        if (before && strcmp(before, value) != 0)
            return err_set(err, ERR_INPUT, "%s: '%.60s' contradicts the earlier value '%.40s'", fields->file, line, before);
        fields->value[field] = value;
        if (field == last) return ERR_NONE;
    }
    return ERR_NONE;
}

int fields_text(char **text, size_t *size, struct source *source, struct err *err)
{
    const size_t most = source->size < LAYOUT_MAX_HEADER ? (size_t)source->size : LAYOUT_MAX_HEADER;
    *text = malloc(most + 1);
    if (!*text) return err_set(err, ERR_FAILED, "%s: not enough memory for its header", source_name(source));
    *size = source_read(source, *text, most);
    (*text)[*size] = 0;
    return ERR_NONE;
}

int fields_read(struct fields *fields, struct source *source, const struct field_spelling *known, int last, struct err *err)
{
    *fields = (struct fields){ .file = source_name(source) };
    const int code = fields_text(&fields->text, &fields->size, source, err);
    return code ? code : parse_lines(fields, known, last, err);
}

void fields_free(struct fields *fields)
{
    free(fields->text);
    *fields = (struct fields){ 0 };
}

static bool at_gap(const char *text) { return !*text || is_space(*text); }

bool fields_numbers(const char *text, double *to, int n)
{
    for (int i = 0; i < n; i++) {
        if (!text_double(text, &text, &to[i]) || !at_gap(text)) return false;
        text = text_skip(text);
    }
    return !*text;
}

bool fields_sizes(const char *text, uint64_t *to, int n)
{
    for (int i = 0; i < n; i++) {
        if (!text_uint(text, &text, &to[i]) || !at_gap(text)) return false;
        text = text_skip(text);
    }
    return !*text;
}
