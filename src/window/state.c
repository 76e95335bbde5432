#include "state.h"

#include "replace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool state_place(char path[PATH_MAX], const char *name, bool make)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const bool given = state && *state == '/';
    int n = -1;
    if (given) n = snprintf(path, PATH_MAX, "%s/isoscope/%s", state, name);
    else if (home && *home == '/') n = snprintf(path, PATH_MAX, "%s/.local/state/isoscope/%s", home, name);
    if (n < 0 || n >= PATH_MAX) return false;
    for (char *slash = path + 1; make && (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    return true;
}

void state_read_word(const char *name, char word[32])
{
    char path[PATH_MAX];
    FILE *file = state_place(path, name, false) ? fopen(path, "r") : NULL;
    if (!file || fscanf(file, "%31s", word) != 1) word[0] = 0;
    if (file) fclose(file);
}

void state_write_word(const char *name, const char *word)
{
    char path[PATH_MAX];
    struct replace replace;
    struct err unused;
    if (!state_place(path, name, true) || replace_open(&replace, path, &unused)) return;
    fprintf(replace.file, "%s\n", word);
    replace_close(&replace, !ferror(replace.file), &unused);
}
