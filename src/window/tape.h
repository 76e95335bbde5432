/* Events on their way from GLFW to input.c and the panel: here they are recorded (--record), or taken from such a file in
 * place of mouse and keyboard (--replay), for tests and measurements that are the same each time. See events.h.
 *
 * A replay hands on one event per turn of the window, and also between the batches of a long drawing, as events come in then.
 * "rest" waits until the window has nothing left to do. After the last event the window rests, and closes. */
#ifndef ISO_TAPE_H
#define ISO_TAPE_H

#include "events.h"
#include "pace.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct GLFWwindow;

enum { TAPE_KEYS = 349 }; /* GLFW_KEY_LAST + 1 */

struct tape_next { /* GLFW's callbacks below this one */
    void (*cursor)(struct GLFWwindow *window, double x, double y);
    void (*button)(struct GLFWwindow *window, int button, int action, int modifiers);
    void (*scroll)(struct GLFWwindow *window, double x, double y);
    void (*key)(struct GLFWwindow *window, int key, int scancode, int action, int modifiers);
    void (*character)(struct GLFWwindow *window, unsigned code);
    void (*drop)(struct GLFWwindow *window, int count, const char **paths);
};

struct tape { /* zero: closed */
    struct tape_next next;
    struct events events; /* to replay */
    size_t done;          /* of them */
    bool plays;
    FILE *record;
    double last;      /* timing_ms() of the last event that was recorded; */
    bool rested;      /* since then the window has come to rest */
    unsigned down;    /* a bit per mouse button, */
    unsigned clicked; /* also for those that are up again, since the panel was drawn */
    bool key[TAPE_KEYS];
    double cursor[2]; /* screen units */
    struct pace pace; /* of a replay */
};

/* Opens the files that app->options name. Before the window. Errors: ERR_INPUT, ERR_FAILED. */
int tape_open(struct tape *tape, const char *record, const char *replay, struct err *err);

/* Puts itself before the callbacks of the window: after input.c and the panel. */
void tape_attach(struct app *app);

/* Hands on the next event of a replay; false: there is none, or it waits for the window to rest, which it does or not. After the
 * last one, ends the window. */
bool tape_step(struct app *app, bool rests);

/* Waits for events, at most so long; 0: only takes those that are there. */
void tape_wait(struct app *app, double seconds);

/* Whether the mouse button or the key is down, as GLFW counts them. */
bool tape_button(const struct tape *tape, int button);
bool tape_key(const struct tape *tape, int key);

/* Closes the files; the figures of a replay go to stdout. Does nothing for a zero struct. Errors: ERR_FAILED, a recording that
 * could not be written. */
int tape_close(struct tape *tape, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
