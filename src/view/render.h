/* Drawing: mesh + camera + shading mode -> an image of the scene, in a framebuffer of its own.
 *
 * The scene has its own framebuffer for two reasons. If only the panel changes, the image is copied, and millions of
 * triangles need not be drawn again. And an image can be made without a window. */
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

#define RENDER_MODES 8    /* capacity for programs; render_modes must fit */
#define RENDER_WIDTH 1280 /* pixels; the default size */
#define RENDER_HEIGHT 720
#define RENDER_SAMPLES 4 /* the default */
#define RENDER_TIMERS 4  /* draws that can be timed at once */

struct shade_host {   /* render_shade.h; zero: nothing so far */
    uint32_t *memory; /* background, picture: owned */
    struct tile tile; /* for which the background was made */
    bool is_plain;
    float plain[4];
    double ms;     /* to shade the last picture; 0: OpenGL did it */
    double needed; /* ms that shading takes; 0: not known yet */
};

struct render_timing {           /* of a picture */
    double ms;                   /* by OpenGL's clock, or the host's */
    double haste;                /* estimate for drawing in haste (render_haste) */
    unsigned step;               /* coarsest step of its view; 0: not drawn to its end */
    double raster_ms;            /* raster->ms then */
    char raster_why[RASTER_WHY]; /* who drew it, and why; "": OpenGL */
};

struct render {
    bool is_open, is_software;
    struct shader opaque[RENDER_MODES], computed[RENDER_MODES]; /* reading what is seen from textures; from a buffer */
    struct shader glass[RENDER_MODES], glass_caps[RENDER_MODES];
    struct shader surface[2], background, wire, count; /* surface: smooth, plain */
    double reload_due; /* timing_ms() of the next look for saved shaders; INFINITY: shaders are not watched */
    unsigned matcap;   /* texture */
    struct passes passes;
    struct passes picked; /* for render_pick: the few pixels around a click; zero until needed */
    struct raster raster; /* its `way` may be set at any time */
    struct shade_host shade_host;
    struct cull cull;
    bool culled; /* cull drew the last picture's opaque surfaces */
    struct box box;
    int width, height;             /* of what is drawn, pixels; 0: nothing yet */
    unsigned resolved;             /* framebuffer of the last finished picture; 0: none */
    int shown[2];                  /* its width and height */
    double shift[2];               /* of the last drawn picture (camera.h) */
    unsigned query[RENDER_TIMERS]; /* a ring of timer queries, and for each timed draw: */
    struct render_timing timing[RENDER_TIMERS];
    double query_begin[RENDER_TIMERS]; /* timing_ms() */
    double query_spent[RENDER_TIMERS]; /* ms spent on other things than the picture */
    double query_host[RENDER_TIMERS];  /* ms by the host's clock, if it drew and shaded; 0: OpenGL's clock counts */
    unsigned queries_begun, queries_read;
    bool complete;      /* the last drawing was not told to stop; else the picture is the previous one */
    bool half_done;     /* while the view's pause is called: the picture is being overwritten and must not be shown */
    double drawn_until; /* timing_ms(): end of the last draw in the trace */
};

enum { RENDER_SURFACES = 4 };

struct render_surface {
    const struct mesh *mesh; /* NULL or empty: none */
    const struct mesh *caps; /* in planes around it, fronts facing out; NULL: none */
    unsigned step;           /* voxels of the camera's volume per unit of the mesh: 1, or the step of a coarse level */
    double value;            /* real units. Of two at v and -v, the lower is seen from its inner side, drawn as outer */
    double transparency;     /* seen head-on, 0 to 1; above 0 the triangles must be sorted back to front */
    float colour[3];         /* red, green, blue, 0 to 1, gamma-encoded */
    bool coloured;           /* `colour` replaces the colours of the shading mode */
    const struct mesh
        *turned;   /* vertices of `mesh` in clip coordinates, see src/live/turned.h; NULL: OpenGL transforms them */
    float part[2]; /* draw an opaque one only between these parts of the picture's width, 0 to 1; both 0: everywhere */
};

