#version 450 core
// Decides which cells of a mesh to draw; a thread per cell. First those in view that were visible in the last picture.
// Then, when there is a pyramid of their depths, all others that it does not hide. The rest would not change a pixel.

const float MARGIN = 1e-5; // more than the rounding errors of a box and of the vertices in it differ

layout(local_size_x = 64) in;

layout(location = 0) uniform mat4 clip_from_voxel;
layout(location = 4) uniform vec4 cut[7]; // what lies on a negative side is not drawn
layout(location = 11) uniform uint cells;
layout(location = 12) uniform bool again; // second round: there is a pyramid
layout(location = 13) uniform ivec2 size; // of the picture
layout(location = 14) uniform int levels; // of the pyramid; the first has half the picture's size

layout(binding = 6) uniform sampler2D pyramid;

struct State {
    uint seen;  // in the last picture
    uint drawn; // in this round
};
layout(std430, binding = 0) readonly buffer Low { uint low[]; }; // cull_cells.comp
layout(std430, binding = 1) readonly buffer High { uint high[]; };
layout(std430, binding = 2) buffer States { State state[]; };

float float_of(uint bits) { return uintBitsToFloat((bits >> 31) != 0u ? bits & 0x7fffffffu : ~bits); }

bool is_cut(vec3 least, vec3 most)
{
    for (int i = 0; i < 7; i++) {
        vec3 farthest = mix(least, most, greaterThan(cut[i].xyz, vec3(0.0)));
        float scale = dot(abs(cut[i].xyz), abs(farthest)) + abs(cut[i].w);
        if (dot(cut[i].xyz, farthest) + cut[i].w < -MARGIN * scale) return true;
    }
    return false;
}

// Whether everything in a part of the picture is nearer than `depth`. Looks at no more than 4 x 4 pixels of the pyramid.
bool hides(vec2 from_pixel, vec2 to_pixel, float depth)
{
    ivec2 last = size - 1, from = ivec2(clamp(floor(from_pixel), vec2(0.0), vec2(last))),
          to = ivec2(clamp(floor(to_pixel), vec2(0.0), vec2(last)));
    int level = 1;
    while (level < levels && any(greaterThan((to >> level) - (from >> level), ivec2(3)))) level++;
    from >>= level;
    to >>= level;
    for (int y = from.y; y <= to.y; y++)
        for (int x = from.x; x <= to.x; x++)
            if (texelFetch(pyramid, ivec2(x, y), level - 1).r >= depth) return false;
    return true;
}

bool is_visible(vec3 least, vec3 most)
{
    bvec3 below = bvec3(true), above = bvec3(true);
    vec3 nearest = vec3(1e30), farthest = vec3(-1e30);
    bool before = true; // all corners are in front of the eye
    for (int i = 0; i < 8; i++) {
        vec4 p = clip_from_voxel * vec4(mix(least, most, bvec3((i & 1) != 0, (i & 2) != 0, (i & 4) != 0)), 1.0);
        vec3 margin = MARGIN * (abs(p.xyz) + abs(p.w)), point = p.xyz / p.w;
        for (int a = 0; a < 3; a++) {
            below[a] = below[a] && p[a] + p.w < -margin[a];
            above[a] = above[a] && p[a] - p.w > margin[a];
        }
        before = before && p.w > MARGIN;
        nearest = min(nearest, point);
        farthest = max(farthest, point);
    }
    if (any(below) || any(above)) return false;
    if (!before || !again) return true;
    vec2 scale = vec2(size) * 0.5;
    return !hides((nearest.xy + 1.0) * scale - 1.0, (farthest.xy + 1.0) * scale + 1.0, nearest.z * 0.5 + 0.5 - MARGIN);
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= cells || low[3u * i] > high[3u * i]) return; // empty cell
    vec3 least = vec3(float_of(low[3u * i]), float_of(low[3u * i + 1u]), float_of(low[3u * i + 2u])),
         most = vec3(float_of(high[3u * i]), float_of(high[3u * i + 1u]), float_of(high[3u * i + 2u]));
    bool last = state[i].seen != 0u, visible = (again || last) && !is_cut(least, most) && is_visible(least, most);
    state[i].drawn = uint(visible && (again ? !last : last));
    if (again) state[i].seen = uint(visible);
}
