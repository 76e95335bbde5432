#include "folder.h"

#include "list.h"
#include "replace.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Compares the runs of digits at *a and *b by value, whatever their length, and moves past them. */
static int compare_digits(const char **a, const char **b)
{
    while (**a == '0') ++*a;
    while (**b == '0') ++*b;
    size_t n = 0, m = 0;
    while (is_digit((*a)[n])) n++;
    while (is_digit((*b)[m])) m++;
    const int order = n != m ? (n < m ? -1 : 1) : strncmp(*a, *b, n);
    *a += n, *b += m;
    return order;
}

int folder_compare(const char *a, const char *b)
{
    const char *p = a, *q = b;
    while (*p && *q) {
        if (is_digit(*p) && is_digit(*q)) {
            const int order = compare_digits(&p, &q);
            if (order) return order;
        } else if (*p != *q) return (unsigned char)*p < (unsigned char)*q ? -1 : 1;
        else p++, q++;
    }
    return *p ? 1 : *q ? -1 : strcmp(a, b); /* "1" and "01" have the same value */
}

static int compare_names(const void *a, const void *b) { return folder_compare(*(char *const *)a, *(char *const *)b); }

static bool add_name(struct folder *folder, const char *name)
{
    const size_t n = folder->count;
    char **names = list_grown(folder->names, n, sizeof *names);
    if (!names) return false;
    folder->names = names;
    folder->names[n] = strdup(name);
    folder->count += folder->names[n] != NULL;
    return folder->names[n] != NULL;
}

static bool is_file(DIR *stream, const struct dirent *entry)
{
    (void)stream;
    return entry->d_type == DT_REG || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN;
}

/* Whether the entry is a folder or a link to one. */
static bool is_folder(DIR *stream, const struct dirent *entry)
{
    struct stat status;
    if (entry->d_type == DT_DIR) return true;
    return is_file(stream, entry) && !fstatat(dirfd(stream), entry->d_name, &status, 0) && S_ISDIR(status.st_mode);
}

static bool any_name(const char *name)
{
    (void)name;
    return true;
}

static int list(struct folder *folder, const char *path, bool (*is)(DIR *stream, const struct dirent *entry),
                bool (*take)(const char *name), struct err *err)
{
    *folder = (struct folder){ 0 };
    DIR *stream = opendir(path);
    if (!stream) return err_set(err, ERR_INPUT, "%s: the folder cannot be read: %s", path, strerror(errno));
    bool room = true;
    for (const struct dirent *entry; room && (entry = readdir(stream));) {
        if (entry->d_name[0] != '.' && is(stream, entry) && take(entry->d_name)) room = add_name(folder, entry->d_name);
    }
    closedir(stream);
    if (!room) {
        folder_free(folder);
        return err_set(err, ERR_FAILED, "%s: not enough memory for the names in it", path);
    }
    if (folder->count) qsort(folder->names, folder->count, sizeof *folder->names, compare_names);
    return ERR_NONE;
}

int folder_list(struct folder *folder, const char *path, bool (*take)(const char *name), struct err *err)
{
    return list(folder, path, is_file, take, err);
}

int folder_list_folders(struct folder *folder, const char *path, struct err *err)
{
    return list(folder, path, is_folder, any_name, err);
}

bool folder_is_above(const char *folder, const char *path)
{
    char target[PATH_MAX], above[PATH_MAX], below[PATH_MAX];
    if (!replace_target(target, path) || !realpath(folder, above)) return false;
    char *slash = strrchr(target, '/');
    if (slash) slash[1] = 0;
    if (!realpath(slash ? target : ".", below)) return false;
    const size_t n = strlen(above);
    return !strncmp(above, below, n) && (!below[n] || below[n] == '/' || above[n - 1] == '/');
}

void folder_free(struct folder *folder)
{
    for (size_t i = 0; i < folder->count; i++) free(folder->names[i]);
    free(folder->names);
    *folder = (struct folder){ 0 };
}
