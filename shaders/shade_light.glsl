// A bone-coloured surface, lit by a lamp at the upper left behind the viewer and a soft fill light from the other side. A
// sky that is brighter than the ground reaches only open places. A faint rim sets the outline off from the background.
// Inner faces are blue-grey. kernels/draw_light.h has the same light.

const vec3 OUTSIDE = vec3(0.800, 0.690, 0.535); // linear light
const vec3 INSIDE = vec3(0.190, 0.285, 0.385);
const vec3 LAMP = normalize(vec3(-0.55, 0.65, 0.75));
const vec3 FILL = normalize(vec3(0.80, -0.10, 0.45));
const vec3 SKY = vec3(0.210, 0.240, 0.285);
const float GRAZING = 0.45; // part of the light that faces seen at an angle lose, which makes things look round
const vec3 GROUND = vec3(0.100, 0.075, 0.055);

bool has_paint();
vec3 paint(bool outside);

vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim)
{
    vec3 base = has_paint() ? paint(outside) : outside ? OUTSIDE : INSIDE;
    vec3 light = 1.05 * vec3(1.00, 0.96, 0.90) * max(dot(normal, LAMP), 0.0);
    light += 0.13 * vec3(0.80, 0.90, 1.00) * max(dot(normal, FILL), 0.0);
    light = light * sqrt(open) + mix(GROUND, SKY, 0.5 + 0.5 * normal.y) * open;

    float shine = max(dot(normal, normalize(LAMP + eye)), 0.0);
    shine *= shine, shine *= shine, shine *= shine, shine *= shine, shine *= shine; // to the power of 32
    float edge = 1.0 - max(dot(normal, eye), 0.0);
    vec3 linear = base * light * (1.0 - GRAZING * edge) + 0.10 * shine * open + 0.30 * rim * edge * edge * edge * SKY;
    return pow(linear, vec3(1.0 / 2.2));
}
