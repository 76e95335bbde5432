#version 450 core
// Copies the indices of the triangles to draw, in their order. So at equal depths the first is seen, as if all were drawn.

const uint THREADS = 256u, EACH = 4u; // as in cull_count.comp

layout(local_size_x = THREADS) in;

layout(location = 0) uniform uint triangles;

struct State {
    uint seen, drawn;
};
layout(std430, binding = 0) readonly buffer Cells { uint cell[]; };
layout(std430, binding = 1) readonly buffer States { State state[]; };
layout(std430, binding = 2) readonly buffer Blocks { uint block[]; };
layout(std430, binding = 3) readonly buffer Indices { uint index[]; };
layout(std430, binding = 4) writeonly buffer Picked { uint picked[]; };

shared uint sum[THREADS];

void pick()
{
    uint thread = gl_LocalInvocationID.x, first = gl_GlobalInvocationID.x * EACH, own = 0u;
    for (uint i = first; i < min(first + EACH, triangles); i++) own += state[cell[i]].drawn;
    sum[thread] = own;
    for (uint away = 1u; away < THREADS; away *= 2u) {
        barrier();
        uint before = thread >= away ? sum[thread - away] : 0u;
        barrier();
        sum[thread] += before;
    }
    uint to = 3u * (block[gl_WorkGroupID.x] + sum[thread] - own);
    for (uint i = first; i < min(first + EACH, triangles); i++) {
        if (state[cell[i]].drawn == 0u) continue;
        for (uint k = 0u; k < 3u; k++) picked[to + k] = index[3u * i + k];
        to += 3u;
    }
}

// Often a block has no triangles to draw. Its group then needs no barriers.
void main()
{
    if (block[gl_WorkGroupID.x] < block[gl_WorkGroupID.x + 1u]) pick();
}
