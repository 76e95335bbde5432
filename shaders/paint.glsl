// Colours that surfaces have of their own, in place of those of the shading mode.

layout(location = 42) uniform vec4 paints[4]; // linear light; w: 1 if the surface has one

uint painted_surface(); // number, from 0

bool has_paint() { return paints[painted_surface()].w > 0.0; }

// Of the inner side, darker and greyer.
vec3 paint(bool outside)
{
    vec3 own = paints[painted_surface()].rgb;
    return outside ? own : 0.45 * mix(vec3(dot(own, vec3(0.21, 0.72, 0.07))), own, 0.7) + 0.015;
}
