/* What the files of live share. Functions in live_X.c are called live_X_... */
#ifndef ISO_LIVE_PARTS_H
#define ISO_LIVE_PARTS_H

#include "live.h"
#include "live_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- live.c: messages, and notes on what has run ---- */

double live_now(const struct live *live);
void live_log(const struct live *live, const char *format, ...) __attribute__((format(printf, 2, 3)));
void live_notice(const struct live *live, const char *format, ...) __attribute__((format(printf, 2, 3)));
void live_warn(const struct live *live, const char *text);
void live_fail(const struct live *live, const struct err *err);

/* Takes over the times of what has run in `iso`, while that is not lent; or of one side, in any pipeline. */
void live_note(struct live *live);
void live_note_aux(struct live *live, enum stage side, const struct iso *iso);

/* Times of another volume or backend say nothing about this one. */
void live_reset_times(struct live *live);

/* ---- live_steps.c: which step, and when ---- */

/* What has changed in the wish; what has been done; what is useless now; what is next. The last is true if there may be more. */
void live_steps_compare(struct live *live);
void live_steps_take(struct live *live);
void live_steps_cancel(struct live *live);
bool live_steps_next(struct live *live);

/* Whether anything is missing for the full surface of the wish; and whether that takes so long, made and drawn, that a coarse
 * one is shown meanwhile. */
bool live_steps_miss(const struct live *live, const struct live_wish *wish, unsigned surface);
bool live_steps_are_due(const struct live *live, const struct live_wish *wish); /* any step */
bool live_steps_are_slow(const struct live *live, const struct live_surface *s);

double live_steps_deadline(const struct live *live);

/* An empty task. Giving it to the worker; lent: with the pipeline. Waiting until the worker has given the pipeline back:
 * what it was doing is thrown away. */
union live_tasks *live_steps_task(struct live *live);
void live_steps_start(struct live *live, enum live_task task, bool lent, void (*run)(void *task));
void live_steps_stop(struct live *live);

/* The volume as the stages see it is another: all that was made of it is to be made again. */
void live_steps_renew(struct live *live);

/* ---- live_load.c ---- */

void live_load_begin(struct live *live);
void live_load_finish(struct live *live, bool cancelled);

/* The volume to the backend once more, by another rung. */
void live_load_place_again(struct live *live);

/* Frees what nobody has taken. */
void live_load_drop(struct task_load *task);

/* ---- live_surface.c ---- */

void live_surface_open(struct live *live, struct live_surface *s); /* the full one, empty; and close */
void live_surface_close(struct live_surface *s);
struct live_cut live_surface_wanted(const struct live *live, const struct live_wish *wish, unsigned surface);
bool live_surface_is(struct live_cut a, struct live_cut b);

void live_surface_make(struct live *live, unsigned surface); /* by this thread, on CUDA */
bool live_surface_resolve(struct live *live, unsigned surface);
void live_surface_begin(struct live *live, unsigned surface); /* by the worker */
void live_surface_finish(struct live *live, bool cancelled);
void live_surface_show_coarse(struct live *live, unsigned surface);
bool live_surface_choose(struct live *live, unsigned surface); /* what is drawn; false: the backend was left meanwhile */

/* ---- live_backend.c ---- */

/* Opens a backend and moves the volume over; the old one is closed only then. */
int live_backend_open(struct live *live, const struct setup *setup, struct err *err);

/* To the backend of the wish; where that cannot be, the wish is amended. */
void live_backend_follow(struct live *live);

/* After an error: whether to do it again, in another way (setup_find_way); leave: on the CPU only. If not, the caller tells
 * of the error. */
bool live_backend_find_way(struct live *live, const struct err *err);
bool live_backend_leave(struct live *live, const struct err *err);

/* ---- live_sorted.c ---- */

/* What is drawn of a translucent surface: its triangles from back to front, if they are sorted. False: the backend was left
 * meanwhile. */
bool live_sorted_choose(struct live *live, struct live_surface *s, struct mesh *mesh, struct live_drawn *drawn);
void live_sorted_take(struct live *live);
void live_sorted_stop(struct live *live);                          /* before the backend changes */
void live_sorted_close(struct live *live, struct live_surface *s); /* unless it is being sorted */

/* Whether giving up the order makes room on the GPU for a surface, which is opaque from here on. */
bool live_sorted_drop(struct live *live);

/* ---- live_export.c ---- */

void live_export_begin(struct live *live);
void live_export_finish(struct live *live, bool cancelled);

/* ---- live_aux.c ---- */

/* Makes the contours that are missing. Whether there was anything to do. */
bool live_aux_contours(struct live *live);

#ifdef __cplusplus
}
#endif
#endif
