/* Series in time: the frames of a file, one after the other, in the same view. */
#include "app_time.h"
#include "app.h"
#include "app_files.h"

#include <math.h>

#define FRAME_MS 200.0 /* least time that a frame is shown while playing */

void app_step_time(struct app *app, int step)
{
    const uint64_t frames = app->live.volume.frames;
    struct load_desc desc = app->wish.open.load;
    if (frames < 2) {
        app_notice(app, "this volume is one frame only");
        return;
    }
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
