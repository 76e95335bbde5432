/* The app's steps, for app*.c: who does each (this thread or the worker), and what happens when it is done. */
#ifndef ISO_APP_STEPS_H
#define ISO_APP_STEPS_H

#include "app.h"

/* ---- app_backend.c ---- */

/* Opens a backend and moves the volume over; the old one is closed only then. */
int app_open_backend(struct app *app, const struct setup *setup, struct err *err);

/* After an error: whether the CPU goes on in CUDA's place, from the volume's copy in host memory. It does where CUDA will
 * not work again (an illegal address, a lost device), and where CUDA has failed and nobody asked for it by name. */
bool app_leave_cuda(struct app *app, const struct err *broken);

/* After an error in a step: whether to do it again, with a rung that needs less memory or on the CPU. */
bool app_find_other_way(struct app *app, const struct err *err);

/* Times of another volume or backend say nothing about this one. */
void app_reset_times(struct app *app);

/* ---- app_slices.c, app_probe.c ---- */

/* Makes the slices that are on what they are to be, before the scene is drawn. */
void app_follow_slices(struct app *app);

/* After the scene was drawn: what lies under the cursor, if that was asked. */
void app_take_probe(struct app *app);

/* ---- app_steps.c ---- */

/* LOAD, STATS or ISO, and what follows from it: done here, or left to the worker. */
void steps_do(struct app *app, enum stale step);

/* Takes over new times of stages and sides, for the panel. */
void steps_note(struct app *app);

/* An empty job that the pipeline is lent to; and giving the job to the worker. */
void steps_lend(struct app *app);
void steps_start(struct app *app, enum stale step, void (*run)(void *job));

/* Takes what the worker has done, if it has, and gives it what is to be done next. Once per frame. */
void steps_take(struct app *app);

/* After the drawing of a surface was queued that CUDA was still making: what has come of it. True: draw again. */
bool steps_settle(struct app *app);

/* Waits until the worker has given the pipeline back. What it was doing is to be done again. */
void steps_stop(struct app *app);

/* Whether a full surface takes so long, made and drawn, that a coarse one is shown while things move. */
bool steps_are_slow(const struct app *app);

/* When something of the above is due again, timing_ms(); INFINITY: only after an event. */
double steps_next(const struct app *app);

/* ---- app_export.c ---- */

/* Begins to write the file that is due; and, when the worker is done with it, says what has come of it. */
void export_begin(struct app *app);
void export_finish(struct app *app, bool cancelled);

/* ---- app_sorted.c ---- */

/* What is to be drawn in place of the mesh, `mesh` or `coarse.mesh`, where that is translucent: its triangles from back to
 * front, if they are sorted. If that cannot be, translucent is false afterwards. */
const struct mesh *sorted_for_drawing(struct app *app, struct mesh *mesh);

/* Takes an order that the sorter has made. Once per frame. */
void sorted_take(struct app *app);

/* Whether giving up the order makes room on the GPU for a surface, which is opaque from here on. */
bool sorted_drop(struct app *app);

/* Before the backend changes. */
void sorted_stop(struct app *app);

#endif
