// Brightness grows with the length of a thin shell along the line of sight: bright outlines, dark faces. If the surface is
// translucent, outlines deep behind others show, too.

bool has_paint();
vec3 paint(bool outside);

vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim)
{
    float edge = 1.0 - abs(dot(normal, eye));
    vec3 bright = has_paint() ? pow(paint(outside), vec3(1.0 / 2.2)) : outside ? vec3(0.80, 0.94, 1.00) : vec3(0.30, 0.62, 0.95);
    return mix(vec3(0.035, 0.075, 0.120), bright, edge * sqrt(edge));
}
