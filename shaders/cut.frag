#version 450 core
// Closes what cuts have opened. What is left of the volume is convex: a line of sight comes in through one side and leaves
// through another. What lies before it was not drawn. The surface is closed: if an inner face is the first thing behind the
// entry, the entry lies in the material; if that face lies behind the exit, so does the exit, and all between them. Where a
// bare side is in the material, the cut itself is to be seen.

layout(location = 8) uniform vec4 plane[7]; // the sides, in the view: not negative within
layout(location = 16) uniform int side[7];  // what they are: cut.h

layout(location = 0) out uint found;

const int NONE = 0, BORDER = 1, SLICE = 2, BARE = 3; // sides
const uint CAP = 1u << 31; // in what is drawn, it lies on the volume's border; in what is found, on a cut

uint seen_at(ivec2 pixel);
float depth_at(ivec2 pixel);
float distance_at(ivec2 pixel);
float depth_of(float distance);
ivec2 last_pixel();
vec3 ray_at(vec2 pixel);
vec3 point_at(vec2 pixel, float distance);
uint pack_seen(vec3 normal, bool outside, uint surface);
bool seen_outside(uint seen);

struct way {
    int entry, exit;   // sides; -1: the eye lies within; nothing cuts it off
    float from, to;    // distances
};

// Nothing lies behind the border.
way way_of(vec2 pixel)
{
    vec3 start = point_at(pixel, 0.0), ray = ray_at(pixel);
    way w = way(-1, -1, 0.0, 1e9);
    for (int i = 0; i < 7; i++) {
        float inwards = dot(plane[i].xyz, ray), above = dot(plane[i].xyz, start) + plane[i].w, there = -above / inwards;
        if (side[i] == NONE) continue;
        if (inwards == 0.0 && above < 0.0) w.to = 0.0; // it passes by
        if (inwards > 0.0 && there > w.from) w.entry = i, w.from = there;
        if (inwards < 0.0 && there < w.to && side[i] != BORDER) w.exit = i, w.to = there;
    }
    return w;
}

// Whether an inner face is the first that is seen. Where slivers of triangles end, the depth of faces that meet at an edge is not
// exact, and a farther one may be seen at a single pixel: there the four around it decide.
bool is_inside(ivec2 at, uint seen)
{
    const ivec2 beside[4] = ivec2[](ivec2(1, 0), ivec2(-1, 0), ivec2(0, 1), ivec2(0, -1));
    bool all = true, outside = seen_outside(seen);
    for (int i = 0; i < 4; i++) {
        uint there = seen_at(clamp(at + beside[i], ivec2(0), last_pixel()));
        bool differs = there != 0u && seen_outside(there) != outside;
        all = all && differs;
    }
    return outside == all;
}

bool is_bare(int i) { return i >= 0 && side[i] == BARE; }

void show_cap(int i, float distance, bool outside, uint seen)
{
    vec3 outwards = -normalize(plane[i].xyz);
    found = pack_seen(outside ? outwards : -outwards, outside, seen >> 25 | CAP >> 25);
    gl_FragDepth = depth_of(distance);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    uint seen = seen_at(at);
    way w = way_of(gl_FragCoord.xy);
    bool outside = !is_inside(at, seen), behind = distance_at(at) > w.to;
    if (seen == 0u || w.from >= w.to || (outside && behind)) discard;
    if (!outside && is_bare(w.entry)) show_cap(w.entry, w.from, true, seen);
    else if (!outside && behind && is_bare(w.exit)) show_cap(w.exit, w.to, false, seen); // from within, by the open border
    else if (behind || (!outside && (seen & CAP) != 0u)) discard;                      // a slice's picture; the open border
    else {
        found = seen & ~CAP;
        gl_FragDepth = depth_at(at);
    }
}
