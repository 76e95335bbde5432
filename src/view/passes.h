/* Passes over the picture. First, what is seen at each pixel is drawn, by OpenGL or others. Then each pixel is shaded
 * once.
 *
 *    passes_begin -> passes_clear -> the surface is drawn -> passes_shade -> what lies over it is drawn -> passes_end
 *
 * A surface that is cut open is drawn between passes_begin_cut and passes_end_cut. Caps in the cuts are then part of
 * what is seen.
 *
 * passes_begin binds a framebuffer with depth and the 32 bits of shaders/seen.glsl: normal, side and surface.
 * passes_shade makes the picture from it, and binds the picture with the same depth. For smooth edges, several pictures
 * are made, each shifted by a part of a pixel (camera.h: shift), and passes_end averages them. */
#ifndef ISO_PASSES_H
#define ISO_PASSES_H

#include "camera.h"
#include "cut.h"
#include "pause.h"
#include "shader.h"
#include "tile.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Depth and the 32 bits of what is seen, for each pixel, in a buffer of 32-bit words. */
struct passes_pixels {
    unsigned buffer;      /* 0: they are in textures */
    unsigned step;        /* words per pixel */
    unsigned depth, seen; /* offset of the first pixel, in words */
};

struct passes {                            /* zero: not open */
    int width, height;                     /* of what is drawn, pixels; 0: nothing yet */
    struct tile tile;                      /* the drawn tile of the picture */
    unsigned no_attributes;                /* vertex array */
    unsigned surface, seen, depth;         /* framebuffer of what is seen; its textures */
    unsigned scene, colour;                /* framebuffer of the picture, with the same depth; texture of its colours */
    unsigned aside, aside_colour;          /* the same for the previous picture, once one was set aside; else 0 */
    unsigned mean, mean_colour;            /* framebuffer and texture of the mean */
    unsigned kept, kept_colour;            /* framebuffer and texture of the last picture of another size; 0: none */
    unsigned rough, rough_open;            /* framebuffer and texture of occlusion: half the width and height, rounded up */
    unsigned soft, soft_open;              /* the same, softened */
    unsigned open, open_seen, open_depth;  /* framebuffer and textures of a surface that is cut open; 0: none so far */
    unsigned counts, counted[2];           /* framebuffer, textures: faces behind cuts' entries, exits; 0: none yet */
    struct passes_pixels pixels;           /* set by passes_take */
    struct shader occlusion[2], soften[2]; /* [0] reads what is seen from textures, [1] from a buffer */
    struct shader copy, cut, fill;
};

struct passes_look {
    const struct camera *camera; /* with which the surface was drawn */
    const float *plain;          /* colour of the background, RGBA; NULL: its program draws it */
    unsigned background, shade;  /* programs that shade the background, and what is seen (passes_take) */
    const uint32_t *picture;  /* the finished picture with background, RGBA, bottom row first; NULL: the programs draw it */
    unsigned taps;            /* samples of occlusion per pixel; 0: no occlusion */
    bool over;                /* something that needs depth is drawn over it */
    unsigned sample, samples; /* this picture is number `sample` of `samples`, which come in order */
    const struct pause *pause; /* called between parts of a pass; NULL: no pauses */
};

/* Error: ERR_GL; passes_close must be called even then. */
int passes_open(struct passes *passes, struct err *err);
void passes_close(struct passes *passes);

/* Makes room for a tile of a picture. picture: the present one, a framebuffer from passes_end, or 0. It stays as it is
 * until passes_drop_kept. Error: ERR_GL; there is no picture then. */
int passes_fit(struct passes *passes, const struct tile *tile, unsigned picture, struct err *err);
void passes_drop_kept(struct passes *passes);

/* Keeps the next picture from being drawn over `picture`, a framebuffer from passes_end, or 0: it swaps places with the
 * one before. If there is no memory, or if it is the mean, nothing changes. */
void passes_set_aside(struct passes *passes, unsigned picture);

/* Returns how many pixels away from a pixel the passes look, in a picture of width x height pixels. Nothing may be
 * nearer to the eye than the box from `low` to `high` (voxel coordinates). */
int passes_reach(const struct camera *camera, int width, int height, const double low[3], const double high[3]);

/* Until passes_end_kept, only the part of the tile without its margin is drawn. */
void passes_begin_kept(const struct passes *passes);
void passes_end_kept(void);

/* Binds the framebuffer of what is seen. Also sets all state that others may have changed. */
void passes_begin(struct passes *passes);

/* Clears that framebuffer. Leave it out if every pixel is written anyway: software OpenGL would first finish clearing. */
void passes_clear(const struct passes *passes);

/* Makes room for surfaces that are cut open, in pictures of the present size. Error: ERR_GL; the last picture stays. */
int passes_need_cut(struct passes *passes, struct err *err);

/* Uses a buffer instead of the framebuffer for what is seen. passes_shade then reads the buffer, and look->shade must
 * be a program of shaders/shade.comp. The buffer must not change until passes_begin or passes_fill. Error: ERR_GL, a
 * shader. */
int passes_take(struct passes *passes, const struct passes_pixels *pixels, struct err *err);

/* Copies that buffer, if there is one, to the framebuffer of what is seen, and binds it, as if the surface had been
 * drawn there. Also sets all state that others may have changed. */
void passes_fill(struct passes *passes);

/* passes_begin_cut clears and binds the framebuffer for a surface without caps. passes_end_cut adds the result to what
 * is seen, with caps in the bare sides of `cut`. The surface must be closed. Its caps on the volume's border, of which
 * only inner faces may be drawn, are marked as surface 65 (shaders/surface.frag). */
void passes_begin_cut(const struct passes *passes);
void passes_end_cut(const struct passes *passes, const struct cut *cut, const struct camera *camera);

/* Makes room for caps on cuts of translucent surfaces, in pictures of the present size. Error: ERR_GL; the last picture
 * stays. */
int passes_need_glass_cut(struct passes *passes, struct err *err);

/* passes_begin_count clears and binds the framebuffer that counts the faces of all translucent surfaces. These are to
 * be drawn by `program` (shaders/count.frag), uncut and without depth test. passes_draw_cap then blends the caps found
 * in this way over the picture, by `program` (shaders/cut_glass.frag): in the sides of `cut` where lines of sight enter
 * (`entry`), or in those where they leave. */
void passes_begin_count(const struct passes *passes, unsigned program, const struct cut *cut, const struct camera *camera);
void passes_draw_cap(const struct passes *passes, unsigned program, const struct cut *cut, const struct camera *camera,
                     bool entry);

/* Draws the background alone. */
bool passes_background(const struct passes *passes, const struct passes_look *look);

/* Gives the uniforms that shaders/view.glsl needs for a camera. */
void passes_lens(const struct passes *passes, const struct camera *camera, float lens[4], float depths[2]);

/* Draws the background and what is seen; binds the picture. Returns false if look->pause told it to stop. */
bool passes_shade(struct passes *passes, const struct passes_look *look);

/* Adds the picture to the mean. Returns the framebuffer of the mean so far, or 0 if look->pause told it to stop. */
unsigned passes_end(const struct passes *passes, const struct passes_look *look);

/* Reloads shaders, as shader_reload. */
bool passes_reload(struct passes *passes, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
