/* The surfaces: how many there are, which one is active, and how each looks. app_surfaces.c and app_tint.c. */
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
void app_set_opacity(struct app *app, double opacity); /* of the active surface, 0 to 1; makes it translucent */
void app_set_dust(struct app *app, double percent);    /* leaves out parts shorter than this % of the longest; 0: none */
void app_add_surface(struct app *app, bool mirrored);  /* at another automatic value; mirrored: at minus the active one's */
void app_drop_surface(struct app *app, int surface);   /* not the last one */
void app_pick_surface(struct app *app, int surface);   /* makes it the active one */
void app_next_surface(struct app *app, int step);
void app_flip_surface(struct app *app, int surface);                 /* shown or hidden */
void app_give_opacity(struct app *app, int surface, double opacity); /* 1: it is opaque */
void app_set_colour(struct app *app, int surface, const float colour[3]);
void app_set_tint(struct app *app, enum tint_by by); /* colours all surfaces by a quantity */
void app_set_tint_map(struct app *app, int map);     /* row of colour_maps */

/* Whether the scene holds a coarse surface. */
bool app_shows_coarse(const struct app *app);

/* Sets up the surfaces of the command line: looks and parts of all; once there is a volume, the others' values. */
void app_first_surface(struct app *app);
void app_first_surfaces(struct app *app);
void app_follow_surfaces(struct app *app); /* after live_poll, which drops all but the first for a new file */

int app_first_maps(struct app *app, struct err *err); /* colours of slices and surfaces, from the options */
void app_take_tint(struct app *app);                  /* adapts it to a new volume */

void app_show_surface(const struct app *app, int surface, struct render_surface *shown); /* what is drawn of it */
int app_count_surfaces(const struct app *app);
void app_surface_colour(const struct app *app, int surface, float colour[3]); /* that stands for it: red, green, blue */

#ifdef __cplusplus
}
#endif
#endif
