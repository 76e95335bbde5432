/* Everything that the user sets in the window, as one plain struct. Undo compares such structs and puts them back; states
 * are saved from them. To add a setting: a member, a line each in settings_take, settings_put and settings_from, and a row
 * in settings.c. CONTRIBUTING.md has the rest. */
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

#define SETTINGS_OPACITY 0.4        /* default of translucent surfaces */
#define SETTINGS_TINT_MAP "viridis" /* default of colours by a quantity */

struct settings_view {
    enum camera_up up;
    bool orthographic, fit; /* fit: target and distance are not found yet */
    double azimuth, elevation, target[3], distance;
    double aspect; /* width / height of the scene when this was kept; not a setting. 0: not known */
};

#define SETTINGS_STAYS SIZE_MAX /* a plane stays where it is */

struct settings_plane {
    bool on;
    size_t index; /* in voxels of the file, as are knife and crop; or SETTINGS_STAYS */
    int cut;      /* as in slice_plane */
};

struct surface_look { /* settings of a surface that live does not need: app_surfaces.c */
    float colour[3];  /* as on the screen, 0 to 1 */
    bool coloured;    /* `colour` replaces the colours of the shading mode */
    double opacity;   /* if the surface is translucent */
    int mirror;       /* 1 + the surface whose value is minus this one's; 0: none */
};

struct settings_surface {
    enum live_use use; /* LIVE_OFF: the rest has no meaning */
    double value;      /* real units; NaN: the automatic one */
    struct component_filter filter;
    bool translucent;
    struct surface_look look;
};

struct settings {
    struct settings_surface surface[LIVE_SURFACES];
    enum tint_by tint; /* quantity that colours the surfaces */
    int tint_map;      /* its colours: row of colour_maps */
    double sigma;      /* of the smoothing, voxels */
    bool sigma_mm;     /* sigma is in mm instead, the same along each axis */
    bool close, measured, wireframe, box;
    unsigned mode; /* row of render_modes */
    enum backend backend;
    const struct rung *rung[STAGE_ALL]; /* of that backend; NULL: not known */
    struct settings_view view;
    struct settings_plane plane[SLICE_AXES];
    struct slices_knife knife;
    struct crop crop;
    bool crop_given[CROP_SIDES]; /* sides not given are the volume's */
    bool cuts_capped;
    int map; /* row of colour_maps */
    bool window_given;
    double window[2]; /* real units */
    enum raster_way draw;
};

/* One setting. Its text is the option's argument, or "on" for options without one. */
struct settings_row {
    const char *option; /* of the command line, without dashes; NULL: none, and the setting is not saved */
    const char *title;  /* name for people */
    const char *none;   /* for people, if the text is "" */
    /* Writes the text; "": the same as without the option. */
    void (*write)(const struct settings *settings, int argument, char *text, size_t size);
    int argument;
    bool flag;    /* the option takes no argument */
    bool unsaid;  /* the text means nothing to people */
    bool machine; /* belongs to the machine rather than to the volume */
    bool window;  /* does not affect the picture: an option of the window only */
};

extern const struct settings_row settings_rows[]; /* the last row has no title */

enum { SETTINGS_TEXT = 160 }; /* enough for each row's text */

/* Read the settings from the app, and put them there. Rungs are put only if they belong to the present backend. Planes
 * outside the volume move to its end. */
void settings_take(const struct app *app, struct settings *settings);
void settings_put(struct app *app, const struct settings *settings);

/* The settings with which a volume begins under these options, without rungs. */
void settings_from(struct settings *settings, const struct setup *setup, const struct view_options *view);

/* How surface `number` looks under these options; also sets *translucent. */
struct surface_look settings_look(const struct view_options *view, int number, bool *translucent);

/* Which parts of surface `number` are shown under these options. */
struct component_filter settings_filter(const struct view_options *view, int number);

bool settings_same(const struct settings *a, const struct settings *b);

/* Take over all settings that live can switch off, because something else does not allow them. */
void settings_take_switched_off(struct settings *to, const struct settings *from);

/* Writes for people what is new in `to`: "value 40.5", "view", "slices x=3 and more"; only "surface at 40.5 added" or
 * "removed" if they differ in their surfaces. What live can switch off is named only if nothing else is new. digits: that
 * the volume's values need. */
void settings_difference(const struct settings *from, const struct settings *to, int digits, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
