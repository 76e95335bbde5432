// The position in the view, in scene units, of what is seen at a pixel.

layout(location = 0) uniform vec4 lens;     // a pixel's point is at (pixel * lens.xy + lens.zw, -1) * distance
layout(location = 1) uniform vec2 depths;   // distance = depths.x / (depth + depths.y), depth from -1 to 1
layout(location = 4) uniform bool parallel; // parallel: at (pixel * lens.xy + lens.zw, -distance), and
                                            // distance = (depths.x - depth) / depths.y

float depth_at(ivec2 pixel); // 0 to 1

float distance_of(float depth) { return (parallel ? depths.x - depth : depths.x) / (parallel ? depths.y : depth + depths.y); }

float distance_at(ivec2 pixel) { return distance_of(depth_at(pixel) * 2.0 - 1.0); }

float depth_of(float distance) // 0 to 1
{
    return 0.5 + 0.5 * (parallel ? depths.x - distance * depths.y : depths.x / distance - depths.y);
}

// Distance of the background, and of the far end of the box.
float farthest() { return distance_of(1.0); }

// Points away from the eye; of any length.
vec3 ray_at(vec2 pixel) { return parallel ? vec3(0.0, 0.0, -1.0) : vec3(pixel * lens.xy + lens.zw, -1.0); }

vec3 point_at(vec2 pixel, float distance)
{
    return vec3((pixel * lens.xy + lens.zw) * (parallel ? 1.0 : distance), -distance);
}

// Length of a scene unit in the picture, pixels.
float pixels_at(float distance) { return 1.0 / (lens.y * (parallel ? 1.0 : distance)); }
