#version 450 core
// Turns the number of triangles to draw in each block into the place where they go, and writes the commands that draw them.
// One work group.

const uint THREADS = 1024u;
const uint MOST = 16384u; // triangles per command, as in cull.c

layout(local_size_x = THREADS) in;

layout(location = 0) uniform uint blocks;
layout(location = 1) uniform uint commands;

struct Command {
    uint count, instances, first, base_vertex, base_instance;
};
layout(std430, binding = 2) buffer Blocks { uint block[]; };
layout(std430, binding = 3) writeonly buffer Commands { Command command[]; };
layout(std430, binding = 4) buffer Drawn { uint drawn; }; // triangles drawn so far in this picture

shared uint sum[THREADS];

void main()
{
    uint thread = gl_LocalInvocationID.x, each = (blocks + THREADS - 1u) / THREADS, own = 0u;
    uint first = thread * each, end = min(first + each, blocks);
    for (uint i = first; i < end; i++) own += block[i];
    sum[thread] = own;
    for (uint away = 1u; away < THREADS; away *= 2u) {
        barrier();
        uint before = thread >= away ? sum[thread - away] : 0u;
        barrier();
        sum[thread] += before;
    }
    barrier();
    uint at = sum[thread] - own, total = sum[THREADS - 1u];
    for (uint i = first; i < end; i++) {
        uint count = block[i];
        block[i] = at;
        at += count;
    }
    for (uint i = thread; i < commands; i += THREADS) {
        uint count = min(MOST, total - min(total, i * MOST));
        command[i] = Command(3u * count, uint(count > 0u), 3u * i * MOST, 0u, 0u);
    }
    if (thread > 0u) return;
    block[blocks] = total;
    drawn += total;
}
