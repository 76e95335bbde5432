// What is seen at the pixels of the picture, and where it lies in the view, in scene units.

layout(location = 0) uniform vec4 lens;   // what is seen at a pixel lies at (pixel * lens.xy + lens.zw, -1) * distance
layout(location = 1) uniform vec2 depths; // distance = depths.x / (depth + depths.y), depth from -1 to 1
layout(binding = 0) uniform usampler2D seen;
layout(binding = 1) uniform sampler2D depth;

uint seen_at(ivec2 pixel) { return texelFetch(seen, pixel, 0).r; }

float distance_at(ivec2 pixel) { return depths.x / (texelFetch(depth, pixel, 0).r * 2.0 - 1.0 + depths.y); }

// That of the background, and of the far end of the box.
float farthest() { return depths.x / (1.0 + depths.y); }

vec3 ray_at(vec2 pixel) { return vec3(pixel * lens.xy + lens.zw, -1.0); }

// Length of a scene unit in the picture.
float pixels_at(float distance) { return 1.0 / (lens.y * distance); }

ivec2 last_pixel() { return textureSize(depth, 0) - 1; }