struct render_view {
    struct render_surface surface[RENDER_SURFACES];
    const struct mesh *together; /* all translucent surfaces, sorted as one; replaces their meshes; NULL: none */
    unsigned together_step;
    uint32_t together_first[RENDER_SURFACES]; /* first vertex of each surface; the next entry is its end */
    const struct camera *camera;
    unsigned mode;               /* row of render_modes */
    bool wireframe;              /* triangle edges on top */
    bool border_open;            /* caps on the border are invisible; they only close surfaces for caps on cuts */
    bool cuts_capped;            /* cuts are closed by caps */
    const struct tint *tint;     /* replaces the colours of the surfaces; NULL: none */
    const struct slices *slices; /* up to date; NULL: none */
    const struct box_plan *box;  /* lines of the volume's box; NULL: none */
    int width, height;           /* pixels, at least 1 */
    const struct tile *tile;     /* the part of the picture to draw; NULL: all of it */
    const float *plain;          /* colour of the background, RGBA; NULL: a gradient */
    bool timed;                  /* measure the first sample, for render_time() */
    bool moving;                 /* another view or surface will follow soon: slow things may be left out */
    const struct pause *pause;   /* called now and then during a long drawing; NULL: no pauses */
    unsigned sample, samples;    /* number of this drawing, from 0, among those that are averaged; samples 0: one */
};

/* Creates what drawing needs in the current OpenGL context. is_software: gl.is_software. Errors: ERR_GL. */
int render_open(struct render *render, bool is_software, struct err *err);
void render_close(struct render *render);

/* Sets the default colour of surface `number`. The first has the colour of the shading mode. The others can be told
 * apart from it and from each other, by colour-blind eyes too. */
void render_first_colour(int number, struct render_surface *surface);

/* Draws the scene into render->resolved, unless view->pause tells it to stop: see render->complete. A picture of
 * several samples takes as many calls, which differ only in `sample`; it gets better with each. Errors: ERR_GL (a
 * shader, or no memory for the framebuffer). */
int render_draw(struct render *render, const struct render_view *view, struct err *err);

/* Reloads the shaders of `render` and `slices` whose files were saved, if ISOSCOPE_SHADERS is set (shader.h). Returns
 * whether the scene must be drawn again. Does nothing before render->reload_due, so it looks at most four times a
 * second: call it often, and wake up for that time. Sets err->code to 0, or to ERR_GL if a shader does not compile. The
 * old program stays then, and the same file is reported once. */
bool render_reload(struct render *render, struct slices *slices, struct err *err);

struct render_hit { /* what is at a clicked point */
    double ndc[3];  /* the point, in normalized device coordinates of the view's camera; z is 1 if nothing is there */
    int surface;    /* number of the surface there, which a slice may hide; -1: none */
    bool on_cap;    /* on a cap that closes a cut */
    bool on_border; /* on a cap on the volume's border */
};

/* Finds what is in front at pixel (x, y) of the last picture, counted from the lower left: slices and surfaces,
 * translucent ones too unless their opacity is 0. `view` is that of the picture. If there are translucent surfaces,
 * draws all surfaces once more, at a few pixels. Waits for drawing to finish. Errors: ERR_GL. */
int render_pick(struct render *render, const struct render_view *view, int x, int y, struct render_hit *hit,
                struct err *err);

/* Copies the last picture to the window's framebuffer, with its lower left corner at (x, y). A picture of another size
 * is stretched to the present size, until there is one of that size. */
void render_show(const struct render *render, int x, int y);

/* Gives the time of the oldest timed drawing that was not given yet. Returns false while it is not known. */
bool render_time(struct render *render, struct render_timing *timing);

/* Returns how many ms the last picture would take in haste (view->moving), if the CPU would then draw and shade it. 0:
 * the CPU would not, or the time is not known. */
double render_haste(const struct render *render, const struct render_view *view);

/* Writes who draws opaque surfaces, and why, as one line. If not all triangles are drawn, also writes how many were
 * drawn in the last picture with a known count. */
void render_who(struct render *render, char *text, size_t size);

/* Returns whether render_time still has a time to give. */
bool render_time_pending(const struct render *render);

#ifdef __cplusplus
}
#endif
#endif
