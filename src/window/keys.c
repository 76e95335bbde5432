#include "keys.h"
#include "app.h"

#include <GLFW/glfw3.h>

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- actions --------------------------------------------------------------------------------------------------- */

static void step_value(struct app *app, double part) { app_step_value(app, part); }
void key_auto_value(struct app *app, double unused) { (void)unused, app_auto_value(app); }
void key_step_sigma(struct app *app, double step) { app_step_sigma(app, (int)step); }
void key_next_rung(struct app *app, double stage) { app_next_rung(app, (enum stage)stage, 1); }
static void last_rung(struct app *app, double stage) { app_next_rung(app, (enum stage)stage, -1); }
void key_flip_rungs(struct app *app, double unused) { (void)unused, app_flip_rungs(app); }
static void flip_backend(struct app *app, double unused) { (void)unused, app_flip_backend(app); }
void key_next_mode(struct app *app, double step) { app_next_mode(app, (int)step); }
void key_flip_wireframe(struct app *app, double unused) { (void)unused, app_flip_wireframe(app); }
void key_flip_translucent(struct app *app, double unused) { (void)unused, app_flip_translucent(app); }
void key_flip_close(struct app *app, double unused) { (void)unused, app_flip_close(app); }
void key_look_level(struct app *app, double azimuth) { app_look(app, azimuth, 0); }
void key_look_down(struct app *app, double azimuth) { app_look(app, azimuth, 90); }
void key_next_up(struct app *app, double step) { app_next_up(app, (int)step); }
void key_fit(struct app *app, double unused) { (void)unused, app_fit(app); }
void key_flip_box(struct app *app, double unused) { (void)unused, app_flip_box(app); }
void key_flip_orthographic(struct app *app, double unused) { (void)unused, app_flip_orthographic(app); }
void key_flip_slice(struct app *app, double axis) { app_flip_slice(app, (int)axis); }
void key_cut_slice(struct app *app, double axis) { app_cut_slice(app, (int)axis); }
void key_flip_knife(struct app *app, double unused) { (void)unused, app_flip_knife(app); }
void key_move_slices(struct app *app, double step) { app_move_slices(app, (int)step); }
void key_step_percent(struct app *app, double percent) { app_step_percent(app, percent); }
void key_flip_help(struct app *app, double unused) { (void)unused, app_flip_help(app); }
void key_find_help(struct app *app, double unused) { (void)unused, app_find_help(app); }
static void flip_fullscreen(struct app *app, double unused) { (void)unused, app_flip_fullscreen(app); }
void key_screenshot(struct app *app, double scene_only) { app_screenshot(app, scene_only > 0); }
void key_export(struct app *app, double unused) { (void)unused, app_export(app); }
void key_escape(struct app *app, double unused) { (void)unused, app_escape(app); }
void key_next_surface(struct app *app, double step) { app_next_surface(app, (int)step); }
void key_add_surface(struct app *app, double mirrored) { app_add_surface(app, mirrored > 0); }
void key_drop_surface(struct app *app, double unused) { (void)unused, app_drop_surface(app, app->active); }
void key_flip_surface(struct app *app, double unused) { (void)unused, app_flip_surface(app, app->active); }
static void step_file(struct app *app, double step) { app_step_file(app, (int)step); }
static void quit(struct app *app, double unused) { (void)unused, app->quit = true; }

/* ---- present values -------------------------------------------------------------------------------------------- */

static void value_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%.6g", app_value(app));
}

static void surface_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%d of %d", app->active + 1, app_count_surfaces(app));
}

static void percent_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%.4g %% below", 100 * stats_part_below(&app->live.stats, &app->live.volume, app_value(app)));
}

static void slices_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    int used = snprintf(text, size, "%s", slices_any(&app->slices) ? "" : "off");
    for (int a = 0; a < SLICE_AXES; a++)
        if (app->slices.plane[a].on && used < (int)size)
            used += snprintf(text + used, size - (size_t)used, "%c %zu  ", 'x' + a, app->slices.plane[a].index);
}

static void cuts_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    int used = snprintf(text, size, "%s", "");
    for (int a = 0; a < SLICE_AXES; a++) {
        const struct slice_plane *plane = &app->slices.plane[a];
        if (plane->on && plane->cut && used < (int)size)
            used += snprintf(text + used, size - (size_t)used, "%c%c  ", 'x' + a, plane->cut > 0 ? '+' : '-');
    }
}

