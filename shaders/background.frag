#version 450 core

layout(location = 0) out vec4 colour;

vec4 background(vec2 pixel);

void main() { colour = background(gl_FragCoord.xy); }
