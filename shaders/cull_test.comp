#version 450 core
// Which clusters of a mesh are drawn, as commands for glMultiDrawElementsIndirect: a thread each. First those in the view that
// were seen in the last picture; then, once there is a pyramid of their depths, all others that it does not hide. What is left
// out would not have changed a pixel.

const uint CLUSTER = 1024u; // triangles, as in cull.c
const uint THREADS = 64u;
const float MARGIN = 1e-5; // more than roundings of a box and of the vertices in it differ by

layout(local_size_x = THREADS) in;

layout(location = 0) uniform mat4 clip_from_voxel;
layout(location = 4) uniform vec4 cut[7]; // what lies on a negative side is not drawn
layout(location = 11) uniform uint triangles;
layout(location = 12) uniform uint clusters;
layout(location = 13) uniform bool again; // there is a pyramid
layout(location = 14) uniform ivec2 size; // of the picture
layout(location = 15) uniform int levels; // of the pyramid, of which the first has half the picture's size

layout(binding = 6) uniform sampler2D pyramid;

struct Box {
    vec4 low, high;
};
struct Command {
    uint count, instances, first, base_vertex, base_instance;
};
layout(std430, binding = 0) readonly buffer Boxes { Box box[]; };
layout(std430, binding = 1) buffer Seen { uint seen[]; }; // in the last picture
layout(std430, binding = 2) writeonly buffer Commands { Command command[]; }; // of the first round and of the second
layout(std430, binding = 3) buffer Drawn { uint drawn; }; // triangles

shared bool draws[THREADS];

bool is_cut(Box b)
{
    for (int i = 0; i < 7; i++) {
        vec3 farthest = mix(b.low.xyz, b.high.xyz, greaterThan(cut[i].xyz, vec3(0.0)));
        float scale = dot(abs(cut[i].xyz), abs(farthest)) + abs(cut[i].w);
        if (dot(cut[i].xyz, farthest) + cut[i].w < -MARGIN * scale) return true;
    }
    return false;
}

// Whether all that is in a part of the picture lies nearer than `depth`. Of the pyramid, at most 4 x 4 pixels are looked at.
bool hides(vec2 low, vec2 high, float depth)
{
    ivec2 last = size - 1, from = clamp(ivec2(floor(low)), ivec2(0), last), to = clamp(ivec2(floor(high)), ivec2(0), last);
    int level = 1;
    while (level < levels && any(greaterThan((to >> level) - (from >> level), ivec2(3)))) level++;
    from >>= level;
    to >>= level;
    for (int y = from.y; y <= to.y; y++)
        for (int x = from.x; x <= to.x; x++)
            if (texelFetch(pyramid, ivec2(x, y), level - 1).r >= depth) return false;
    return true;
}

// Sets whether the box lies outside of the view, and returns whether the pyramid hides it.
bool hidden(Box b, out bool outside)
{
    bvec3 below = bvec3(true), above = bvec3(true);
    vec3 low = vec3(1e30), high = vec3(-1e30);
    bool before = true;
    for (int i = 0; i < 8; i++) {
        bvec3 far = bvec3((i & 1) != 0, (i & 2) != 0, (i & 4) != 0);
        vec4 p = clip_from_voxel * vec4(mix(b.low.xyz, b.high.xyz, far), 1.0);
        vec3 margin = MARGIN * (abs(p.xyz) + abs(p.w)), point = p.xyz / p.w;
        for (int a = 0; a < 3; a++) {
            below[a] = below[a] && p[a] + p.w < -margin[a];
            above[a] = above[a] && p[a] - p.w > margin[a];
        }
        before = before && p.w > MARGIN;
        low = min(low, point);
        high = max(high, point);
    }
    outside = any(below) || any(above);
    if (outside || !before || !again) return false;
    vec2 scale = vec2(size) * 0.5;
    return hides((low.xy + 1.0) * scale - 1.0, (high.xy + 1.0) * scale + 1.0, low.z * 0.5 + 0.5 - MARGIN);
}

// Consecutive clusters that are drawn are one command, the first's.
uint run_of(uint thread)
{
    uint end = thread;
    if (!draws[thread] || (thread > 0u && draws[thread - 1u])) return 0u;
    while (end < THREADS && draws[end]) end++;
    return end - thread;
}

void main()
{
    uint thread = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x;
    bool is_drawn = false;
    if (i < clusters) {
        bool outside, last = seen[i] != 0u, covered = hidden(box[i], outside);
        bool visible = !outside && !covered && !is_cut(box[i]);
        is_drawn = visible && (again ? !last : last);
        if (again) seen[i] = uint(visible);
    }
    draws[thread] = is_drawn;
    barrier();
    uint first = i * CLUSTER, count = min(run_of(thread) * CLUSTER, triangles - min(first, triangles));
    if (i < clusters) command[again ? clusters + i : i] = Command(3u * count, uint(count > 0u), 3u * first, 0u, 0u);
    if (count > 0u) atomicAdd(drawn, count);
}
