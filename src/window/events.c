#include "events.h"

#include "list.h"
#include "text.h"

#include <GLFW/glfw3.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FARTHEST 1e6 /* screen units */
#define LARGEST 16384

enum { WORD = 64 };

/* ---- words --------------------------------------------------------------------------------------------------------- */

/* Copies the word at *at and steps over it; false: there is none. */
static bool take_word(const char **at, char word[WORD])
{
    const size_t n = strcspn(*at, " \t");
    if (!n || n >= WORD) return false;
    memcpy(word, *at, n);
    word[n] = 0;
    *at = text_skip(*at + n);
    return true;
}

struct name {
    const char *word;
    int code;
};

/* clang-format off */
static const struct name buttons[] = {
    { "left", GLFW_MOUSE_BUTTON_LEFT }, { "right", GLFW_MOUSE_BUTTON_RIGHT }, { "middle", GLFW_MOUSE_BUTTON_MIDDLE },
    { "3", 3 }, { "4", 4 }, { "5", 5 }, { "6", 6 }, { "7", 7 }, { NULL, 0 },
};

static const struct name modifiers[] = {
    { "shift", GLFW_MOD_SHIFT }, { "control", GLFW_MOD_CONTROL }, { "alt", GLFW_MOD_ALT }, { "super", GLFW_MOD_SUPER },
    { "caps-lock", GLFW_MOD_CAPS_LOCK }, { "num-lock", GLFW_MOD_NUM_LOCK }, { NULL, 0 },
};

static const struct name key_names[] = {
    { "space", GLFW_KEY_SPACE }, { "escape", GLFW_KEY_ESCAPE }, { "enter", GLFW_KEY_ENTER }, { "tab", GLFW_KEY_TAB },
    { "backspace", GLFW_KEY_BACKSPACE }, { "insert", GLFW_KEY_INSERT }, { "delete", GLFW_KEY_DELETE },
    { "right", GLFW_KEY_RIGHT }, { "left", GLFW_KEY_LEFT }, { "down", GLFW_KEY_DOWN }, { "up", GLFW_KEY_UP },
    { "page-up", GLFW_KEY_PAGE_UP }, { "page-down", GLFW_KEY_PAGE_DOWN }, { "home", GLFW_KEY_HOME }, { "end", GLFW_KEY_END },
    { "left-shift", GLFW_KEY_LEFT_SHIFT }, { "left-control", GLFW_KEY_LEFT_CONTROL }, { "left-alt", GLFW_KEY_LEFT_ALT },
    { "right-shift", GLFW_KEY_RIGHT_SHIFT }, { "right-control", GLFW_KEY_RIGHT_CONTROL }, { "right-alt", GLFW_KEY_RIGHT_ALT },
    { "f1", GLFW_KEY_F1 }, { "f2", GLFW_KEY_F2 }, { "f3", GLFW_KEY_F3 }, { "f4", GLFW_KEY_F4 }, { "f5", GLFW_KEY_F5 },
    { "f6", GLFW_KEY_F6 }, { "f7", GLFW_KEY_F7 }, { "f8", GLFW_KEY_F8 }, { "f9", GLFW_KEY_F9 }, { "f10", GLFW_KEY_F10 },
    { "f11", GLFW_KEY_F11 }, { "f12", GLFW_KEY_F12 }, { NULL, 0 },
};
/* clang-format on */

static const struct name *find_word(const struct name *names, const char *word)
{
    while (names->word && strcmp(names->word, word) != 0) names++;
    return names->word ? names : NULL;
}

static const struct name *find_code(const struct name *names, int code)
{
    while (names->word && names->code != code) names++;
    return names->word ? names : NULL;
}

/* ---- arguments ----------------------------------------------------------------------------------------------------- */

static bool read_place(const char **at, struct event *event)
{
    for (int i = 0; i < 2; i++) {
        if (!text_double(*at, at, &event->at[i]) || !(fabs(event->at[i]) <= FARTHEST)) return false;
        *at = text_skip(*at);
    }
    return true;
}

static void write_place(FILE *file, const struct event *event)
{
    char x[32], y[32];
    fprintf(file, " %s %s", text_print(x, event->at[0]), text_print(y, event->at[1]));
}

static bool read_size(const char **at, struct event *event)
{
    for (int i = 0; i < 2; i++) {
        uint64_t n;
        if (!text_uint(*at, at, &n) || n < 1 || n > LARGEST) return false;
        event->at[i] = (double)n;
        *at = text_skip(*at);
    }
    return true;
}

static bool read_button(const char **at, struct event *event)
{
    char word[WORD];
    const struct name *name = take_word(at, word) ? find_word(buttons, word) : NULL;
    if (name) event->code = name->code;
    return name != NULL;
}

