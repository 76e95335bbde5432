/* The first view, from the command line: for the window and for `render`. */
#ifndef ISO_VIEW_OPTIONS_H
#define ISO_VIEW_OPTIONS_H

#include "camera_up.h"
#include "isovalue.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct err;
struct setup;

enum { VIEW_SURFACES = 4, VIEW_MOST_PIXELS = 1000000, VIEW_MOST_WINDOW = 16384, VIEW_MOST_SAMPLES = 64 };

struct view_options {                  /* zero: all defaults */
    int width, height;                 /* pixels; 0: the command's default */
    int picture[2];                    /* size from a state file; width and height take precedence */
    double azimuth, elevation;         /* degrees */
    bool view_given;                   /* azimuth or elevation was given */
    double target[3];                  /* as in struct camera */
    double distance;                   /* as in struct camera */
    bool target_given, distance_given; /* both or neither */
    enum camera_up up;
    bool up_given;
    bool orthographic;   /* lines of sight are parallel */
    bool slice_given[3]; /* x, y, z */
    uint64_t slice[3];   /* index of the plane */
    int slice_cut[3];    /* what it cuts away: -1 what lies below, 1 what lies above, 0 nothing */
    bool crop_given[6];  /* sides of the crop box (crop.h) */
    double crop[6];      /* voxels */
    double knife[4];     /* a plane that cuts away what lies before it, as for slices_set_knife */
    bool knife_given;
    bool open_cuts;        /* no caps on cuts */
    const char *slice_map; /* name of a colour map in colour_map.c; NULL: the first */
    double window[2];      /* values of its first and last colour, real units */
    bool window_given;
    bool box;                            /* the volume's box, with ticks */
    bool legend;                         /* pictures explain their colours */
    bool edges;                          /* of the triangles */
    const char *shading;                 /* name of a mode in render_mode.c; NULL: the first */
    const char *draw;                    /* one of raster_way_name; NULL: the first */
    unsigned samples;                    /* pictures that are averaged; 0: RENDER_SAMPLES */
    double opacity[VIEW_SURFACES];       /* of each surface, 0 to 1 */
    int opacities;                       /* number given; 0: none; 1: it applies to all */
    float color[VIEW_SURFACES][3];       /* red, green, blue, 0 to 1 */
    bool own_color[VIEW_SURFACES];       /* false: the surface has its default colour */
    int colors;                          /* as opacities */
    double iso[VIEW_SURFACES];           /* isovalues, */
    enum isovalue iso_in[VIEW_SURFACES]; /* as these */
    int isos;
    bool hidden[VIEW_SURFACES];     /* not drawn */
    int pair[VIEW_SURFACES];        /* 1 + the surface whose value is minus this one's; 0: none */
    double min_size[VIEW_SURFACES]; /* parts to leave out, as in struct component_filter */
    bool min_percent[VIEW_SURFACES];
    int min_sizes; /* as opacities */
    uint64_t keep[VIEW_SURFACES];
    int keeps;                   /* as opacities */
    const char *color_by;        /* name of a quantity in tint_by.c; NULL: none */
    const char *color_map;       /* its colours, as slice_map; NULL: viridis */
    double ui_scale;             /* 0: the display's */
    const char *theme;           /* of the panel: dark or light; NULL: as last time */
    double aspect;               /* width / height of the scene that a state was saved from; 0: not known */
    bool transparent;            /* no background */
    unsigned turntable;          /* pictures of a full turn; 0: one picture */
    bool frames;                 /* a picture of each frame of a series in time */
    bool staging;                /* never share buffers between CUDA and OpenGL */
    bool watch;                  /* open the file again when it changes */
    bool verbose;                /* log what happens on stderr */
    const char *record, *replay; /* event files (events.h): to write, to replay instead of mouse and keyboard; or NULL */
    const char *rung_file;       /* source of the user's own rung (mine.h), from the command line only; NULL: none */
    const char *load_state, *save_state; /* state files: the one that was read, and one to write at the end; NULL: none */
    int (*read_state)(const char *path, struct setup *setup, struct view_options *view, char **text, struct err *err);
    /* options_read_state, for the window, which does not know the command line */
};

#ifdef __cplusplus
}
#endif
#endif
