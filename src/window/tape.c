#include "tape.h"
#include "app.h"

#include <GLFW/glfw3.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FREEZE_MS 50.0 /* that somebody would feel */

enum { MOST_PATHS = 64 }; /* that are dropped at once */

_Static_assert(TAPE_KEYS == GLFW_KEY_LAST + 1, "an element per key");

/* ---- handing on ---------------------------------------------------------------------------------------------------- */

static void move(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    memcpy(tape->cursor, event->at, sizeof tape->cursor);
    tape->next.cursor(window, event->at[0], event->at[1]);
}

static void press(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    tape->down |= 1u << event->code;
    tape->clicked |= 1u << event->code;
    tape->next.button(window, event->code, GLFW_PRESS, event->modifiers);
}

static void release(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    tape->down &= ~(1u << event->code);
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

/* The size of a full screen is the monitor's. */
static void size(struct tape *tape, GLFWwindow *window, const struct event *event)
{
    (void)tape;
    if (!glfwGetWindowMonitor(window)) glfwSetWindowSize(window, (int)event->at[0], (int)event->at[1]);
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

static void write_event(struct app *app, struct event event)
{
    struct tape *tape = &app->tape;
    if (!tape->record) return;
    if (!(tape->look > 0)) tape->look = timing_ms();
    event.seconds = (tape->look - app->opened) * 1e-3;
    if (tape->state > tape->least && !tape->down && !tape->plays) { /* whoever did that may have waited for it */
        event_write(tape->record, &(struct event){ .kind = EVENT_REST, .seconds = event.seconds });
        tape->least = tape->state;
    }
    event_write(tape->record, &event);
}

/* Of the mouse and the keyboard; while a replay is under way, they are dead. */
static void take(GLFWwindow *window, struct event event)
{
    struct app *app = glfwGetWindowUserPointer(window);
    if (app->tape.plays) return;
    write_event(app, event);
    hand_on[event.kind](&app->tape, window, &event);
}

static void on_cursor(GLFWwindow *window, double x, double y)
{
    take(window, (struct event){ .kind = EVENT_MOVE, .at = { x, y } });
}

static void on_button(GLFWwindow *window, int button, int action, int modifiers)
{
    const enum event_kind kind = action == GLFW_PRESS ? EVENT_PRESS : EVENT_RELEASE;
    take(window, (struct event){ .kind = kind, .code = button, .modifiers = modifiers });
}

static void on_scroll(GLFWwindow *window, double x, double y)
{
    take(window, (struct event){ .kind = EVENT_SCROLL, .at = { x, y } });
}

static void on_key(GLFWwindow *window, int code, int scancode, int action, int modifiers)
{
    const enum event_kind kind = action == GLFW_PRESS ? EVENT_KEY : action == GLFW_REPEAT ? EVENT_REPEAT : EVENT_LIFT;
    take(window, (struct event){ .kind = kind, .code = code, .scancode = scancode, .modifiers = modifiers });
}

static void on_character(GLFWwindow *window, unsigned code)
{
    take(window, (struct event){ .kind = EVENT_CHAR, .code = (int)code });
}

static void on_drop(GLFWwindow *window, int count, const char **paths)
{
    char *text = event_paths(count, paths);
    if (text) take(window, (struct event){ .kind = EVENT_DROP, .paths = text });
    free(text);
}

/* These have happened already. */
static void note(GLFWwindow *window, struct event event)
{
    struct app *app = glfwGetWindowUserPointer(window);
    if (!app->tape.plays) write_event(app, event);
}

static void on_size(GLFWwindow *window, int width, int height)
{
    if (width > 0 && height > 0 && !glfwGetWindowMonitor(window))
        note(window, (struct event){ .kind = EVENT_SIZE, .at = { width, height } });
}

static void on_iconify(GLFWwindow *window, int iconified)
{
    note(window, (struct event){ .kind = iconified ? EVENT_MINIMISE : EVENT_RESTORE });
}

/* ---- turns --------------------------------------------------------------------------------------------------------- */

static const struct event *next_event(const struct tape *tape)
{
    return tape->done < tape->events.count ? &tape->events.list[tape->done] : NULL;
}

static bool is_rest(const struct event *event) { return !event || event->kind == EVENT_REST; }

/* A rest, or all events of one look. */
static void hand_on_next(struct app *app)
{
    struct tape *tape = &app->tape;
    const struct event *event = next_event(tape);
    const double seconds = event->seconds;
    do {
        tape->done++;
        write_event(app, *event);
        if (is_rest(event)) return;
        hand_on[event->kind](tape, app->gl.window, event);
        event = next_event(tape);
    } while (!is_rest(event) && event->seconds == seconds);
}

bool tape_step(struct app *app, enum tape_state state)
{
    struct tape *tape = &app->tape;
    const bool rests = state == TAPE_REST;
    tape->state = state;
    if (state < tape->least) tape->least = state;
    if (!tape->plays) return false;
    const struct event *event = next_event(tape);
    if (is_rest(event) && !rests) return false;
    if (is_rest(event)) app_log(app, "replay: at rest after %zu of %zu events", tape->done, tape->events.count);
    if (!event) {
        app->quit = true;
        return true;
    }
    if (!tape->done) tape->pace.longest = 0; /* the start is another matter */
    pace_event(&tape->pace, rests);
    hand_on_next(app);
    return true;
}

void tape_wait(struct app *app, double seconds)
{
    struct tape *tape = &app->tape;
    const double ms = pace_stop(&tape->pace);
    tape->look = 0;
    if (tape->plays && ms > FREEZE_MS) app_log(app, "replay: no look at events for %.1f ms", ms);
    if (seconds > 0) glfwWaitEventsTimeout(seconds);
    else glfwPollEvents();
    pace_go_on(&tape->pace);
}

bool tape_button(const struct tape *tape, int button) { return tape->down >> button & 1; }

bool tape_key(const struct tape *tape, int code) { return code >= 0 && code < TAPE_KEYS && tape->key[code]; }

/* ---- start and end ------------------------------------------------------------------------------------------------- */

int tape_open(struct tape *tape, const char *record, const char *replay, struct err *err)
{
    if (replay && events_load(&tape->events, replay, err)) return err->code;
    tape->plays = replay != NULL;
    tape->record = record ? fopen(record, "w") : NULL;
    if (!record || tape->record) return ERR_NONE;
    err_set(err, ERR_FAILED, "%s: cannot be written: %s", record, strerror(errno));
    tape_close(tape, NULL);
    return ERR_FAILED;
}

void tape_attach(struct app *app)
{
    GLFWwindow *window = app->gl.window;
    int width, height;
    app->tape.next = (struct tape_next){ .cursor = glfwSetCursorPosCallback(window, on_cursor),
                                         .button = glfwSetMouseButtonCallback(window, on_button),
                                         .scroll = glfwSetScrollCallback(window, on_scroll),
                                         .key = glfwSetKeyCallback(window, on_key),
                                         .character = glfwSetCharCallback(window, on_character),
                                         .drop = glfwSetDropCallback(window, on_drop) };
    glfwSetWindowSizeCallback(window, on_size);
    glfwSetWindowIconifyCallback(window, on_iconify);
    glfwGetCursorPos(window, &app->tape.cursor[0], &app->tape.cursor[1]);
    glfwGetWindowSize(window, &width, &height);
    if (!app->tape.plays) write_event(app, (struct event){ .kind = EVENT_SIZE, .at = { width, height } });
}

int tape_close(struct tape *tape, struct err *err)
{
    bool bad = false;
    if (tape->plays) pace_close(&tape->pace);
    if (tape->record) {
        bad = ferror(tape->record);
        bad = fclose(tape->record) || bad;
    }
    events_free(&tape->events);
    *tape = (struct tape){ .plays = false };
    return bad ? err_set(err, ERR_FAILED, "the events could not be recorded: %s", strerror(errno)) : ERR_NONE;
}
