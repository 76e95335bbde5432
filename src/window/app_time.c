/* Series in time: the frames of a file, one after the other, in the same view. */
#include "app_time.h"
#include "app.h"
#include "app_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FRAME_MS 200.0 /* least time that a frame is shown while playing */

/* What a step starts from: the frame that was asked for last, as several keys may come before one frame is shown. If
 * another file was asked for and could not be opened, the frame that is shown. */
static const struct setup *steps_on(struct app *app)
{
    if (!strcmp(app->path, app_shown_path(app))) return &app->wish.open;
    snprintf(app->path, sizeof app->path, "%s", app_shown_path(app));
    return &app->live.from;
}

void app_step_time(struct app *app, int step)
{
    const uint64_t frames = app->live.volume.frames;
    if (frames < 2) {
        app_notice(app, "this volume has only one frame");
        return;
    }
    struct load_desc desc = steps_on(app)->load;
    desc.frame = (desc.frame + frames + (uint64_t)(int64_t)step) % frames;
    app_load_again(app, &desc);
    app_log(app, "frame %llu", (unsigned long long)desc.frame);
    app_notice(app, "frame %llu of %llu, counted from 0", (unsigned long long)desc.frame, (unsigned long long)frames);
}

void app_play(struct app *app)
{
    if (app->live.volume.frames < 2) {
        app_step_time(app, 1); /* which says why it does not */
        return;
    }
    app->playing = !app->playing;
    app->play_due = 0;
    app_log(app, "play %s", app->playing ? "on" : "off");
    app_mark(app);
}

/* The next frame waits until this one's full surface is there and the mouse holds nothing. */
static bool rests(const struct app *app)
{
    return live_is_idle(&app->live) && !live_is_coming(&app->live, 0) && app->volumes == app->live.volumes &&
           app->input.drag == DRAG_NONE && !app->wish.held;
}

void app_follow_time(struct app *app)
{
    if (!app->playing) return;
    if (app->live.volume.frames < 2 || app->error.code) app->playing = false; /* another file was opened */
    if (!app->playing || !rests(app) || timing_ms() < app->play_due) return;
    app_step_time(app, 1);
    app->play_due = timing_ms() + FRAME_MS;
}

double app_time_wait(const struct app *app)
{
    return app->playing && rests(app) ? fmax(0, app->play_due - timing_ms()) : INFINITY;
}
