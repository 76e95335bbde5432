/* How long a replay lets people wait: for events to be looked at, for frames, and from an event to the picture it makes. */
#ifndef ISO_PACE_H
#define ISO_PACE_H

#include "frames.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pace_times {
    double *ms;
    size_t count;
};

struct pace {       /* zero: nothing was measured */
    double looked;  /* timing_ms() of the last look at events; 0: none so far */
    double longest; /* ms between two looks, without what was slept */
    size_t frames;  /* of all kinds */
    bool drawing;   /* a picture is being drawn now: events are for the next one */
    double since
        [2]; /* timing_ms() of the first event that no picture shows yet, and of the first since the present one was begun;
                        0: none */
    /* While a mouse button was down: frames with a new scene, their parts, and the times from an event to its picture. */
    struct pace_times frame, part[FRAME_PARTS], picture;
};

/* Around each look at the events. Returns how many ms there was none. */
double pace_stop(struct pace *pace);
void pace_go_on(struct pace *pace);

/* An event was handed on; idle: nothing of those before is still to be seen. */
void pace_event(struct pace *pace, bool idle);

/* A frame was shown. scene: its times, if it has a new picture of the scene, else NULL; held: while a mouse button was
 * down. */
void pace_frame(struct pace *pace, const struct frame *scene, bool held);

/* Prints the figures to stdout, and frees them. */
void pace_close(struct pace *pace);

#ifdef __cplusplus
}
#endif
#endif
