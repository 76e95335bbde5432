#version 450 core
// Contour lines with smooth edges and round ends.

noperspective in vec2 offset;
flat in float segment_length;

layout(location = 9) uniform float half_width;
layout(location = 10) uniform vec3 line;
layout(location = 11) uniform float edge;

layout(location = 0) out vec4 colour;

void main()
{
    float distance_to_line = length(vec2(offset.x - clamp(offset.x, 0.0, segment_length), offset.y));
    colour = vec4(line, clamp(half_width + edge + 0.5 - distance_to_line, 0.0, 1.0));
}
