// The way of a line of sight through the part of the volume that the cuts leave. This part is convex, so the line enters
// through one side and leaves through another.

layout(location = 8) uniform vec4 plane[7]; // the sides, in the view; not negative inside
layout(location = 64) uniform int side[7];  // kinds of sides, see cut.h

const int NONE = 0, BORDER = 1, SLICE = 2, BARE = 3; // sides
const float ROUNDING = 1e-4;

// Returns the distances of entry and exit, in lengths of `ray`. Gives the sides there; -1: the eye is inside; nothing cuts
// the line off. Nothing lies behind the border.
vec2 way_of(vec3 start, vec3 ray, out ivec2 sides)
{
    vec2 way = vec2(0.0, 1e9);
    float end = 1e9; // distance of the volume's border
    sides = ivec2(-1);
    for (int i = 0; i < 7; i++) {
        float inwards = dot(plane[i].xyz, ray), above = dot(plane[i].xyz, start) + plane[i].w, there = -above / inwards;
        if (side[i] == NONE) continue;
        if (inwards == 0.0 && above < 0.0) way.y = 0.0; // the line misses it
        if (inwards > 0.0 && there > way.x) sides.x = i, way.x = there;
        if (inwards < 0.0) end = min(end, there);
        if (inwards < 0.0 && there < way.y && side[i] != BORDER) sides.y = i, way.y = there;
    }
    if (way.x > end + ROUNDING) way.y = 0.0;
    return way;
}

bool is_bare(int i) { return i >= 0 && side[i] == BARE; }

vec3 out_of(int i) { return -normalize(plane[i].xyz); }
