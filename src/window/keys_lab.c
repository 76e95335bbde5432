/* Actions of the lab page. */
#include "app.h"
#include "app_actions.h"
#include "app_lab.h"
#include "app_sets.h"
#include "app_turn.h"
#include "keys.h"

void key_pick_row(struct app *app, double step) { app_pick_row(app, (int)step); }
void key_step_row(struct app *app, double step) { app_next_rung(app, (enum stage)app->lab.row, (int)step); }
void key_flip_sets(struct app *app, double unused) { (void)unused, app_flip_sets(app); }
void key_split_sets(struct app *app, double unused) { (void)unused, app_split_sets(app); }
void key_race(struct app *app, double unused) { (void)unused, app_race(app); }
void key_flip_gemm(struct app *app, double unused) { (void)unused, app_flip_gemm(app); }
void key_pause_lab(struct app *app, double unused) { (void)unused, app_pause_lab(app); }
void key_pin_lab(struct app *app, double unused) { (void)unused, app_pin_lab(app); }
void key_copy_lab(struct app *app, double unused) { (void)unused, app_copy_lab(app); }
void key_log_lab(struct app *app, double unused) { (void)unused, app_log_lab(app); }

void key_row_now(const struct app *app, double unused, char *text, size_t size)
{
    const struct rung *rung = app->wish.rung[app->lab.row];
    (void)unused;
    snprintf(text, size, "%s: %s", stage_name[app->lab.row], rung ? rung->name : "");
}

void key_sets_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    if (app->lab.sets) snprintf(text, size, "%c", 'A' + app->lab.side);
    else text[0] = 0;
}

void key_split_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->lab.split ? "on" : "off");
}

const char *key_no_split(const struct app *app, double unused)
{
    (void)unused;
    return app->live.volume.grid.voxels ? app_lacks_split(app) : "no volume is open";
}

void key_gemm_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "by %s", app->lab.gemm ? "gemm" : "OpenGL");
}

void key_pause_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->lab.paused ? "paused" : "running");
}

void key_pin_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->lab.pinned ? "pinned" : "none");
}

void key_log_now(const struct app *app, double unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", app->lab.log.file ? "on" : "off");
}

/* ---- why a row has no time ---------------------------------------------------------------------------------------- */

/* Why a side op has not run, and the action that makes it run. */
static const struct {
    enum stage stage;
    const char *text;
    void (*action)(struct app *app, double argument);
} waits[] = {
    { AUX_UPLOAD, "the volume has not been uploaded with this rung", NULL },
    { AUX_REDUCE, "it runs when a volume is opened or smoothed", NULL },
    { AUX_HISTOGRAM, "it runs when a volume is opened or smoothed", NULL },
    { AUX_LOWER_BOUND, "it runs when the value steps by percents of the voxels", key_step_percent },
    { AUX_GAUSSIAN, "the volume is not smoothed", key_step_sigma },
    { AUX_MARCHING_SQUARES, "no slice shows a contour", key_flip_slice },
    { AUX_GEMV, "no translucent surface has been sorted", key_flip_translucent },
    { AUX_SORT, "no translucent surface has been sorted", key_flip_translucent },
    { AUX_COMPONENTS, "the surface's parts are neither measured nor left out", NULL },
    { AUX_GEMM, "gemm has not transformed any vertices", key_flip_gemm },
};

/* The first key of an action with any argument; "": none. */
static void key_of(void (*action)(struct app *app, double argument), char name[8])
{
    name[0] = 0;
    for (const struct key *key = keys; action && (key->code || key->name) && !name[0]; key++)
        if (key->action == action && key->name) keys_short_name(key, name);
}

/* Why the stage has no part in the present surface; NULL: it has one. */
static const char *left_out(const struct app *app, int stage)
{
    const bool fused = app_surface(app)->fused;
    if (stage >= STAGE_COUNT || stage == STAGE_BRICKS || fused == (stage == STAGE_FUSED)) return NULL;
    return fused ? "the fused rung does its work" : "the stages above do its work";
}

bool keys_explain_untimed(const struct app *app, int stage, char *text, size_t size)
{
    const char *const out = left_out(app, stage), *why = out ? out : "its rung has not run on this volume";
    char name[8] = "";
    if (app->live.times.stage[stage].count && !out) return false;
    if (out) keys_short_name(keys_find(key_next_rung, STAGE_FUSED), name);
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
        if ((int)waits[i].stage == stage) why = waits[i].text, key_of(waits[i].action, name);
    if (stage == AUX_UPLOAD && app->wish.backend == BACKEND_CPU) why = "the CPU works on the volume where it is";
    snprintf(text, size, "no time yet: %s%s%s%s", why, *name ? " (" : "", name, *name ? ")" : "");
    return true;
}
