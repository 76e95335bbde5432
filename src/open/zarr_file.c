#include "zarr_file.h"

#include "file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_JSON ((size_t)1 << 20) /* bytes; longer files are refused */

/* Opens one component of a path. A link as the last component gives ELOOP. A link before that is opened with O_DIRECTORY,
 * for which the system gives ENOTDIR; that becomes ELOOP here. */
static int open_part(int folder, const char *part, bool anywhere, int flags)
{
    struct stat status;
    const int file = openat(folder, part,
                            O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags | (anywhere ? 0 : O_NOFOLLOW));
    if (file < 0 && errno == ENOTDIR) {
        const bool link = !fstatat(folder, part, &status, AT_SYMLINK_NOFOLLOW) && S_ISLNK(status.st_mode);
        errno = link ? ELOOP : ENOTDIR;
    }
    return file;
}

int zarr_file_open(int folder, const char *path, bool anywhere, int flags)
{
    char part[256];
    for (int at = folder;;) {
        const size_t n = strcspn(path, "/"), slashes = strspn(path + n, "/"); /* shells add one to a folder */
        const bool last = !path[n + slashes];
        snprintf(part, sizeof part, "%.*s", n < sizeof part ? (int)n : 0, path);
        int next = -1;
        errno = EXDEV;
        if (*part && strcmp(part, ".") != 0 && strcmp(part, "..") != 0)
            next = open_part(at, part, anywhere, last ? flags : O_DIRECTORY);
        if (at != folder) {
            const int reason = errno;
            close(at);
            errno = reason;
        }
        if (next < 0 || last) return next;
        at = next;
        path += n + slashes;
    }
}

bool zarr_file_size(int file, uint64_t *size)
{
    struct stat status;
    if (fstat(file, &status) || !S_ISREG(status.st_mode)) return false;
    *size = (uint64_t)status.st_size;
    return true;
}

int zarr_file_refuse(const char *name, const char *path, struct err *err)
{
    if (errno == ELOOP) {
        err_set(err, ERR_INPUT, "%s: '%.200s' is a link", name, path);
        err_advise(err, "allow links to anywhere with --data-anywhere");
    } else if (errno == EXDEV) {
        err_set(err, ERR_INPUT, "%s: '%.200s' is not a path inside the folder", name, path);
        err_advise(err, "name what to open by its path from there, like 0 or A/B");
    } else err_set(err, ERR_INPUT, "%s: its file '%.200s' cannot be opened: %s", name, path, strerror(errno));
    return ERR_INPUT;
}

/* ---- JSON as Python writes it -------------------------------------------------------------------------------------- */

#define LONG_NUMBER 19 /* digits; a number with so many may exceed 64 bits */

static size_t string_length(const char *text, size_t n)
{
    size_t i = 1;
    while (i < n && text[i] != '"') i += text[i] == '\\' && i + 1 < n ? 2 : 1;
    return i < n ? i + 1 : n;
}

/* NaN and the infinities: JSON does not have them, but Python writes them. */
static size_t word_length(const char *text, size_t n)
{
    static const char *const words[] = { "NaN", "Infinity", "-Infinity" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (length <= n && !memcmp(text, words[i], length)) return length;
    }
    return 0;
}

static size_t number_length(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] && strchr("+-.0123456789eE", text[i])) i++;
    return i;
}

/* Copies the token at `text`, which is n bytes before the end. *used: its bytes. Returns the bytes written, less than 2 *
 * *used + 2. NaN and infinities become strings, as in fill_value. Whole numbers of more than 64 bits become real
 * numbers. */
static size_t copy_token(char *to, const char *text, size_t n, size_t *used)
{
    const size_t word = word_length(text, n), number = word ? 0 : number_length(text, n);
    const bool wide = number >= LONG_NUMBER && strspn(text, "-0123456789") >= number;
    *used = *text == '"' ? string_length(text, n) : word ? word : number ? number : 1;
    if (word) *to++ = '"';
    memcpy(to, text, *used);
    if (word) to[*used] = '"';
    if (wide) memcpy(to + *used, ".0", 2);
    return *used + 2 * (word || wide);
}

/* `text` has n bytes, followed by a NUL. */
static json_t *parse_python(const char *text, size_t n, json_error_t *error)
{
    char *plain = malloc(2 * n + 2);
    size_t made = 0, used;
    snprintf(error->text, sizeof error->text, "not enough memory to parse it");
    error->line = 0;
    if (!plain) return NULL;
    for (size_t at = 0; at < n; at += used) made += copy_token(plain + made, text + at, n - at, &used);
    json_t *json = json_loadb(plain, made, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, error);
    free(plain);
    return json;
}

static int parse(json_t **json, const char *text, size_t n, const char *name, const char *path, struct err *err)
{
    json_error_t error;
    *json = parse_python(text, n, &error);
    if (!*json) return err_set(err, ERR_INPUT, "%s: '%.200s' is not JSON: line %d, %s", name, path, error.line, error.text);
    if (json_is_object(*json)) return ERR_NONE;
    json_decref(*json);
    *json = NULL;
    return err_set(err, ERR_INPUT, "%s: '%.200s' holds no JSON object", name, path);
}

int zarr_file_json(json_t **json, int folder, const char *path, bool anywhere, const char *name, struct err *err)
{
    uint64_t size;
    *json = NULL;
    const int file = zarr_file_open(folder, path, anywhere, 0);
    if (file < 0) return errno == ENOENT ? ERR_NONE : zarr_file_refuse(name, path, err);
    char *text = NULL;
    int code = ERR_NONE;
    if (!zarr_file_size(file, &size)) code = err_set(err, ERR_INPUT, "%s: '%.200s' is not a regular file", name, path);
    else if (size > MOST_JSON)
        code = err_set(err, ERR_INPUT, "%s: '%.200s' has %llu bytes; at most %zu are read", name, path,
                       (unsigned long long)size, MOST_JSON);
    else if (!(text = malloc((size_t)size + 1)))
        code = err_set(err, ERR_FAILED, "%s: not enough memory for '%.200s'", name, path);
    else if (!file_read_at(file, text, (size_t)size, 0))
        code = err_set(err, ERR_INPUT, "%s: '%.200s' cannot be read", name, path);
    else {
        text[size] = 0;
        code = parse(json, text, (size_t)size, name, path, err);
    }
    free(text);
    close(file);
    return code;
}
