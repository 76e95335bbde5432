/* Vertices by gemm: if asked for, the op transforms them for each view, and OpenGL's vertex shader takes them as they
 * are. */
#include "app_turn.h"
#include "app.h"
#include "app_frame.h"

void app_flip_gemm(struct app *app)
{
    app->lab.gemm = !app->lab.gemm;
    if (!app->lab.gemm) turned_close(&app->turned);
    app_log(app, "vertices by %s", app->lab.gemm ? "gemm" : "OpenGL");
    app_notice(app, app->lab.gemm ? "the gemm op transforms the vertices: turn the view, and step its rungs"
                                  : "OpenGL's vertex shader transforms the vertices");
    app_mark_scene(app);
}

const char *app_lacks_gemm(const struct app *app)
{
    const struct live_surface *surface = app_surface(app);
    return app->wish.translucent[app->active]                                  ? "OpenGL transforms what is translucent"
           : surface->drawn.step > 1                                           ? "OpenGL transforms the coarse surface"
           : app->live.work.lent && app->live.iso.exec.backend == BACKEND_CUDA ? "the backend is busy with a file"
                                                                               : NULL;
}

void app_turn_view(struct app *app, struct render_view *view)
{
    struct render_surface *surface = &view->surface[app->active];
    struct camera camera = *view->camera;
    struct camera_matrices matrices;
    struct err err = { 0 };
    if (!app->lab.gemm || app_lacks_gemm(app) || !surface->mesh || !surface->mesh->triangles) return;
    camera.shift[0] = camera.shift[1] = 0; /* the shader adds the shift, so all samples share these vertices */
    camera_transform(&camera, (double)view->width / view->height, &matrices);
    const enum frame_part part = app_enter(app, FRAME_COMPUTE);
    const uint64_t turns = app->turned.turns;
    const int code = turned_follow(&app->turned, &app->live, surface->mesh, matrices.clip_from_voxel,
                                   app->wish.rung[AUX_GEMM], &err);
    app_enter(app, part);
    if (app->turned.turns > turns) frames_move(&app->frames, FRAME_COMPUTE, FRAME_MAP, app->turned.map_ms);
    if (!code) surface->turned = &app->turned.mesh;
    if (!code) return;
    app_fail(app, &err);
    app->lab.gemm = false;
}
