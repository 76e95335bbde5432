/* Events of the window as lines of text. They are recorded while somebody works, or written by hand, and replayed later.
 *
 *    0.250 move 640 400               the cursor, in screen units from the upper left corner
 *    0.300 press left shift+control   a button (left, right, middle, or 3 to 7), and the modifiers
 *    0.310 release left
 *    0.400 scroll 0 1                 the wheel: right, up
 *    0.500 key page-up                a key of a US keyboard, or #CODE of GLFW; while held: repeat; let go: lift
 *    0.500 char w                     a typed character; U+0020 for one that would not be visible
 *    0.600 size 640 400               of the window, screen units
 *    0.700 drop /data/head.nrrd       files, separated by tabs; \t, \n and \\ in their names are escaped
 *    0.800 minimise
 *    0.900 restore
 *    0.900 rest                       what follows came after the window came to rest
 *
 * The time is in seconds. Events of the same time came in together, at one look at events. Otherwise the time is only for
 * people: events are replayed in their order. Empty lines and lines that begin with # are ignored. */
#ifndef ISO_EVENTS_H
#define ISO_EVENTS_H

#include "error.h"
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum event_kind {
    EVENT_MOVE,
    EVENT_PRESS,
    EVENT_RELEASE,
    EVENT_SCROLL,
    EVENT_KEY,
    EVENT_REPEAT,
    EVENT_LIFT,
    EVENT_CHAR,
    EVENT_SIZE,
    EVENT_DROP,
    EVENT_MINIMISE,
    EVENT_RESTORE,
    EVENT_REST,
    EVENT_KINDS
};

struct event {
    enum event_kind kind;
    double seconds;
    double at[2];  /* move: place; scroll: how far; size: width and height */
    int code;      /* button or key of GLFW, or character */
    int scancode;  /* of a key, if GLFW gave it; not written. 0: the key's usual one */
    int modifiers; /* bits of GLFW */
    char *paths;   /* drop: separated by tabs, escaped; from malloc */
};

struct events {
    struct event *list;
    size_t count;
};

/* Reads the file. Errors: ERR_INPUT for a line that is not an event, ERR_FAILED for memory; `events` is empty then. */
int events_load(struct events *events, const char *path, struct err *err);
void events_free(struct events *events);

/* Writes the event as a line. */
void event_write(FILE *file, const struct event *event);

/* event_split turns event.paths into a list of files: it unescapes `text` in place and points `paths` into it. Returns
 * their number, at most `most`. event_paths does the reverse; NULL if there is no memory. */
int event_split(char *text, const char **paths, int most);
char *event_paths(int count, const char *const *paths);

#ifdef __cplusplus
}
#endif
#endif
