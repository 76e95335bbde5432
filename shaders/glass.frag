#version 450 core
// A translucent face. It is blended over what is behind it, so it is shaded when it is drawn.

layout(location = 41) uniform uint flipped;            // as in surface.frag
layout(location = 46) uniform float transparency[4]; // of each surface: part of the light that passes a face seen head-on

flat in uint surface;

layout(location = 0) out vec4 colour;

vec3 face_normal();
vec3 face_eye();
vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim);

void main()
{
    vec3 normal = face_normal(), eye = face_eye();
    // The path through a face seen at an angle is longer, which emphasizes outlines.
    float passed = pow(transparency[surface], 1.0 / max(dot(normal, eye), 0.1));
    bool outside = gl_FrontFacing != ((flipped >> surface & 1u) != 0u);
    colour = vec4(shade(normal, eye, outside, 1.0, 0.0), 1.0 - passed);
}
