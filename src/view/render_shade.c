#include "render_shade.h"
#include "render_surfaces.h"
#include "render_layers.h"
#include "timing.h"
#include "trace.h"
#include "kernels/draw_light.h"

#include <GL/glew.h>

#include <stdlib.h>
#include <string.h>

#define SMALL 5.0 /* drawing and shading a small surface takes this many times as long as shading */

/* Whether draw_light.h can shade this view, apart from occlusion. */
static bool knows(const struct render *render, const struct render_view *view)
{
    return render->is_software && draw_light_is_quick() && render_modes[view->mode].by_host && !layers_any_caps(view) &&
           !(view->tint && view->tint->by != TINT_NONE) && !shader_is_watched();
}

bool shade_in_haste(const struct render *render, const struct render_view *view)
{
    return view->moving && knows(render, view);
}

/* The same for the last picture, which the CPU must have drawn. */
static bool can(const struct render *render, const struct render_view *view)
{
    const struct passes *p = &render->passes;
    return raster_drew(&render->raster) && render->raster.on_host && p->tile.kept[0] == p->width &&
           p->tile.kept[1] == p->height && knows(render, view);
}

/* ---- the background ---------------------------------------------------------------------------------------------- */

static bool is_same(const struct shade_host *s, const struct passes *p, const struct passes_look *look)
{
    const bool plain = look->plain && !memcmp(s->plain, look->plain, sizeof s->plain);
    return s->memory && !memcmp(&s->tile, &p->tile, sizeof p->tile) && s->is_plain == (look->plain != NULL) &&
           (plain || !look->plain);
}

/* Lets OpenGL draw the background, and keeps it, because it is the same until the picture has another size. */
static bool need_background(struct shade_host *s, const struct passes *p, const struct passes_look *look)
{
    const size_t pixels = (size_t)p->width * (size_t)p->height;
    struct passes_look whole = *look;
    if (is_same(s, p, look)) return true;
    shade_close(s);
    s->memory = malloc(2 * pixels * sizeof *s->memory);
    if (!s->memory) return false;
    s->tile = p->tile, s->is_plain = look->plain != NULL;
    if (look->plain) memcpy(s->plain, look->plain, sizeof s->plain);
    whole.pause = NULL; /* a half-finished one would be kept, too */
    passes_background(p, &whole);
    glGetTextureImage(p->colour, 0, GL_RGBA, GL_UNSIGNED_BYTE, (GLsizei)(pixels * sizeof *s->memory), s->memory);
    return true;
}

void shade_close(struct shade_host *s)
{
    free(s->memory);
    *s = (struct shade_host){ NULL };
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

/* The colours of shaders/paint.glsl and shade_light.glsl. */
static void colour_of(const struct render_surface *s, bool outside, float colour[3])
{
    static const float weight[3] = { 0.21f, 0.72f, 0.07f };
    float own[3], grey = 0;
    surfaces_linear(s, own);
    for (int c = 0; c < 3; c++) grey += weight[c] * own[c];
    for (int c = 0; c < 3; c++)
        colour[c] = !s->coloured ? (outside ? draw_light_outside[c] : draw_light_inside[c])
                    : outside    ? own[c]
                                 : 0.45f * (grey + (own[c] - grey) * 0.7f) + 0.015f;
}

static void set_colours(struct draw_light *light, const struct render_view *view)
{
    for (int i = 0; i < 2 * RENDER_SURFACES; i++) {
        float colour[3];
        colour_of(&view->surface[i / 2], i % 2, colour);
        for (int c = 0; c < 3; c++) light->colour[c][i] = colour[c];
    }
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

const uint32_t *shade_picture(struct render *render, const struct render_view *view, const struct passes_look *look)
{
    _Static_assert(DRAW_LIGHT_COLOURS == 2 * RENDER_SURFACES, "each surface has two");
    struct shade_host *s = &render->shade_host;
    const struct passes *p = &render->passes;
    struct draw_light light = { .width = (uint32_t)p->width, .height = (uint32_t)p->height };
    s->ms = 0;
    if (!can(render, view) || (look->taps && (s->needed > 0 || !view->timed)) || !need_background(s, p, look)) return NULL;
    const double start = timing_ms();
    raster_planes(&render->raster, p, &light.depth, &light.seen);
    light.background = s->memory, light.picture = s->memory + (size_t)p->width * (size_t)p->height;
    passes_lens(p, look->camera, light.lens, light.depths);
    light.parallel = look->camera->orthographic;
    set_colours(&light, view);
    trace_push("light", NULL);
    draw_light_run(&light, &render->raster.exec);
    trace_pop();
    s->needed = timing_ms() - start;
    if (look->taps) return NULL; /* it was only run to measure its time */
    s->ms = s->needed;
    return light.picture;
}

/* For a small surface, raster takes little longer than shading the pixels of the picture. */
double render_haste(const struct render *render, const struct render_view *view)
{
    const struct raster *raster = &render->raster;
    const double light = render->shade_host.needed;
    if (!knows(render, view) || !(light > 0)) return 0;
    if (can(render, view)) return raster->ms + light;
    return raster->way == RASTER_AUTO && raster->is_small ? SMALL * light : 0;
}
