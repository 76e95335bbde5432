// Keeps the nearest triangle at each pixel. A pixel's key is the depth, in the high bits, and the number of the triangle.
// The smallest key is seen, whatever the order of triangles. With 64-bit atomic operations this takes one pass. Other
// drivers draw all triangles twice, first for depths, then for numbers.

#ifdef GL_NV_shader_atomic_int64

layout(std430, binding = 2) buffer Keys { uint64_t key[]; };

// Most pixels of a closed surface are behind others, so compare before the atomic operation.
void put(uint pixel, float depth, uint low)
{
    uint64_t own = packUint2x32(uvec2(low, floatBitsToUint(depth)));
    if (own < key[pixel]) atomicMin(key[pixel], own);
}

#else

layout(location = 8) uniform bool again; // second pass

layout(std430, binding = 2) buffer Keys { uvec2 key[]; }; // number, depth

void put(uint pixel, float depth, uint low)
{
    uint bits = floatBitsToUint(depth); // compare like depths, because those are not negative
    if (again && bits == key[pixel].y) atomicMin(key[pixel].x, low);
    if (!again && bits < key[pixel].y) atomicMin(key[pixel].y, bits);
}

#endif
