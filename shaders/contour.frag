#version 450 core
// Contour lines with smooth edges and round ends.

noperspective in vec2 offset;
flat in float segment_length;

layout(location = 9) uniform float half_width;

layout(location = 0) out vec4 colour;

const vec3 LINE = vec3(1.0, 0.24, 0.20);

void main()
{
    float distance_to_line = length(vec2(offset.x - clamp(offset.x, 0.0, segment_length), offset.y));
    colour = vec4(LINE, clamp(half_width + 0.5 - distance_to_line, 0.0, 1.0));
}
