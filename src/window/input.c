#include "input.h"
#include "app.h"
#include "app_actions.h"
#include "app_cut.h"
#include "app_files.h"
#include "app_probe.h"
#include "app_surfaces.h"
#include "app_view.h"
#include "gizmo.h"
#include "grip.h"
#include "keys.h"
#include "panel.h"

#include <GLFW/glfw3.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

#define CLICK_PIXELS 4.0  /* in a click the cursor moves less than that, at scale 1 */
#define WHEEL_MS 200.0    /* longest time between two notches of one turn of the wheel */
#define EDITING "acvxyz"  /* with Control, these letters edit text in a field */
#define WHEEL_FACTOR 1.15 /* of the camera's distance, per notch */

/* The app of a window. Has the panel drawn again, as most events need it. */
static struct app *app_of(GLFWwindow *window)
{
    struct app *app = glfwGetWindowUserPointer(window);
    app_mark(app);
    return app;
}

static bool over_scene(const struct app *app)
{
    const double x = app->input.cursor[0] - app->scene[0], y = app->height - app->input.cursor[1] - app->scene[1];
    return x >= 0 && y >= 0 && x < app->scene[2] && y < app->scene[3] && app->input.cursor[0] >= app_panel_over(app) &&
           !panel_has_box(app);
}

/* Which end of the gizmo would take a click. As at the start of a drag of the view, it does not matter what the panel said
 * about the mouse in the last frame, when it may have been elsewhere. Whether an end is lit is decided by the panel in the
 * frame that it draws. */
static bool over_gizmo(const struct app *app, struct axes_end *end)
{
    return app->input.drag == DRAG_NONE && over_scene(app) && gizmo_find(app, end);
}

static void follow_gizmo(struct app *app)
{
    struct axes_end end;
    const int now = over_gizmo(app, &end) ? 1 + 2 * end.axis + (end.sign < 0) : 0;
    if (now != app->gizmo) app_mark(app);
    app->gizmo = now;
}

/* Which grip would take a press, decided as for the gizmo. */
static bool over_grip(const struct app *app, struct grip *grip)
{
    struct axes_end end;
    return app->input.drag == DRAG_NONE && over_scene(app) && !gizmo_find(app, &end) && grip_find(app, grip);
}

static void follow_grip(struct app *app)
{
    struct grip grip = { .cutter = 0 };
    if (app->input.drag == DRAG_GRIP) return;
    const int now = over_grip(app, &grip) ? grip.cutter : 0;
    if (now != app->grip) app_mark(app);
    app->grip = now;
}

static bool is_shift_down(const struct app *app) { return tape_modifiers(&app->tape) & GLFW_MOD_SHIFT; }

/* ---- mouse ----------------------------------------------------------------------------------------------------- */

static void on_cursor(GLFWwindow *window, double x, double y)
{
    struct app *app = glfwGetWindowUserPointer(window);
    double last[2] = { app->input.cursor[0], app->input.cursor[1] };
    const bool was_over = over_scene(app);
    app->input.cursor[0] = x * app->pixels;
    app->input.cursor[1] = y * app->pixels;
    if (!was_over || !over_scene(app) || panel_wants_mouse(app)) app_mark(app); /* else nothing looks different */
    follow_gizmo(app);
    follow_grip(app);
    if (app->input.clicking) { /* not a drag yet; if it becomes one, it starts where the button went down */
        const double *from = app->input.pressed;
        if (hypot(app->input.cursor[0] - from[0], app->input.cursor[1] - from[1]) < CLICK_PIXELS * app->scale) return;
        app->input.clicking = false;
        last[0] = from[0], last[1] = from[1];
    }
    if (app->input.drag == DRAG_GRIP) {
        grip_drag(app, app->input.cursor[0] - last[0], app->input.cursor[1] - last[1], is_shift_down(app));
        return;
    }
    const double dx = (app->input.cursor[0] - last[0]) / app->scene[3],
                 dy = (last[1] - app->input.cursor[1]) / app->scene[3];
    if (app->input.drag == DRAG_NONE || app->scene[3] <= 0) return;
    if (app->input.drag == DRAG_ORBIT) camera_orbit(&app->camera, dx, dy);
    else {
        camera_pan(&app->camera, dx, dy);
        app->fit = false; /* a full surface that comes later must not change the view */
    }
    app_mark_scene(app);
}

