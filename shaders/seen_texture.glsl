// What is seen at a pixel, and its depth, from textures.

layout(binding = 0) uniform usampler2D seen;
layout(binding = 1) uniform sampler2D depth;

uint seen_at(ivec2 pixel) { return texelFetch(seen, pixel, 0).r; }

float depth_at(ivec2 pixel) { return texelFetch(depth, pixel, 0).r; }

ivec2 last_pixel() { return textureSize(depth, 0) - 1; }
