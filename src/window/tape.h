/* Events on their way from GLFW to input.c and the panel: here they are recorded (--record), or taken from such a file in
 * place of mouse and keyboard (--replay), for tests and measurements that are the same each time. See events.h.
 *
 * A replay hands on the events of one time per turn of the window, and also between the batches of a long drawing, as
 * events come in then.
 * "rest" waits until the window has nothing left to do. After the last event the window rests, and closes. */
#ifndef ISO_TAPE_H
#define ISO_TAPE_H

#include "events.h"
#include "pace.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

enum tape_turn {
    TAPE_WAITS,   /* or there is no replay */
    TAPE_STEPPED, /* events were handed on */
    TAPE_RESTED,  /* nothing but a rest */
    TAPE_OVER     /* there are no more: the window is to be closed */
};

struct tape { /* zero: closed */
    struct tape_next next;
    struct GLFWwindow *window;
    double opened;        /* timing_ms() that is 0 in a recording */
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

/* Opens the files to write and to replay; NULL: none. Before the window. Errors: ERR_INPUT, ERR_FAILED. */
int tape_open(struct tape *tape, const char *record, const char *replay, struct err *err);

/* An event of mouse or keyboard: records it and hands it on. While a replay is under way, they are dead. And one of the
 * window, that has happened already: records it. */
void tape_take(struct tape *tape, struct event event);
void tape_note(struct tape *tape, struct event event);

/* Before each look at events: hands on the next ones of a replay, unless they wait for the window to rest. */
enum tape_turn tape_step(struct tape *tape, enum tape_state state);

/* Whether the mouse button or the key is down, as GLFW counts them. */
bool tape_button(const struct tape *tape, int button);
bool tape_key(const struct tape *tape, int key);

/* Closes the files; the figures of a replay go to stdout. Does nothing for a zero struct. Errors: ERR_FAILED, a recording
 * that could not be written. */
int tape_close(struct tape *tape, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
