// The way of a line of sight through what cuts leave of the volume, which is convex: in through one side, out through another.

layout(location = 8) uniform vec4 plane[7]; // the sides, in the view: not negative within
layout(location = 64) uniform int side[7];  // what they are: cut.h

const int NONE = 0, BORDER = 1, SLICE = 2, BARE = 3; // sides
const float ROUNDING = 1e-4;

// Distances where it comes in and goes out, in lengths of `ray`; and the sides there, -1: the eye lies within; nothing cuts it off.
// Nothing lies behind the border.
vec2 way_of(vec3 start, vec3 ray, out ivec2 sides)
{
    vec2 way = vec2(0.0, 1e9);
    float end = 1e9; // of the volume
    sides = ivec2(-1);
    for (int i = 0; i < 7; i++) {
        float inwards = dot(plane[i].xyz, ray), above = dot(plane[i].xyz, start) + plane[i].w, there = -above / inwards;
        if (side[i] == NONE) continue;
        if (inwards == 0.0 && above < 0.0) way.y = 0.0; // it passes by
        if (inwards > 0.0 && there > way.x) sides.x = i, way.x = there;
        if (inwards < 0.0) end = min(end, there);
        if (inwards < 0.0 && there < way.y && side[i] != BORDER) sides.y = i, way.y = there;
    }
    if (way.x > end + ROUNDING) way.y = 0.0;
    return way;
}

bool is_bare(int i) { return i >= 0 && side[i] == BARE; }

vec3 out_of(int i) { return -normalize(plane[i].xyz); }
