/* Drawing: mesh + camera + shading mode -> an image of the scene, in a framebuffer of its own.
 *
 * The scene has its own framebuffer for two reasons: a change in the panel copies that image instead of drawing millions
 * of triangles again, and an image can be made without a window. */
#ifndef ISO_RENDER_H
#define ISO_RENDER_H

#include "box.h"
#include "camera.h"
#include "cull.h"
#include "mesh_gl.h"
#include "passes.h"
#include "pause.h"
#include "raster.h"
#include "render_mode.h"
#include "shader.h"
#include "slices.h"
#include "tint.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RENDER_MODES 8    /* capacity for programs; the table must fit */
#define RENDER_WIDTH 1280 /* pixels; the default size */
#define RENDER_HEIGHT 720
#define RENDER_SAMPLES 4 /* the default */
#define RENDER_TIMERS 4  /* draws that are timed at once */

struct shade_host {   /* render_shade.h; zero: nothing so far */
    uint32_t *memory; /* background, picture: owned */
    struct tile tile; /* of which the background is */
    bool is_plain;
    float plain[4];
    double ms;     /* that shading the last picture took; 0: OpenGL did */
    double needed; /* ms that it takes; 0: not known yet */
};

struct render_timing {           /* of a picture */
    double ms;                   /* by OpenGL's clock, or the host's */
    double haste;                /* what it would take in haste (render_haste) */
    unsigned step;               /* of its view; 0: it was not drawn to its end */
    double raster_ms;            /* raster->ms then, */
    char raster_why[RASTER_WHY]; /* and who drew it, and why; "": OpenGL */
};

struct render {
    bool is_open, is_software;
    struct shader opaque[RENDER_MODES], computed[RENDER_MODES]; /* for what is seen in textures, in a buffer */
    struct shader glass[RENDER_MODES], glass_caps[RENDER_MODES];
    struct shader surface[2], background, wire, count; /* surface: smooth, plain */
    double reload_due; /* timing_ms() of the next look for saved shaders; INFINITY: shaders are not watched */
    unsigned matcap;   /* texture */
    struct passes passes;
    struct passes picked; /* of the few pixels around a click, for render_pick; zero until one is needed */
    struct raster raster; /* its `way` may be set at any time */
    struct shade_host shade_host;
    struct cull cull;
    bool culled; /* the last picture's opaque surfaces, by cull */
    struct box box;
    int width, height;             /* of what is drawn, pixels; 0: nothing yet */
    unsigned resolved;             /* framebuffer of the last picture that was drawn to its end; 0: none */
    int shown[2];                  /* its width and height */
    double shift[2];               /* of the last picture that was drawn (camera.h) */
    unsigned query[RENDER_TIMERS]; /* a ring of timer queries, and for each draw that it times: */
    struct render_timing timing[RENDER_TIMERS];
    double query_begin[RENDER_TIMERS]; /* timing_ms() */
    double query_spent[RENDER_TIMERS]; /* ms that did not serve the picture */
    double query_host[RENDER_TIMERS];  /* ms by the host's clock, of what it drew and shaded; 0: OpenGL's counts */
    unsigned queries_begun, queries_read;
    bool complete;      /* the last drawing was not told to stop; else the picture is the one before */
    bool half_done;     /* while the view's pause is asked: the picture is being drawn over, and is not to be shown */
    double drawn_until; /* timing_ms(): end of the last draw in the trace */
};

enum { RENDER_SURFACES = 4 };

struct render_surface {
    const struct mesh *mesh; /* NULL or empty: none */
    const struct mesh *caps; /* in planes around it, fronts outwards; NULL: none */
    unsigned step;           /* voxels of the camera's volume per unit of the mesh: 1, or that of a coarse level */
    double value;        /* real units. Of two at v and -v the lower one is seen from its inside, and drawn as an outside */
    double transparency; /* seen head-on, 0 to 1; above 0 the triangles must be sorted back to front */
    float colour[3];     /* red, green, blue, as on the screen, 0 to 1, */
    bool coloured;       /* in place of those of the shading mode */
    const struct mesh
        *turned;   /* the vertices of `mesh` in clip coordinates: src/live/turned.h; NULL: OpenGL transforms them */
    float part[2]; /* only between these parts of the picture's width, 0 to 1, an opaque one; both 0: all of it */
};

