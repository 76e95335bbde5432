/* Connects the tape with the window: GLFW's callbacks, and the turns of the loop. */
#include "app_tape.h"
#include "app.h"

#include <GLFW/glfw3.h>

#include <stdlib.h>

#define FREEZE_MS 50.0 /* a pause that people would notice */

/* ---- callbacks ----------------------------------------------------------------------------------------------------- */

static void take(GLFWwindow *window, struct event event)
{
    struct app *app = glfwGetWindowUserPointer(window);
    tape_take(&app->tape, event);
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

static void note(GLFWwindow *window, struct event event)
{
    struct app *app = glfwGetWindowUserPointer(window);
    tape_note(&app->tape, event);
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

void app_attach_tape(struct app *app)
{
    GLFWwindow *window = app->gl.window;
    int width, height;
    app->tape.window = window;
    app->tape.opened = app->opened;
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
    tape_note(&app->tape, (struct event){ .kind = EVENT_SIZE, .at = { width, height } });
}

/* ---- turns --------------------------------------------------------------------------------------------------------- */

bool app_play_tape(struct app *app, enum tape_state state)
{
    struct tape *tape = &app->tape;
    tape->pace.drawing = app->drawing;
    const enum tape_turn turn = tape_step(tape, state);
    if (turn == TAPE_RESTED) app_log(app, "replay: at rest, %zu of %zu events", tape->done, tape->events.count);
    if (turn == TAPE_OVER) app->quit = true;
    return turn != TAPE_WAITS;
}

void app_wait(struct app *app, double seconds)
{
    struct tape *tape = &app->tape;
    const double ms = pace_stop(&tape->pace);
    tape->look = 0;
    if (tape->plays && ms > FREEZE_MS) app_log(app, "replay: no look at events for %.1f ms", ms);
    if (seconds > 0) glfwWaitEventsTimeout(seconds);
    else glfwPollEvents();
    pace_go_on(&tape->pace);
}
