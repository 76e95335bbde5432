#version 450 core
// The box around each cluster of consecutive triangles: a work group each.

const uint CLUSTER = 1024u; // triangles, as in cull.c
const uint THREADS = 128u;

layout(local_size_x = THREADS) in;

layout(location = 0) uniform uint first;   // cluster that `index` begins with
layout(location = 1) uniform uint indices; // in `index`

struct Box {
    vec4 low, high; // voxels; w unused
};
layout(std430, binding = 0) writeonly buffer Boxes { Box box[]; };
layout(std430, binding = 1) readonly buffer Vertices { vec4 vertex[]; }; // w holds the normal
layout(std430, binding = 2) readonly buffer Indices { uint index[]; };

shared vec3 low[THREADS], high[THREADS];

void main()
{
    uint thread = gl_LocalInvocationID.x, begin = gl_WorkGroupID.x * CLUSTER * 3u, end = min(begin + CLUSTER * 3u, indices);
    vec3 least = vertex[index[begin]].xyz, most = least;
    for (uint i = begin + thread; i < end; i += THREADS) {
        vec3 point = vertex[index[i]].xyz;
        least = min(least, point);
        most = max(most, point);
    }
    low[thread] = least;
    high[thread] = most;
    for (uint half_of = THREADS / 2u; half_of > 0u; half_of /= 2u) {
        barrier();
        if (thread < half_of) {
            low[thread] = min(low[thread], low[thread + half_of]);
            high[thread] = max(high[thread], high[thread + half_of]);
        }
    }
    if (thread == 0u) box[first + gl_WorkGroupID.x] = Box(vec4(low[0], 0.0), vec4(high[0], 0.0));
}
