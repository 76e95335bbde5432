/* The two sets of rungs, A and B, of which one makes the surface or each makes half of the picture. */
#ifndef ISO_APP_SETS_H
#define ISO_APP_SETS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct render_view;

void app_flip_sets(struct app *app);                /* the rungs of set A, or of B */
void app_split_sets(struct app *app);               /* both at once, each in its half of the scene; or no more */
void app_race(struct app *app);                     /* the same for the textbook and the fastest rungs */
const char *app_lacks_split(const struct app *app); /* why the scene cannot be split; NULL: it can */

/* Before and after live_poll: the rival, which makes the other half, stops, or goes on. */
void app_leave_rival(struct app *app);
void app_follow_rival(struct app *app);
bool app_rival_rests(const struct app *app);                          /* nothing of it is missing */
void app_split_view(const struct app *app, struct render_view *view); /* each set in its half */

#ifdef __cplusplus
}
#endif
#endif