static void write_button(FILE *file, const struct event *event)
{
    const struct name *name = find_code(buttons, event->code);
    fprintf(file, " %s", name ? name->word : "7");
}

/* Keys that type a character are named by it: the one on a US keyboard, in lower case. */
static bool read_key(const char **at, struct event *event)
{
    char word[WORD];
    const char *end;
    uint64_t n;
    if (!take_word(at, word)) return false;
    const struct name *name = find_word(key_names, word);
    const bool letter = !word[1] && isgraph((unsigned char)word[0]) && !isupper((unsigned char)word[0]);
    const bool number = word[0] == '#' && text_uint(word + 1, &end, &n) && !*end && n >= GLFW_KEY_SPACE &&
                        n <= GLFW_KEY_LAST;
    if (name) event->code = name->code;
    else if (letter) event->code = toupper((unsigned char)word[0]);
    else if (number) event->code = (int)n;
    else if (!strcmp(word, "unknown")) event->code = GLFW_KEY_UNKNOWN;
    else return false;
    return true;
}

static void write_key(FILE *file, const struct event *event)
{
    const struct name *name = find_code(key_names, event->code);
    if (name) fprintf(file, " %s", name->word);
    else if (event->code < 0) fputs(" unknown", file);
    else if (event->code < 128) fprintf(file, " %c", tolower(event->code));
    else fprintf(file, " #%d", event->code);
}

/* Reads the modifiers, if there are any. */
static bool read_modifiers(const char **at, struct event *event)
{
    char word[WORD];
    if (!**at) return true;
    if (!take_word(at, word)) return false;
    for (char *rest = word, *one; (one = strsep(&rest, "+"));) {
        const struct name *name = find_word(modifiers, one);
        if (!name) return false;
        event->modifiers |= name->code;
    }
    return true;
}

static void write_modifiers(FILE *file, const struct event *event)
{
    char before = ' ';
    for (const struct name *name = modifiers; name->word; name++) {
        if (!(event->modifiers & name->code)) continue;
        fprintf(file, "%c%s", before, name->word);
        before = '+';
    }
}

static bool read_character(const char **at, struct event *event)
{
    char word[WORD], *end;
    if (!take_word(at, word)) return false;
    if (!text_begins(word, "U+") || !word[2]) {
        event->code = (unsigned char)word[0];
        return !word[1] && isgraph((unsigned char)word[0]);
    }
    const unsigned long code = strtoul(word + 2, &end, 16);
    event->code = (int)code;
    return isxdigit((unsigned char)word[2]) && !*end && code >= ' ' && code <= 0x10FFFF;
}

static void write_character(FILE *file, const struct event *event)
{
    const bool plain = event->code < 128 && isgraph(event->code);
    fprintf(file, plain ? " %c" : " U+%04X", (unsigned)event->code);
}

static bool read_paths(const char **at, struct event *event)
{
    event->paths = **at ? strdup(*at) : NULL;
    *at += strlen(*at);
    return event->paths != NULL;
}

static void write_paths(FILE *file, const struct event *event) { fprintf(file, " %s", event->paths); }

static const struct argument {
    const char *expected;
    bool (*read)(const char **at, struct event *event); /* also steps over the argument and the space behind it */
    void (*write)(FILE *file, const struct event *event);
} place = { "two numbers", read_place, write_place }, size = { "width and height from 1 to 16384", read_size, write_place },
  button = { "a button: left, right, middle, or 3 to 7", read_button, write_button },
  key = { "a key, like w, =, page-up, f12 or #261", read_key, write_key },
  held = { "what was held, like shift or shift+control", read_modifiers, write_modifiers },
  character = { "a character, like w or U+0020", read_character, write_character },
  files = { "paths, with a tab between two", read_paths, write_paths };

/* ---- the table ----------------------------------------------------------------------------------------------------- */

enum { ARGUMENTS = 2 };

static const struct kind {
    const char *name;
    const struct argument *argument[ARGUMENTS]; /* NULL: no more */
} kinds[EVENT_KINDS] = {
    [EVENT_MOVE] = { "move", { &place } },
    [EVENT_PRESS] = { "press", { &button, &held } },
    [EVENT_RELEASE] = { "release", { &button, &held } },
    [EVENT_SCROLL] = { "scroll", { &place } },
    [EVENT_KEY] = { "key", { &key, &held } },
    [EVENT_REPEAT] = { "repeat", { &key, &held } },
    [EVENT_LIFT] = { "lift", { &key, &held } },
    [EVENT_CHAR] = { "char", { &character } },
    [EVENT_SIZE] = { "size", { &size } },
    [EVENT_DROP] = { "drop", { &files } },
    [EVENT_MINIMISE] = { "minimise", { NULL } },
    [EVENT_RESTORE] = { "restore", { NULL } },
    [EVENT_REST] = { "rest", { NULL } },
};

