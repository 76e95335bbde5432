#include "save_table.h"

#include "replace.h"
#include "source.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MARKER = 64, LARGEST = 16 << 20 /* bytes of a file, at most: more than a person would write */ };

static bool is_text(const char *bytes, size_t size)
{
    for (size_t at = 0, n; at < size; at += n)
        if (!bytes[at] || !(n = text_utf8(bytes + at))) return false;
    return true;
}

static int read_source(struct source *source, char **text, const char *path, struct err *err)
{
    if (source->size > LARGEST)
        return err_set(err, ERR_FAILED, "%s: %llu bytes are too many for a Markdown file (at most %d MiB)", path,
                       (unsigned long long)source->size, LARGEST >> 20);
    const size_t size = (size_t)source->size;
    *text = malloc(size + 1);
    if (!*text) return err_set(err, ERR_FAILED, "%s: not enough memory to read it", path);
    (*text)[size] = '\0';
    if (source_read(source, *text, size) != size) return err_set(err, ERR_FAILED, "%s: cannot be read to its end", path);
    if (is_text(*text, size)) return ERR_NONE;
    return err_set(err, ERR_FAILED, "%s: this is not a text file (UTF-8), and a table would damage it", path);
}

/* Sets *text to the file's text, or to NULL if there is no file. The caller frees it, also after an error. */
static int read_old(char **text, const char *path, struct err *err)
{
    struct stat status;
    struct source source;
    *text = NULL;
    if (stat(path, &status) && errno == ENOENT) return ERR_NONE;
    int code = source_open(&source, path, err) ? ERR_FAILED : ERR_NONE;
    if (code) return err->code = code;
    code = read_source(&source, text, path, err);
    source_close(&source);
    return code;
}

/* Finds the first line that is exactly `marker`, because prose may contain the marker, too. NULL: there is none. */
static char *find_line(char *from, const char *marker)
{
    const size_t length = strlen(marker);
    for (char *line = from; line;) {
        if (!strncmp(line, marker, length) && strchr("\r\n", line[length])) return line;
        char *end = strchr(line, '\n');
        line = end ? end + 1 : NULL;
    }
    return NULL;
}

static void write_appended(FILE *out, const char *old, const struct saved_table *table)
{
    const size_t size = strlen(old);
    if (size) fputs(old, out);
    else fprintf(out, "# isoscope %s\n", table->word);
    if (size && old[size - 1] != '\n') fputc('\n', out);
    fputc('\n', out);
    table->print(out, table->context);
}

static void write_between(FILE *out, const char *old, const char *begin, const char *end, const struct saved_table *table)
{
    const char *inside = strchr(begin, '\n') + 1;
    fwrite(old, 1, (size_t)(inside - old), out);
    table->print(out, table->context);
    fputs(end, out);
}

int save_table(const struct saved_table *table, const char *path, struct err *err)
{
    char *old, first[MARKER], last[MARKER];
    struct replace replace;
    snprintf(first, sizeof first, "<!-- %s -->", table->word);
    snprintf(last, sizeof last, "<!-- /%s -->", table->word);
    int code = read_old(&old, path, err);
    char *begin = !code && old ? find_line(old, first) : NULL, *end = begin ? find_line(begin, last) : NULL;
    if (!code && begin && !end)
        code = err_set(err, ERR_FAILED, "%s: the line %s has no line %s after it", path, first, last);
    if (!code) code = replace_open(&replace, path, err);
    if (!code) {
        if (begin) write_between(replace.file, old, begin, end, table);
        else write_appended(replace.file, old ? old : "", table);
        code = replace_close(&replace, !ferror(replace.file), err);
    }
    free(old);
    return code;
}

int save_table_check(const char *path, struct err *err)
{
    char *old;
    const int code = read_old(&old, path, err);
    free(old);
    return code ? code : replace_check(path, err);
}
