/* The surfaces: how many there are, which one is spoken of, and how each looks. app_surfaces.c and app_tint.c. */
#ifndef ISO_APP_SURFACES_H
#define ISO_APP_SURFACES_H

#include "tint.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct err;
struct render_surface;

void app_flip_translucent(struct app *app);
void app_set_opacity(struct app *app, double opacity); /* of the active surface, 0 to 1; and translucent it is */
void app_set_dust(struct app *app,
                  double percent); /* its parts shorter than so much of the longest are left out; 0: none */
void app_add_surface(struct app *app, bool mirrored); /* at another automatic value, or at minus that of the active one */
void app_drop_surface(struct app *app, int surface);  /* not the last one */
void app_pick_surface(struct app *app, int surface);  /* it becomes the active one */
void app_next_surface(struct app *app, int step);
void app_flip_surface(struct app *app, int surface);                 /* shown or hidden */
void app_give_opacity(struct app *app, int surface, double opacity); /* 1: it is opaque */
void app_set_colour(struct app *app, int surface, const float colour[3]);
void app_set_tint(struct app *app, enum tint_by by); /* of all surfaces, by a quantity */
void app_set_tint_map(struct app *app, int map);     /* row of colour_maps */

/* Whether the scene holds a coarse surface. */
bool app_shows_coarse(const struct app *app);

/* The first surface, as the command line has it; and the others, once there is a volume. */
void app_first_surface(struct app *app);
void app_first_surfaces(struct app *app);
void app_follow_surfaces(struct app *app); /* after live_poll: the first alone where a new file has come */

int app_first_maps(struct app *app, struct err *err); /* colours of slices and surfaces, as options have them */
void app_take_tint(struct app *app);                  /* of another volume */

void app_show_surface(const struct app *app, int surface, struct render_surface *shown); /* what is drawn of it */
int app_count_surfaces(const struct app *app);
void app_surface_colour(const struct app *app, int surface, float colour[3]); /* of its bar: red, green and blue */

#ifdef __cplusplus
}
#endif
#endif
