/* Two sets of rungs, A and B: one at a time, or both at once, each in its half of the scene. Both make the same picture,
 * but not in the same time. */
#include "app_sets.h"
#include "app.h"
#include "app_actions.h"
#include "app_surfaces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_REPEAT 1000.0 /* ms: in longer runs, cold caches matter little */

static bool have_sets(const struct app *app) { return app->lab.sets && app->lab.of == app->wish.backend; }

/* Fills the set with all textbook or all fastest rungs. */
static void fill(struct lab_set *set, enum backend backend, bool textbook)
{
    *set = (struct lab_set){ .ms = 0 };
    for (int s = 0; s < STAGE_ALL; s++) {
        const struct ladder *ladder = ladder_of(stage_name[s]);
        set->rung[s] = textbook ? ladder_rung(ladder, backend, 0) : ladder_find(ladder, backend, NULL);
    }
}

/* Updates the present set: its rungs are those of the wish. */
static void keep_present(struct app *app)
{
    struct lab_set *set = &app->lab.set[app->lab.side];
    if (memcmp(set->rung, app->wish.rung, sizeof set->rung) != 0) set->ms = 0;
    memcpy(set->rung, app->wish.rung, sizeof set->rung);
}

/* Makes the two sets if there are none: A is the present rungs, B all textbook; or all fastest if A is all textbook. */
static void need_sets(struct app *app)
{
    struct lab *lab = &app->lab;
    if (!have_sets(app)) {
        const double ms = series_last(&app->live.times.compute);
        lab->sets = true;
        lab->of = app->wish.backend;
        lab->side = LAB_A;
        fill(&lab->set[LAB_B], lab->of, !app_is_textbook(app));
        lab->set[LAB_A] = (struct lab_set){ .ms = ms, .value = app_surface(app)->made.value };
        memcpy(lab->set[LAB_A].rung, app->wish.rung, sizeof lab->set[LAB_A].rung);
    }
    keep_present(app);
}

static void take_side(struct app *app, int side)
{
    app->lab.side = side;
    memcpy(app->wish.rung, app->lab.set[side].rung, sizeof app->wish.rung);
}

static void say_side(struct app *app, const char *what)
{
    const struct lab *lab = &app->lab;
    const struct lab_set *other = &lab->set[!lab->side];
    char text[2][256], took[64] = "";
    for (int i = 0; i < 2; i++) lab_describe(lab->set[i].rung, lab->of, text[i], sizeof text[i]);
    if (other->ms > 0) snprintf(took, sizeof took, ", which took %.3g ms", other->ms);
    app_log(app, "sets %s: %c, A %s, B %s", what, 'A' + lab->side, text[0], text[1]);
    if (lab->split) app_notice(app, "left A: %s; right B: %s", text[0], text[1]);
    else app_notice(app, "%c: %s. R goes back to %s%s", 'A' + lab->side, text[lab->side], text[!lab->side], took);
}

void app_flip_sets(struct app *app)
{
    if (app_backend_is_coming(app)) return;
    need_sets(app);
    take_side(app, !app->lab.side);
    say_side(app, "flipped");
    app_mark_scene(app);
}

/* ---- both ---------------------------------------------------------------------------------------------------------- */

static bool is_plain(const struct app *app)
{
    return app->wish.use[app->active] == LIVE_SHOWN && !app->wish.translucent[app->active] &&
           !component_filter_is_on(&app->wish.filter[app->active]);
}

const char *app_lacks_split(const struct app *app)
{
    if (app->lab.split) return NULL;
    if (app_count_surfaces(app) > 1) return "the scene can be split only while there is one surface";
    return is_plain(app) ? NULL : "the scene can be split only while the surface is shown, opaque and whole";
}

static void end_split(struct app *app)
{
    app->lab.split = false;
    rival_close(&app->rival);
    app_log(app, "split off");
    app_mark_scene(app);
}

void app_split_sets(struct app *app)
{
    if (app_backend_is_coming(app)) return;
    if (app->lab.split) {
        end_split(app);
        app_notice(app, "one set of rungs: %c", 'A' + app->lab.side);
        return;
    }
    need_sets(app);
    app->lab.split = true;
    say_side(app, "split");
    app_mark_scene(app);
}

