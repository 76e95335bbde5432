#include "keys.h"
#include "app.h"
#include "app_actions.h"
#include "app_cut.h"
#include "app_files.h"
#include "app_slices.h"
#include "app_state.h"
#include "app_style.h"
#include "app_surfaces.h"
#include "app_time.h"
#include "app_value.h"
#include "app_view.h"
#include "theme.h"

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
static void look_down(struct app *app, double unused) { (void)unused, app_look_down(app); }
void key_next_up(struct app *app, double step) { app_next_up(app, (int)step); }
void key_fit(struct app *app, double unused) { (void)unused, app_fit(app); }
void key_flip_box(struct app *app, double unused) { (void)unused, app_flip_box(app); }
static void next_way(struct app *app, double unused) { (void)unused, app_next_way(app); }
void key_flip_orthographic(struct app *app, double unused) { (void)unused, app_flip_orthographic(app); }
void key_flip_slice(struct app *app, double axis) { app_flip_slice(app, (int)axis); }
void key_cut_slice(struct app *app, double axis) { app_cut_slice(app, (int)axis); }
void key_flip_knife(struct app *app, double unused) { (void)unused, app_flip_knife(app); }
void key_flip_crop(struct app *app, double unused) { (void)unused, app_flip_crop(app); }
void key_flip_cut_caps(struct app *app, double unused) { (void)unused, app_flip_cut_caps(app); }
void key_move_slices(struct app *app, double step) { app_move_slices(app, (int)step); }
void key_step_percent(struct app *app, double percent) { app_step_percent(app, percent); }
void key_flip_help(struct app *app, double unused) { (void)unused, app_flip_help(app); }
void key_find_help(struct app *app, double unused) { (void)unused, app_find_help(app); }
static void flip_fullscreen(struct app *app, double unused) { (void)unused, app_flip_fullscreen(app); }
void key_screenshot(struct app *app, double scene_only) { app_screenshot(app, scene_only > 0); }
static void enlarge(struct app *app, double times) { app_ask_enlarged(app, (int)times, false); }
static void cut_out(struct app *app, double times) { app_ask_enlarged(app, (int)times, true); }
void key_export(struct app *app, double unused) { (void)unused, app_export(app); }
void key_escape(struct app *app, double unused) { (void)unused, app_escape(app); }
void key_next_surface(struct app *app, double step) { app_next_surface(app, (int)step); }
void key_add_surface(struct app *app, double mirrored) { app_add_surface(app, mirrored > 0); }
void key_drop_surface(struct app *app, double unused) { (void)unused, app_drop_surface(app, app->active); }
void key_flip_surface(struct app *app, double unused) { (void)unused, app_flip_surface(app, app->active); }
static void step_file(struct app *app, double step) { app_step_file(app, (int)step); }
static void undo(struct app *app, double unused) { (void)unused, app_undo(app); }
static void redo(struct app *app, double unused) { (void)unused, app_redo(app); }
static void step_scale(struct app *app, double step) { app_step_scale(app, (int)step); }
void key_play(struct app *app, double unused) { (void)unused, app_play(app); }
void key_step_time(struct app *app, double step) { app_step_time(app, (int)step); }
static void flip_theme(struct app *app, double unused) { (void)unused, app_flip_theme(app); }
void key_ask_file(struct app *app, double unused) { (void)unused, app_ask_file(app); }
static void copy_command(struct app *app, double unused) { (void)unused, app_copy_command(app); }
static void save_state(struct app *app, double unused) { (void)unused, app_save_state(app); }
static void flip_palette(struct app *app, double unused) { (void)unused, app_flip_palette(app); }
static void tell_ruler(struct app *app, double unused)
{
    (void)unused;
    app_notice(app, "Shift+click two points for a length, a third for an angle; Esc removes them");
}

static void flip_measured(struct app *app, double unused) { (void)unused, app_flip_measured(app); }
static void set_mode(struct app *app, double mode) { app_set_mode(app, (unsigned)mode); }
static void set_map(struct app *app, double map) { app_set_map(app, (int)map); }
static void reset_window(struct app *app, double unused) { (void)unused, app_reset_window(app); }
static void quit(struct app *app, double unused) { (void)unused, app->quit = true; }

