#include "lesson.h"
#include "text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SECTION "/* ---- "

/* ---- text ---------------------------------------------------------------------------------------------------------- */

/* A file's text. In kernel_sources a 0 follows each. */
struct source {
    const char *path, *begin, *end;
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *line_end(const char *at) { return at + strcspn(at, "\n"); }

/* The beginning of the next line after `at`; the end of the text if there is none. */
static const char *next_line(const char *at)
{
    at = line_end(at);
    return *at ? at + 1 : at;
}

static unsigned line_of(const struct source *s, const char *at)
{
    unsigned line = 1;
    for (const char *c = s->begin; c < at; c++) line += *c == '\n';
    return line;
}

/* Finds the i-th file of an op and a backend: first OP_cpu.c or OP_cuda.cu, then files whose names continue after that. */
static bool find_source(struct source *s, const char *op, enum backend backend, unsigned i)
{
    const char *const extension = backend == BACKEND_CUDA ? ".cu" : ".c";
    char stem[64], whole[72];
    snprintf(stem, sizeof stem, "kernels/%s_%s", op, backends[backend]->name);
    snprintf(whole, sizeof whole, "%s%s", stem, extension);
    unsigned found = 1;
    for (const struct resource *r = kernel_sources; r->name; r++) {
        const bool is_whole = !strcmp(r->name, whole);
        if ((!is_whole && !text_begins(r->name, stem)) || !strcmp(strrchr(r->name, '.'), ".h")) continue;
        if (is_whole ? i == 0 : i == found++) {
            *s = (struct source){ r->name, (const char *)r->begin, (const char *)r->end };
            return true;
        }
    }
    return false;
}

/* ---- sections ------------------------------------------------------------------------------------------------------ */

/* Whether the heading of a section, such as "tiled16, tiled32: shared by both ----", has the name in its list. */
static bool heading_names(const char *heading, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = heading + strlen(SECTION); *at && *at != '\n' && *at != ':' && !text_begins(at, " --");) {
        const size_t word = strcspn(at, ",:\n ");
        if (word == length && !strncmp(at, name, length)) return true;
        at += word;
        at += strspn(at, ", ");
        if (text_begins(at, "--")) break;
    }
    return false;
}

static const char *section_end(const struct source *s, const char *begin)
{
    const char *at = next_line(begin);
    while (at < s->end && !text_begins(at, SECTION) && !text_begins(at, "/* clang-format off")) at = next_line(at);
    return at;
}

/* The section that contains `at`; NULL: `at` is before the first. */
static const char *section_of(const struct source *s, const char *at)
{
    const char *found = NULL;
    for (const char *line = s->begin; line <= at && line < s->end; line = next_line(line))
        if (text_begins(line, SECTION)) found = line;
    return found;
}

static const char *section_named(const struct source *s, const char *name)
{
    for (const char *line = s->begin; line < s->end; line = next_line(line))
        if (text_begins(line, SECTION) && heading_names(line, name)) return line;
    return NULL;
}

/* ---- functions ----------------------------------------------------------------------------------------------------- */

/* The line that defines a function; NULL: it is not in this file. */
static const char *find_function(const struct source *s, const char *name, size_t length)
{
    for (const char *line = s->begin; line < s->end; line = next_line(line)) {
        const char *const end = line_end(line);
        if (!isalpha((unsigned char)*line) || end == line || end[-1] == ';' || text_begins(line, "const struct")) continue;
        for (const char *at = line; at + length < end; at++)
            if (!strncmp(at, name, length) && (at == line || !is_word(at[-1])) && (at[length] == '(' || at[length] == ','))
                return line;
    }
    return NULL;
}

/* The first line of the comment directly above `line`; `line` if there is none. */
static const char *with_comment(const struct source *s, const char *line)
{
    const char *comment = NULL;
    for (const char *at = s->begin; at < line; at = next_line(at)) {
        if (text_begins(at, "/*")) comment = at;
        else if (*at == '\n' || *at == '}') comment = NULL;
    }
    return comment ? comment : line;
}