void app_race(struct app *app)
{
    struct lab *lab = &app->lab;
    if (app_backend_is_coming(app)) return;
    if (lab->split) {
        app_split_sets(app);
        return;
    }
    lab->sets = lab->split = true;
    lab->of = app->wish.backend;
    for (int i = 0; i < LAB_SETS; i++) fill(&lab->set[i], lab->of, i == LAB_A);
    take_side(app, LAB_B); /* the window keeps this set after the race */
    say_side(app, "race");
    app_mark_scene(app);
}

/* ---- with each frame --------------------------------------------------------------------------------------------- */

void app_leave_rival(struct app *app) { rival_leave(&app->rival, &app->live, &app->wish); }

static void note(struct app *app, const char *who, int side, const struct rival_time *time)
{
    struct lab_set *set = &app->lab.set[side];
    set->ms = time->ms, set->value = time->value, set->shared = time->shared;
    app_log(app, "%s %c: iso %.9g, compute %.2f ms%s", who, 'A' + side, time->value, time->ms,
            time->shared ? ", both at once" : "");
}

/* Notes the time of the present set once live has made a surface with it. While that is made again, to be timed alone, its
 * value is NaN, and the last time stays. */
static void note_present(struct app *app)
{
    const struct series *compute = &app->live.times.compute;
    const struct lab_set *set = &app->lab.set[app->lab.side];
    const struct rival_time now = { .value = app_surface(app)->made.value,
                                    .ms = series_last(compute),
                                    .shared = app->rival.open && app->rival.live_shared };
    const bool same = set->value == now.value && set->shared == now.shared;
    if (!compute->count || isnan(now.value) || (set->ms == now.ms && (same || !app->rival.open))) return;
    note(app, "present", app->lab.side, &now);
}

/* The first surface with new rungs runs with cold caches, so its time says little. Has it made once more. */
static void repeat_first(struct app *app)
{
    const bool rests = live_is_idle(&app->live) && !app->wish.held && !live_is_coming(&app->live, (unsigned)app->active);
    const struct live_times *times = &app->live.times;
    const bool made = app->wish.use[app->active] == LIVE_SHOWN && !isnan(app_surface(app)->made.value);
    if (rests && made && times->compute.count == 1 && times->cold_compute) live_repeat(&app->live, (unsigned)app->active);
}

/* Whether the times are visible, and the surface is quick enough to be made a second time for them. */
static bool shows_times(const struct app *app)
{
    return app->page == PAGE_LAB && app_panel_form(app) == PANEL_FULL &&
           series_last(&app->live.times.compute) < LONGEST_REPEAT;
}

void app_follow_rival(struct app *app)
{
    struct err err = { 0 };
    struct lab *lab = &app->lab;
    if (app_backend_is_coming(app)) return;
    if (!have_sets(app)) lab->sets = false;
    if (lab->sets) keep_present(app), note_present(app);
    if (lab->sets || shows_times(app)) repeat_first(app);
    if (!lab->split) return;
    if (!lab->sets || app_count_surfaces(app) > 1 || !is_plain(app)) {
        end_split(app);
        return;
    }
    const unsigned surface = (unsigned)app->active;
    if (rival_follow(&app->rival, &app->live, &app->wish, surface, lab->set[!lab->side].rung, &err)) {
        note(app, "rival", !lab->side, &app->rival.time);
        app_mark_scene(app);
    }
    if (!err.code) return;
    app_fail(app, &err);
    end_split(app);
}

bool app_rival_rests(const struct app *app)
{
    return !app->lab.split || rival_rests(&app->rival, &app->live, &app->wish, (unsigned)app->active);
}

void app_split_view(const struct app *app, struct render_view *view)
{
    struct render_surface *present = &view->surface[app->active];
    int other = 0;
    if (!app->lab.split) return;
    while (other == app->active) other++;
    view->surface[other] = *present;
    view->surface[other].mesh = app->rival.open ? &app->rival.mesh : NULL;
    view->surface[other].step = 1;
    view->surface[other].caps = NULL;
    const int left = app->lab.side == LAB_A ? app->active : other;
    for (int i = 0; i < 2; i++) {
        struct render_surface *half = &view->surface[i ? app->active + other - left : left];
        half->part[0] = 0.5f * (float)i;
        half->part[1] = half->part[0] + 0.5f;
    }
}
