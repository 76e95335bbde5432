#version 450 core
// A bone-coloured surface lit by a lamp near the viewer's head, a soft fill light from the other side, a sky brighter than
// the ground, and a faint rim that sets the outline off from the background. Inner faces are blue-grey.

in vec3 view_position;
in vec3 view_normal;

layout(location = 4) uniform float transparency; // part of the light that passes a face seen head-on; 0: opaque
layout(location = 0) out vec4 colour;

const vec3 OUTSIDE = vec3(0.800, 0.690, 0.535); // linear light
const vec3 INSIDE = vec3(0.190, 0.285, 0.385);
const vec3 LAMP = normalize(vec3(-0.35, 0.50, 0.80));
const vec3 FILL = normalize(vec3(0.80, -0.10, 0.45));
const vec3 SKY = vec3(0.270, 0.300, 0.345);
const vec3 GROUND = vec3(0.070, 0.058, 0.050);

void main()
{
    vec3 n = normalize(view_normal);
    if (!gl_FrontFacing) n = -n;
    vec3 eye = -normalize(view_position);
    vec3 base = gl_FrontFacing ? OUTSIDE : INSIDE;

    vec3 light = mix(GROUND, SKY, 0.5 + 0.5 * n.y);
    light += 0.86 * vec3(1.00, 0.96, 0.90) * max(dot(n, LAMP), 0.0);
    light += 0.13 * vec3(0.80, 0.90, 1.00) * max(dot(n, FILL), 0.0);

    float shine = max(dot(n, normalize(LAMP + eye)), 0.0);
    shine *= shine, shine *= shine, shine *= shine, shine *= shine, shine *= shine; // to the power of 32
    float edge = 1.0 - max(dot(n, eye), 0.0);
    vec3 linear = base * light + 0.10 * shine + 0.22 * edge * edge * edge * SKY;

    // The path through a face seen at an angle is longer, which brings out outlines.
    float passed = pow(transparency, 1.0 / max(dot(n, eye), 0.1));
    colour = vec4(pow(linear, vec3(1.0 / 2.2)), 1.0 - passed);
}
