/* Undo and redo: what was set whenever the window came to rest. A drag, a turn of the wheel or a key that is held is one
 * step. */
#ifndef ISO_HISTORY_H
#define ISO_HISTORY_H

#include "settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HISTORY_MOST = 200 }; /* steps that are kept */

struct history { /* zero: no volume yet */
    struct settings step[HISTORY_MOST];
    size_t steps, at;     /* step[at] is what is set; those behind it can be redone */
    struct settings seen; /* at the last look, */
    double rest;          /* and from when on it counts as a step: timing_ms() */
    bool settling;        /* the first view is still fitted to the surface, which nobody has asked for */
    bool dropped;         /* there were more steps */
};

/* A new volume: what is set now is its beginning. */
void history_begin(struct app *app);

/* Takes a step if something else is set and the window rests: in every frame. */
void history_follow(struct app *app);

/* ms until history_follow may have something to do; INFINITY: nothing by itself. */
double history_wait(const struct app *app);

/* The camera was fitted: that is no step while the first view settles. */
void history_fitted(struct app *app);

/* The camera was at distance `before`, and went back or forth because the scene has another shape: no step either. */
void history_resized(struct app *app, double before);

/* Takes a step at once, if something else is set, also while something moves. And: even if the automatic value was never
 * known. */
void history_flush(struct app *app);
void history_step(struct app *app);

/* Whether anything was set that is not undone; pending: it is no step yet. */
bool history_any(const struct history *history);
bool history_pending(const struct app *app);

#ifdef __cplusplus
}
#endif
#endif
