/* How long people would have to wait in a replay: until events are looked at, for frames, and from an event to the picture
 * that shows it. */
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
    double longest; /* longest ms between two looks, not counting sleep */
    size_t frames;  /* of all kinds */
    bool drawing;   /* a picture is being drawn: new events will be seen in the next one */
    /* timing_ms() of the first event that no picture shows yet; of the first since the present drawing began; 0: none */
    double since[2];
    /* While a mouse button was down: frames with a new scene, their parts, and the times from an event to its picture. */
    struct pace_times frame, part[FRAME_PARTS], picture;
};

/* Call these around each look at events. pace_stop returns the ms since the last look. */
double pace_stop(struct pace *pace);
void pace_go_on(struct pace *pace);

/* Call it when an event was handed on. idle: all earlier events are in the picture already. */
void pace_event(struct pace *pace, bool idle);

/* Call it when a frame was shown. scene: the frame's times if it has a new picture of the scene, else NULL. held: a mouse
 * button was down. */
void pace_frame(struct pace *pace, const struct frame *scene, bool held);

/* Prints the figures to stdout, and frees them. */
void pace_close(struct pace *pace);

#ifdef __cplusplus
}
#endif
#endif