static void on_button(GLFWwindow *window, int button, int action, int modifiers)
{
    struct app *app = app_of(window);
    struct axes_end end;
    if (action == GLFW_PRESS && button == GLFW_MOUSE_BUTTON_LEFT && over_gizmo(app, &end)) {
        gizmo_look(app, &end);
        return;
    }
    struct grip grip;
    const bool gripped = action == GLFW_PRESS && button == GLFW_MOUSE_BUTTON_LEFT && over_grip(app, &grip);
    if (action == GLFW_RELEASE && app->input.drag != DRAG_NONE) {
        if (app->input.clicking && button == GLFW_MOUSE_BUTTON_LEFT)
            app_ask_probe(app, modifiers & GLFW_MOD_SHIFT     ? PROBE_RULER
                               : modifiers & GLFW_MOD_CONTROL ? PROBE_VALUE
                                                              : PROBE_LABEL);
        else if (app->input.drag == DRAG_GRIP) grip_let_go(app);
        if (!app->input.clicking || app_shows_coarse(app)) app_mark_scene(app);
        app->input.drag = DRAG_NONE;
        app->input.clicking = false;
    } else if (action == GLFW_PRESS && over_scene(app)) {
        app_stop_glide(app);
        app->input.clicking = true;
        app->input.pressed[0] = app->input.cursor[0], app->input.pressed[1] = app->input.cursor[1];
        if (gripped) grip_take(app, &grip);
        app->input.drag = gripped                                                          ? DRAG_GRIP
                          : button != GLFW_MOUSE_BUTTON_LEFT || modifiers & GLFW_MOD_SHIFT ? DRAG_PAN
                                                                                           : DRAG_ORBIT;
    }
}

static void on_wheel(GLFWwindow *window, double dx, double dy)
{
    struct app *app = app_of(window);
    (void)dx;
    if (!over_scene(app)) return;
    if (tape_modifiers(&app->tape) & GLFW_MOD_CONTROL) {
        app_move_cutter(app, is_shift_down(app) ? 0.1 * dy : dy);
        return;
    }
    const double x = (app->input.cursor[0] - app->scene[0] - 0.5 * app->scene[2]) / app->scene[3];
    const double y = (app->height - app->input.cursor[1] - app->scene[1]) / app->scene[3] - 0.5;
    app->fit = false;
    app->zooming = timing_ms() + WHEEL_MS;
    app_stop_glide(app);
    camera_zoom(&app->camera, pow(WHEEL_FACTOR, dy), x, y);
    app_mark_scene(app);
}

/* ---- keys ------------------------------------------------------------------------------------------------------ */

/* Whether the list of files or the RAW box is open. It takes all keys that type and edit, so that nothing behind it
 * changes. */
static bool has_box(const struct app *app) { return app->files.browse.shown || app->files.import.shown; }

/* Keys for the list or the RAW box. The box's fields take theirs by themselves, and its button takes Enter:
 * panel_files.cpp. */
static void press_in_box(struct app *app, int key)
{
    if (panel_takes_text()) return;
    if (app->files.browse.shown) app_press_browse(app, key);
    else if (key == GLFW_KEY_ESCAPE) app_escape(app);
}

/* Only Shift itself counts as Shift: with caps lock, "next" must not become "previous". */
static void press_character(struct app *app, int code, int modifiers)
{
    keys_press(app, tolower(code), modifiers, app->input.repeated);
}

/* Characters are taken as typed, so that the table of keys works on every layout with Latin letters. */
static void on_character(GLFWwindow *window, unsigned code)
{
    struct app *app = app_of(window);
    if (app->input.typed_count < INPUT_TYPED) app->input.typed[app->input.typed_count++] = code;
    if (panel_has_popup()) return;
    if (app->palette.shown) palette_type(app, code);
    else if (has_box(app)) {
        if (app->files.browse.shown && !panel_takes_text()) app_type_browse(app, code);
    } else if (code < 128 && !panel_takes_text()) press_character(app, (int)code, app->input.modifiers & ~KEY_CONTROL);
}

