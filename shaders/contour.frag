#version 450 core
// Contour lines with smooth edges and round ends.

noperspective in vec2 at;
flat in float length_at;

layout(location = 9) uniform float half_width;

layout(location = 0) out vec4 colour;

const vec3 LINE = vec3(1.0, 0.24, 0.20);

void main()
{
    float off = length(vec2(at.x - clamp(at.x, 0.0, length_at), at.y));
    colour = vec4(LINE, clamp(half_width + 0.5 - off, 0.0, 1.0));
}
