#version 450 core
// A pass over the pixels of a picture, drawn.

layout(location = 0) out vec4 drawn;

vec4 result(ivec2 at);

void main() { drawn = result(ivec2(gl_FragCoord.xy)); }
