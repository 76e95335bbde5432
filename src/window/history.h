/* Undo and redo. Whenever the window comes to rest, what is set becomes a step. So a drag, a turn of the wheel or a held
 * key is one step. */
#ifndef ISO_HISTORY_H
#define ISO_HISTORY_H

#include "settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HISTORY_MOST = 200 }; /* steps that are kept */

struct history { /* zero: no volume yet */
    struct settings step[HISTORY_MOST];
    size_t steps, at;     /* step[at] is what is set; later ones can be redone */
    struct settings seen; /* what was set at the last look */
    double rest;          /* timing_ms() from which `seen` counts as a step */
    bool settling;        /* the first view is still being fitted, which nobody has asked for */
    bool dropped;         /* older steps were dropped */
};

/* For a new volume: what is set now becomes step 0, the only one. */
void history_begin(struct app *app);

/* Call it in every frame: takes a step if what is set has changed and the window rests. */
void history_follow(struct app *app);

/* ms until history_follow may have something to do; INFINITY: nothing until an event. */
double history_wait(const struct app *app);

/* Call it when the camera was fitted: while the first view settles, that is no step. */
void history_fitted(struct app *app);

/* Call it when the camera has moved from distance `before` because the scene changed its shape: that is no step either. */
void history_resized(struct app *app, double before);

/* Take a step at once, even while something moves, if what is set has changed. In history_flush, an automatic value that
 * has become known is no change; in history_step it is. */
void history_flush(struct app *app);
void history_step(struct app *app);

/* history_any: whether there is a step that is not undone. history_pending: whether a change has not become a step yet. */
bool history_any(const struct history *history);
bool history_pending(const struct app *app);

#ifdef __cplusplus
}
#endif
#endif
