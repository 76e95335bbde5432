/* Drawing: mesh + camera + shading mode -> a picture of the scene in a framebuffer of its own.
 *
 * The scene is kept apart from the window, so that a panel that changes costs one copy of the picture and not the
 * drawing of millions of triangles, and so that a picture needs no window. */
#ifndef ISO_RENDER_H
#define ISO_RENDER_H

#include "camera.h"
#include "mesh.h"
#include "slices.h"

#ifdef __cplusplus
extern "C" {
#endif

struct render_mode {
    const char *name, *idea; /* NULL name closes the table */
    const char *vertex_file, *fragment_file;
};

extern const struct render_mode render_modes[];

#define RENDER_MODES 8    /* room for programs; the table must fit */
#define RENDER_WIDTH 1280 /* pixels; where nobody asked for a size */
#define RENDER_HEIGHT 720
#define RENDER_TIMERS 4 /* draws whose time is not known yet */

struct render {
    unsigned program[RENDER_MODES]; /* 0: not used so far */
    unsigned background, wire;      /* programs */
    unsigned empty;                 /* vertex array without attributes */
    unsigned matcap;                /* texture */
    int samples;                    /* per pixel; 1 on software OpenGL, where four cost up to five times as much */
    int width, height;              /* of the framebuffers, pixels; 0: none yet */
    unsigned drawn, colour, depth;  /* framebuffer drawn into, and its renderbuffers */
    unsigned resolved, picture;     /* framebuffer with one sample per pixel; the same as `drawn` if samples is 1 */
    unsigned timer[RENDER_TIMERS];  /* queries, a ring */
    unsigned timed[RENDER_TIMERS];  /* the view's step */
    unsigned timers_asked, timers_read;
};

struct render_view {
    const struct mesh *mesh; /* NULL or empty: background only */
    unsigned step;           /* voxels of the camera's volume per unit of the mesh: 1, or that of a coarse level */
    const struct camera *camera;
    unsigned mode;               /* row of render_modes */
    bool wireframe;              /* triangle edges on top */
    const struct slices *slices; /* up to date; NULL: none */
    double
        transparency; /* of the surface seen straight on, 0 to 1; above 0 its triangles must come from back to front (sorted.h) */
    int width, height; /* pixels, at least 1 */
};

/* Needs the OpenGL context. Errors: ERR_GL. */
int render_open(struct render *render, bool is_software, struct err *err);
void render_close(struct render *render);

/* Row of the mode of that name; NULL gives the first. -1: no such mode, and the sentence (ERR_USAGE) lists them. */
int render_mode_find(const char *name, struct err *err);

/* Draws the scene into render->resolved. Errors: ERR_GL (a shader, or no memory for the framebuffer). */
int render_draw(struct render *render, const struct render_view *view, struct err *err);

/* Depth of the scene at a pixel, from the lower left: 0 near, 1 far, or nothing there. Waits for the drawing. Errors:
 * ERR_GL. */
int render_depth(struct render *render, int x, int y, float *depth, struct err *err);

/* Copies the scene to the window's framebuffer, its lower left corner at (x, y). */
void render_show(const struct render *render, int x, int y);

/* Time that the oldest unread draw took, on the GPU where there is one, and the step of its view. False: none is known
 * yet. */
bool render_time(struct render *render, double *ms, unsigned *step);

/* True while a draw's time is still to come. */
bool render_time_pending(const struct render *render);

#ifdef __cplusplus
}
#endif
#endif
