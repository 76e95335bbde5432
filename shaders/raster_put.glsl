// Pixels and the nearest triangles at them. A pixel's key is the depth above the number of the triangle: the least is seen, in
// whatever order triangles come. Drivers that know atomic operations of 64 bits do that at once; for the others all triangles are
// drawn twice, first for depths, then for numbers.

#ifdef GL_NV_shader_atomic_int64

layout(std430, binding = 2) buffer Keys { uint64_t key[]; };

// Most pixels of a closed surface are behind others: those are only compared.
void put(uint pixel, float depth, uint low)
{
    uint64_t own = packUint2x32(uvec2(low, floatBitsToUint(depth)));
    if (own < key[pixel]) atomicMin(key[pixel], own);
}

#else

layout(location = 8) uniform bool again; // the second time

layout(std430, binding = 2) buffer Keys { uvec2 key[]; }; // number, depth

void put(uint pixel, float depth, uint low)
{
    uint bits = floatBitsToUint(depth); // compare as depths do, which are not negative
    if (again && bits == key[pixel].y) atomicMin(key[pixel].x, low);
    if (!again && bits < key[pixel].y) atomicMin(key[pixel].y, bits);
}

#endif
