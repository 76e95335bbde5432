/* Passes over the picture: what is seen at each pixel is drawn first, and then shaded, once, whoever drew it.
 *
 *    passes_begin -> passes_clear -> the surface is drawn -> passes_shade -> what lies over it is drawn -> passes_end
 *
 * A surface that is cut open is drawn between passes_begin_cut and passes_end_cut: caps in the cuts then belong to what is
 * seen.
 *
 * passes_begin binds a framebuffer that takes depth and the 32 bits of shaders/seen.glsl: normal, side and surface.
 * passes_shade makes the picture of it, and binds that with the same depth. Several pictures, each moved by a part of a
 * pixel (camera.h: shift), become one with smooth edges: passes_end adds them to their mean. */
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

/* Depth and the 32 bits of what is seen, of each pixel, in a buffer of words of 32 bits. */
struct passes_pixels {
    unsigned buffer;      /* 0: they are in textures */
    unsigned step;        /* words from a pixel to the next */
    unsigned depth, seen; /* words before those of the first pixel */
};

struct passes {                            /* zero: not open */
    int width, height;                     /* of what is drawn, pixels; 0: nothing yet */
    struct tile tile;                      /* that this is of the picture */
    unsigned no_attributes;                /* vertex array */
    unsigned surface, seen, depth;         /* framebuffer of what is seen; its textures */
    unsigned scene, colour;                /* framebuffer of the picture, with the same depth; texture of its colours */
    unsigned aside, aside_colour;          /* the same of the picture before, once one was set aside; else 0 */
    unsigned mean, mean_colour;            /* framebuffer and texture of the mean */
    unsigned kept, kept_colour;            /* framebuffer and texture of the last picture of another size; 0: none */
    unsigned rough, rough_open;            /* framebuffer and texture of occlusion: half as wide and high, rounded up */
    unsigned soft, soft_open;              /* the same, softened */
    unsigned open, open_seen, open_depth;  /* framebuffer and textures of a surface that is cut open; 0: none was so far */
    unsigned counts, counted[2];           /* framebuffer of faces behind cuts, textures: behind entries, exits; the same */
    struct passes_pixels pixels;           /* what passes_take was given */
    struct shader occlusion[2], soften[2]; /* of what is seen in textures, in a buffer */
    struct shader copy, cut, fill;
};

struct passes_look {
    const struct camera *camera; /* that the surface was drawn with */
    const float *plain;          /* colour of the background, RGBA; NULL: its program draws it */
    unsigned background, shade;  /* programs: of the background, and of what is seen (passes_take) */
    const uint32_t
        *picture;  /* of background and what is seen, RGBA from below: it is taken as it is; NULL: programs draw it */
    unsigned taps; /* of occlusion, at each pixel; 0: none */
    bool over;     /* something is drawn over it, which asks for depth */
    unsigned sample, samples;  /* this picture is number `sample` of `samples`, which come in order */
    const struct pause *pause; /* asked between parts of a pass; NULL: nobody is */
};

/* Error: ERR_GL. passes_close is to be called even then. */
int passes_open(struct passes *passes, struct err *err);
void passes_close(struct passes *passes);

/* Makes room for a tile of a picture. The present picture, a framebuffer that passes_end has returned, or 0, stays as it
 * is, until passes_drop_kept. Error: ERR_GL; there is no picture then. */
int passes_fit(struct passes *passes, const struct tile *tile, unsigned picture, struct err *err);
void passes_drop_kept(struct passes *passes);

/* Keeps the next picture from being drawn over `picture`, a framebuffer that passes_end has returned, or 0: it changes
 * places with the one before. For want of memory, or if it is the mean, it stays where it is. */
void passes_set_aside(struct passes *passes, unsigned picture);

/* How far around a pixel of a picture of so many pixels the passes look, where nothing lies nearer to the eye than the box
 * from `low` to `high` (voxel coordinates). */
int passes_reach(const struct camera *camera, int width, int height, const double low[3], const double high[3]);

/* Until passes_end_kept, nothing is drawn outside of what is kept of the tile. */
void passes_begin_kept(const struct passes *passes);
void passes_end_kept(void);

/* Binds the framebuffer of what is seen. Also sets all state that others may have changed. */
void passes_begin(struct passes *passes);

/* Clears that framebuffer. Not for those who then write every pixel: software OpenGL would finish clearing before it takes
 * theirs. */
void passes_clear(const struct passes *passes);

/* Makes room for surfaces that are cut open, in pictures of the present size. Error: ERR_GL. */
int passes_need_cut(struct passes *passes, struct err *err);

/* Takes what is seen from a buffer, in place of the framebuffer. passes_shade reads it there, and look->shade is of
 * shaders/shade.comp. The buffer stays as it is until passes_begin or passes_fill. Error: ERR_GL, a shader. */
int passes_take(struct passes *passes, const struct passes_pixels *pixels, struct err *err);

/* Fills the framebuffer of what is seen from that buffer, if there is one, and binds it: from then on it is as if the
 * surface had been drawn there. Also sets all state that others may have changed. */
void passes_fill(struct passes *passes);

/* Binds the framebuffer that a surface without caps is drawn to, empty. And: takes what was drawn, with caps in the bare
 * sides of `cut`, into what is seen. The surface is closed: its caps on the volume's border, of which only inner faces may
 * be drawn, are marked as surface 65 (shaders/surface.frag). */
void passes_begin_cut(const struct passes *passes);
void passes_end_cut(const struct passes *passes, const struct cut *cut, const struct camera *camera);

/* Makes room for caps on cuts of translucent surfaces, in pictures of the present size. Error: ERR_GL. */
int passes_need_glass_cut(struct passes *passes, struct err *err);

/* Binds the framebuffer in which faces of all translucent surfaces are counted, empty; they are to be drawn by `program`
 * (shaders/count.frag), whole and without regard to depth. And: blends caps that were found so over the picture, by
 * `program` (shaders/cut_glass.frag), in the sides of `cut` where lines of sight come in (`entry`), or those where they go
 * out. */
void passes_begin_count(const struct passes *passes, unsigned program, const struct cut *cut, const struct camera *camera);
void passes_draw_cap(const struct passes *passes, unsigned program, const struct cut *cut, const struct camera *camera,
                     bool entry);

/* Draws the background alone. */
bool passes_background(const struct passes *passes, const struct passes_look *look);

/* What shaders/view.glsl wants to know of a camera. */
void passes_lens(const struct passes *passes, const struct camera *camera, float lens[4], float depths[2]);

/* Draws the background and what is seen; binds the picture. Returns false if look->pause told it to stop. */
bool passes_shade(struct passes *passes, const struct passes_look *look);

/* Takes the picture into the mean. Returns the framebuffer of the mean so far, 0 if look->pause told it to stop. */
unsigned passes_end(const struct passes *passes, const struct passes_look *look);

/* Reloads shaders, as shader_reload. */
bool passes_reload(struct passes *passes, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
