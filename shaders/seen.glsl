// What is seen at a pixel, in 32 bits. Bits 0 to 23 hold the normal in view coordinates, folded onto an octahedron (Meyer
// et al. 2010: two coordinates of 12 bits, at most 0.05 degrees off). Bit 24 is the side (1: outside), bits 25 to 29 the
// surface (0: nothing), bit 30 a cap on the volume's border, bit 31 a cap on a cut.

vec2 fold(vec2 v) { return (1.0 - abs(v.yx)) * mix(vec2(-1.0), vec2(1.0), greaterThanEqual(v, vec2(0.0))); }

uint pack_seen(vec3 normal, bool outside, uint surface)
{
    vec2 v = normal.xy / (abs(normal.x) + abs(normal.y) + abs(normal.z));
    uvec2 steps = uvec2(round((normal.z < 0.0 ? fold(v) : v) * 2047.5 + 2047.5));
    return steps.x | steps.y << 12 | uint(outside) << 24 | surface << 25;
}

vec3 seen_normal(uint seen)
{
    vec2 v = vec2(seen & 4095u, seen >> 12 & 4095u) / 2047.5 - 1.0;
    float z = 1.0 - abs(v.x) - abs(v.y);
    return normalize(vec3(z < 0.0 ? fold(v) : v, z));
}

// The part of the light that a cap on a cut keeps.
float cap_light() { return 0.78; }

bool seen_cap(uint seen) { return (seen >> 31) != 0u; }

uint seen_surface(uint seen) { return seen >> 25 & 31u; }

bool seen_border(uint seen) { return (seen >> 30 & 1u) != 0u; }

bool seen_outside(uint seen) { return (seen >> 24 & 1u) != 0u; }
