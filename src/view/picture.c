#include "picture.h"
#include "image.h"
#include "png.h"
#include "tile.h"
#include "trace.h"
#include "kernels/backend.h"

#include <GL/glew.h>

#include <stdlib.h>
#include <string.h>

struct making { /* what a picture needs while it is made */
    const struct picture *of;
    const struct progress *progress;
    struct tiles tiles;
    struct png png;
    unsigned char *band; /* the pixels of a row of tiles */
    int channels;
    double drawings, drawn; /* samples of tiles: in all, so far */
};

int picture_most_pixels(void)
{
    GLint texture = 0, viewport[2] = { 0, 0 };
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    return tile_lesser(texture, tile_lesser(viewport[0], viewport[1]));
}

/* Draws all samples of a tile, on a background of this colour; NULL: on the usual one. Gives its pixels without the
 * margin, which the caller frees. */
static int draw_tile(struct making *m, const struct tile *tile, const float *plain, unsigned char **pixels, struct err *err)
{
    struct render *render = m->of->render;
    struct render_view view = *m->of->view;
    int code = ERR_NONE;
    view.tile = tile;
    view.plain = plain;
    for (view.sample = 0; !code && view.sample < view.samples; view.sample++) {
        code = render_draw(render, &view, err);
        m->drawn += 1;
        const bool stopped = !render->complete || !progress_tell(m->progress, m->drawn / m->drawings);
        if (!code && stopped) code = err_set(err, ERR_FAILED, "cancelled");
    }
    if (!code && m->of->write) code = m->of->write(m->of->what, render->resolved, tile, err);
    if (code) return code;
    *pixels = image_read(render->resolved, tile->from[0] - tile->at[0], tile->from[1] - tile->at[1], tile->kept[0],
                         tile->kept[1], err);
    return *pixels ? ERR_NONE : ERR_FAILED;
}

/* Copies a tile's rows to their places in the band. */
static void place(const struct making *m, const struct tile *tile, const unsigned char *pixels)
{
    const size_t bytes = (size_t)m->channels, row = bytes * (size_t)tile->kept[0], whole = bytes * (size_t)tile->whole[0];
    for (int y = 0; y < tile->kept[1]; y++)
        memcpy(m->band + (size_t)y * whole + bytes * (size_t)tile->from[0], pixels + (size_t)y * row, row);
}

/* Writes the cut-out pixels to the band. */
static int cut_out(const struct making *m, const struct tile *tile, const unsigned char *on_black,
                   const unsigned char *on_white, struct err *err)
{
    const size_t pixels = (size_t)tile->kept[0] * (size_t)tile->kept[1];
    unsigned char *cut = malloc(4 * pixels);
    if (!cut) return err_set(err, ERR_FAILED, "not enough memory for an image of %d x %d", tile->kept[0], tile->kept[1]);
    image_cut_out(on_black, on_white, pixels, cut);
    place(m, tile, cut);
    free(cut);
    return ERR_NONE;
}

static int make_tile(struct making *m, const struct tile *tile, struct err *err)
{
    static const float grey[2][4] = { { 0, 0, 0, 1 }, { 1, 1, 1, 1 } };
    const bool cut = m->of->transparent;
    unsigned char *on[2] = { NULL, NULL };
    int code = draw_tile(m, tile, cut ? grey[0] : NULL, &on[0], err);
    if (!code && cut) code = draw_tile(m, tile, grey[1], &on[1], err);
    if (m->tiles.count[0] * m->tiles.count[1] > 1) m->of->render->resolved = 0; /* a single tile is not worth keeping */
    if (!code && cut) code = cut_out(m, tile, on[0], on[1], err);
    else if (!code) place(m, tile, on[0]);
    for (int i = 0; i < 2; i++) free(on[i]);
    return code;
}

static bool write_rows(struct making *m, int rows)
{
    trace_push("write", NULL);
    const bool written = png_rows(&m->png, m->band, rows);
    trace_pop();
    return written;
}

static int make_rows(struct making *m, struct err *err)
{
    int code = ERR_NONE;
    for (int row = 0; row < m->tiles.count[1] && !code; row++) {
        struct tile tile = { { 0 } };
        for (int column = 0; column < m->tiles.count[0] && !code; column++) {
            tile = tiles_at(&m->tiles, column, row);
            code = make_tile(m, &tile, err);
        }
        if (!code && !write_rows(m, tile.kept[1])) break; /* png_close says why */
    }
    return code;
}

static int plan(struct making *m, struct err *err)
{
    const struct render_view *view = m->of->view;
    const int margin = passes_reach(view->camera, view->width, view->height, m->of->low, m->of->high);
    if (tiles_plan(&m->tiles, view->width, view->height, margin, picture_most_pixels(), err)) return err->code;
    m->channels = m->of->transparent ? 4 : 3;
    m->drawings = (double)m->tiles.count[0] * m->tiles.count[1] * view->samples;
    if (m->of->transparent) m->drawings *= 2; /* on black and on white */
    const size_t band = (size_t)view->width * (size_t)tile_lesser(m->tiles.step[1], view->height) * (size_t)m->channels;
    m->band = band <= backend_cpu.memory_free() ? malloc(band) : NULL;
    return m->band ? ERR_NONE
                   : err_set(err, ERR_FAILED, "not enough memory for an image of %d x %d", view->width, view->height);
}

int picture_save(const struct picture *picture, const struct progress *progress, struct err *err)
{
    struct making m = { .of = picture, .progress = progress };
    const struct render_view *view = picture->view;
    int code = plan(&m, err);
    if (!code) code = png_open(&m.png, picture->path, m.channels, view->width, view->height, err);
    if (!code) {
        code = make_rows(&m, err);
        if (code) png_abandon(&m.png);
        else code = png_close(&m.png, err);
    }
    free(m.band);
    return code;
}
