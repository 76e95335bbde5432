/* The first view, from the command line: for the window and for `render`. */
#ifndef ISO_VIEW_OPTIONS_H
#define ISO_VIEW_OPTIONS_H

#include "camera.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { VIEW_SURFACES = 4 };

struct view_options {          /* zero: all defaults */
    int width, height;         /* pixels; 0: the command's default */
    double azimuth, elevation; /* degrees */
    bool view_given;           /* azimuth or elevation was given */
    enum camera_up up;
    bool up_given;
    bool orthographic;     /* lines of sight are parallel */
    bool slice_given[3];   /* x, y, z */
    uint64_t slice[3];     /* index of the plane */
    int slice_cut[3];      /* what it leaves out: -1 what lies below, 1 what lies above, 0 nothing */
    const char *color_by;  /* name of a quantity in tint.c; NULL: none */
    const char *color_map; /* its colours, as slice_map; NULL: viridis */
    const char *slice_map; /* name of a colour map in colour_map.c; NULL: the first */
    double window[2];      /* values of its first and last colour, real units */
    bool window_given;
    bool box;                        /* the volume's box, with ticks */
    const char *shading;             /* name of a mode in render.c; NULL: the first */
    unsigned samples;                /* pictures whose mean is shown; 0: RENDER_SAMPLES */
    double opacity[VIEW_SURFACES];   /* of each surface, 0 to 1 */
    int opacities;                   /* 0: not given; 1: it is of all */
    float color[VIEW_SURFACES][3];   /* red, green, blue, 0 to 1 */
    int colors;                      /* the same */
    double iso[VIEW_SURFACES];       /* isovalues, if there are several: real units, */
    bool iso_percent[VIEW_SURFACES]; /* or percentiles */
    int isos;
    double ui_scale; /* 0: the display's */
    bool staging;    /* never share buffers between CUDA and OpenGL */
    bool watch;      /* open the file again when it changes */
    bool verbose;    /* log what happens on stderr */
};

#ifdef __cplusplus
}
#endif
#endif