void event_write(FILE *file, const struct event *event)
{
    const struct kind *kind = &kinds[event->kind];
    fprintf(file, "%.6f %s", event->seconds, kind->name);
    for (int i = 0; i < ARGUMENTS && kind->argument[i]; i++) kind->argument[i]->write(file, event);
    fputc('\n', file);
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static void list_kinds(char *list, size_t room)
{
    size_t used = (size_t)snprintf(list, room, "one of");
    for (int i = 0; i < EVENT_KINDS; i++) used += (size_t)snprintf(list + used, room - used, " %s", kinds[i].name);
}

/* Reads a line. If that fails, writes what was expected at *at. */
static bool read_event(const char **at, struct event *event, char *expected, size_t room)
{
    char word[WORD];
    int found = 0;
    snprintf(expected, room, "the time in seconds");
    if (!text_double(*at, at, &event->seconds) || !isfinite(event->seconds)) return false;
    *at = text_skip(*at);
    list_kinds(expected, room);
    const char *const begin = *at;
    if (!take_word(at, word)) return false;
    while (found < EVENT_KINDS && strcmp(kinds[found].name, word) != 0) found++;
    if (found == EVENT_KINDS) {
        *at = begin;
        return false;
    }
    event->kind = (enum event_kind)found;
    for (int i = 0; i < ARGUMENTS && kinds[found].argument[i]; i++) {
        const char *const before = *at;
        snprintf(expected, room, "%s", kinds[found].argument[i]->expected);
        if (kinds[found].argument[i]->read(at, event)) continue;
        *at = before;
        return false;
    }
    snprintf(expected, room, "nothing more");
    return !**at;
}

static int add(struct events *events, const struct event *event, struct err *err)
{
    struct event *list = list_grown(events->list, events->count, sizeof *list);
    if (!list) return err_set(err, ERR_FAILED, "not enough memory for %zu events", events->count + 1);
    events->list = list;
    events->list[events->count++] = *event;
    return ERR_NONE;
}

static int read_line(struct events *events, const char *line, const char *path, size_t number, struct err *err)
{
    struct event event = { .kind = EVENT_REST };
    char expected[256];
    const char *at = text_skip(line);
    if (!*at || *at == '#') return ERR_NONE;
    int code = ERR_NONE;
    if (!read_event(&at, &event, expected, sizeof expected))
        code = err_set(err, ERR_INPUT, "%s, line %zu: found %s%.60s%s, expected %s", path, number, *at ? "'" : "the end",
                       at, *at ? "'" : "", expected);
    if (!code) code = add(events, &event, err);
    if (code) free(event.paths);
    return code;
}

int events_load(struct events *events, const char *path, struct err *err)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    int code = ERR_NONE;
    *events = (struct events){ .count = 0 };
    FILE *file = fopen(path, "r");
    if (!file) return err_set(err, ERR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    for (ssize_t n; !code && (n = getline(&line, &room, file)) >= 0;) {
        if (n && line[n - 1] == '\n') line[n - 1] = 0;
        code = read_line(events, line, path, ++number, err);
    }
    if (!code && ferror(file)) code = err_set(err, ERR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    free(line);
    fclose(file);
    if (code) events_free(events);
    return code;
}

void events_free(struct events *events)
{
    for (size_t i = 0; i < events->count; i++) free(events->list[i].paths);
    free(events->list);
    *events = (struct events){ .count = 0 };
}

/* ---- paths --------------------------------------------------------------------------------------------------------- */

static const char escaped[][2] = { { '\t', 't' }, { '\n', 'n' }, { '\\', '\\' } };

int event_split(char *text, const char **paths, int most)
{
    int count = 0;
    for (char *one; count < most && (one = strsep(&text, "\t"));) {
        char *to = one;
        paths[count++] = one;
        for (const char *from = one; *from; from++) {
            char c = *from;
            for (size_t i = 0; c == '\\' && i < sizeof escaped / sizeof *escaped; i++)
                if (from[1] == escaped[i][1]) {
                    c = escaped[i][0], from++;
                    break;
                }
            *to++ = c;
        }
        *to = 0;
    }
    return count;
}

char *event_paths(int count, const char *const *paths)
{
    size_t room = 1;
    for (int i = 0; i < count; i++) room += 2 * strlen(paths[i]) + 1;
    char *const text = malloc(room), *to = text;
    for (int i = 0; text && i < count; i++) {
        if (i) *to++ = '\t';
        for (const char *from = paths[i]; *from; from++) {
            size_t e = 0;
            while (e < sizeof escaped / sizeof *escaped && escaped[e][0] != *from) e++;
            const bool special = e < sizeof escaped / sizeof *escaped;
            if (special) *to++ = '\\';
            *to++ = special ? escaped[e][1] : *from;
        }
    }
    if (text) *to = 0;
    return text;
}
