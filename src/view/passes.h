/* Passes over the picture: what is seen at each pixel is drawn first, and then shaded, once, whoever drew it.
 *
 *    passes_begin -> the surface is drawn -> passes_shade -> what lies over it is drawn -> passes_end
 *
 * A surface that is cut open is drawn between passes_begin_cut and passes_end_cut: caps in the cuts then belong to what is seen.
 *
 * passes_begin binds a framebuffer that takes depth and the 32 bits of shaders/seen.glsl: normal, side and surface.
 * passes_shade makes the picture of it, and binds that with the same depth. Several pictures, each moved by a part of a pixel
 * (camera.h: shift), become one with smooth edges: passes_end adds them to their mean. */
#ifndef ISO_PASSES_H
#define ISO_PASSES_H

#include "camera.h"
#include "cut.h"
#include "shader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct passes {                           /* zero: not open */
    int width, height;                    /* of the pictures, pixels; 0: none yet */
    unsigned no_attributes;               /* vertex array */
    unsigned surface, seen, depth;        /* framebuffer of what is seen; its textures */
    unsigned scene, colour;               /* framebuffer of the picture, with the same depth; texture of its colours */
    unsigned mean, mean_colour;           /* framebuffer and texture of the mean */
    unsigned kept, kept_colour;           /* framebuffer and texture of the last picture of another size; 0: none */
    unsigned rough, rough_open;           /* framebuffer and texture of occlusion: half as wide and high, rounded up */
    unsigned soft, soft_open;             /* the same, softened */
    unsigned open, open_seen, open_depth; /* framebuffer and textures of a surface that is cut open; 0: none was so far */
    struct shader occlusion, soften, copy, cut;
};

struct passes_look {
    const struct camera *camera; /* that the surface was drawn with */
    const float *plain;          /* colour of the background, RGBA; NULL: its program draws it */
    unsigned background, shade;  /* programs: of the background, and of what is seen */
    unsigned taps;               /* of occlusion, at each pixel; 0: none */
    unsigned sample, samples;    /* this picture is number `sample` of `samples`, which come in order */
    bool apart;                  /* the next picture is not drawn over this one */
};

/* Error: ERR_GL. passes_close is to be called even then. */
int passes_open(struct passes *passes, struct err *err);
void passes_close(struct passes *passes);

/* Makes room for pictures of width x height pixels. The present picture, a framebuffer that passes_end has returned, or 0, stays as
 * it is, until passes_drop_kept. Error: ERR_GL; there is no picture then. */
int passes_fit(struct passes *passes, int width, int height, unsigned picture, struct err *err);
void passes_drop_kept(struct passes *passes);

/* Clears what is seen and binds its framebuffer. Also sets all state that others may have changed. */
void passes_begin(const struct passes *passes);

/* Makes room for surfaces that are cut open, in pictures of the present size. Error: ERR_GL. */
int passes_need_cut(struct passes *passes, struct err *err);

/* Binds the framebuffer that a surface without caps is drawn to, empty. And: takes what was drawn, with caps in the bare sides of
 * `cut`, into what is seen. The surface is closed: its caps on the volume's border, of which only inner faces may be drawn, are
 * marked as surface 65 (shaders/surface.frag). */
void passes_begin_cut(const struct passes *passes);
void passes_end_cut(const struct passes *passes, const struct cut *cut, const struct camera *camera);

/* Draws the background and what is seen; binds the picture. */
void passes_shade(const struct passes *passes, const struct passes_look *look);

/* Takes the picture into the mean. Returns the framebuffer of the mean so far. */
unsigned passes_end(const struct passes *passes, const struct passes_look *look);

/* Reloads shaders, as shader_reload. */
bool passes_reload(struct passes *passes, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
