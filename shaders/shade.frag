#version 450 core
// Colours what is seen. The depth test leaves out pixels at which nothing is seen.

layout(location = 0) out vec4 colour; // blended

vec4 shaded(vec2 pixel);

vec2 here() { return gl_FragCoord.xy; }

void main() { colour = shaded(here()); }
