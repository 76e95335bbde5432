#include "browse.h"

#include "formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int browse_go(struct browse *browse, const char *path, struct err *err)
{
    struct browse next = { .shown = true, .fresh = true };
    if (!realpath(path, next.path)) return err_set(err, ERR_INPUT, "%.900s: there is no such folder", path);
    int code = folder_list_folders(&next.folders, next.path, err);
    if (!code) code = folder_list(&next.files, next.path, format_knows, err);
    if (code) {
        folder_free(&next.folders);
        return code;
    }
    browse_close(browse);
    *browse = next;
    return ERR_NONE;
}

int browse_enter(struct browse *browse, const char *name, struct err *err)
{
    char path[PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/%s", browse->path, name);
    return browse_go(browse, path, err);
}

void browse_close(struct browse *browse)
{
    folder_free(&browse->folders);
    folder_free(&browse->files);
    browse->shown = false;
}
