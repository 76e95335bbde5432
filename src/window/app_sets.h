/* Two sets of rungs, A and B. Either one of them makes the surface, or the scene is split and each makes its half. */
#ifndef ISO_APP_SETS_H
#define ISO_APP_SETS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct render_view;

void app_flip_sets(struct app *app);                /* from A to B or back */
void app_split_sets(struct app *app);               /* both at once, each in its half of the scene; or ends that */
void app_race(struct app *app);                     /* splits, with the textbook rungs as A and the fastest as B */
const char *app_lacks_split(const struct app *app); /* why the scene cannot be split; NULL: it can */

/* The rival (rival.h) makes the other half. app_leave_rival, before live_poll, stops it if live needs that;
 * app_follow_rival, after live_poll, lets it go on. */
void app_leave_rival(struct app *app);
void app_follow_rival(struct app *app);
bool app_rival_rests(const struct app *app);                          /* it has nothing left to do */
void app_split_view(const struct app *app, struct render_view *view); /* puts each set in its half */

#ifdef __cplusplus
}
#endif
#endif
