#include "history.h"
#include "app.h"
#include "app_state.h"
#include "app_value.h"
#include "app_view.h"

#include <math.h>
#include <string.h>

#define REST_MS 400.0 /* a step ends after so long without a change */

void history_begin(struct app *app)
{
    struct history *history = &app->history;
    settings_take(app, &history->step[0]);
    history->steps = 1;
    history->at = 0;
    history->seen = history->step[0];
    history->rest = INFINITY;
    history->settling = app->fit;
    history->dropped = false;
}

static void push(struct history *history, const struct settings *settings)
{
    if (history->at + 1 == HISTORY_MOST) {
        memmove(history->step, history->step + 1, (HISTORY_MOST - 1) * sizeof history->step[0]);
        history->at--;
        history->dropped = true;
    }
    history->step[++history->at] = *settings;
    history->steps = history->at + 1;
}

/* Takes over what live has switched off. But if something else differs, too, that is a change somebody made, and what was
 * switched off belongs to it: for example, parts belong to rungs that make a soup. */
static void adopt_switched_off(struct settings *step, const struct settings *now)
{
    struct settings other = *step;
    settings_take_switched_off(&other, now);
    if (settings_same(&other, now)) *step = other;
}

/* Changes that nobody asked for are no step. So `step` takes over an automatic value that has become known, the rungs that
 * come with another backend, and what was switched off. */
static void adopt(struct settings *step, const struct settings *now, bool switched_off)
{
    for (int i = 0; i < LIVE_SURFACES; i++)
        if (isnan(step->surface[i].value)) step->surface[i].value = now->surface[i].value;
    if (step->backend != now->backend) {
        step->backend = now->backend;
        memcpy(step->rung, now->rung, sizeof step->rung);
    }
    if (switched_off) adopt_switched_off(step, now);
}

/* Lets the present step and what was seen last take over such changes. Sets `now` to what is set. */
static void adopt_now(struct app *app, struct settings *now)
{
    struct history *history = &app->history;
    settings_take(app, now);
    adopt(&history->step[history->at], now, app->wish.switched_off);
    adopt(&history->seen, now, app->wish.switched_off);
    app->wish.switched_off = false;
}

void history_step(struct app *app)
{
    struct history *history = &app->history;
    char what[SETTINGS_TEXT + 64];
    settings_take(app, &history->seen);
    history->rest = INFINITY;
    if (settings_same(&history->seen, &history->step[history->at])) return;
    settings_difference(&history->step[history->at], &history->seen, app_value_digits(app), what, sizeof what);
    push(history, &history->seen);
    app_log(app, "step %zu: %s", history->at, what);
}

static void take_step(struct app *app)
{
    struct settings now;
    adopt_now(app, &now);
    history_step(app);
}

/* Whether the mouse holds something, or the view is moving or still has to be fitted. */
static bool is_moving(const struct app *app)
{
    const bool fits = app->fit && !app->history.settling &&
                      (live_any_is_coming(&app->live) || app_fit_waits(app) || (app->scene_stale && app_has_scene(app)));
    return app->input.drag != DRAG_NONE || app->sliding || app->wish.held || app->zooming > 0 || app->glide.on || fits;
}

void history_follow(struct app *app)
{
    struct history *history = &app->history;
    struct settings now;
    if (!history->steps) return;
    if (!app->fit) history->settling = false;
    if (is_moving(app)) return;
    adopt_now(app, &now);
    if (!settings_same(&now, &history->seen)) {
        history->seen = now;
        history->rest = timing_ms() + REST_MS;
    } else if (timing_ms() >= history->rest) take_step(app);
}

double history_wait(const struct app *app)
{
    const bool waits = !app->history.steps || is_moving(app); /* steps 0: there is no volume yet */
    return waits ? INFINITY : fmax(0, app->history.rest - timing_ms());
}

void history_fitted(struct app *app)
{
    struct history *history = &app->history;
    struct settings now;
    if (!history->settling || app->glide.on) return;
    settings_take(app, &now);
    struct settings_view *const views[] = { &history->step[history->at].view, &history->seen.view };
    for (int i = 0; i < 2; i++) {
        views[i]->fit = now.view.fit;
        views[i]->distance = now.view.distance;
        memcpy(views[i]->target, now.view.target, sizeof now.view.target);
    }
}

void history_resized(struct app *app, double before)
{
    struct history *history = &app->history;
    const double now = app->camera.distance;
    struct settings_view *const views[] = { &history->step[history->at].view, &history->seen.view };
    for (int i = 0; i < 2; i++) views[i]->distance = views[i]->distance == before ? now : views[i]->distance * now / before;
}

void history_flush(struct app *app)
{
    if (app->history.steps) take_step(app);
}

bool history_any(const struct history *history) { return history->at > 0 || history->dropped; }

bool history_pending(const struct app *app)
{
    struct settings then, now;
    if (!app->history.steps) return false;
    then = app->history.step[app->history.at];
    settings_take(app, &now);
    adopt(&then, &now, app->wish.switched_off);
    return !settings_same(&now, &then);
}

/* A surface that comes back is the one that keys act on, as it was before it left. */
static void pick_returned(struct app *app, const struct settings *from, const struct settings *to)
{
    for (int i = 0; i < LIVE_SURFACES; i++)
        if (from->surface[i].use == LIVE_OFF && to->surface[i].use != LIVE_OFF) app->active = i;
}

/* Goes to step `to`: puts its settings back. */
static void go(struct app *app, size_t to, const char *what)
{
    struct history *history = &app->history;
    char text[SETTINGS_TEXT + 64];
    settings_difference(&history->step[history->at], &history->step[to], app_value_digits(app), text, sizeof text);
    settings_put(app, &history->step[to]);
    pick_returned(app, &history->step[history->at], &history->step[to]);
    history->at = to;
    history->settling = app->fit;
    settings_take(app, &history->seen);
    history->step[to] = history->seen; /* not all of it could be put back, perhaps */
    history->rest = INFINITY;
    app_log(app, "%s to step %zu: %s", what, to, text);
    app_notice(app, "%s: %s", what, text);
}

void app_undo(struct app *app)
{
    app_end_glide(app);
    history_flush(app);
    if (app->history.at > 0) go(app, app->history.at - 1, "undo");
    else app_notice(app, "there is nothing to undo");
}

void app_redo(struct app *app)
{
    history_flush(app);
    if (app->history.at + 1 < app->history.steps) go(app, app->history.at + 1, "redo");
    else app_notice(app, "there is nothing to redo");
}
