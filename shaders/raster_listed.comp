#version 450 core
#ifdef GL_NV_shader_atomic_int64
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_NV_shader_atomic_int64 : require
#endif
// Draws triangles that raster_small.comp has listed, a work group per triangle; each thread takes one pixel at a time.
// Triangles that extend beyond the view are clipped (Sutherland and Hodgman 1974). Edge functions are whole numbers below
// 2^53, which doubles represent exactly.

const uint THREADS = 64u;
const int CORNERS = 9; // of a triangle clipped by six planes
const float FAR_HALF = 2097152.0;

layout(local_size_x = THREADS) in;

layout(std430, binding = 0) readonly buffer Vertices { vec4 vertex[]; }; // w holds the normal
layout(std430, binding = 1) readonly buffer Indices { uint index[]; };
layout(std430, binding = 3) readonly buffer Listed { uint count; uint listed[]; };

layout(location = 4) uniform uvec2 size; // of the picture, pixels

const float NO_PLACE = 1e30; // as x: in front of the view, behind it or far beside it

vec4 clip_of(vec3 position);
vec4 place_of(vec4 clip);
void put(uint pixel, float depth, uint low);

void cover(vec4 p0, vec4 p1, vec4 p2, uint triangle)
{
    vec2 lowest = min(p0.xy, min(p1.xy, p2.xy)), highest = max(p0.xy, max(p1.xy, p2.xy));
    ivec2 from = max((ivec2(lowest) + 127) >> 8, ivec2(0)), to = min((ivec2(highest) - 128) >> 8, ivec2(size) - 1);
    dvec2 a = dvec2(p0.xy), b = dvec2(p1.xy), c = dvec2(p2.xy);
    double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    bool turned = area < 0.0;
    if (any(greaterThan(from, to)) || area == 0.0) return;
    dvec2 v[3] = dvec2[3](a, turned ? c : b, turned ? b : c);
    vec2 slope = turned ? vec2(p2.z, p1.z) - p0.z : vec2(p1.z, p2.z) - p0.z;
    precise float share = 1.0 / float(abs(area));
    dvec3 dx = dvec3(v[2].x - v[1].x, v[0].x - v[2].x, v[1].x - v[0].x),
          dy = dvec3(v[2].y - v[1].y, v[0].y - v[2].y, v[1].y - v[0].y),
          least = dvec3(not(bvec3(dy.x < 0.0 || (dy.x == 0.0 && dx.x < 0.0), dy.y < 0.0 || (dy.y == 0.0 && dx.y < 0.0),
                                  dy.z < 0.0 || (dy.z == 0.0 && dx.z < 0.0))));
    uint low = (triangle + 1u) << 1 | uint(!turned), width = uint(to.x - from.x + 1), pixels = width * uint(to.y - from.y + 1);
    for (uint i = gl_LocalInvocationID.x; i < pixels; i += THREADS) {
        uvec2 pixel = uvec2(from) + uvec2(i % width, i / width);
        dvec2 centre = dvec2(pixel * 256u + 128u);
        dvec3 at = dx * (centre.y - dvec3(v[1].y, v[2].y, v[0].y)) - dy * (centre.x - dvec3(v[1].x, v[2].x, v[0].x));
        if (any(lessThan(at, least))) continue;
        precise float depth = p0.z + (float(at.y) * slope.x + float(at.z) * slope.y) * share;
        put(pixel.y * size.x + pixel.x, max(depth, 0.0), low);
    }
}

// How far a point is inside a plane: near, far, and the four that keep places within the range of fixed point.
float inside(vec4 clip, int plane)
{
    if (plane == 0) return clip.z + clip.w;
    if (plane == 1) return clip.w - clip.z;
    int axis = (plane - 2) / 2;
    float reach = clip.w * (FAR_HALF / float(size[axis] * 128u));
    return plane % 2 != 0 ? reach - clip[axis] : reach + clip[axis];
}

// Always starts from the end that is inside, so that the neighbouring triangle gets the same point.
vec4 cut_edge(vec4 end, vec4 other, float end_inside, float other_inside)
{
    precise vec4 at = end + (other - end) * (end_inside / (end_inside - other_inside));
    return at;
}

// Returns how many corners are left. Rounding can give a sliver more corners than it should have.
int cut_by(int plane, vec4 corner[CORNERS + 1], int n, out vec4 left[CORNERS + 1])
{
    int some = 0;
    for (int i = 0; i < n && some < CORNERS; i++) {
        vec4 a = corner[i], b = corner[(i + 1) % n];
        float at_a = inside(a, plane), at_b = inside(b, plane);
        if (at_a >= 0.0) left[some++] = a;
        if (at_a >= 0.0 && at_b < 0.0) left[some++] = cut_edge(a, b, at_a, at_b);
        if (at_a < 0.0 && at_b >= 0.0) left[some++] = cut_edge(b, a, at_b, at_a);
    }
    return min(some, CORNERS);
}

void draw(uint triangle)
{
    vec4 corner[CORNERS + 1], left[CORNERS + 1];
    bool whole = true;
    int n = 3;
    for (uint k = 0u; k < 3u; k++) {
        corner[k] = clip_of(vertex[index[3u * triangle + k]].xyz);
        whole = whole && place_of(corner[k]).x != NO_PLACE;
    }
    for (int plane = 0; plane < 6 && !whole; plane++) {
        n = cut_by(plane, corner, n, left);
        corner = left;
    }
    for (int i = 0; i < n; i++) {
        if (!whole) corner[i].z = clamp(corner[i].z, -corner[i].w, corner[i].w); // clipping was rounded
        corner[i] = place_of(corner[i]);
        if (corner[i].x == NO_PLACE) return; // NaN, or a plane through the eye
    }
    for (int i = 1; i + 1 < n; i++) cover(corner[0], corner[i], corner[i + 1], triangle);
}

void main()
{
    for (uint i = gl_WorkGroupID.x; i < count; i += gl_NumWorkGroups.x) draw(listed[i]);
}
