#include "pictures.h"
#include "export.h"
#include "load.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST 200 /* bytes of the folder's name, which leaves room for the picture's */

static FILE *open_user_dirs(const char *home)
{
    char path[PATH_MAX];
    const char *config = getenv("XDG_CONFIG_HOME");
    const bool given = config && *config == '/';
    const int n = snprintf(path, sizeof path, given ? "%s/user-dirs.dirs" : "%s/.config/user-dirs.dirs",
                           given ? config : home);
    return n < (int)sizeof path ? fopen(path, "r") : NULL;
}

/* Takes the value of a line such as XDG_PICTURES_DIR="$HOME/Pictures". The path is absolute or in the home folder. A
 * backslash escapes the character after it, as in a shell. */
static bool take_value(const char *line, const char *home, char folder[PATH_MAX])
{
    static const char name[] = "XDG_PICTURES_DIR=\"", in_home[] = "$HOME/";
    size_t n = 0;
    line += strspn(line, " \t");
    if (strncmp(line, name, sizeof name - 1)) return false;
    line += sizeof name - 1;
    if (!strncmp(line, in_home, sizeof in_home - 1)) {
        n = (size_t)snprintf(folder, PATH_MAX, "%s/", home);
        line += sizeof in_home - 1;
    } else if (*line != '/') return false;
    for (; *line && *line != '"' && *line != '\n' && n + 1 < PATH_MAX; line++) {
        if (*line == '\\' && line[1]) line++;
        folder[n++] = *line;
    }
    if (n >= PATH_MAX) return false;
    while (n > 1 && folder[n - 1] == '/') n--;
    folder[n] = '\0';
    return *line == '"';
}

static bool same_folder(const char *a, const char *b)
{
    struct stat one, other;
    return !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Sets `folder` to the user's folder for pictures, an absolute path, from the file user-dirs.dirs (xdg-user-dirs of
 * freedesktop.org). False: the file names no folder; or one that does not exist, cannot be written to, or is the home
 * folder itself. */
static bool find_folder(char folder[PATH_MAX])
{
    char line[PATH_MAX], taken[PATH_MAX];
    struct stat status;
    const char *home = getenv("HOME");
    FILE *file = home && *home == '/' ? open_user_dirs(home) : NULL;
    bool found = false;
    if (!file) return false;
    while (fgets(line, sizeof line, file)) {
        if (!take_value(line, home, taken)) continue;
        snprintf(folder, PATH_MAX, "%s", taken); /* the last one counts, as in a shell */
        found = true;
    }
    fclose(file);
    return found && !stat(folder, &status) && S_ISDIR(status.st_mode) && !access(folder, W_OK) &&
           !same_folder(folder, home);
}

int pictures_free_name(char path[512], const struct volume *volume, const struct setup *from, struct err *err)
{
    char folder[PATH_MAX], whole[512], frame[32];
    const char *home = getenv("HOME");
    const bool elsewhere = home && same_folder(".", home) && find_folder(folder) && strlen(folder) < LONGEST;
    snprintf(whole, sizeof whole, "%.200s%s%.250s", elsewhere ? folder : "", elsewhere ? "/" : "",
             *volume->name ? volume->name : "isoscope");
    export_free_name(path, whole, export_frame_name(frame, volume, from->load.frame), ".png");
    if (!from->file || !load_takes(from->file, &from->load, path)) return ERR_NONE;
    return err_set(err, ERR_FAILED, "%s: this would become a part of the volume %s; start isoscope in another folder", path,
                   from->file);
}