/* ---- present values -------------------------------------------------------------------------------------------- */

static void value_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%.*g", app_value_digits(app), app_value(app));
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
            used += snprintf(text + used, size - (size_t)used, "%c %zu  ", 'x' + a, app_slice_voxel(app, a));
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

static void crop_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->slices.crop.on ? "on" : "off");
}

static void cut_caps_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->cuts_capped ? "on" : "off");
}

static void auto_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%.*g", app_value_digits(app), app->live.first_value);
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

static void way_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", raster_way_name[app->render.raster.way]);
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

static void measured_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->wish.measured ? "on" : "off");
}

static void scale_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%.0f %%", 100 * app->scale);
}

static void theme_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", theme_name[app->theme]);
}

static void frame_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "frame %llu%s", (unsigned long long)app->live.from.load.frame, app->playing ? ", playing" : "");
    if (app->live.volume.frames < 2) text[0] = 0;
}

static void map_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", colour_maps[app->slices.map].name);
}

void key_next_panel(struct app *app, double argument)
{
    char text[64], key[8];
    app_set_panel(app, (enum panel_form)((app_panel_form(app) + 1) % PANEL_FORMS));
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
    if (app_panel_form(app) != PANEL_FULL) app_set_panel(app, PANEL_FULL); /* so that the page is visible */
    app_notice(app, "panel: %s - %s", app_page_name[app->page], page_idea[app->page]);
}

/* ---- what an action may lack -------------------------------------------------------------------------------------- */

static const char *no_volume(const struct app *app, double unused)
{
    (void)unused;
    return app->live.volume.grid.voxels ? NULL : "no volume is open";
}

static const char *no_slice(const struct app *app, double unused)
{
    (void)unused;
    return slices_any(&app->slices) ? NULL : "no slice is on";
}

static const char *no_file(const struct app *app, double unused)
{
    (void)unused;
    return app->path[0] ? NULL : "no file is open";
}

static const char *no_undo(const struct app *app, double unused)
{
    (void)unused;
    return app->history.at > 0 || history_pending(app) ? NULL : "there is nothing to undo";
}

static const char *no_redo(const struct app *app, double unused)
{
    (void)unused;
    return app->history.at + 1 < app->history.steps ? NULL : "there is nothing to redo";
}

static const char *no_frames(const struct app *app, double unused)
{
    (void)unused;
    return app->live.volume.frames > 1 ? NULL : "this volume has only one frame";
}

