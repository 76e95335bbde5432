#version 450 core
// Counts the triangles to draw in each block of consecutive ones; a work group per block.

const uint THREADS = 256u, EACH = 4u; // triangles per thread

layout(local_size_x = THREADS) in;

layout(location = 0) uniform uint triangles;

struct State {
    uint seen, drawn;
};
layout(std430, binding = 0) readonly buffer Cells { uint cell[]; };
layout(std430, binding = 1) readonly buffer States { State state[]; };
layout(std430, binding = 2) writeonly buffer Blocks { uint block[]; };

shared uint sum;

void main()
{
    uint first = gl_GlobalInvocationID.x * EACH, own = 0u;
    for (uint i = first; i < min(first + EACH, triangles); i++) own += state[cell[i]].drawn;
    if (gl_LocalInvocationID.x == 0u) sum = 0u;
    barrier();
    if (own > 0u) atomicAdd(sum, own);
    barrier();
    if (gl_LocalInvocationID.x == 0u) block[gl_WorkGroupID.x] = sum;
}
