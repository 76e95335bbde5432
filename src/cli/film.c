#include "film.h"

#include "state_file.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { WIDEST = 9 }; /* digits */

/* Parses a place for the number; "%04d" has width 4. Returns what follows, or NULL if `at` is no such place. */
static const char *parse(const char *at, int *width)
{
    *width = 0;
    if (*at++ != '%') return NULL;
    if (*at == '0' && at[1] >= '1' && at[1] <= '0' + WIDEST) *width = at[1] - '0', at += 2;
    return *at == 'd' ? at + 1 : NULL;
}

int film_check(const char *name, struct err *err)
{
    int width;
    const char *place = strchr(name, '%'), *rest = place ? parse(place, &width) : NULL;
    if (rest && !strchr(rest, '%')) return ERR_NONE;
    return err_set(err, ERR_USAGE,
                   "%s: several pictures need one placeholder for a number in the name, like -o picture%%04d.png", name);
}

void film_name(char *to, size_t size, const char *name, size_t number)
{
    int width = 0;
    const char *place = strchr(name, '%'), *rest = parse(place, &width);
    snprintf(to, size, "%.*s%0*zu%s", (int)(place - name), name, width, number, rest);
}

/* The command makes width and height even, as video formats need. */
void film_say(const char *name)
{
    const char *const before[] = { "ffmpeg",   "-framerate", "25", "-i", name, "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                                   "-pix_fmt", "yuv420p" };
    const char *place = strchr(name, '%'), *slash = strrchr(name, '/');
    const bool begins = place == (slash ? slash + 1 : name); /* the name begins with the number */
    struct words words = { .used = 0 };
    char film[PATH_MAX];
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) words_add(&words, before[i]);
    snprintf(film, sizeof film, "%.*s%s", (int)(place - name), name, begins ? "film.mp4" : ".mp4");
    words_add(&words, film);
    text_say(stdout, "as a film: %s", words.text);
}
