/* The light of draw_light.h, one pixel at a time; draw_light_body.inc does the same with vectors. */
#include "draw_cpu.h"
#include "draw_light.h"

#include <math.h>

const float draw_light_outside[3] = { 0.800f, 0.690f, 0.535f }, draw_light_inside[3] = { 0.190f, 0.285f, 0.385f };

/* ---- a pixel ------------------------------------------------------------------------------------------------------- */

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void normalise(float v[3])
{
    const float scale = 1 / sqrtf(dot(v, v));
    for (int a = 0; a < 3; a++) v[a] *= scale;
}

static void normal_of(uint32_t seen, float n[3])
{
    const float u = (float)(seen & 4095u) / 2047.5f - 1, v = (float)(seen >> 12 & 4095u) / 2047.5f - 1;
    n[2] = 1 - fabsf(u) - fabsf(v);
    n[0] = n[2] < 0 ? (1 - fabsf(v)) * (u >= 0 ? 1.0f : -1.0f) : u;
    n[1] = n[2] < 0 ? (1 - fabsf(u)) * (v >= 0 ? 1.0f : -1.0f) : v;
    normalise(n);
}

static float distance_of(const struct draw_light *l, float depth)
{
    const float clip = depth * 2 - 1;
    return l->parallel ? (l->depths[0] - clip) / l->depths[1] : l->depths[0] / (clip + l->depths[1]);
}

/* The direction away from the eye, of any length, at the centre of a pixel. */
static void ray_of(const struct draw_light *l, float x, float y, float ray[3])
{
    ray[0] = l->parallel ? 0 : (x + 0.5f) * l->lens[0] + l->lens[2];
    ray[1] = l->parallel ? 0 : (y + 0.5f) * l->lens[1] + l->lens[3];
    ray[2] = -1;
}

struct beyond { /* a neighbour, and how much farther it lies; the background does not */
    uint32_t x, y;
    float farther;
};

static struct beyond beyond(const struct draw_light *l, int64_t x, int64_t y, float distance)
{
    struct beyond b = { (uint32_t)(x < 0          ? 0
                                   : x < l->width ? x
                                                  : l->width - 1),
                        (uint32_t)(y < 0           ? 0
                                   : y < l->height ? y
                                                   : l->height - 1),
                        0 };
    const float there = distance_of(l, l->depth[(size_t)b.y * l->width + b.x]);
    if (there < distance_of(l, 1)) b.farther = there - distance;
    return b;
}

/* The farther one of two opposite neighbours. `farther` is how much farther it lies than it would if both neighbours
 * and the pixel were in one plane. */
static struct beyond farther(const struct draw_light *l, uint32_t x, uint32_t y, int dx, int dy, float distance)
{
    const struct beyond a = beyond(l, (int64_t)x + dx, (int64_t)y + dy, distance),
                        b = beyond(l, (int64_t)x - dx, (int64_t)y - dy, distance);
    struct beyond far = a.farther > b.farther ? a : b;
    far.farther = fmaxf(a.farther, b.farther) + fminf(0, fminf(a.farther, b.farther));
    return far;
}

/* How much the surface recedes from one pixel to the next. */
static float slope(const struct draw_light *l, const float normal[3], const float ray[3], float distance)
{
    const float facing = fmaxf(LIGHT_FACING, -dot(normal, ray) / sqrtf(dot(ray, ray)));
    return sqrtf(fmaxf(0, 1 - facing * facing)) / facing * l->lens[1] * (l->parallel ? 1 : distance);
}

static float outline(const struct draw_light *l, uint32_t x, uint32_t y, float distance)
{
    const struct beyond h = farther(l, x, y, 1, 0, distance), v = farther(l, x, y, 0, 1, distance);
    const struct beyond far = h.farther > v.farther ? h : v;
    float normal[3], ray[3];
    normal_of(l->seen[(size_t)far.y * l->width + far.x], normal);
    ray_of(l, (float)far.x, (float)far.y, ray);
    const float recedes = slope(l, normal, ray, distance + far.farther);
    const float t = fminf(1, fmaxf(0, (far.farther - recedes - LIGHT_STEP_0) / (LIGHT_STEP_1 - LIGHT_STEP_0)));
    return t * t * (3 - 2 * t);
}

