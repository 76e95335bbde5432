/* Internal to live: what its files share. The functions of live_X.c are named live_X_... */
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

/* Take over the times of finished runs: from live->iso, which must not be lent; or of one auxiliary op, in any
 * pipeline. */
void live_note(struct live *live);
void live_time(struct series *series, bool *cold, double ms); /* the second time replaces the first, which was cold */
void live_note_aux(struct live *live, enum stage side, const struct iso *iso);

/* Clears the times of a stage, of the later stages that depend on it, and of the whole. */
void live_reset_stages(struct live *live, enum stage first);

/* Clears all times when the volume or the backend changes. */
void live_reset_times(struct live *live);

/* ---- live_steps.c: which step, and when ---- */

/* One turn: compares the wish with that of the last turn, takes over the worker's results, cancels useless work, and
 * does or begins the next step. live_steps_next returns false when there is nothing more to do. */
void live_steps_compare(struct live *live);
void live_steps_take(struct live *live);
void live_steps_cancel(struct live *live);
bool live_steps_next(struct live *live);

/* Return whether a step is missing: for the full surface of the wish, or any. */
bool live_steps_miss(const struct live *live, const struct live_wish *wish, unsigned surface);
bool live_steps_are_due(const struct live *live, const struct live_wish *wish);

/* Returns whether smoothing or an upload is about to replace the voxels that the stages read. It may have to wait until
 * a lent pipeline is back. */
bool live_steps_replace_voxels(const struct live *live, const struct live_wish *wish);

/* Returns whether making and drawing the full surface takes so long that a coarse one is shown meanwhile. */
bool live_steps_are_slow(const struct live *live, const struct live_surface *s);

double live_steps_deadline(const struct live *live);

/* live_steps_task returns an empty task to fill; live_steps_start gives it to the worker (lent: with the pipeline). */
union live_tasks *live_steps_task(struct live *live);
void live_steps_start(struct live *live, enum live_task task, bool lent, void (*run)(void *task));

/* If the pipeline is lent, cancels the task and waits until the pipeline is back. */
void live_steps_stop(struct live *live);

/* Call it when the volume that the stages see has changed: everything made from it becomes missing. */
void live_steps_renew(struct live *live);

/* ---- live_load.c ---- */

/* Loads the file that was wished for last, or all of the volume that is a preview. */
void live_load_begin(struct live *live);
void live_load_begin_whole(struct live *live);
void live_load_finish(struct live *live, bool cancelled);

/* Uploads the volume again, with another rung. */
void live_load_upload_again(struct live *live);

/* Frees the results that were not taken over. */
void live_load_drop(struct task_load *task);

/* ---- live_surface.c ---- */

/* Open and close the full surface, empty. */
void live_surface_open(struct live *live, struct live_surface *s);
void live_surface_close(struct live_surface *s);
struct live_cut live_surface_wanted(const struct live *live, const struct live_wish *wish, unsigned surface);
bool live_surface_is(struct live_cut a, struct live_cut b);
unsigned live_surface_number(const struct live *live, const struct live_surface *s);

/* Frees surfaces that the wish no longer has. */
void live_surface_drop(struct live *live);

void live_surface_make(struct live *live, unsigned surface); /* by this thread, on CUDA */
bool live_surface_resolve(struct live *live, unsigned surface);
/* Call this before the pipeline makes another surface: it makes one at a time. */
void live_surface_resolve_all(struct live *live);
void live_surface_begin(struct live *live, unsigned surface); /* by the worker */
void live_surface_finish(struct live *live, bool cancelled);
void live_surface_show_coarse(struct live *live, unsigned surface);

/* Chooses what is drawn. Returns false if sorting failed and live left the backend. */
bool live_surface_choose(struct live *live, unsigned surface);

/* ---- live_backend.c ---- */

/* Opens a backend, gives it the volume, and then closes the old backend. On error the old one stays. */
int live_backend_open(struct live *live, const struct setup *setup, struct err *err);

/* Changes to the backend of the wish, or corrects the wish. */
void live_backend_follow(struct live *live);

/* After an error: follow setup_find_way, or setup_find_backend (leave). Return whether to try again. If not, the caller
 * reports the error. */
bool live_backend_find_way(struct live *live, const struct err *err);
bool live_backend_leave(struct live *live, const struct err *err);

