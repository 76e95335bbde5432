/* Where the time of the window's frames goes: for each of the last frames, the ms of each of its parts.
 *
 * Only frames with a new scene are kept; those that draw the panel alone are just counted. No time is counted twice: when
 * one part is entered from within another, the clock of the outer one stops. */
#ifndef ISO_FRAMES_H
#define ISO_FRAMES_H

#include "series.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum frame_part {
    FRAME_COMPUTE, /* on the thread that draws: CUDA's computing, and following the wish */
    FRAME_MAP,     /* handing meshes to OpenGL */
    FRAME_DRAW,    /* OpenGL calls for the scene; software OpenGL does part of the drawing in them */
    FRAME_PANEL,
    FRAME_WAIT, /* for OpenGL and the display, while buffers are swapped */
    FRAME_OTHER,
    FRAME_PARTS
};

extern const char *const frame_part_name[FRAME_PARTS];

struct frame {
    double ms, part[FRAME_PARTS]; /* ms: of the whole frame, the sum of its parts */
    double worker;                /* ms that the worker took for surfaces first shown by this frame; 0: none */
    bool made;                    /* it is the first to show a surface made by this thread or the worker */
};

struct frames { /* zero: none so far */
    struct frame ring[SERIES_LENGTH];
    unsigned count, next, total; /* frames in the ring; place of the next; frames so far */
    unsigned quiet;              /* frames without a new scene since the last one kept */
    struct frame now;            /* the one being made */
    enum frame_part part;        /* what it is doing */
    double since;                /* when that began: ms of the caller's clock */
};

void frames_begin(struct frames *frames, double now);

/* Forgets the frames so far, but not the one being made. */
void frames_forget(struct frames *frames);

/* From `now` on, the frame does `part`. Returns what it did before, so that the caller can go back to it. */
enum frame_part frames_enter(struct frames *frames, enum frame_part part, double now);

/* Moves `ms` of the frame's time from one part to another. */
void frames_move(struct frames *frames, enum frame_part from, enum frame_part to, double ms);

/* The frame is shown. scene: it has a new picture of the scene; only then it is kept. */
void frames_end(struct frames *frames, bool scene, double now);

/* The last frame; NULL: none so far. */
const struct frame *frames_last(const struct frames *frames);

/* Writes a sentence that says what limits the frame. opengl: ms for the scene by OpenGL's own clock; 0: not known. */
void frame_explain(const struct frame *frame, double opengl, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
