/* Events of the window as lines of text, which are written while somebody works, or by hand, and played back later.
 *
 *    0.250 move 640 400               the cursor, in screen units from the upper left corner
 *    0.300 press left shift+control   a button (left, right, middle, or 3 to 7), and what was held
 *    0.310 release left
 *    0.400 scroll 0 1                 the wheel: right, up
 *    0.500 key page-up                a key of a US keyboard, or #CODE as GLFW has it; held: repeat; let go: lift
 *    0.500 char w                     what was typed; U+0020 for what would not be seen
 *    0.600 size 640 400               of the window, screen units
 *    0.700 drop /data/head.nrrd       files, with a tab between two; in their names \t, \n and \\ are escaped
 *    0.800 minimise
 *    0.900 restore
 *    0.900 rest                       what follows came after the window had come to rest
 *
 * Lines of the same time came in at one look. Apart from that the time, in seconds, is for people: events are played back
 * in their order. Empty lines and those that begin with # say nothing. */
#ifndef ISO_EVENTS_H
#define ISO_EVENTS_H

#include "error.h"

#include <stdbool.h>
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
    int code;      /* button, key or character, as GLFW has them */
    int scancode;  /* of a key, where GLFW gave it: not written; 0: the one that the key has */
    int modifiers; /* bits, as GLFW has them */
    char *paths;   /* drop: with a tab between two, escaped; from malloc */
};

struct events {
    struct event *list;
    size_t count;
};

/* Reads the file. Errors: ERR_INPUT for a line that is not an event, ERR_FAILED for memory; there are no events then. */
int events_load(struct events *events, const char *path, struct err *err);
void events_free(struct events *events);

/* Writes the event as a line. */
void event_write(FILE *file, const struct event *event);

/* Files as they are dropped, from event.paths and back: `paths` points into `text`, which is unescaped in place. Returns
 * how many there are, at most `most`. event_paths: NULL if there is no memory. */
int event_split(char *text, const char **paths, int most);
char *event_paths(int count, const char *const *paths);

#ifdef __cplusplus
}
#endif
#endif
