/* Vertices transformed by the gemm op instead of OpenGL. */
#ifndef ISO_APP_TURN_H
#define ISO_APP_TURN_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct render_view;

void app_flip_gemm(struct app *app);
const char *app_lacks_gemm(const struct app *app); /* why OpenGL transforms them anyway; NULL: it does not */

/* If asked for, has gemm transform the vertices for the view. */
void app_turn_view(struct app *app, struct render_view *view);

#ifdef __cplusplus
}
#endif
#endif