/* Whether the key is a text field's, where one has the keyboard: it edits, moves the caret, or ends the field. */
static bool is_of_text(int key)
{
    static const int taken[] = { GLFW_KEY_ENTER,  GLFW_KEY_KP_ENTER, GLFW_KEY_ESCAPE,  GLFW_KEY_TAB,      GLFW_KEY_INSERT,
                                 GLFW_KEY_DELETE, GLFW_KEY_LEFT,     GLFW_KEY_RIGHT,   GLFW_KEY_UP,       GLFW_KEY_DOWN,
                                 GLFW_KEY_HOME,   GLFW_KEY_END,      GLFW_KEY_PAGE_UP, GLFW_KEY_PAGE_DOWN };
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (taken[i] == key) return true;
    return false;
}

/* Whether Dear ImGui has a use for a tap of the key. Other keys only type text, or are modifiers. */
static bool is_for_panel(int key, int modifiers)
{
    if (key < GLFW_KEY_ESCAPE) return key >= 0 && modifiers & GLFW_MOD_CONTROL;
    return key < GLFW_KEY_LEFT_SHIFT;
}

/* Keys without a character, and characters with Control, for which GLFW sends no character event. */
static void on_key(GLFWwindow *window, int key, int scancode, int action, int modifiers)
{
    struct app *app = app_of(window);
    app->input.modifiers = modifiers;
    app->input.repeated = action == GLFW_REPEAT; /* also for the character event that follows */
    if (action == GLFW_PRESS && is_for_panel(key, modifiers) && app->input.tap_count < INPUT_TAPS)
        app->input.taps[app->input.tap_count++] = (struct tap){ key, modifiers, .typed = app->input.typed_count };
    if (action == GLFW_RELEASE) return;
    if (key == GLFW_KEY_ESCAPE && !panel_takes_text() && panel_close_popup()) {
        app_log(app, "menu closed");
        return;
    }
    const bool plain = key < GLFW_KEY_F1 && !(modifiers & GLFW_MOD_CONTROL);
    if (plain && panel_has_popup()) return;                                               /* an open list takes them */
    if (plain && app->help && !app->palette.shown && panel_scroll_help(app, key)) return; /* it lies above other boxes */
    if (plain && (app->palette.shown || has_box(app))) {
        (app->palette.shown ? palette_press : press_in_box)(app, key);
        return;
    }
    if (is_of_text(key) && panel_takes_text()) return;
    const char *name = glfwGetKeyName(key, scancode);
    const bool edits = modifiers & GLFW_MOD_CONTROL && name && strchr(EDITING, tolower((unsigned char)name[0]));
    if (edits && panel_takes_text()) return;
    const bool foreign = name && (unsigned char)name[0] >= 128; /* not a Latin layout: takes the US layout's letters */
    if (key >= 256) keys_press(app, key, modifiers, app->input.repeated);
    else if (foreign && !panel_takes_text()) press_character(app, key, modifiers);
    else if (!foreign && name && modifiers & GLFW_MOD_CONTROL) press_character(app, name[0], modifiers);
}

/* ---- the rest -------------------------------------------------------------------------------------------------- */

static void on_drop(GLFWwindow *window, int count, const char **paths)
{
    struct app *app = app_of(window);
    app_load(app, paths[0]);
    if (count > 1) app_notice(app, "%d files were dropped: opening the first", count);
}

static void on_size(GLFWwindow *window, int width, int height)
{
    (void)width, (void)height;
    app_of(window)->resized = true;
}

static void on_refresh(GLFWwindow *window) { app_of(window); }
static void on_focus(GLFWwindow *window, int focused) { (void)focused, app_of(window); }

void input_open(struct app *app)
{
    GLFWwindow *window = app->gl.window;
    glfwSetWindowUserPointer(window, app);
    glfwSetCursorPosCallback(window, on_cursor);
    glfwSetMouseButtonCallback(window, on_button);
    glfwSetScrollCallback(window, on_wheel);
    glfwSetCharCallback(window, on_character);
    glfwSetKeyCallback(window, on_key);
    glfwSetDropCallback(window, on_drop);
    glfwSetFramebufferSizeCallback(window, on_size);
    glfwSetWindowRefreshCallback(window, on_refresh);
    glfwSetWindowFocusCallback(window, on_focus);
}
