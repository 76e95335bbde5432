/* Where the time of the window's frames goes: of each of the last ones, ms by what was done.
 *
 * A frame with a new scene counts; those that draw the panel alone are told apart. What a frame spends is entered part by
 * part, and none of it twice: while one part is entered from within another, the other stands still. */
#ifndef ISO_FRAMES_H
#define ISO_FRAMES_H

#include "series.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum frame_part {
    FRAME_COMPUTE, /* on the thread that draws: CUDA's, and what follows the wish */
    FRAME_MAP,     /* getting meshes to OpenGL */
    FRAME_DRAW,    /* giving OpenGL the scene; software OpenGL does some of it then */
    FRAME_PANEL,
    FRAME_WAIT, /* for OpenGL and the display, in the exchange of buffers */
    FRAME_OTHER,
    FRAME_PARTS
};

extern const char *const frame_part_name[FRAME_PARTS];

struct frame {
    double ms, part[FRAME_PARTS]; /* of all; the parts sum up to it */
    double worker;                /* ms that the worker took for surfaces which this frame is the first to show; 0: none */
    bool made;                    /* a surface was made for it, by this thread or by the worker */
};

struct frames { /* zero: none so far */
    struct frame ring[SERIES_LENGTH];
    unsigned count, next, total; /* in the ring; place of the next; with those that have left it */
    unsigned quiet;              /* frames after the last of them that drew no new scene */
    struct frame now;            /* the one being made, */
    enum frame_part part;        /* and what it does, */
    double since;                /* from then on: ms of the caller's clock */
};

void frames_begin(struct frames *frames, double now);

/* Forgets the frames so far; the one being made goes on, and counts. */
void frames_forget(struct frames *frames);

/* From `now` on, the frame does `part`. Returns what it did before, to go back to. */
enum frame_part frames_enter(struct frames *frames, enum frame_part part, double now);

/* Of what was entered as `from`, so many ms were `to`. */
void frames_move(struct frames *frames, enum frame_part from, enum frame_part to, double ms);

/* The frame is shown. scene: with a new picture of the scene, and only then it is kept. */
void frames_end(struct frames *frames, bool scene, double now);

/* The last frame; NULL: none so far. */
const struct frame *frames_last(const struct frames *frames);

/* Writes what bounds the frame, as a sentence. opengl: ms that OpenGL's own clock gives for the scene, 0: not known. */
void frame_explain(const struct frame *frame, double opengl, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
