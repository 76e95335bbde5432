#include "recent.h"

#include "replace.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* A line of the file: the axis that points up ("-" if nobody has chosen one), a space, the path. */
#define LINE (4096 + 16)

static enum camera_up find_up(const char *name)
{
    for (int up = 0; up < CAMERA_UPS; up++)
        if (!strcmp(name, camera_up_name[up])) return (enum camera_up)up;
    return (enum camera_up)RECENT_UP_UNKNOWN;
}

void recent_read(struct recent *recent)
{
    char path[PATH_MAX], line[LINE];
    recent->count = 0;
    FILE *file = !recent->forgets && state_place(path, "recent", false) ? fopen(path, "r") : NULL;
    while (file && recent->count < RECENT_KEPT && fgets(line, sizeof line, file)) {
        char *space = strchr(line, ' '), *end = strchr(line, '\n');
        if (!space || !end || space[1] != '/') continue;
        *space = *end = 0;
        struct recent_file *row = &recent->file[recent->count++];
        row->up = find_up(line);
        snprintf(row->path, sizeof row->path, "%s", space + 1);
    }
    if (file) fclose(file);
}

void recent_write(const struct recent *recent)
{
    char path[PATH_MAX];
    struct replace replace;
    struct err unused;
    if (recent->forgets || !state_place(path, "recent", true) || replace_open(&replace, path, &unused)) return;
    for (size_t i = 0; i < recent->count; i++) {
        const struct recent_file *row = &recent->file[i];
        if (strchr(row->path, '\n')) continue; /* it would become two lines */
        fprintf(replace.file, "%s %s\n", row->up < CAMERA_UPS ? camera_up_name[row->up] : "-", row->path);
    }
    replace_close(&replace, !ferror(replace.file), &unused);
}

struct recent_file *recent_add(struct recent *recent, const char *path)
{
    struct recent_file row = { .up = (enum camera_up)RECENT_UP_UNKNOWN };
    char real[PATH_MAX];
    snprintf(row.path, sizeof row.path, "%s", realpath(path, real) ? real : path);
    size_t at = 0;
    while (at < recent->count && strcmp(recent->file[at].path, row.path) != 0) at++;
    if (at < recent->count) row.up = recent->file[at].up;
    else if (recent->count < RECENT_KEPT) recent->count++;
    else at--;
    memmove(recent->file + 1, recent->file, at * sizeof row);
    recent->file[0] = row;
    recent_write(recent);
    return &recent->file[0];
}
