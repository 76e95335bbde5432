/* Events on their way from GLFW to input.c and the panel: here they are recorded (--record), or taken from such a file in
 * place of mouse and keyboard (--replay), for tests and measurements that are the same each time. See events.h.
 *
 * A replay hands on the events of one time per turn of the window, and also between the batches of a long drawing, as events
 * come in then.
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

enum tape_state { /* of the window */
                  TAPE_BUSY,
                  TAPE_IDLE, /* the wish has come true, and is drawn */
                  TAPE_REST  /* and the picture is as good as it will be */
};

struct tape { /* zero: closed */
    struct tape_next next;
    struct events events; /* to replay */
    size_t done;          /* of them */
    bool plays;
    FILE *record;
    double look;                  /* timing_ms() of the present look at events, once one came; 0: none did */
    enum tape_state state, least; /* of the window: now; since the last rest that was recorded */
    unsigned down;                /* a bit per mouse button, */
    unsigned clicked;             /* also for those that are up again, since the panel was drawn */
    bool key[TAPE_KEYS];
    double cursor[2]; /* screen units */
    struct pace pace; /* of a replay */
};

/* Opens the files that app->options name. Before the window. Errors: ERR_INPUT, ERR_FAILED. */
int tape_open(struct tape *tape, const char *record, const char *replay, struct err *err);

/* Puts itself before the callbacks of the window: after input.c and the panel. */
void tape_attach(struct app *app);

/* Before each look at events. Hands on the next ones of a replay; false: there is none, or it waits for the window to rest. After
 * the last one, ends the window. */
bool tape_step(struct app *app, enum tape_state state);

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
