#version 450 core
// Lines of the box, with smooth edges.

noperspective in float across;

layout(location = 2) uniform float half_width;
layout(location = 3) uniform float opacity;

layout(location = 0) out vec4 colour;

const vec3 LINE = vec3(0.72, 0.77, 0.84);

void main() { colour = vec4(LINE, opacity * clamp(half_width + 0.5 - abs(across), 0.0, 1.0)); }
