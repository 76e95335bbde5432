#include "browse.h"

#include "formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int browse_go(struct browse *browse, const char *path, struct err *err)
{
    struct browse next = { .shown = true, .moved = true };
    if (!realpath(path, next.path)) return err_set(err, ERR_INPUT, "%.900s: there is no such folder", path);
    int code = folder_list_folders(&next.folders, next.path, err);
    if (!code) code = folder_list(&next.files, next.path, format_knows, err);
    if (code) {
        folder_free(&next.folders);
        return code;
    }
    next.chosen = browse_rows(&next) > 1;
    browse_close(browse);
    *browse = next;
    return ERR_NONE;
}

int browse_enter(struct browse *browse, const char *name, struct err *err)
{
    char path[PATH_MAX + 300], left[300] = "";
    const char *slash = strrchr(browse->path, '/');
    if (slash && !strcmp(name, "..")) snprintf(left, sizeof left, "%.255s", slash + 1);
    snprintf(path, sizeof path, "%s/%s", browse->path, name);
    const int code = browse_go(browse, path, err);
    for (size_t i = 0; !code && i < browse->folders.count; i++)
        if (!strcmp(browse->folders.names[i], left)) browse->chosen = i + 1;
    return code;
}

void browse_close(struct browse *browse)
{
    folder_free(&browse->folders);
    folder_free(&browse->files);
    browse->shown = false;
}

/* ---- keyboard -------------------------------------------------------------------------------------------------------- */

size_t browse_rows(const struct browse *browse) { return 1 + browse->folders.count + browse->files.count; }

const char *browse_name(const struct browse *browse, size_t row, bool *is_folder)
{
    const size_t folders = browse->folders.count;
    *is_folder = row <= folders;
    return !row ? ".." : *is_folder ? browse->folders.names[row - 1] : browse->files.names[row - 1 - folders];
}

void browse_move(struct browse *browse, int step)
{
    const long last = (long)browse_rows(browse) - 1, at = (long)browse->chosen + step;
    const bool single = step == -1 || step == 1;
    browse->chosen = (size_t)(at < 0 ? (single ? last : 0) : at > last ? (single ? 0 : last) : at);
    browse->find[0] = 0;
    browse->missed = false;
    browse->moved = true;
}

/* Chooses the first name that begins with what was typed: of the same case if there is one, else of any case. */
static void find(struct browse *browse)
{
    static int (*const compare[])(const char *a, const char *b, size_t n) = { strncmp, strncasecmp };
    const char *const begin = browse->find;
    bool unused;
    browse->missed = *begin != '\0';
    for (size_t i = 0; browse->missed && i < sizeof compare / sizeof compare[0]; i++)
        for (size_t row = 1; browse->missed && row < browse_rows(browse); row++) {
            if (compare[i](browse_name(browse, row, &unused), begin, strlen(begin)) != 0) continue;
            browse->chosen = row;
            browse->moved = true;
            browse->missed = false;
        }
}

/* Encodes a code point in UTF-8 (RFC 3629). */
static void encode(char bytes[5], unsigned character)
{
    const unsigned c = character;
    const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; /* bytes after the first */
    static const unsigned lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    bytes[0] = (char)(lead[more] | c >> 6 * more);
    for (int i = 1; i <= more; i++) bytes[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    bytes[more + 1] = 0;
}

void browse_type(struct browse *browse, unsigned character)
{
    char letter[5];
    const size_t used = strlen(browse->find);
    encode(letter, character);
    if (used + strlen(letter) >= sizeof browse->find) return;
    memcpy(browse->find + used, letter, strlen(letter) + 1);
    find(browse);
}

bool browse_erase(struct browse *browse)
{
    size_t n = strlen(browse->find);
    if (!n) return false;
    while (--n && (browse->find[n] & 0xc0) == 0x80) {
    } /* back to the first byte of the character */
    browse->find[n] = 0;
    find(browse);
    return true;
}
