/* The tape lies between GLFW on one side, input.c and the panel on the other. It records the events that pass (--record).
 * Or it replays a recording instead of mouse and keyboard (--replay), so that tests and measurements are repeatable. See
 * events.h.
 *
 * A replay hands on the events of one time per turn of the window's loop, and also between the batches of a long drawing,
 * where real events would come in too. "rest" waits until the window has nothing left to do. After the last event the
 * window comes to rest, then closes. */
#ifndef ISO_TAPE_H
#define ISO_TAPE_H

#include "events.h"
#include "pace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct GLFWwindow;

enum { TAPE_KEYS = 349 }; /* GLFW_KEY_LAST + 1 */
enum { TAPE_PRESSES = 32 };

struct tape_next { /* the callbacks that the tape hands on to */
    void (*cursor)(struct GLFWwindow *window, double x, double y);
    void (*button)(struct GLFWwindow *window, int button, int action, int modifiers);
    void (*scroll)(struct GLFWwindow *window, double x, double y);
    void (*key)(struct GLFWwindow *window, int key, int scancode, int action, int modifiers);
    void (*character)(struct GLFWwindow *window, unsigned code);
    void (*drop)(struct GLFWwindow *window, int count, const char **paths);
};

/* of the window */
enum tape_state {
    TAPE_BUSY,
    TAPE_IDLE, /* the wish is fulfilled and drawn */
    TAPE_REST  /* also, the picture is as good as it will get */
};

enum tape_turn {
    TAPE_WAITS,   /* or there is no replay */
    TAPE_STEPPED, /* events were handed on */
    TAPE_RESTED,  /* the event was a rest */
    TAPE_OVER     /* no events are left: the window must close */
};

struct tape_press {
    int button, modifiers; /* of GLFW */
    bool down;
    double at[2]; /* where the mouse was */
};

struct tape { /* zero: closed */
    struct tape_next next;
    struct GLFWwindow *window;
    double opened;        /* timing_ms() at which a recording's time is 0 */
    struct events events; /* to replay */
    size_t done;          /* how many of them were handed on */
    bool plays;
    FILE *record;
    double look;                           /* timing_ms() of the first event of the present look at events; 0: none came */
    enum tape_state state, least;          /* of the window: now; the busiest since the last recorded rest */
    unsigned down;                         /* mouse buttons that are down, a bit each */
    struct tape_press press[TAPE_PRESSES]; /* presses and releases that the panel has not seen, the first one first */
    unsigned presses;
    bool key[TAPE_KEYS];
    double cursor[2]; /* screen units */
    struct pace pace; /* of a replay */
};

/* Opens the files to record to and to replay; NULL: none. Called before the window opens. Errors: ERR_INPUT, ERR_FAILED. */
int tape_open(struct tape *tape, const char *record, const char *replay, struct err *err);

/* tape_take records an event of mouse or keyboard and hands it on; during a replay it ignores them. tape_note records an
 * event of the window, which has happened already. */
void tape_take(struct tape *tape, struct event event);
void tape_note(struct tape *tape, struct event event);

/* Before each look at events: hands on the next ones of a replay, unless they have to wait for the window to rest. */
enum tape_turn tape_step(struct tape *tape, enum tape_state state);

/* Forgets the first of the presses and releases that the panel has not seen, once it has. */
void tape_seen(struct tape *tape);

/* Whether a mouse button or a key (GLFW's numbers) is down; and which of Shift, Control, Alt and Super are (GLFW's bits). */
bool tape_button(const struct tape *tape, int button);
bool tape_key(const struct tape *tape, int key);
int tape_modifiers(const struct tape *tape);

/* Closes the files, and prints the figures of a replay to stdout. Does nothing for a zero struct. Errors: ERR_FAILED if the
 * recording could not be written. */
int tape_close(struct tape *tape, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
