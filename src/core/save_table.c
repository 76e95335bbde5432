#include "save_table.h"

#include "replace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    char *at;
    size_t size;
}; /* zero: no text */

enum { MARKER = 64 };

static int refuse(const char *path, struct err *err)
{
    return err_set(err, ERR_FAILED, "%s: cannot be read: %s", path, strerror(errno));
}

/* The whole file, ended by 0; an absent one gives an empty piece. Bytes are kept as they are. */
static int read_old(struct piece *old, const char *path, struct err *err)
{
    FILE *file = fopen(path, "rb");
    *old = (struct piece){ NULL, 0 };
    if (!file) return errno == ENOENT ? ERR_NONE : refuse(path, err);
    char buffer[4096];
    FILE *out = open_memstream(&old->at, &old->size);
    for (size_t n; out && (n = fread(buffer, 1, sizeof buffer, file)) > 0;) fwrite(buffer, 1, n, out);
    int code = !out || ferror(file) || ferror(out) ? refuse(path, err) : ERR_NONE;
    if (out && fclose(out) && !code) code = refuse(path, err);
    fclose(file);
    return code;
}

/* The first line from `from` that is `marker` and nothing else, so that prose may name it; NULL if there is none. */
static char *find_line(char *from, const char *marker)
{
    const size_t length = strlen(marker);
    for (char *line = from; line; line = strchr(line, '\n'), line += line != NULL)
        if (!strncmp(line, marker, length) && strchr("\r\n", line[length])) return line;
    return NULL;
}

static bool write_appended(FILE *out, const struct piece *old, const struct saved_table *table)
{
    if (!old->size) fprintf(out, "# isoscope %s\n", table->word);
    fwrite(old->at ? old->at : "", 1, old->size, out);
    if (old->size && old->at[old->size - 1] != '\n') fputc('\n', out);
    fputc('\n', out);
    table->print(out, table->context);
    return !ferror(out);
}

static bool write_between(FILE *out, const struct piece *old, const char *begin, const char *end,
                          const struct saved_table *table)
{
    const char *inside = strchr(begin, '\n') + 1;
    fwrite(old->at, 1, (size_t)(inside - old->at), out);
    table->print(out, table->context);
    fwrite(end, 1, old->size - (size_t)(end - old->at), out);
    return !ferror(out);
}

int save_table(const struct saved_table *table, const char *path, struct err *err)
{
    struct piece old;
    struct replace replace;
    char first[MARKER], last[MARKER];
    snprintf(first, sizeof first, "<!-- %s -->", table->word);
    snprintf(last, sizeof last, "<!-- /%s -->", table->word);
    int code = read_old(&old, path, err);
    char *begin = old.at ? find_line(old.at, first) : NULL, *end = begin ? find_line(begin, last) : NULL;
    if (!code && begin && !end)
        code = err_set(err, ERR_FAILED, "%s: there is a line %s and none after it that says %s", path, first, last);
    if (!code) code = replace_open(&replace, path, err);
    if (!code) {
        const bool written = begin ? write_between(replace.file, &old, begin, end, table)
                                   : write_appended(replace.file, &old, table);
        code = replace_close(&replace, written, err);
    }
    free(old.at);
    return code;
}