static const char *function_end(const struct source *s, const char *line)
{
    const char *const end = line_end(line);
    if (end > line && end[-1] == '}') return next_line(line); /* on one line */
    while (line < s->end && *line != '}') line = next_line(line);
    return next_line(line);
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

/* The row of the rung, after the braces with its name. *end: the beginning of the next row. NULL: there is no such row. */
static const char *find_row(const struct source *s, const char *name, const char **end)
{
    char text[64];
    snprintf(text, sizeof text, "{ { \"%s\",", name);
    const char *at = strstr(s->begin, text);
    if (!at) return NULL;
    const char *const next = strstr(at + 1, "{ { "), *const last = strstr(at, "\n};");
    *end = next && (!last || next < last) ? next : last ? last : s->end;
    bool quoted = false;
    for (at += 3; at < *end && (quoted || *at != '}'); at++)
        if (*at == '"') quoted = !quoted;
    return at;
}

/* Writes the string literal at `at`, which may consist of several pieces, to `to`. Returns its end. */
static const char *read_string(const char *at, const char *end, char *to, size_t size)
{
    size_t used = 0;
    while (at < end && *at == '"') {
        for (at++; at < end && *at != '"'; at++) {
            if (*at == '\\') at++;
            if (used + 1 < size) to[used++] = *at;
        }
        if (at < end) at++;
        while (isspace((unsigned char)*at)) at++;
    }
    to[used] = 0;
    return at;
}

/* Skips a comma and the space that follows it. */
static const char *next_member(const char *at)
{
    at += *at == ',';
    while (isspace((unsigned char)*at)) at++;
    return at;
}

bool lesson_read_rung(struct lesson_rung *to, const char *op, enum backend backend, size_t i)
{
    static const char row[] = "\n    { { \"";
    char table[64];
    struct source s;
    if (!find_source(&s, op, backend, 0)) return false;
    snprintf(table, sizeof table, "_rung %s_%s[] = {\n", op, backends[backend]->name);
    const char *at = strstr(s.begin, table), *const end = at ? strstr(at, "\n};") : NULL;
    for (size_t k = 0; end && at && k <= i; k++) at = strstr(at + 1, row);
    if (!end || !at || at > end) return false;
    at = next_member(read_string(at + sizeof row - 2, end, to->name, sizeof to->name));
    at = next_member(read_string(at, end, to->idea, sizeof to->idea));
    to->rung = (struct rung){ .name = to->name, .idea = to->idea, .is_default = text_begins(at, "true") };
    return true;
}

/* ---- a lesson ------------------------------------------------------------------------------------------------------ */

static void add_part(struct lesson *lesson, const struct source *s, const char *begin, const char *end)
{
    for (size_t i = 0; i < lesson->parts; i++)
        if (lesson->part[i].begin == begin) return;
    if (lesson->parts == LESSON_PARTS) return;
    while (end > begin + 1 && end[-1] == '\n' && end[-2] == '\n') end--;
    const char *const comment = text_begins(begin, "/*") ? strstr(begin, "*/") : NULL;
    lesson->part[lesson->parts++] = (struct lesson_part){ s->path, line_of(s, begin), begin, end,
                                                          comment && comment < end ? comment + 2 : begin };
}

/* Adds the code of a function: its section if that has its own name, else the function alone. */
static bool add_function(struct lesson *lesson, const char *op, enum backend backend, const char *name, size_t length)
{
    struct source s;
    for (unsigned i = 0; find_source(&s, op, backend, i); i++) {
        const char *const line = find_function(&s, name, length);
        if (!line) continue;
        const char *const section = section_of(&s, line);
        if (section) add_part(lesson, &s, section, section_end(&s, section));
        else add_part(lesson, &s, with_comment(&s, line), function_end(&s, line));
        return true;
    }
    return false;
}

/* Adds the first function of a row that a file of the op defines: the one that runs the rung. */
static void add_row(struct lesson *lesson, const char *op, enum backend backend, const struct rung *rung)
{
    struct source s;
    const char *end, *at = find_source(&s, op, backend, 0) ? find_row(&s, rung->name, &end) : NULL;
    while (at && at < end) {
        if (!isalpha((unsigned char)*at) && *at != '_') {
            at++;
            continue;
        }
        size_t length = 1;
        while (is_word(at[length])) length++;
        if (add_function(lesson, op, backend, at, length)) return;
        at += length;
    }
}

/* If the code has no comment, adds the head of the file, which then explains it. */
static void add_head(struct lesson *lesson, const char *op, enum backend backend)
{
    char text[64];
    struct source s;
    if (!lesson->parts || *lesson_comment(&lesson->part[0], text, sizeof text)) return;
    const struct lesson code = *lesson;
    if (!find_source(&s, op, backend, 0) || !text_begins(s.begin, "/*")) return;
    lesson->parts = 0;
    add_part(lesson, &s, s.begin, next_line(strstr(s.begin, "*/")));
    for (size_t i = 0; i < code.parts && lesson->parts < LESSON_PARTS; i++) lesson->part[lesson->parts++] = code.part[i];
}

void lesson_find(struct lesson *lesson, const char *op, enum backend backend, const struct rung *rung)
{
    struct source s;
    lesson->parts = 0;
    for (unsigned i = 0; find_source(&s, op, backend, i); i++) {
        const char *const section = section_named(&s, rung->name);
        if (section) add_part(lesson, &s, section, section_end(&s, section));
    }
    add_row(lesson, op, backend, rung);
    add_head(lesson, op, backend);
}

/* ---- the comment as text ------------------------------------------------------------------------------------------- */

/* The text of a comment line, without the opening, the star and the closing. */
static const char *said(const char *line, const char *end, size_t *length)
{
    if (text_begins(line, "/*") || (text_begins(line, " *") && line[2] != '/')) line += 2;
    if (line < end && *line == ' ') line++;
    while (end > line && (end[-1] == ' ' || end[-1] == '/' || end[-1] == '*')) end--;
    *length = (size_t)(end - line);
    return line;
}

const char *lesson_comment(const struct lesson_part *part, char *to, size_t size)
{
    size_t used = 0, length;
    bool joins = false; /* the next line continues this paragraph */
    *to = 0;
    for (const char *at = part->begin; at < part->comment_end; at = next_line(at)) {
        const char *const stop = line_end(at) < part->comment_end ? line_end(at) : part->comment_end;
        const char *const text = said(at, stop, &length);
        if (text_begins(at, SECTION)) continue;
        const bool plain = length && *text != ' ';
        const bool titled = plain &&
                            (text_begins(text, "Cost:") || text_begins(text, "Idea:") || text_begins(text, "Times:"));
        const int more = snprintf(to + used, size - used, "%s%.*s",
                                  !used                       ? ""
                                  : joins && plain && !titled ? " "
                                                              : "\n",
                                  (int)length, text);
        used = used + (size_t)more < size ? used + (size_t)more : size - 1;
        joins = plain;
    }
    return to;
}