struct render_view {
    struct render_surface surface[RENDER_SURFACES];
    const struct mesh *together; /* all translucent surfaces, sorted as one, in place of their meshes; NULL: none */
    unsigned together_step;
    uint32_t
        together_first[RENDER_SURFACES]; /* its vertices of each surface begin here, and end where those of the next do */
    const struct camera *camera;
    unsigned mode;               /* row of render_modes */
    bool wireframe;              /* triangle edges on top */
    bool border_open;            /* caps of surfaces are not to be seen: they only say where it ends, for caps on cuts */
    bool cuts_capped;            /* what cuts open is closed by caps in them */
    const struct tint *tint;     /* colours in place of those of the surfaces; NULL: none */
    const struct slices *slices; /* up to date; NULL: none */
    const struct box_plan *box;  /* lines of the volume's box; NULL: none */
    int width, height;           /* pixels, at least 1 */
    const struct tile *tile;     /* the part of the picture that is drawn; NULL: all of it */
    const float *plain;          /* colour of the background, RGBA; NULL: a gradient */
    bool timed;                  /* render_time() is to tell how long the first sample takes */
    bool moving;                 /* another view or surface is about to follow: what is slow may be left out */
    const struct pause *pause;   /* asked now and then while a picture is drawn that takes long; NULL: nobody is */
    unsigned sample, samples;    /* the first is 0: this drawing's number among those whose mean is the picture; 0: one */
};

/* Creates what drawing needs in the current OpenGL context. is_software: gl.is_software. Errors: ERR_GL. */
int render_open(struct render *render, bool is_software, struct err *err);
void render_close(struct render *render);

/* Sets the colour that surface `number` has where nobody has chosen one: the first has that of the shading, the others are
 * told apart from it and from each other by colour-blind eyes too. */
void render_first_colour(int number, struct render_surface *surface);

/* Draws the scene into render->resolved; or not, if view->pause tells it to stop: see render->complete. A picture of
 * several samples takes as many calls, alike but for `sample`, and is better after each. Errors: ERR_GL (a shader, or no
 * memory for the framebuffer). */
int render_draw(struct render *render, const struct render_view *view, struct err *err);

/* Reloads the shaders of `render` and `slices` whose files were saved, if ISOSCOPE_SHADERS is set (shader.h). Returns
 * whether the scene must be drawn again. Does nothing before render->reload_due, at most four times a second: call it
 * often, and wake up for that time. Sets err->code, 0 or ERR_GL if a shader does not compile; its old program stays, and
 * the same file is reported once. */
bool render_reload(struct render *render, struct slices *slices, struct err *err);

struct render_hit { /* what a click meets */
    double ndc[3];  /* the point, in normalized device coordinates of the view's camera; z is 1 where nothing is */
    int surface;    /* the number of the surface there, which a slice may hide; -1: none */
    bool on_cap;    /* in a cap that closes a cut */
    bool on_border; /* in one that closes the surface at the volume's border */
};

/* Finds what lies foremost at pixel (x, y) of the last picture, counted from the lower left: slices and surfaces,
 * translucent ones too unless their opacity is 0. `view` is that of the picture. If there is glass, draws all surfaces once
 * more, at a few pixels. Waits for drawing to finish. Errors: ERR_GL. */
int render_pick(struct render *render, const struct render_view *view, int x, int y, struct render_hit *hit,
                struct err *err);

/* Copies the last picture to the window's framebuffer, with its lower left corner at (x, y). One of another size is
 * stretched to the present one, until there is one of that size. */
void render_show(const struct render *render, int x, int y);

/* Takes that of the oldest timed drawing that was not taken yet. Returns false while it is not known. */
bool render_time(struct render *render, struct render_timing *timing);

/* Returns how many ms the last picture would take in haste (view->moving), if the processor then draws and shades it; 0: it
 * does not, or the time is not known. */
double render_haste(const struct render *render, const struct render_view *view);

/* Writes who draws opaque surfaces, and why, as one line; and how many triangles were drawn in the last picture of which
 * that is known, where not all are. */
void render_who(struct render *render, char *text, size_t size);

/* Returns whether a draw's time is still to be taken. */
bool render_time_pending(const struct render *render);

#ifdef __cplusplus
}
#endif
#endif
