/* The light of what is seen (draw.h), on the CPU: depth and `seen` -> colours. The same as shaders/shade.frag with
 * shade_light.glsl when no occlusion has been computed. It is for machines whose OpenGL is software, which takes
 * several times as long.
 *
 *    surface     a lamp, a fill light, sky and ground, a shine, and a rim before the background, times the surface's colour
 *    outline     what lies before something farther is darker there, unless the farther surface is seen at an angle
 *    fog         the farther half of the box fades into the background
 *
 * Distances are in scene units: half the diagonal of the box is 1. */
#ifndef ISO_DRAW_LIGHT_H
#define ISO_DRAW_LIGHT_H

#include "draw.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DRAW_LIGHT_COLOURS 8 /* of 4 surfaces: inner side, outer side */

struct draw_light {
    uint32_t width, height;              /* pixels; arrays are [height, width], the lowest row first */
    const float *depth;                  /* 0 (near) to 1 */
    const uint32_t *seen;                /* of surfaces 1 to 4 */
    const uint32_t *background;          /* RGBA, 8 bits each, R lowest */
    uint32_t *picture;                   /* the same; alpha is 255 */
    float colour[3][DRAW_LIGHT_COLOURS]; /* r, g, b in linear light, of side s (1: outer) of surface n: [2 (n - 1) + s] */
    float lens[4], depths[2];            /* as in shaders/view.glsl */
    bool parallel;
};

extern const float draw_light_outside[3], draw_light_inside[3]; /* of a surface that has no colour of its own */

/* Whether this machine has vectors for it. Without them software OpenGL is quicker. */
bool draw_light_is_quick(void);

/* Any number of threads gives the same colours; different vectors may differ by 1 of 255. A cancelled run leaves the
 * picture half done. */
void draw_light_run(const struct draw_light *light, struct exec *x);

/* ---- what the files of it share ------------------------------------------------------------------------------------ */

/* Directions are unit vectors of the view: x right, y up, z to the viewer; light is linear, r, g, b. */
/* clang-format off */
#define LIGHT_LAMP { -0.4847179f, 0.5728484f, 0.6609790f } /* where it is, */
#define LIGHT_LAMP_LIGHT { 1.05f * 1.00f, 1.05f * 0.96f, 1.05f * 0.90f } /* and its light */
#define LIGHT_FILL { 0.8664486f, -0.1083061f, 0.4873773f } /* the same of the fill light */
#define LIGHT_FILL_LIGHT { 0.13f * 0.80f, 0.13f * 0.90f, 0.13f * 1.00f }
#define LIGHT_SKY { 0.210f, 0.240f, 0.285f }
#define LIGHT_GROUND { 0.100f, 0.075f, 0.055f }
#define LIGHT_SHINE 0.10f     /* of the lamp, on any surface */
#define LIGHT_OPEN 0.85f      /* how open surfaces are, about */
#define LIGHT_GRAZING 0.45f   /* part of the light that faces seen at an angle lose */
#define LIGHT_RIM 3           /* pixels from the background that the rim reaches, */
#define LIGHT_RIM_LIGHT 0.30f /* and its part of the sky */
#define LIGHT_STEP_0 0.006f   /* of the distance between neighbours: where an outline begins, */
#define LIGHT_STEP_1 0.018f   /* and where it is full */
#define LIGHT_OUTLINE 0.55f   /* part of the light that it takes */
#define LIGHT_FACING 0.02f    /* cosine to the eye: surfaces seen at a smaller one count as this */
#define LIGHT_FOG 0.10f       /* part of the background at the far end of the box */
/* clang-format on */

/* One pixel: for the rest that does not fill a vector. */
void draw_light_one(const struct draw_light *light, uint32_t x, uint32_t y);

/* Return whether nothing is seen at a pixel; outside the picture, the nearest pixel in it counts. */
ISO_FN bool draw_light_rim(const struct draw_light *l, int32_t x, int32_t y)
{
    const int32_t right = (int32_t)l->width - 1, top = (int32_t)l->height - 1;
    x = x < 0 ? 0 : x > right ? right : x, y = y < 0 ? 0 : y > top ? top : y;
    return !l->seen[(size_t)y * l->width + (size_t)x];
}

#ifdef __cplusplus
}
#endif
#endif
