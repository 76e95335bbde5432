// What is seen at a pixel, and its depth, from a buffer that raster or compute shaders have filled.

layout(std430, binding = 0) readonly buffer Pixels { uint word[]; };

layout(location = 84) uniform uvec4 shape; // width and height; words per pixel; words before depth
layout(location = 85) uniform uint first;  // words before what is seen

uint word_of(ivec2 pixel) { return (uint(pixel.y) * shape.x + uint(pixel.x)) * shape.z; }

uint seen_at(ivec2 pixel) { return word[first + word_of(pixel)]; }

float depth_at(ivec2 pixel) { return uintBitsToFloat(word[shape.w + word_of(pixel)]); } // 1: nothing

ivec2 last_pixel() { return ivec2(shape.xy) - 1; }
