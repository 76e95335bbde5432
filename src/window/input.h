/* Events of the window: mouse on the scene, keys, dropped files. */
#ifndef ISO_INPUT_H
#define ISO_INPUT_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;

/* Sets the window's callbacks. Before the panel, which passes on what it takes. */
void input_open(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
