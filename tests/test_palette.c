/* The palette: which actions it has, under which names, and what typed words find. */
#include "palette.h"
#include "check.h"
#include "colour_map.h"
#include "keys.h"
#include "render.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 70 }; /* letters beside each other in a row of the palette, WIDE_LETTERS less its margins */

static bool same_action(const struct key *a, const struct key *b)
{
    return a->action == b->action && a->argument == b->argument;
}

/* Every action has one entry; no two are called alike. */
static void test_entries(void)
{
    size_t entries = 0;
    for (const struct key *key = keys; key->code || key->name; key++) {
        const struct key *first = keys;
        char name[24];
        if (!key->action) continue;
        while (!same_action(first, key)) first++;
        const char *title = palette_title(first);
        check_subject(title ? title : key->name);
        if (!CHECK(title && *title)) continue;
        CHECK(first == key || !palette_title(key));
        for (const struct key *other = keys; other < first; other++)
            CHECK(!palette_title(other) || strcmp(palette_title(other), title) != 0);
        keys_own_name(key, name);
        CHECK((key->code == KEY_NONE) == !name[0]);
        CHECK(first != key || strlen(title) + strlen(name) <= ROOM);
        entries += first == key;
    }
    struct palette palette = { .shown = true };
    palette_update(&palette);
    check_subject("no words");
    CHECK(palette.entries == entries && entries > 60);
}

/* Entries that number the rows of another table name them. */
static const struct key *entry_called(const char *title)
{
    for (const struct key *key = keys; key->code || key->name; key++)
        if (palette_title(key) && !strcmp(palette_title(key), title)) return key;
    return NULL;
}

static void test_tables(void)
{
    char title[64];
    for (int i = 0; render_modes[i].name; i++) {
        snprintf(title, sizeof title, "shading: %s", render_modes[i].name);
        check_subject(title);
        const struct key *key = entry_called(title);
        CHECK(key && key->argument == i);
    }
    for (int i = 0; colour_maps[i].name; i++) {
        snprintf(title, sizeof title, "slices in %s", colour_maps[i].name);
        check_subject(title);
        const struct key *key = entry_called(title);
        CHECK(key && key->argument == i);
    }
    check_subject("");
}

static void test_names(void)
{
    static const struct {
        int code, modifiers;
        const char *name;
    } own[] = { { '3', 0, "3" },
                { '4', KEY_CONTROL, "Ctrl+4" },
                { 'u', KEY_SHIFT, "Shift+U" },
                { 'p', KEY_CONTROL | KEY_SHIFT, "Ctrl+Shift+P" },
                { '.', 0, "dot" } };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        const struct key key = { .code = own[i].code, .modifiers = own[i].modifiers };
        char name[24];
        keys_own_name(&key, name);
        check_subject(own[i].name);
        CHECK(!strcmp(name, own[i].name));
    }
    for (const struct key *key = keys; key->code || key->name; key++) { /* a key without a character has a row in names[] */
        char name[24];
        keys_own_name(key, name);
        const char *last = strrchr(name, '+');
        last = last && last[1] ? last + 1 : name;
        check_subject(name);
        CHECK(key->code < 256 || strlen(last) > 1 || strchr("+-", *last));
    }
}

static void test_words(void)
{
    static const char text[] = "view from the front";
    check_subject("words");
    CHECK(palette_rank(text, ""));
    CHECK(palette_rank(text, "front view"));
    CHECK(palette_rank(text, "RON"));
    CHECK(palette_rank(text, "vftf") && palette_rank(text, "ft") && palette_rank(text, " vf  front "));
    CHECK(!palette_rank(text, "front top") && !palette_rank(text, "vt") && !palette_rank(text, "x"));
    CHECK(palette_rank(text, "vi") > palette_rank(text, "fr") && palette_rank(text, "fr") > palette_rank(text, "ew"));
    CHECK(palette_rank(text, "ew") > palette_rank(text, "vf"));
}

/* Words that no title has find what they mean, after what has them. */
static void test_synonyms(void)
{
    for (const struct palette_synonym *s = palette_synonyms; s->word; s++) {
        struct palette palette = { .shown = true };
        snprintf(palette.find, sizeof palette.find, "%s", s->word);
        palette_update(&palette);
        check_subject(s->word);
        CHECK(palette.entries > 0);
        bool meant = false;
        for (size_t i = 0; i < palette.entries; i++)
            meant = meant || palette_rank(palette_title(palette.entry[i]), s->means);
        CHECK(meant);
    }
    check_subject("ranks");
    CHECK(palette_rank("export", "export") > palette_rank("write", "export") && palette_rank("write", "exp"));
    CHECK(!palette_rank("write", "ex") && !palette_rank("write", "exported"));
}

/* What is typed is found first. */
static void test_found(void)
{
    static const struct {
        const char *find, *title;
    } found[] = { { "zzz", NULL },
                  { "wire", "triangle edges" },
                  { "triangle", "triangle edges" },
                  { "full scr", "full screen" },
                  { "vftr", "view from the right (a patient's left)" },
                  { "auto", "automatic value" },
                  { "jade", "shading: jade" },
                  { "print", "picture for print: without the panel, 4 times as wide and high" },
                  { "stl", "write the surface to the current folder, as the panel says" } };
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        struct palette palette = { .shown = true };
        snprintf(palette.find, sizeof palette.find, "%s", found[i].find);
        palette_update(&palette);
        check_subject(found[i].find);
        if (!found[i].title) CHECK(!palette.entries);
        else CHECK(palette.entries && !strcmp(palette_title(palette.entry[0]), found[i].title));
    }
}

/* What the palette has, for test_states.py. */
static int list(void)
{
    for (const struct key *key = keys; key->code || key->name; key++)
        if (palette_title(key)) puts(palette_title(key));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "list")) return list();
    test_entries();
    test_tables();
    test_names();
    test_words();
    test_synonyms();
    test_found();
    return check_summary("palette");
}
