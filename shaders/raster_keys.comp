#version 450 core
// Finds what is seen at a pixel from the key that raster_put.glsl has left there. The normal is interpolated from the
// triangle's vertices at the pixel's centre, perspective-correct.

const uint THREADS = 128u;

layout(local_size_x = THREADS) in;

layout(location = 6) uniform mat3 normal_matrix; // normals -> view coordinates, times any positive factor
layout(location = 9) uniform uvec3 face; // surface, from 1; 1: front faces are clockwise; 1: inner sides look outer

layout(std430, binding = 0) readonly buffer Vertices { vec4 vertex[]; }; // w holds the normal
layout(std430, binding = 1) readonly buffer Indices { uint index[]; };
layout(std430, binding = 2) readonly buffer Keys { uvec2 key[]; }; // number and orientation of the triangle; depth
layout(std430, binding = 4) buffer Pixels { uvec2 pixel[]; };      // what is seen; depth. May be the same memory as Keys

layout(location = 4) uniform uvec2 size; // of the picture, pixels
layout(location = 10) uniform bool over; // something is drawn already; at equal depth it stays

const float NO_PLACE = 1e30; // as x: in front of the view, behind it or far beside it

vec4 clip_of(vec3 position);
vec4 place_of(vec4 clip);
uint pack_seen(vec3 normal, bool outside, uint surface);

vec3 normal_of(uint bits)
{
    return vec3(ivec3(bits << 22, bits << 12, bits << 2) >> 22); // 10 bits each
}

// Shares without places, from homogeneous coordinates (Olano and Greer 1997).
vec3 shares_of_cut(vec4 clip[3], uvec2 pixel)
{
    dvec2 at = dvec2(2u * pixel + 1u) / dvec2(size) - 1.0;
    dvec3 w = dvec3(clip[0].w, clip[1].w, clip[2].w), dx = dvec3(clip[0].x, clip[1].x, clip[2].x) - at.x * w,
          dy = dvec3(clip[0].y, clip[1].y, clip[2].y) - at.y * w;
    dvec3 edge = dx.yzx * dy.zxy - dx.zxy * dy.yzx;
    return vec3(edge / (edge.x + edge.y + edge.z));
}

vec3 shares(vec4 clip[3], uvec2 pixel, bool counter_clockwise)
{
    vec4 p[3] = vec4[3](place_of(clip[0]), place_of(clip[1]), place_of(clip[2]));
    vec2 centre = vec2(pixel * 256u + 128u);
    vec3 x = vec3(p[0].x, p[1].x, p[2].x), dx = x - centre.x, dy = vec3(p[0].y, p[1].y, p[2].y) - centre.y;
    if (any(equal(x, vec3(NO_PLACE)))) return shares_of_cut(clip, pixel);
    vec3 edge = (dx.yzx * dy.zxy - dx.zxy * dy.yzx) * vec3(p[0].w, p[1].w, p[2].w);
    return counter_clockwise ? edge : -edge;
}

uint seen_of(uvec2 pixel, uint low)
{
    bool counter_clockwise = (low & 1u) != 0u, outside = counter_clockwise != (face.y != 0u);
    uint at = 3u * ((low >> 1) - 1u);
    vec4 v[3] = vec4[3](vertex[index[at]], vertex[index[at + 1u]], vertex[index[at + 2u]]);
    vec3 share = shares(vec4[3](clip_of(v[0].xyz), clip_of(v[1].xyz), clip_of(v[2].xyz)), pixel, counter_clockwise);
    vec3 normal = vec3(0.0);
    for (int i = 0; i < 3; i++) normal += share[i] * max(normal_of(floatBitsToUint(v[i].w)), -511.0);
    normal = normal_matrix * (outside ? normal : -normal);
    if (!(abs(normal.x) + abs(normal.y) + abs(normal.z) > 0.0)) normal = vec3(0.0, 0.0, outside ? 1.0 : -1.0);
    return pack_seen(normal, outside != (face.z != 0u), face.x);
}

uint seen_at(uint i) // 0: nothing
{
    return uintBitsToFloat(key[i].y) < 1.0 ? seen_of(uvec2(i % size.x, i / size.x), key[i].x) : 0u;
}

void main()
{
    for (uint i = gl_GlobalInvocationID.x; i < size.x * size.y; i += gl_NumWorkGroups.x * THREADS)
        if (!over || uintBitsToFloat(key[i].y) < uintBitsToFloat(pixel[i].y)) pixel[i] = uvec2(seen_at(i), key[i].y);
}
