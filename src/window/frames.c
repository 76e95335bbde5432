#include "frames.h"

#include <math.h>
#include <stdio.h>

const char *const frame_part_name[FRAME_PARTS] = { "compute", "map", "draw", "panel", "wait", "other" };

void frames_begin(struct frames *frames, double now)
{
    frames->now = (struct frame){ .ms = 0 };
    frames->part = FRAME_OTHER;
    frames->since = now;
}

void frames_forget(struct frames *frames) { frames->count = frames->next = frames->total = frames->quiet = 0; }

enum frame_part frames_enter(struct frames *frames, enum frame_part part, double now)
{
    const enum frame_part before = frames->part;
    frames->now.part[before] += now - frames->since;
    frames->part = part;
    frames->since = now;
    return before;
}

void frames_move(struct frames *frames, enum frame_part from, enum frame_part to, double ms)
{
    const double moved = fmin(ms, frames->now.part[from]);
    frames->now.part[from] -= moved;
    frames->now.part[to] += moved;
}

void frames_end(struct frames *frames, bool scene, double now)
{
    frames_enter(frames, FRAME_OTHER, now);
    frames->quiet++;
    if (!scene) return;
    for (int i = 0; i < FRAME_PARTS; i++) frames->now.ms += frames->now.part[i];
    frames->ring[frames->next] = frames->now;
    frames->next = (frames->next + 1) % SERIES_LENGTH;
    frames->count += frames->count < SERIES_LENGTH;
    frames->total++;
    frames->quiet = 0;
}

const struct frame *frames_last(const struct frames *frames)
{
    return frames->count ? &frames->ring[(frames->next + SERIES_LENGTH - 1) % SERIES_LENGTH] : NULL;
}

/* The part of a frame that took the most time. */
static enum frame_part most_of(const struct frame *frame)
{
    int most = 0;
    for (int i = 1; i < FRAME_PARTS; i++)
        if (frame->part[i] > frame->part[most]) most = i;
    return (enum frame_part)most;
}

/* There are two reasons to wait: OpenGL is still drawing, or it has drawn and the display is not ready. */
static const char *wait_cause(const struct frame *frame, double opengl)
{
    return opengl >= 0.5 * frame->part[FRAME_WAIT] ? "limited by drawing: OpenGL works while the window waits"
           : opengl > 0                            ? "limited by the display: the window waits for its next refresh"
                                                   : "limited by waiting for OpenGL or the display";
}

void frame_explain(const struct frame *frame, double opengl, char *text, size_t size)
{
    static const char *const cause[FRAME_PARTS] = { "limited by computing",
                                                    "limited by getting the mesh to OpenGL",
                                                    "limited by drawing",
                                                    "limited by the panel",
                                                    NULL,
                                                    "limited by work other than computing and drawing" };
    const enum frame_part most = most_of(frame);
    const double part = frame->ms > 0 ? 100 * frame->part[most] / frame->ms : 0;
    const int n = snprintf(text, size, "%s (%.0f %%)", most == FRAME_WAIT ? wait_cause(frame, opengl) : cause[most], part);
    if (n < 0 || n >= (int)size) return;
    text += n, size -= (size_t)n;
    if (frame->worker > frame->ms)
        snprintf(text, size, "; the worker took longer than this for the surface: new values are limited by computing");
    else if (!frame->made) snprintf(text, size, "; no surface was made: the frame shows the one before");
}
