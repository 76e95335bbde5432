/* Events of the window: the mouse on the scene, keys, dropped files. */
#ifndef ISO_INPUT_H
#define ISO_INPUT_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;

/* Sets the window's callbacks. Call it before panel_open, whose callbacks pass on to these. */
void input_open(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
