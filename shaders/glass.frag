#version 450 core
// A translucent face: blended over what is behind it, so it is shaded when it is drawn.

layout(location = 3) uniform float transparency; // part of the light that passes a face seen head-on

layout(location = 0) out vec4 colour;

vec3 face_normal();
vec3 face_eye();
vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim);

void main()
{
    vec3 normal = face_normal(), eye = face_eye();
    // The path through a face seen at an angle is longer, which brings out outlines.
    float passed = pow(transparency, 1.0 / max(dot(normal, eye), 0.1));
    colour = vec4(shade(normal, eye, gl_FrontFacing, 1.0, 0.0), 1.0 - passed);
}