/* For an error in something optional, such as caps. Returns false if live left the backend; everything is then made
 * again on another. Otherwise tells the user `instead`, such as "the surface is shown without caps", and why; the
 * caller removes the optional part from the wish. */
bool live_do_without(struct live *live, const char *instead, const struct err *found);

/* ---- live_filtered.c ---- */

/* Whether the wish asks for the parts of the surface. */
bool live_filtered_is_wanted(const struct live *live, unsigned surface);

/* Sets *mesh to the surface without the parts to leave out, if that is known; otherwise starts to find them. Returns
 * false if that failed and live left the backend. */
bool live_filtered_choose(struct live *live, struct live_surface *s, struct mesh **mesh);
void live_filtered_take(struct live *live);
void live_filtered_stop(struct live *live);                          /* before the backend changes */
void live_filtered_close(struct live *live, struct live_surface *s); /* unless it is in work */

/* Shows the whole surface if filtering its parts uses memory on the GPU. Returns whether it did. */
bool live_filtered_drop(struct live *live);

/* ---- live_capped.c ---- */

/* The side from which the surface is drawn and closed. It depends on what else is shown (caps_side_of). */
enum caps_side live_capped_side(const struct live *live, unsigned surface);

/* Sets what closes the full surface before it is divided into parts, if anything does. Returns false if that is not
 * known now, or on an error, which is then in `err`. */
bool live_capped_describe(struct live *live, struct live_surface *s, struct filtered_by *by, struct err *err);

/* Sets the caps of what is drawn, or none if that fails. left: what is drawn of the surface, NULL: all of it. Returns
 * false if live left the backend. */
bool live_capped_choose(struct live *live, struct live_surface *s, bool coarse, const struct filtered *left);
void live_capped_close(struct live_surface *s);

/* ---- live_sorted.c ---- */

/* Chooses the sorted triangles of `mesh` if `sorted` has them, and otherwise sorts them. coarse: the mesh is small and
 * belongs to the CPU. Returns false if that failed and live left the backend. */
bool live_sorted_choose(struct live *live, struct sorted *sorted, bool coarse, struct mesh *mesh, struct live_drawn *drawn);
void live_sorted_take(struct live *live);
void live_sorted_stop(struct live *live); /* before the backend changes */

/* Closes both, except one that is in work. */
void live_sorted_close(struct live *live, struct sorted *sorted, struct sorted *coarse);

/* After sorting has failed: the surfaces stay, but opaque. Returns false if live left the backend. */
bool live_sorted_give_up(struct live *live, const struct err *found);

/* Makes a translucent surface opaque if sorting it uses memory on the GPU. Returns whether it did. */
bool live_sorted_drop(struct live *live);

/* ---- live_merged.c ---- */

/* Merges and sorts the translucent surfaces that are drawn, if there are several. Call it after each was chosen.
 * Returns false if that failed and live left the backend. */
bool live_merged_choose(struct live *live);
void live_merged_close(struct live *live); /* except an order in work */

/* Whether that surface is one of several translucent ones that are shown. */
bool live_merged_has(const struct live *live, unsigned surface);

/* ---- live_refined.c ---- */

/* Whether what is in view should be refined, now or later; and when. */
bool live_refined_is_due(const struct live *live, const struct live_wish *wish);
double live_refined_deadline(const struct live *live);

/* Postpones refining if the view has changed or the user holds something. */
void live_refined_compare(struct live *live);

/* Begins it if the time has come; returns whether it did. */
bool live_refined_begin(struct live *live);
bool live_refined_is_useless(const struct live *live);
void live_refined_cancel(struct live *live); /* the task is given up */
void live_refined_finish(struct live *live, bool cancelled);

void live_refined_close(struct live_refined *refined); /* frees that of one surface */
void live_refined_drop(struct live *live);             /* frees all, when the volume changes */

/* ---- live_export.c ---- */

void live_export_begin(struct live *live);
void live_export_drop(struct live *live); /* one that has not begun */
void live_export_finish(struct live *live, bool cancelled);

/* ---- live_aux.c ---- */

/* Makes the contours that are missing. Returns whether there were any. */
bool live_aux_contours(struct live *live);
void live_aux_finish_copy_rate(struct live *live, bool cancelled);

#ifdef __cplusplus
}
#endif
#endif
