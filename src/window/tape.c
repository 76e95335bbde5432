#include "tape.h"
#include "timing.h"

#include <GLFW/glfw3.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 64 }; /* dropped at once */

_Static_assert(TAPE_KEYS == GLFW_KEY_LAST + 1, "an element per key");

/* ---- handing on ---------------------------------------------------------------------------------------------------- */

static void move(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    memcpy(tape->cursor, event->at, sizeof tape->cursor);
    tape->next.cursor(window, event->at[0], event->at[1]);
}

/* Keeps it for the panel. If the panel is far behind, it is told later what is down in the end. */
static void keep(struct tape *tape, const struct event *event, bool down)
{
    if (tape->presses == TAPE_PRESSES) return;
    struct tape_press *press = &tape->press[tape->presses++];
    *press = (struct tape_press){ .button = event->code, .modifiers = event->modifiers, .down = down };
    memcpy(press->at, tape->cursor, sizeof press->at);
}

void tape_seen(struct tape *tape)
{
    tape->presses--;
    memmove(tape->press, tape->press + 1, tape->presses * sizeof *tape->press);
}

static void press(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    tape->down |= 1u << event->code;
    keep(tape, event, true);
    tape->next.button(window, event->code, GLFW_PRESS, event->modifiers);
}

static void release(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    tape->down &= ~(1u << event->code);
    keep(tape, event, false);
    tape->next.button(window, event->code, GLFW_RELEASE, event->modifiers);
}

static void scroll(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    tape->next.scroll(window, event->at[0], event->at[1]);
}

static void key(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    static const int actions[EVENT_KINDS] = {
        [EVENT_KEY] = GLFW_PRESS, [EVENT_REPEAT] = GLFW_REPEAT, [EVENT_LIFT] = GLFW_RELEASE
    };
    const bool known = event->scancode || event->code < 0;
    const int scancode = known ? event->scancode : glfwGetKeyScancode(event->code);
    if (event->code >= 0) tape->key[event->code] = event->kind != EVENT_LIFT;
    tape->next.key(window, event->code, scancode, actions[event->kind], event->modifiers);
}

static void character(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    tape->next.character(window, (unsigned)event->code);
}

static void drop(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    const char *paths[MOST_PATHS];
    char *const text = strdup(event->paths);
    if (!text) return;
    tape->next.drop(window, event_split(text, paths, MOST_PATHS), paths);
    free(text);
}

/* Does nothing in full screen, where the monitor gives the size. Asking for the size waits until the display has set it, so
 * that the next look at events reports it. */
static void size(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    int width, height;
    (void)tape;
    if (!glfwGetWindowMonitor(window)) glfwSetWindowSize(window, (int)event->at[0], (int)event->at[1]);
    glfwGetWindowSize(window, &width, &height);
}

static void minimise(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    (void)tape, (void)event;
    glfwIconifyWindow(window);
}

static void restore(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    (void)tape, (void)event;
    glfwRestoreWindow(window);
}

static void (*const hand_on[EVENT_KINDS])(struct tape *tape, GLFWwindow *window, const struct event *event) = {
    [EVENT_MOVE] = move, [EVENT_PRESS] = press, [EVENT_RELEASE] = release,   [EVENT_SCROLL] = scroll,
    [EVENT_KEY] = key,   [EVENT_REPEAT] = key,  [EVENT_LIFT] = key,          [EVENT_CHAR] = character,
    [EVENT_SIZE] = size, [EVENT_DROP] = drop,   [EVENT_MINIMISE] = minimise, [EVENT_RESTORE] = restore,
};

/* ---- recording ----------------------------------------------------------------------------------------------------- */

static void write_event(struct tape *tape, struct event event)
{
    if (!tape->record) return;
    if (!(tape->look > 0)) tape->look = timing_ms();
    event.seconds = (tape->look - tape->opened) * 1e-3;
    if (tape->state > tape->least && !tape->down && !tape->plays) { /* the user may have waited for this */
        event_write(tape->record, &(struct event){ .kind = EVENT_REST, .seconds = event.seconds });
        tape->least = tape->state;
    }
    event_write(tape->record, &event);
}

void tape_take(struct tape *tape, struct event event)
{
    if (tape->plays) return;
    write_event(tape, event);
    hand_on[event.kind](tape, tape->window, &event);
}

void tape_note(struct tape *tape, struct event event)
{
    if (!tape->plays) write_event(tape, event);
}

/* ---- turns --------------------------------------------------------------------------------------------------------- */

static const struct event *next_event(const struct tape *tape)
{
    return tape->done < tape->events.count ? &tape->events.list[tape->done] : NULL;
}

static bool is_rest(const struct event *event) { return !event || event->kind == EVENT_REST; }

/* Hands on a rest, or all events of one look. */
static void hand_on_next(struct tape *tape)
{
    const struct event *event = next_event(tape);
    const double seconds = event->seconds;
    do {
        tape->done++;
        write_event(tape, *event);
        if (is_rest(event)) return;
        hand_on[event->kind](tape, tape->window, event);
        event = next_event(tape);
    } while (!is_rest(event) && event->seconds == seconds);
}

enum tape_turn tape_step(struct tape *tape, enum tape_state state)
{
    const struct event *event = next_event(tape);
    const bool rests = state == TAPE_REST;
    tape->state = state;
    if (state < tape->least) tape->least = state;
    if (!tape->plays || (is_rest(event) && !rests)) return TAPE_WAITS;
    if (!event) return TAPE_OVER;
    if (!tape->done) tape->pace.longest = 0; /* the start of the program does not count */
    pace_event(&tape->pace, rests);
    hand_on_next(tape);
    return is_rest(event) ? TAPE_RESTED : TAPE_STEPPED;
}

bool tape_button(const struct tape *tape, int button) { return tape->down >> button & 1; }

bool tape_key(const struct tape *tape, int code) { return code >= 0 && code < TAPE_KEYS && tape->key[code]; }

int tape_modifiers(const struct tape *tape)
{
    static const int keys[][3] = { { GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT, GLFW_MOD_SHIFT },
                                   { GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL, GLFW_MOD_CONTROL },
                                   { GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT, GLFW_MOD_ALT },
                                   { GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER, GLFW_MOD_SUPER } };
    int modifiers = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (tape_key(tape, keys[i][0]) || tape_key(tape, keys[i][1])) modifiers |= keys[i][2];
    return modifiers;
}

/* ---- start and end ------------------------------------------------------------------------------------------------- */

int tape_open(struct tape *tape, const char *record, const char *replay, struct err *err)
{
    if (replay && events_load(&tape->events, replay, err)) return err->code;
    tape->plays = replay != NULL;
    tape->record = record ? fopen(record, "we") : NULL; /* e: no other program inherits it */
    if (!record || tape->record) return ERR_NONE;
    err_set(err, ERR_FAILED, "%s: cannot be written: %s", record, strerror(errno));
    tape_close(tape, NULL);
    return ERR_FAILED;
}

int tape_close(struct tape *tape, struct err *err)
{
    int bad = 0; /* errno */
    if (tape->plays) pace_close(&tape->pace);
    if (tape->record) {
        if (ferror(tape->record)) bad = EIO; /* from an earlier write, whose reason is gone */
        if (fclose(tape->record)) bad = errno;
    }
    events_free(&tape->events);
    *tape = (struct tape){ .plays = false };
    return bad ? err_set(err, ERR_FAILED, "the events could not be recorded: %s", strerror(bad)) : ERR_NONE;
}
