#version 450 core
// The picture of a lit sphere, looked up by the normal: every surface takes the sphere's material and light.

in vec3 at;
in vec3 normal_at;

layout(location = 3) uniform sampler2D matcap;
layout(location = 4) uniform float clear; // part of the light that passes straight through; 0: opaque
layout(location = 0) out vec4 colour;

const vec3 INSIDE = vec3(0.52, 0.66, 0.80);

void main()
{
    vec3 n = normalize(normal_at);
    if (!gl_FrontFacing) n = -n;
    // The sphere as seen along this pixel's own line of sight, so that the shading does not slide in perspective.
    vec3 eye = -normalize(at);
    vec3 right = normalize(vec3(eye.z, 0.0, -eye.x));
    vec3 up = cross(eye, right);
    vec2 where = vec2(dot(right, n), -dot(up, n)) * 0.49 + 0.5; // the picture's first row is on top
    vec3 shade = texture(matcap, where).rgb;
    float aslant = pow(clear, 1.0 / max(dot(n, eye), 0.1)); // there the way through is longer: outlines show
    colour = vec4(gl_FrontFacing ? shade : dot(shade, vec3(0.30, 0.59, 0.11)) * INSIDE, 1.0 - aslant);
}
