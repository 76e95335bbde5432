#version 450 core
// Contour lines with smooth edges and round ends.

noperspective in vec2 offset;
flat in float segment_length;

layout(location = 9) uniform float half_width;
layout(location = 10) uniform vec3 line;
layout(location = 11) uniform bool edge; // the dark edge is drawn, else the line on it

layout(location = 0) out vec4 colour;

const vec3 DARK = vec3(0.05, 0.06, 0.08);

void main()
{
    float distance_to_line = length(vec2(offset.x - clamp(offset.x, 0.0, segment_length), offset.y));
    float reach = half_width + (edge ? 1.5 : 0.5);
    colour = vec4(edge ? DARK : line, clamp(reach - distance_to_line, 0.0, 1.0));
}
