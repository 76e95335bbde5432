#version 450 core
// Makes the picture from the background and what is seen.

layout(local_size_x = 8, local_size_y = 8) in;

layout(location = 82) uniform bool plain;  // the background has one colour
layout(location = 83) uniform vec4 ground; // that colour
layout(binding = 0) writeonly uniform image2D picture;

vec4 shaded(vec2 pixel);
vec4 background(vec2 pixel);
float depth_at(ivec2 pixel);

vec2 here() { return vec2(gl_GlobalInvocationID.xy) + 0.5; }

// Rounded, like the background over which shade.frag blends.
vec4 behind() { return plain ? ground : round(background(here()) * 255.0) / 255.0; }

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, imageSize(picture)))) return;
    vec4 colour = depth_at(at) < 1.0 ? shaded(here()) : vec4(0.0);
    imageStore(picture, at, mix(behind(), colour, colour.a));
}