static void knife_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    if (app->slices.knife.on) snprintf(text, size, "%.0f %% of the way", 100 * app_knife_part(app));
    else snprintf(text, size, "off");
}

static void auto_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%.6g", app->live.first_value);
}

static void sigma_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, app->wish.sigma > 0 ? "sigma %.3g voxels" : "off", (double)app->wish.sigma);
}

static void rung_now(const struct app *app, double stage, char *text, size_t size)
{
    const struct rung *rung = app->wish.rung[(int)stage];
    snprintf(text, size, "%s", rung ? rung->name : "");
}

static void rungs_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app_is_textbook(app) ? "textbook" : "fastest or mixed");
}

static void backend_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->live.iso.ops->name);
}

static void mode_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", render_modes[app->mode].name);
}

static void wireframe_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->wireframe ? "on" : "off");
}

static void translucent_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    if (app->wish.translucent[app->active]) snprintf(text, size, "opacity %.2f", app->look[app->active].opacity);
    else snprintf(text, size, "off");
}

static void close_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->wish.close ? "on" : "off");
}

static void view_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%.0f\xc2\xb0 round, %.0f\xc2\xb0 up", app->camera.azimuth, app->camera.elevation);
}

static void up_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", camera_up_name[app->camera.up]);
}

static void orthographic_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->camera.orthographic ? "orthographic" : "perspective");
}

static void box_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->box ? "on" : "off");
}

static void panel_now(const struct app *app, double unused, char *text, size_t size)
{
    static const char *const names[PANEL_FORMS] = { "full", "line", "off" };
    (void)unused;
    snprintf(text, size, "%s", names[app_panel_form(app)]);
}

void key_next_panel(struct app *app, double argument)
{
    char text[64], key[8];
    app_next_panel(app);
    panel_now(app, argument, text, sizeof text);
    keys_short_name(keys_find(key_next_panel, argument), key);
    if (app->panel == PANEL_OFF) app_notice(app, "panel: %s, %s brings it back", text, key);
    else app_notice(app, "panel: %s", text);
}

static void page_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app_page_name[app->page]);
}

static const char *const page_idea[PANEL_PAGES] = { "what the picture shows", "how the surface is computed, and how fast" };

