/* Vertices transformed by the gemm op in place of OpenGL. */
#ifndef ISO_APP_TURN_H
#define ISO_APP_TURN_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct render_view;

void app_flip_gemm(struct app *app);
const char *app_lacks_gemm(const struct app *app); /* why OpenGL does it all the same; NULL: it does not */

/* Has gemm transform the vertices of the view, if that was asked for. */
void app_turn_view(struct app *app, struct render_view *view);

#ifdef __cplusplus
}
#endif
#endif