static const char *no_cuda(const struct app *app, double unused)
{
    char why[256];
    (void)unused;
    if (app->wish.backend == BACKEND_CUDA) return NULL;
    return app->live.cuda_lost[0] ? "CUDA has stopped" : backend_cuda.available(why, sizeof why) ? NULL : "no CUDA here";
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct key keys[] = {
    { 0, 0, "left drag", "turn the view", NULL, 0, view_now, .group = "View" },
    { 0, 0, "right, middle or Shift drag", "move the view", NULL, 0, NULL },
    { 0, 0, "wheel", "zoom to the cursor", NULL, 0, NULL },
    { 'f', 0, "F, Home, Enter", "fit the surface into the window", key_fit, 0, NULL, .lacks = no_volume },
    { GLFW_KEY_HOME, 0, NULL, NULL, key_fit, 0, NULL },
    { GLFW_KEY_ENTER, 0, NULL, NULL, key_fit, 0, NULL },
    { GLFW_KEY_KP_ENTER, 0, NULL, NULL, key_fit, 0, NULL },
    { '1', 0, "1, 3, 7", "view from the front, the right (a patient's left), the top", key_look_level, 0, NULL,
      .entry = "view from the front" },
    { '3', 0, NULL, NULL, key_look_level, 90, NULL, .entry = "view from the right (a patient's left)" },
    { '7', 0, NULL, NULL, look_down, 0, NULL, .entry = "view from the top" },
    { '5', 0, "5", "perspective or orthographic view", key_flip_orthographic, 0, orthographic_now },
    { 'v', 0, "V", "box of the volume, with ticks and a scale bar", key_flip_box, 0, box_now },
    { 'u', 0, "U, Shift+U", "next, previous axis points up", key_next_up, 1, up_now, .entry = "next axis points up" },
    { 'u', KEY_SHIFT, NULL, NULL, key_next_up, -1, up_now, .entry = "previous axis points up" },

    { '-', 0, "-, =", "value down, up by 1 % of the range", step_value, -0.01, value_now, true, "Isovalue and smoothing",
      "value down by 1 % of the range", no_volume },
    { '=', 0, NULL, NULL, step_value, 0.01, value_now, true, NULL, "value up by 1 % of the range", no_volume },
    { '_', 0, "_, +", "value down, up by 10 % of the range", step_value, -0.1, NULL, true, NULL,
      "value down by 10 % of the range", no_volume },
    { '+', 0, NULL, NULL, step_value, 0.1, NULL, true, NULL, "value up by 10 % of the range", no_volume },
    { '[', 0, "[, ]", "value down, up by 1 % of the voxels", key_step_percent, -1, percent_now, true, NULL,
      "value down by 1 % of the voxels", no_volume },
    { ']', 0, NULL, NULL, key_step_percent, 1, percent_now, true, NULL, "value up by 1 % of the voxels", no_volume },
    { '{', 0, "{, }", "value down, up by 0.1 % of the voxels", key_step_percent, -0.1, NULL, true, NULL,
      "value down by 0.1 % of the voxels", no_volume },
    { '}', 0, NULL, NULL, key_step_percent, 0.1, NULL, true, NULL, "value up by 0.1 % of the voxels", no_volume },
    { 'a', 0, "A", "automatic value; again: others that are often good", key_auto_value, 0, auto_now,
      .entry = "automatic value", .lacks = no_volume },
    { GLFW_KEY_TAB, 0, "Tab, Shift+Tab", "next, previous surface: the one that keys and wheel change", key_next_surface, 1,
      surface_now, .entry = "next surface", .lacks = no_volume },
    { GLFW_KEY_TAB, KEY_SHIFT, NULL, NULL, key_next_surface, -1, surface_now, .entry = "previous surface", .lacks = no_volume },
    { GLFW_KEY_INSERT, 0, "Insert, Shift+Insert", "another surface at another value, at minus this value", key_add_surface, 0,
      NULL, .entry = "another surface at another value", .lacks = no_volume },
    { GLFW_KEY_INSERT, KEY_SHIFT, NULL, NULL, key_add_surface, 1, NULL, .entry = "another surface at minus this value",
      .lacks = no_volume },
    { GLFW_KEY_DELETE, 0, "Delete", "remove the surface", key_drop_surface, 0, NULL, .lacks = no_volume },
    { 'i', 0, "I", "show or hide the surface", key_flip_surface, 0, NULL, .lacks = no_volume },
    { 'd', 0, "D, Shift+D", "smooth the volume more, less", key_step_sigma, 1, sigma_now, true, NULL,
      "smooth the volume more", no_volume },
    { 'd', KEY_SHIFT, NULL, NULL, key_step_sigma, -1, sigma_now, true, NULL, "smooth the volume less", no_volume },
    { KEY_NONE, 0, NULL, NULL, flip_measured, 0, measured_now, .entry = "measure parts, area, volume and box",
      .lacks = no_volume },

    { 0, 0, "click", "position and value there; on a slice or a cut Ctrl+click takes the value", NULL, 0, NULL,
      .group = "Positions and slices" },
    { 0, 0, "Shift+click", "measure: two points give a length, a third an angle", NULL, 0, NULL },
    { KEY_NONE, 0, NULL, NULL, tell_ruler, 0, NULL, .entry = "measure a length, distance or angle", .lacks = no_volume },
    { '2', 0, "2, 4, 6", "slice across x, y, z, with its contour", key_flip_slice, 0, slices_now,
      .entry = "slice across x", .lacks = no_volume },
    { '4', 0, NULL, NULL, key_flip_slice, 1, slices_now, .entry = "slice across y", .lacks = no_volume },
    { '6', 0, NULL, NULL, key_flip_slice, 2, slices_now, .entry = "slice across z", .lacks = no_volume },
    { '2', KEY_CONTROL, "Ctrl+2, 4, 6", "hide the viewer's side of that slice, then the other side, then nothing",
      key_cut_slice, 0, cuts_now, .entry = "cut at the slice across x", .lacks = no_volume },
    { '4', KEY_CONTROL, NULL, NULL, key_cut_slice, 1, cuts_now, .entry = "cut at the slice across y", .lacks = no_volume },
    { '6', KEY_CONTROL, NULL, NULL, key_cut_slice, 2, cuts_now, .entry = "cut at the slice across z", .lacks = no_volume },
    { 'k', 0, "K", "cut across the view: hide what lies nearer", key_flip_knife, 0, knife_now, .lacks = no_volume },
    { 'k', KEY_CONTROL, "Ctrl+K", "crop box: draw only what lies in it", key_flip_crop, 0, crop_now, .lacks = no_volume },
    { 'j', KEY_CONTROL, "Ctrl+J", "caps close what cuts and crop box open", key_flip_cut_caps, 0, cut_caps_now },
    { 0, 0, "drag of a grip", "move the cut or the side of the crop box (Shift: a tenth as far)", NULL, 0, NULL },
    { 0, 0, "Ctrl+wheel", "move the slice or cut that was used last (Shift: cuts by tenths)", NULL, 0, NULL },
    { ',', 0, "comma, dot", "slices down, up by a voxel (Shift: by ten)", key_move_slices, -1, NULL, true, NULL,
      "slices down by a voxel", no_slice },
    { '.', 0, NULL, NULL, key_move_slices, 1, NULL, true, NULL, "slices up by a voxel", no_slice },
    /* With Shift, comma and dot become < and > on most keyboards, ; and : on others. */
    { '<', 0, NULL, NULL, key_move_slices, -10, NULL, true, NULL, "slices down by ten voxels", no_slice },
    { '>', 0, NULL, NULL, key_move_slices, 10, NULL, true, NULL, "slices up by ten voxels", no_slice },
    { ';', 0, NULL, NULL, key_move_slices, -10, NULL, true, .lacks = no_slice },
    { ':', 0, NULL, NULL, key_move_slices, 10, NULL, true, .lacks = no_slice },
    { KEY_NONE, 0, NULL, NULL, set_map, 0, map_now, .entry = "slices in grey" },
    { KEY_NONE, 0, NULL, NULL, set_map, 1, map_now, .entry = "slices in viridis" },
    { KEY_NONE, 0, NULL, NULL, set_map, 2, map_now, .entry = "slices in cividis" },
    { KEY_NONE, 0, NULL, NULL, set_map, 3, map_now, .entry = "slices in diverging" },
    { KEY_NONE, 0, NULL, NULL, reset_window, 0, NULL, .entry = "slice colours over the whole range of values" },

    { 'm', 0, "M, Shift+M", "next, previous shading mode", key_next_mode, 1, mode_now,
      .group = "Drawing", .entry = "next shading mode" },
    { 'm', KEY_SHIFT, NULL, NULL, key_next_mode, -1, mode_now, .entry = "previous shading mode" },
    { KEY_NONE, 0, NULL, NULL, set_mode, 0, mode_now, .entry = "shading: light" },
    { KEY_NONE, 0, NULL, NULL, set_mode, 1, mode_now, .entry = "shading: matcap" },
    { KEY_NONE, 0, NULL, NULL, set_mode, 2, mode_now, .entry = "shading: jade" },
    { KEY_NONE, 0, NULL, NULL, set_mode, 3, mode_now, .entry = "shading: x-ray" },
    { KEY_NONE, 0, NULL, NULL, set_mode, 4, mode_now, .entry = "shading: normals" },
    { KEY_NONE, 0, NULL, NULL, set_mode, 5, mode_now, .entry = "shading: flat" },
    { 'd', KEY_CONTROL, "Ctrl+D", "who draws: the fastest, OpenGL, culled, compute, raster", next_way, 0, way_now },
    { 'w', 0, "W", "triangle edges", key_flip_wireframe, 0, wireframe_now },
    { 'y', 0, "Y", "translucent surface", key_flip_translucent, 0, translucent_now },
    { 'j', 0, "J", "caps close the surface at the volume's border", key_flip_close, 0, close_now },

    { 'b', 0, "B, Shift+B", "bricks: next, previous rung", key_next_rung, STAGE_BRICKS, rung_now,
      .group = "Rungs",
      .entry = "bricks: next rung", .lacks = no_volume },
    { 'b', KEY_SHIFT, NULL, NULL, last_rung, STAGE_BRICKS, rung_now, .entry = "bricks: previous rung",
      .lacks = no_volume },
    { 'c', 0, "C, Shift+C", "classify: next, previous rung", key_next_rung, STAGE_CLASSIFY, rung_now,
      .entry = "classify: next rung", .lacks = no_volume },
    { 'c', KEY_SHIFT, NULL, NULL, last_rung, STAGE_CLASSIFY, rung_now, .entry = "classify: previous rung",
      .lacks = no_volume },
    { 's', 0, "S, Shift+S", "scan: next, previous rung", key_next_rung, STAGE_SCAN, rung_now,
      .entry = "scan: next rung", .lacks = no_volume },
    { 's', KEY_SHIFT, NULL, NULL, last_rung, STAGE_SCAN, rung_now, .entry = "scan: previous rung",
      .lacks = no_volume },
    { 'o', 0, "O, Shift+O", "compact: next, previous rung", key_next_rung, STAGE_COMPACT, rung_now,
      .entry = "compact: next rung", .lacks = no_volume },
    { 'o', KEY_SHIFT, NULL, NULL, last_rung, STAGE_COMPACT, rung_now, .entry = "compact: previous rung",
      .lacks = no_volume },
    { 'g', 0, "G, Shift+G", "generate: next, previous rung", key_next_rung, STAGE_GENERATE, rung_now,
      .entry = "generate: next rung", .lacks = no_volume },
    { 'g', KEY_SHIFT, NULL, NULL, last_rung, STAGE_GENERATE, rung_now, .entry = "generate: previous rung",
      .lacks = no_volume },
    { 'x', 0, "X, Shift+X", "fused: next, previous rung", key_next_rung, STAGE_FUSED, rung_now,
      .entry = "fused: next rung", .lacks = no_volume },
    { 'x', KEY_SHIFT, NULL, NULL, last_rung, STAGE_FUSED, rung_now, .entry = "fused: previous rung",
      .lacks = no_volume },
    { 'n', 0, "N", "all stages and side ops: textbook or fastest rungs", key_flip_rungs, 0, rungs_now },
    { GLFW_KEY_DOWN, 0, "Down, Up", "next, previous row of the lab: stages and side ops", key_pick_row, 1,
      key_row_now, true, NULL, "next row of the lab's table", no_volume },
    { GLFW_KEY_UP, 0, NULL, NULL, key_pick_row, -1, NULL, true, NULL, "previous row of the lab's table", no_volume },
    { GLFW_KEY_RIGHT, 0, "Right, Left", "that row: next, previous rung", key_step_row, 1, key_row_now, true, NULL,
      "row of the lab's table: next rung", no_volume },
    { GLFW_KEY_LEFT, 0, NULL, NULL, key_step_row, -1, NULL, true, NULL, "row of the lab's table: previous rung", no_volume },
    { 'r', 0, "R", "switch between two sets of rungs, A and B (at first the textbook)", key_flip_sets, 0, key_sets_now,
      .entry = "rungs: set A or B", .lacks = no_volume },
    { 'r', KEY_CONTROL, "Ctrl+R", "split the scene: A at the left, B at the right, both at work", key_split_sets, 0,
      key_split_now, .entry = "rungs: split the scene between A and B", .lacks = key_no_split },
    { 'r', KEY_SHIFT, "Shift+R", "race: the textbook at the left, the fastest rungs at the right", key_race, 0, key_split_now,
      .entry = "rungs: race of textbook and fastest", .lacks = key_no_split },
    { 'g', KEY_CONTROL, "Ctrl+G", "the gemm op transforms the vertices, or OpenGL's vertex shader", key_flip_gemm, 0,
      key_gemm_now, .entry = "vertices by gemm or by OpenGL", .lacks = no_volume },
    { 'b', KEY_CONTROL, "Ctrl+B", "pin these times, to compare later ones with them; or unpin", key_pin_lab, 0, key_pin_now,
      .entry = "times of the lab: pin or unpin", .lacks = no_volume },
    { 'p', KEY_CONTROL, "Ctrl+P", "pause or resume the lab's times", key_pause_lab, 0, key_pause_now,
      .entry = "times of the lab: pause or resume", .lacks = no_volume },
    { 'm', KEY_CONTROL, "Ctrl+M", "copy the lab's times, as a table in Markdown", key_copy_lab, 0, NULL,
      .entry = "times of the lab: copy as Markdown", .lacks = no_volume },
    { KEY_NONE, 0, NULL, NULL, key_log_lab, 0, key_log_now, .entry = "times of the lab: log each in a CSV file, or end",
      .lacks = no_volume },
    { 't', 0, "T", "compute on the CPU or with CUDA", flip_backend, 0, backend_now, .lacks = no_cuda },

    { 'p', 0, "P, F3", "panel: full, one line, off", key_next_panel, 0, panel_now, .group = "Panel and files" },
    { GLFW_KEY_F3, 0, NULL, NULL, key_next_panel, 0, NULL },
    { 'l', 0, "L", "page of the panel: view or lab", key_next_page, 0, page_now },
    { '=', KEY_CONTROL, "Ctrl+=, Ctrl+-", "text and controls larger, smaller", step_scale, 1, scale_now, true, NULL,
      "larger text and controls" },
    { '+', KEY_CONTROL, NULL, NULL, step_scale, 1, NULL, true },
    { GLFW_KEY_KP_ADD, KEY_CONTROL, NULL, NULL, step_scale, 1, NULL, true },
    { '-', KEY_CONTROL, NULL, NULL, step_scale, -1, scale_now, true, NULL, "smaller text and controls" },
    { GLFW_KEY_KP_SUBTRACT, KEY_CONTROL, NULL, NULL, step_scale, -1, NULL, true },
    { '0', KEY_CONTROL, "Ctrl+0", "text and controls at the display's scale", step_scale, 0, scale_now },
    { 't', KEY_CONTROL, "Ctrl+T", "dark or light panel", flip_theme, 0, theme_now },
    { 'h', 0, "H, F1", "this help", key_flip_help, 0, NULL },
    { GLFW_KEY_F1, 0, NULL, NULL, key_flip_help, 0, NULL },
    { '/', 0, "/", "find keys in this help", key_find_help, 0, NULL },
    { 'p', KEY_CONTROL | KEY_SHIFT, "Ctrl+Shift+P", "palette: find an action by its words, and run it", flip_palette, 0, NULL },
    { 'o', KEY_CONTROL, "Ctrl+O", "open a file", key_ask_file, 0, NULL },
    { GLFW_KEY_PAGE_DOWN, 0, "PageUp, PageDown", "previous, next volume of the folder", step_file, 1, NULL,
      .entry = "next volume of the folder", .lacks = no_file },
    { GLFW_KEY_PAGE_UP, 0, NULL, NULL, step_file, -1, NULL, .entry = "previous volume of the folder", .lacks = no_file },
    { ' ', 0, "Space", "play the frames of a series in time, or stop", key_play, 0, frame_now, .lacks = no_frames },
    { GLFW_KEY_PAGE_DOWN, KEY_CONTROL, "Ctrl+PageUp, PageDown", "previous, next frame", key_step_time, 1, frame_now, true, NULL,
      "next frame", no_frames },
    { GLFW_KEY_PAGE_UP, KEY_CONTROL, NULL, NULL, key_step_time, -1, frame_now, true, NULL, "previous frame", no_frames },
    { 'e', 0, "E", "write the surface to the current folder, as the panel says", key_export, 0, NULL,
      .lacks = no_volume },
    { 'z', KEY_CONTROL, "Ctrl+Z", "undo: the value, the view, whatever was set last", undo, 0, NULL, true, .entry = "undo",
      .lacks = no_undo },
    { 'z', KEY_CONTROL | KEY_SHIFT, "Ctrl+Shift+Z, Ctrl+Y", "redo", redo, 0, NULL, true, .lacks = no_redo },
    { 'y', KEY_CONTROL, NULL, NULL, redo, 0, NULL, true, .lacks = no_redo },
    { 'c', KEY_CONTROL, "Ctrl+C", "copy the command that renders this picture", copy_command, 0, NULL, .lacks = no_volume },
    { 's', KEY_CONTROL, "Ctrl+S", "save all settings to a state file in the current folder", save_state, 0, NULL,
      .lacks = no_volume },
    { GLFW_KEY_F11, 0, "F11", "full screen", flip_fullscreen, 0, NULL },
    { GLFW_KEY_F12, 0, "F12", "picture of the window (PNG)", key_screenshot, 0, NULL },
    { GLFW_KEY_F12, KEY_CONTROL, "Ctrl+F12", "picture without the panel", key_screenshot, 1, NULL },
    { KEY_NONE, 0, NULL, NULL, enlarge, 4, NULL, .lacks = no_volume,
      .entry = "picture for print: without the panel, 4 times as wide and high" },
    { KEY_NONE, 0, NULL, NULL, cut_out, 1, NULL, .lacks = no_volume, .entry = "picture without panel and background" },
    { GLFW_KEY_ESCAPE, 0, "Esc", "cancel loading, smoothing, counting, the full surface; close message, label, ruler, help",
      key_escape, 0, NULL, .entry = "cancel what is under way; close message, label, ruler, help" },
    { 'q', KEY_CONTROL, "Ctrl+Q", "quit", quit, 0, NULL },
    { 0, 0, NULL, NULL, NULL, 0, NULL },
};
/* clang-format on */

void keys_press(struct app *app, int code, int modifiers, bool repeated)
{
    const int matter = code >= 256 || (code >= 'a' && code <= 'z') ? KEY_SHIFT | KEY_CONTROL : KEY_CONTROL;
    for (const struct key *key = keys; key->code || key->name; key++)
        if (key->action && key->code == code && key->modifiers == (modifiers & matter)) {
            const char *why = key->lacks ? key->lacks(app, key->argument) : NULL;
            if (repeated && !key->repeats) return;
            if (why) app_notice(app, "%s", why), app_log(app, "not now: %s", why);
            else key->action(app, key->argument);
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

/* Keys that are not named by their character. */
static const struct {
    int code;
    const char *name;
} names[] = { { GLFW_KEY_ESCAPE, "Esc" },
              { GLFW_KEY_ENTER, "Enter" },
              { GLFW_KEY_KP_ENTER, "Enter" },
              { GLFW_KEY_TAB, "Tab" },
              { GLFW_KEY_INSERT, "Insert" },
              { GLFW_KEY_DELETE, "Delete" },
              { GLFW_KEY_HOME, "Home" },
              { GLFW_KEY_UP, "Up" },
              { GLFW_KEY_DOWN, "Down" },
              { GLFW_KEY_LEFT, "Left" },
              { GLFW_KEY_RIGHT, "Right" },
              { GLFW_KEY_PAGE_UP, "PageUp" },
              { GLFW_KEY_PAGE_DOWN, "PageDown" },
              { GLFW_KEY_KP_ADD, "+" },
              { GLFW_KEY_KP_SUBTRACT, "-" },
              { GLFW_KEY_F1, "F1" },
              { GLFW_KEY_F3, "F3" },
              { GLFW_KEY_F11, "F11" },
              { GLFW_KEY_F12, "F12" },
              { ',', "comma" },
              { '.', "dot" },
              { ' ', "Space" } };

void keys_own_name(const struct key *key, char name[24])
{
    char letter[2] = { (char)toupper(key->code & 127), 0 };
    const char *own = letter;
    name[0] = 0;
    if (key->code == KEY_NONE) return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == key->code) own = names[i].name;
    assert(own != letter || key->code < 256);
    snprintf(name, 24, "%s%s%s", key->modifiers & KEY_CONTROL ? "Ctrl+" : "", key->modifiers & KEY_SHIFT ? "Shift+" : "",
             own);
}
