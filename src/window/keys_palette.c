#include "palette.h"
#include "app.h"
#include "keys.h"

#include <GLFW/glfw3.h>

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { PAGE = 10 }; /* rows per PageUp or PageDown */

/* ---- matching -------------------------------------------------------------------------------------------------------- */

enum { IS_INITIALS = 1, IS_INSIDE, IS_BEGINNING, IS_FIRST }; /* how a word matches, from worst to best */

static bool is_letter(char c) { return isalnum((unsigned char)c) != 0; }

/* How a word of n characters matches the text; 0: not at all. */
static int rank_word(const char *text, const char *word, size_t n)
{
    char initials[32];
    size_t count = 0;
    int best = 0;
    for (const char *at = text; *at; at++) {
        const bool begins = at == text || (!is_letter(at[-1]) && is_letter(*at));
        if (begins && count < sizeof initials) initials[count++] = *at;
        if (strncasecmp(at, word, n)) continue;
        const int rank = at == text ? IS_FIRST : begins ? IS_BEGINNING : IS_INSIDE;
        if (rank > best) best = rank;
    }
    for (size_t i = 0; !best && i + n <= count; i++)
        if (!strncasecmp(initials + i, word, n)) best = IS_INITIALS;
    return best;
}

const struct palette_synonym palette_synonyms[] = {
    { "axes", "ticks" },
    { "axial", "slice" },
    { "clip", "cut" },
    { "color", "colour" },
    { "contrast", "colours" },
    { "coronal", "slice" },
    { "distance", "measure" },
    { "exit", "quit" },
    { "export", "write" },
    { "fullscreen", "screen" },
    { "home", "fit" },
    { "isovalue", "value" },
    { "knife", "cut" },
    { "level", "value" },
    { "load", "open" },
    { "mesh", "surface" },
    { "opacity", "translucent" },
    { "plane", "slice" },
    { "reset", "fit" },
    { "ruler", "measure" },
    { "sagittal", "slice" },
    { "roi", "crop" },
    { "save", "write" },
    { "screenshot", "picture" },
    { "session", "state" },
    { "snapshot", "picture" },
    { "stl", "write" },
    { "threshold", "value" },
    { "transparent", "translucent" },
    { "wireframe", "edges" },
    { NULL, NULL },
};

enum { LEAST = 3 }; /* characters that identify a synonym */

/* A match of the word itself ranks above a match of a synonym. */
static int rank_meaning(const char *text, const char *word, size_t n)
{
    int best = rank_word(text, word, n);
    for (const struct palette_synonym *s = palette_synonyms; s->word && !best && n >= LEAST; s++)
        if (!strncasecmp(s->word, word, n) && rank_word(text, s->means, strlen(s->means))) best = IS_INITIALS;
    return best;
}

int palette_rank(const char *text, const char *find)
{
    int sum = 1;
    for (;;) {
        find += strspn(find, " ");
        const size_t n = strcspn(find, " ");
        if (!n) return sum;
        const int rank = rank_meaning(text, find, n);
        if (!rank) return 0;
        sum += rank;
        find += n;
    }
}

/* ---- entries --------------------------------------------------------------------------------------------------------- */

const char *palette_title(const struct key *key)
{
    if (!key->action) return NULL;
    for (const struct key *before = keys; before < key; before++)
        if (before->action == key->action && before->argument == key->argument) return NULL;
    return key->entry ? key->entry : key->text;
}

void palette_update(struct palette *palette)
{
    int ranks[PALETTE_MOST];
    palette->entries = palette->chosen = 0;
    palette->moved = true;
    for (const struct key *key = keys; key->code || key->name; key++) {
        const char *title = palette_title(key);
        const int rank = title ? palette_rank(title, palette->find) : 0;
        if (!rank) continue;
        assert(palette->entries < PALETTE_MOST);
        size_t at = palette->entries++;
        for (; at && ranks[at - 1] < rank; at--) { /* equal ranks stay in the table's order */
            ranks[at] = ranks[at - 1];
            palette->entry[at] = palette->entry[at - 1];
        }
        ranks[at] = rank;
        palette->entry[at] = key;
    }
}

/* ---- keyboard -------------------------------------------------------------------------------------------------------- */

void app_flip_palette(struct app *app)
{
    struct palette *palette = &app->palette;
    palette->shown = !palette->shown;
    palette->find[0] = 0;
    palette_update(palette);
    app_log(app, "palette %s", palette->shown ? "on" : "off");
    app_mark(app);
}

void palette_type(struct app *app, unsigned character)
{
    struct palette *palette = &app->palette;
    const size_t n = strlen(palette->find);
    if (character < ' ' || character > '~' || n + 1 == sizeof palette->find) return; /* titles are ASCII */
    palette->find[n] = (char)character;
    palette->find[n + 1] = 0;
    palette_update(palette);
}

static void erase(struct palette *palette)
{
    const size_t n = strlen(palette->find);
    if (n) palette->find[n - 1] = 0;
    palette_update(palette);
}

/* Single steps wrap around at both ends; pages stop there. */
static void move(struct palette *palette, int step)
{
    const int last = (int)palette->entries - 1, at = (int)palette->chosen + step;
    const bool page = step < -1 || step > 1;
    if (last < 0) return;
    palette->chosen = (size_t)(at < 0 ? (page ? 0 : last) : at > last ? (page ? last : 0) : at);
    palette->moved = true;
}

void palette_press(struct app *app, int key)
{
    struct palette *palette = &app->palette;
    switch (key) {
    case GLFW_KEY_ESCAPE: app_flip_palette(app); break;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER: palette_run(app); break;
    case GLFW_KEY_BACKSPACE: erase(palette); break;
    case GLFW_KEY_UP: move(palette, -1); break;
    case GLFW_KEY_DOWN: move(palette, 1); break;
    case GLFW_KEY_PAGE_UP: move(palette, -PAGE); break;
    case GLFW_KEY_PAGE_DOWN: move(palette, PAGE); break;
    default: break;
    }
}

void palette_run(struct app *app)
{
    struct palette *palette = &app->palette;
    if (palette->chosen >= palette->entries) {
        app_notice(app, "no action matches '%s'", palette->find);
        return;
    }
    const struct key *key = palette->entry[palette->chosen];
    const char *why = key->lacks ? key->lacks(app, key->argument) : NULL;
    if (why) {
        app_notice(app, "%s: not now, %s", palette_title(key), why);
        return;
    }
    if (palette->shown) app_flip_palette(app);
    app_log(app, "palette runs '%s'", palette_title(key));
    key->action(app, key->argument);
}
