#version 450 core
#ifdef GL_NV_shader_atomic_int64
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_NV_shader_atomic_int64 : require
#endif
// Draws triangles of a few pixels, a thread per triangle. It covers the pixels of the triangle's box whose centres are
// inside (Pineda 1988). Relative to the first of these pixels, edge functions fit 32 bits. Larger triangles, and those that
// extend beyond the view, are listed for raster_listed.comp.

const uint THREADS = 128u;
const int SMALL = 16 * 256; // largest side of a box, in 1/256 of a pixel

layout(local_size_x = THREADS) in;

layout(location = 5) uniform uint first; // first triangle
layout(location = 6) uniform uint last;  // the one after the last

layout(std430, binding = 0) readonly buffer Vertices { vec4 vertex[]; }; // w holds the normal
layout(std430, binding = 1) readonly buffer Indices { uint index[]; };
layout(std430, binding = 3) buffer Listed { uint count; uint listed[]; };

layout(location = 4) uniform uvec2 size; // of the picture, pixels

const float NO_PLACE = 1e30; // as x: in front of the view, behind it or far beside it

vec4 clip_of(vec3 position);
vec4 place_of(vec4 clip);
void put(uint pixel, float depth, uint low);

// Edge i is opposite to vertex i. With y upwards, a left edge leads down, and a top edge leads left. Pixels on these edges
// are inside.
void cover(vec4 p[3], ivec2 from, ivec2 to, uint triangle)
{
    ivec2 a[3] = ivec2[3](ivec2(p[0].xy), ivec2(p[1].xy), ivec2(p[2].xy));
    int area = (a[1].x - a[0].x) * (a[2].y - a[0].y) - (a[1].y - a[0].y) * (a[2].x - a[0].x);
    bool turned = area < 0;
    if (area == 0) return;
    ivec2 v[3] = ivec2[3](a[0], turned ? a[2] : a[1], turned ? a[1] : a[2]);
    vec2 slope = turned ? vec2(p[2].z, p[1].z) - p[0].z : vec2(p[1].z, p[2].z) - p[0].z;
    precise float share = 1.0 / float(abs(area));
    ivec2 centre = from * 256 + 128;
    ivec3 dx = ivec3(v[2].x - v[1].x, v[0].x - v[2].x, v[1].x - v[0].x),
          dy = ivec3(v[2].y - v[1].y, v[0].y - v[2].y, v[1].y - v[0].y),
          row = dx * (centre.y - ivec3(v[1].y, v[2].y, v[0].y)) - dy * (centre.x - ivec3(v[1].x, v[2].x, v[0].x)),
          least = ivec3(not(bvec3(dy.x < 0 || (dy.x == 0 && dx.x < 0), dy.y < 0 || (dy.y == 0 && dx.y < 0),
                                  dy.z < 0 || (dy.z == 0 && dx.z < 0))));
    uint low = (triangle + 1u) << 1 | uint(!turned);
    for (int y = from.y; y <= to.y; y++) {
        ivec3 at = row;
        for (int x = from.x; x <= to.x; x++) {
            if (all(greaterThanEqual(at, least))) {
                precise float depth = p[0].z + (float(at.y) * slope.x + float(at.z) * slope.y) * share;
                put(uint(y) * size.x + uint(x), max(depth, 0.0), low);
            }
            at -= 256 * dy;
        }
        row += 256 * dx;
    }
}

void draw(uint triangle)
{
    vec4 p[3];
    for (uint k = 0u; k < 3u; k++) p[k] = place_of(clip_of(vertex[index[3u * triangle + k]].xyz));
    bool whole = p[0].x != NO_PLACE && p[1].x != NO_PLACE && p[2].x != NO_PLACE;
    vec2 least = min(p[0].xy, min(p[1].xy, p[2].xy)), most = max(p[0].xy, max(p[1].xy, p[2].xy));
    ivec2 from = max((ivec2(least) + 127) >> 8, ivec2(0)), to = min((ivec2(most) - 128) >> 8, ivec2(size) - 1);
    if (whole && any(greaterThan(from, to))) return; // contains no pixel centre
    if (whole && all(lessThanEqual(most - least, vec2(SMALL)))) cover(p, from, to, triangle);
    else listed[atomicAdd(count, 1u)] = triangle;
}

void main()
{
    for (uint i = first + gl_GlobalInvocationID.x; i < last; i += gl_NumWorkGroups.x * THREADS) draw(i);
}