static bool has_rim(const struct draw_light *l, uint32_t x, uint32_t y, const float n[3])
{
    const float scale = LIGHT_RIM / fmaxf(1e-3f, sqrtf(n[0] * n[0] + n[1] * n[1]));
    return draw_light_rim(l, (int32_t)x + (int32_t)lrintf(n[0] * scale), (int32_t)y + (int32_t)lrintf(n[1] * scale));
}

/* The colour in linear light. */
static void light_of(const struct draw_light *l, uint32_t seen, const float n[3], const float eye[3], bool rim,
                     float light[3])
{
    static const float lamp[3] = LIGHT_LAMP, fill[3] = LIGHT_FILL, sky[3] = LIGHT_SKY, ground[3] = LIGHT_GROUND;
    static const float lamps[3] = LIGHT_LAMP_LIGHT, fills[3] = LIGHT_FILL_LIGHT;
    const uint32_t colour = ((seen >> 25 & 3u) + 3u) % 4u * 2u + (seen >> 24 & 1u);
    float half[3] = { lamp[0] + eye[0], lamp[1] + eye[1], lamp[2] + eye[2] };
    normalise(half);
    const float by_lamp = fmaxf(0, dot(n, lamp)), by_fill = fmaxf(0, dot(n, fill)), up = 0.5f + 0.5f * n[1];
    const float edge = 1 - fmaxf(0, dot(n, eye)), edge_3 = edge * edge * edge;
    float shine = fmaxf(0, dot(n, half));
    for (int i = 0; i < 5; i++) shine *= shine;
    for (int c = 0; c < 3; c++) {
        const float direct = lamps[c] * by_lamp + fills[c] * by_fill, around = ground[c] + (sky[c] - ground[c]) * up;
        const float all = direct * sqrtf(LIGHT_OPEN) + around * LIGHT_OPEN;
        light[c] = l->colour[c][colour] * all * (1 - LIGHT_GRAZING * edge) + LIGHT_SHINE * LIGHT_OPEN * shine;
        if (rim) light[c] += LIGHT_RIM_LIGHT * edge_3 * sky[c];
    }
}

void draw_light_one(const struct draw_light *l, uint32_t x, uint32_t y)
{
    const size_t at = (size_t)y * l->width + x;
    const float depth = l->depth[at], distance = distance_of(l, depth);
    const uint32_t seen = l->seen[at], behind = l->background[at];
    float n[3], ray[3], light[3];
    l->picture[at] = behind | 0xff000000u;
    if (!(depth < 1)) return;
    normal_of(seen, n);
    ray_of(l, (float)x, (float)y, ray);
    normalise(ray);
    light_of(l, seen, n, (float[]){ -ray[0], -ray[1], -ray[2] }, has_rim(l, x, y, n), light);
    const float dark = 1 - LIGHT_OUTLINE * outline(l, x, y, distance);
    const float fog = LIGHT_FOG * fmaxf(0, 1 - (distance_of(l, 1) - distance));
    uint32_t colour = 0xff000000u;
    for (int c = 0; c < 3; c++) {
        const float own = fminf(1, fmaxf(0, powf(light[c], 1 / 2.2f) * dark)); /* clamped, as when it is stored in 8 bits */
        const float both = own * (1 - fog) * 255 + (float)(behind >> 8 * c & 255u) * fog;
        colour |= (uint32_t)lrintf(both) << 8 * c;
    }
    l->picture[at] = colour;
}

/* ---- all ------------------------------------------------------------------------------------------------------------- */

void draw_light_plain(const struct draw_light *l, uint32_t y)
{
    for (uint32_t x = 0; x < l->width; x++) draw_light_one(l, x, y);
}

void draw_light_run(const struct draw_light *l, struct exec *x)
{
    const struct draw_isa *isa = draw_isa_best();
#pragma omp parallel for num_threads(x->threads) schedule(dynamic, 8)
    for (uint32_t y = 0; y < l->height; y++)
        if (!exec_is_cancelled(x)) isa->light(l, y);
}

bool draw_light_is_quick(void) { return draw_isa_best() != &draw_plain; }
