#version 450 core
// Makes one level of a depth pyramid: each pixel gets the greatest of the (up to) 2 x 2 pixels that it covers in the level
// below.

layout(local_size_x = 8, local_size_y = 8) in;

layout(location = 0) uniform ivec2 size; // of the level below, whose texture may be larger
layout(location = 1) uniform int level;  // of the level below, in its texture

layout(binding = 6) uniform sampler2D below; // the depths of the picture, or the pyramid
layout(binding = 0, r32f) writeonly uniform image2D pyramid;

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), from = 2 * at, to = min(from + 1, size - 1);
    if (any(greaterThanEqual(from, size))) return;
    float a = texelFetch(below, from, level).r, b = texelFetch(below, ivec2(to.x, from.y), level).r,
          c = texelFetch(below, ivec2(from.x, to.y), level).r, d = texelFetch(below, to, level).r;
    imageStore(pyramid, at, vec4(max(max(a, b), max(c, d))));
}
