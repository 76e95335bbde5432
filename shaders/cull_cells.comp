#version 450 core
// Finds the grid cell of each triangle of a mesh, by its first vertex, and the box around the triangles of each cell. It
// has two parts: the first finds how far the mesh reaches, the second does everything else.

const uint THREADS = 256u;

layout(local_size_x = THREADS) in;

layout(location = 0) uniform uint part; // 0 or 1
layout(location = 1) uniform uint side; // cells along each axis
layout(location = 2) uniform uint vertices;
layout(location = 3) uniform uint triangles;

layout(std430, binding = 0) readonly buffer Vertices { vec4 vertex[]; }; // w holds the normal
layout(std430, binding = 1) readonly buffer Indices { uint index[]; };
layout(std430, binding = 2) writeonly buffer Cells { uint cell[]; }; // of each triangle
layout(std430, binding = 3) buffer Low { uint low[]; };              // x, y, z of each cell, ordered
layout(std430, binding = 4) buffer High { uint high[]; };            // the same; then the largest of all

shared uint farthest[THREADS];

// Bits that compare like the floats.
uint ordered(float value)
{
    uint bits = floatBitsToUint(value);
    return (bits >> 31) != 0u ? ~bits : bits | 0x80000000u;
}

float float_of(uint bits) { return uintBitsToFloat((bits >> 31) != 0u ? bits & 0x7fffffffu : ~bits); }

void find_farthest()
{
    uint thread = gl_LocalInvocationID.x;
    float most = 1.0;
    for (uint i = gl_GlobalInvocationID.x; i < vertices; i += gl_NumWorkGroups.x * THREADS) {
        vec3 p = vertex[i].xyz;
        most = max(most, max(p.x, max(p.y, p.z)));
    }
    farthest[thread] = ordered(most);
    for (uint half_of = THREADS / 2u; half_of > 0u; half_of /= 2u) {
        barrier();
        if (thread < half_of) farthest[thread] = max(farthest[thread], farthest[thread + half_of]);
    }
    if (thread == 0u) atomicMax(high[3u * side * side * side], farthest[0]);
}

// Most triangles change no box, so compare before the atomic operation.
void add(uint triangle)
{
    vec3 a = vertex[index[3u * triangle]].xyz, b = vertex[index[3u * triangle + 1u]].xyz,
         c = vertex[index[3u * triangle + 2u]].xyz;
    vec3 least = min(a, min(b, c)), most = max(a, max(b, c));
    float scale = float(side) / float_of(high[3u * side * side * side]);
    uvec3 at = uvec3(clamp(a * scale, vec3(0.0), vec3(float(side - 1u))));
    uint own = (at.z * side + at.y) * side + at.x;
    cell[triangle] = own;
    for (uint k = 0u; k < 3u; k++) {
        uint below = ordered(least[k]), above = ordered(most[k]);
        if (below < low[3u * own + k]) atomicMin(low[3u * own + k], below);
        if (above > high[3u * own + k]) atomicMax(high[3u * own + k], above);
    }
}

void main()
{
    if (part == 0u) find_farthest();
    else
        for (uint i = gl_GlobalInvocationID.x; i < triangles; i += gl_NumWorkGroups.x * THREADS) add(i);
}
