/* Scale and theme of text and controls, and the window's first size. */
#ifndef ISO_APP_STYLE_H
#define ISO_APP_STYLE_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;

/* Scale and theme are remembered for the next run. step 0: the display's own scale. */
void app_step_scale(struct app *app, int step);
void app_flip_theme(struct app *app);
void app_first_style(struct app *app); /* from the command line, else as remembered */
void app_choose_size(struct app *app); /* the default size, scaled like text, as far as the monitor has room */

#ifdef __cplusplus
}
#endif
#endif
