/* Size and colours of text and controls. */
#ifndef ISO_APP_STYLE_H
#define ISO_APP_STYLE_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;

void app_step_scale(struct app *app,
                    int step); /* of text and controls; 0: as the display has it. Remembered, as the next: */
void app_flip_theme(struct app *app);
void app_first_style(struct app *app); /* as the command line says, or as remembered */
void app_choose_size(struct app *app); /* of the window: the default, scaled with text, as far as the monitor has room */

#ifdef __cplusplus
}
#endif
#endif
