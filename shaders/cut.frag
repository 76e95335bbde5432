#version 450 core
// Closes what cuts have opened. What is left of the volume is convex, and the surface is closed: where an inner face is the first
// thing that is seen, the line of sight has come into the material through a side of what is left, for it met no outer face.
// Through a bare side: there the cut itself is to be seen.

layout(location = 8) uniform vec4 plane[7]; // the sides, in the view: not negative within
layout(location = 16) uniform int side[7];  // what they are: cut.h

layout(location = 0) out uint found;

const int NONE = 0, BARE = 3;       // sides
const uint CAP = 1u << 31;          // in what is drawn, it lies on the volume's border; in what is found, on a cut

uint seen_at(ivec2 pixel);
float depth_at(ivec2 pixel);
float depth_of(float distance);
vec3 ray_at(vec2 pixel);
vec3 point_at(vec2 pixel, float distance);
uint pack_seen(vec3 normal, bool outside, uint surface);
bool seen_outside(uint seen);

// The side through which the line of sight comes in, and at what distance; -1: the eye lies within.
int entry(vec2 pixel, out float distance)
{
    vec3 from = point_at(pixel, 0.0), ray = ray_at(pixel);
    int by = -1;
    distance = 0.0;
    for (int i = 0; i < 7; i++) {
        float inwards = dot(plane[i].xyz, ray), there = -(dot(plane[i].xyz, from) + plane[i].w) / inwards;
        if (side[i] == NONE || inwards <= 0.0 || there <= distance) continue;
        distance = there;
        by = i;
    }
    return by;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    uint seen = seen_at(at);
    float distance;
    if (seen == 0u) discard;
    int by = seen_outside(seen) ? -1 : entry(gl_FragCoord.xy, distance);
    bool capped = by >= 0 && side[by] == BARE;
    if (!capped && !seen_outside(seen) && (seen & CAP) != 0u) discard; // open at the border: it is not to be seen
    found = capped ? pack_seen(-normalize(plane[by].xyz), true, seen >> 25 | CAP >> 25) : seen & ~CAP;
    gl_FragDepth = capped ? depth_of(distance) : depth_at(at);
}