void key_next_page(struct app *app, double unused)
{
    (void)unused;
    app_set_page(app, (enum panel_page)((app->page + 1) % PANEL_PAGES));
    app_notice(app, "panel: %s - %s", app_page_name[app->page], page_idea[app->page]);
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct key keys[] = {
    { 0, 0, "left drag", "turn the view", NULL, 0, view_now, .group = "View" },
    { 0, 0, "right, middle or Shift drag", "move the view", NULL, 0, NULL },
    { 0, 0, "wheel", "zoom to the cursor", NULL, 0, NULL },
    { 'f', 0, "F, Home, Enter", "fit the surface into the window", key_fit, 0, NULL },
    { GLFW_KEY_HOME, 0, NULL, NULL, key_fit, 0, NULL },
    { GLFW_KEY_ENTER, 0, NULL, NULL, key_fit, 0, NULL },
    { GLFW_KEY_KP_ENTER, 0, NULL, NULL, key_fit, 0, NULL },
    { '1', 0, "1, 3, 7", "view from the front, the right, the top", key_look_level, 0, NULL },
    { '3', 0, NULL, NULL, key_look_level, 90, NULL },
    { '7', 0, NULL, NULL, key_look_down, 0, NULL },
    { '5', 0, "5", "perspective or orthographic view", key_flip_orthographic, 0, orthographic_now },
    { 'v', 0, "V", "box of the volume, with ticks and a scale bar", key_flip_box, 0, box_now },
    { 'u', 0, "U, Shift+U", "next, previous axis points up", key_next_up, 1, up_now },
    { 'u', KEY_SHIFT, NULL, NULL, key_next_up, -1, NULL },

    { '-', 0, "-, =", "value down, up by 1 % of the range", step_value, -0.01, value_now, true, "Isovalue and smoothing" },
    { '=', 0, NULL, NULL, step_value, 0.01, NULL, true },
    { '_', 0, "_, +", "value down, up by 10 % of the range", step_value, -0.1, NULL, true },
    { '+', 0, NULL, NULL, step_value, 0.1, NULL, true },
    { '[', 0, "[, ]", "value down, up by 1 % of the voxels", key_step_percent, -1, percent_now, true },
    { ']', 0, NULL, NULL, key_step_percent, 1, NULL, true },
    { '{', 0, "{, }", "value down, up by 0.1 % of the voxels", key_step_percent, -0.1, NULL, true },
    { '}', 0, NULL, NULL, key_step_percent, 0.1, NULL, true },
    { 'a', 0, "A", "automatic value; again: others that are often good", key_auto_value, 0, auto_now },
    { GLFW_KEY_TAB, 0, "Tab, Shift+Tab", "next, previous surface: what keys and wheel change", key_next_surface, 1, surface_now },
    { GLFW_KEY_TAB, KEY_SHIFT, NULL, NULL, key_next_surface, -1, NULL },
    { GLFW_KEY_INSERT, 0, "Insert, Shift+Insert", "another surface at another value, at minus this value", key_add_surface, 0, NULL },
    { GLFW_KEY_INSERT, KEY_SHIFT, NULL, NULL, key_add_surface, 1, NULL },
    { GLFW_KEY_DELETE, 0, "Delete", "remove the surface", key_drop_surface, 0, NULL },
    { 'i', 0, "I", "show or hide the surface", key_flip_surface, 0, NULL },
    { 'd', 0, "D, Shift+D", "smooth the volume more, less", key_step_sigma, 1, sigma_now, true },
    { 'd', KEY_SHIFT, NULL, NULL, key_step_sigma, -1, NULL, true },

    { 0, 0, "click", "position and value there; on a slice Ctrl+click takes the value", NULL, 0, NULL,
      .group = "Positions and slices" },
    { 0, 0, "Shift+click", "measure: two points give a length, a third an angle", NULL, 0, NULL },
    { '2', 0, "2, 4, 6", "slice across x, y, z, with its contour", key_flip_slice, 0, slices_now },
    { '4', 0, NULL, NULL, key_flip_slice, 1, NULL },
    { '6', 0, NULL, NULL, key_flip_slice, 2, NULL },
    { '2', KEY_CONTROL, "Ctrl+2, 4, 6", "hide what lies on the viewer's side of that slice, on the other, nothing",
      key_cut_slice, 0, cuts_now },
    { '4', KEY_CONTROL, NULL, NULL, key_cut_slice, 1, NULL },
    { '6', KEY_CONTROL, NULL, NULL, key_cut_slice, 2, NULL },
    { 'k', 0, "K", "cut across the view: hide what lies nearer", key_flip_knife, 0, knife_now },
    { 0, 0, "Ctrl+wheel", "move the slice or cut that was used last", NULL, 0, NULL },
    { ',', 0, "comma, dot", "slices down, up by a voxel (Shift: by ten)", key_move_slices, -1, NULL, true },
    { '.', 0, NULL, NULL, key_move_slices, 1, NULL, true },
    { '<', 0, NULL, NULL, key_move_slices, -10, NULL, true }, /* with Shift, on most keyboards, */
    { '>', 0, NULL, NULL, key_move_slices, 10, NULL, true },
    { ';', 0, NULL, NULL, key_move_slices, -10, NULL, true }, /* and on the others */
    { ':', 0, NULL, NULL, key_move_slices, 10, NULL, true },

    { 'b', 0, "B, Shift+B", "bricks: next, previous rung", key_next_rung, STAGE_BRICKS, rung_now,
      .group = "Rungs" },
    { 'b', KEY_SHIFT, NULL, NULL, last_rung, STAGE_BRICKS, NULL },
    { 'c', 0, "C, Shift+C", "classify: next, previous rung", key_next_rung, STAGE_CLASSIFY, rung_now },
    { 'c', KEY_SHIFT, NULL, NULL, last_rung, STAGE_CLASSIFY, NULL },
    { 's', 0, "S, Shift+S", "scan: next, previous rung", key_next_rung, STAGE_SCAN, rung_now },
    { 's', KEY_SHIFT, NULL, NULL, last_rung, STAGE_SCAN, NULL },
    { 'o', 0, "O, Shift+O", "compact: next, previous rung", key_next_rung, STAGE_COMPACT, rung_now },
    { 'o', KEY_SHIFT, NULL, NULL, last_rung, STAGE_COMPACT, NULL },
    { 'g', 0, "G, Shift+G", "generate: next, previous rung", key_next_rung, STAGE_GENERATE, rung_now },
    { 'g', KEY_SHIFT, NULL, NULL, last_rung, STAGE_GENERATE, NULL },
    { 'x', 0, "X, Shift+X", "fused: next, previous rung", key_next_rung, STAGE_FUSED, rung_now },
    { 'x', KEY_SHIFT, NULL, NULL, last_rung, STAGE_FUSED, NULL },
    { 'n', 0, "N", "all stages: textbook or fastest rungs", key_flip_rungs, 0, rungs_now },
    { 't', 0, "T", "compute on the CPU or with CUDA", flip_backend, 0, backend_now },

    { 'm', 0, "M, Shift+M", "next, previous shading mode", key_next_mode, 1, mode_now, .group = "Drawing, panel and files" },
    { 'm', KEY_SHIFT, NULL, NULL, key_next_mode, -1, NULL },
    { 'w', 0, "W", "triangle edges", key_flip_wireframe, 0, wireframe_now },
    { 'y', 0, "Y", "translucent surface", key_flip_translucent, 0, translucent_now },
    { 'j', 0, "J", "caps close the surface at the volume's border", key_flip_close, 0, close_now },
    { 'p', 0, "P, F3", "panel: full, one line, off", key_next_panel, 0, panel_now },
    { GLFW_KEY_F3, 0, NULL, NULL, key_next_panel, 0, NULL },
    { 'l', 0, "L", "page of the panel: view or lab", key_next_page, 0, page_now },
    { 'h', 0, "H, F1", "this help", key_flip_help, 0, NULL },
    { GLFW_KEY_F1, 0, NULL, NULL, key_flip_help, 0, NULL },
    { '/', 0, "/", "find keys in this help", key_find_help, 0, NULL },
    { GLFW_KEY_PAGE_DOWN, 0, "PageUp, PageDown", "previous, next volume of the folder", step_file, 1, NULL },
    { GLFW_KEY_PAGE_UP, 0, NULL, NULL, step_file, -1, NULL },
    { 'e', 0, "E", "write the surface to the current folder, as the panel says", key_export, 0, NULL },
    { GLFW_KEY_F11, 0, "F11", "full screen", flip_fullscreen, 0, NULL },
    { GLFW_KEY_F12, 0, "F12", "picture of the window (PNG)", key_screenshot, 0, NULL },
    { GLFW_KEY_F12, KEY_CONTROL, "Ctrl+F12", "picture without the panel", key_screenshot, 1, NULL },
    { GLFW_KEY_ESCAPE, 0, "Esc", "cancel loading, smoothing, counting, the full surface; close message, label, ruler, help",
      key_escape, 0, NULL },
    { 'q', KEY_CONTROL, "Ctrl+Q", "quit", quit, 0, NULL },
    { 0, 0, NULL, NULL, NULL, 0, NULL },
};
/* clang-format on */

void keys_press(struct app *app, int code, int modifiers, bool repeated)
{
    const int matter = code >= 256 || (code >= 'a' && code <= 'z') ? KEY_SHIFT | KEY_CONTROL : KEY_CONTROL;
    for (const struct key *key = keys; key->code || key->name; key++)
        if (key->action && key->code == code && key->modifiers == (modifiers & matter)) {
            if (!repeated || key->repeats) key->action(app, key->argument);
            return;
        }
}

const struct key *keys_find(void (*action)(struct app *app, double argument), double argument)
{
    for (const struct key *key = keys; key->code || key->name; key++)
        if (key->action == action && key->argument == argument) return key;
    assert(!"keys[] has a row for each action of a control");
    return keys;
}

void keys_short_name(const struct key *key, char name[8])
{
    if (key->name) snprintf(name, 8, "%.*s", (int)strcspn(key->name, ","), key->name);
    else snprintf(name, 8, "%c", toupper(key->code));
}
