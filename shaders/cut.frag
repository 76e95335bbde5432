#version 450 core
// Closes what cuts have opened. The rest of the volume is convex, so a line of sight enters through one side and leaves
// through another. Nothing in front of the entry was drawn. The surface is closed. So if an inner face is the first thing
// behind the entry, the entry lies in the material. If that face lies behind the exit, the exit lies in the material, too,
// and so does everything between them. Where a bare side is in the material, the cut itself is visible.

layout(location = 0) out uint found;

const uint CAP = 1u << 31;

uint seen_at(ivec2 pixel);
float depth_at(ivec2 pixel);
float distance_at(ivec2 pixel);
float depth_of(float distance);
ivec2 last_pixel();
vec3 ray_at(vec2 pixel);
vec3 point_at(vec2 pixel, float distance);
uint pack_seen(vec3 normal, bool outside, uint surface);
uint seen_surface(uint seen);
bool seen_border(uint seen);
bool seen_outside(uint seen);
vec2 way_of(vec3 start, vec3 ray, out ivec2 sides);
bool is_bare(int i);
vec3 out_of(int i);

// Whether the first visible face is an inner one. Where slivers of triangles end, the depth of faces that meet at an edge
// is not exact, and a farther face may be visible at a single pixel. There the four pixels around it decide.
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

void show_cap(int i, float distance, bool outside, uint seen)
{
    vec3 outwards = out_of(i);
    found = pack_seen(outside ? outwards : -outwards, outside, seen_surface(seen) | CAP >> 25);
    gl_FragDepth = depth_of(distance);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), sides;
    uint seen = seen_at(at);
    vec2 way = way_of(point_at(gl_FragCoord.xy, 0.0), ray_at(gl_FragCoord.xy), sides);
    bool outside = !is_inside(at, seen), behind = distance_at(at) > way.y;
    if (seen == 0u || way.x >= way.y || (outside && behind)) discard;
    if (!outside && is_bare(sides.x)) show_cap(sides.x, way.x, true, seen);
    else if (!outside && behind && is_bare(sides.y)) show_cap(sides.y, way.y, false, seen); // seen through the open border
    else if (behind || (!outside && seen_border(seen))) discard;                        // a slice; the open border
    else {
        found = seen;
        gl_FragDepth = depth_at(at);
    }
}
