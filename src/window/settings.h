/* Everything that is set in the window, as one plain struct: undo compares and puts back such structs, and states are saved
 * from them. To add something: a member, a line in settings_take, settings_put and settings_from, and a row in settings.c;
 * CONTRIBUTING.md has the rest. */
#ifndef ISO_SETTINGS_H
#define ISO_SETTINGS_H

#include "live.h"
#include "raster.h"
#include "render.h"
#include "view_options.h"

#ifdef __cplusplus
extern "C" {
#endif

struct app;

#define SETTINGS_OPACITY 0.4        /* of a translucent surface, where nobody asked for another */
#define SETTINGS_TINT_MAP "viridis" /* of colours by a quantity */

struct settings_view {
    enum camera_up up;
    bool orthographic, fit; /* fit: target and distance are still to be found */
    double azimuth, elevation, target[3], distance;
    double aspect; /* of the scene that this was kept from, which is nothing that is set; 0: not known */
};

#define SETTINGS_STAYS SIZE_MAX /* a plane stays where it is */

struct settings_plane {
    bool on;
    size_t index; /* voxels, or SETTINGS_STAYS */
    int cut;      /* as slice_plane has it */
};

struct surface_look { /* of a surface, besides what live makes of it: app_surfaces.c. All of it is set by somebody */
    float colour[3];  /* as on the screen, 0 to 1, */
    bool coloured;    /* in place of those of the shading mode */
    double opacity;   /* where it is translucent */
    int mirror;       /* 1 + the surface whose value is minus this one's; 0: none */
};

struct settings_surface {
    enum live_use use; /* LIVE_OFF: the rest says nothing */
    double value;      /* real units; NaN: the automatic one */
    struct component_filter filter;
    bool translucent;
    struct surface_look look;
};

struct settings {
    struct settings_surface surface[LIVE_SURFACES];
    enum tint_by tint; /* colours of surfaces, */
    int tint_map;      /* row of colour_maps */
    double sigma;      /* of the smoothing: voxels, */
    bool sigma_mm;     /* or mm, as far along each axis */
    bool close, measured, wireframe, box;
    unsigned mode; /* row of render_modes */
    enum backend backend;
    const struct rung *rung[STAGE_ALL]; /* of that backend; NULL: not known */
    struct settings_view view;
    struct settings_plane plane[SLICE_AXES];
    struct slices_knife knife;
    struct crop crop;
    bool crop_given[CROP_SIDES]; /* the others are the volume's */
    bool cuts_capped;
    int map; /* row of colour_maps */
    bool window_given;
    double window[2]; /* real units */
    enum raster_way draw;
};

/* One thing that is set. As text it is what the option takes; "on" for options that take nothing. */
struct settings_row {
    const char *option; /* of the command line, without dashes; NULL: there is none, and it is not saved */
    const char *title;  /* for people */
    const char *none;   /* what a person calls it where the text is "" */
    void (*write)(const struct settings *settings, int argument, char *text,
                  size_t size); /* "": as it is without the option */
    int argument;
    bool flag;    /* the option takes nothing */
    bool unsaid;  /* the text says nothing to people */
    bool machine; /* belongs to the machine rather than to the volume */
    bool window;  /* says nothing of the picture: an option of the window only */
};

extern const struct settings_row settings_rows[]; /* closed by a row without a title */

enum { SETTINGS_TEXT = 160 }; /* enough for each row's text */

/* Reads what is set from the app, and sets it there. Rungs are set only if they are of the present backend; planes outside
 * the volume move to its end. */
void settings_take(const struct app *app, struct settings *settings);
void settings_put(struct app *app, const struct settings *settings);

/* What a volume begins with under these options: rungs are left out. */
void settings_from(struct settings *settings, const struct setup *setup, const struct view_options *view);

/* How surface `number` looks under these options; sets whether it is translucent. */
struct surface_look settings_look(const struct view_options *view, int number, bool *translucent);

/* Which parts of surface `number` are shown under these options. */
struct component_filter settings_filter(const struct view_options *view, int number);

bool settings_same(const struct settings *a, const struct settings *b);

/* Writes what is new in `to`, for people: "value 40.5", "view", "slices x=3 and more". */
void settings_difference(const struct settings *from, const struct settings *to, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
