#version 450 core
// Material capture: the image of a lit sphere, looked up by the normal, gives the surface the material and light of the sphere.

in vec3 view_position;
in vec3 view_normal;

layout(location = 3) uniform sampler2D matcap;
layout(location = 4) uniform float transparency; // part of the light that passes a face seen head-on; 0: opaque
layout(location = 0) out vec4 colour;

const vec3 INSIDE = vec3(0.52, 0.66, 0.80);

void main()
{
    vec3 n = normalize(view_normal);
    if (!gl_FrontFacing) n = -n;
    // Look at the sphere along this pixel's line of sight: in perspective the shading would slide over the surface otherwise.
    vec3 eye = -normalize(view_position);
    vec3 right = normalize(vec3(eye.z, 0.0, -eye.x));
    vec3 up = cross(eye, right);
    vec2 uv = vec2(dot(right, n), -dot(up, n)) * 0.49 + 0.5; // the image's first row is its top
    vec3 shade = texture(matcap, uv).rgb;
    // The path through a face seen at an angle is longer, which brings out outlines.
    float passed = pow(transparency, 1.0 / max(dot(n, eye), 0.1));
    colour = vec4(gl_FrontFacing ? shade : dot(shade, vec3(0.30, 0.59, 0.11)) * INSIDE, 1.0 - passed);
}
