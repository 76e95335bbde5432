#version 450 core
// Draws the caps of a translucent surface in the bare sides through which lines of sight enter, or leave, where these are
// in the material according to count.frag. The whole surface lies between the two. Caps are blended, so they are shaded
// when they are drawn.

layout(location = 46) uniform float transparency[4]; // as in glass.frag
layout(location = 71) uniform uint number;           // of the surface
layout(location = 72) uniform uint over;             // one bit per surface whose caps lie over this one's
layout(location = 73) uniform float turn;           // -1: drawn from its other side, so faces count the other way
layout(location = 74) uniform bool entry;            // true: where lines of sight enter
layout(binding = 5) uniform sampler2D count;

layout(location = 0) out vec4 colour;

const float NEARER = 2e-6; // in depth, to lie over the cap of an opaque surface

uint seen_at(ivec2 pixel);
uint seen_surface(uint seen);
bool seen_cap(uint seen);
bool seen_outside(uint seen);
float cap_light();
float depth_of(float distance);
vec3 ray_at(vec2 pixel);
vec3 point_at(vec2 pixel, float distance);
vec2 way_of(vec3 start, vec3 ray, out ivec2 sides);
bool is_bare(int i);
vec3 out_of(int i);
vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim);

float distance;

uint painted_surface() { return number; }

vec3 painted_point() { return point_at(gl_FragCoord.xy, distance); }

// Whether the cap of an opaque surface lies over this one, in the same side.
bool is_covered(uint seen)
{
    return seen_cap(seen) && seen_outside(seen) == entry && (over >> (seen_surface(seen) - 1u) & 1u) != 0u;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), sides;
    vec3 ray = ray_at(gl_FragCoord.xy);
    vec2 way = way_of(point_at(gl_FragCoord.xy, 0.0), ray, sides);
    int side = entry ? sides.x : sides.y;
    bool inside = texelFetch(count, at, 0)[number] * turn > 0.5;
    if (way.x >= way.y || !is_bare(side) || !inside || is_covered(seen_at(at))) discard;
    distance = entry ? way.x : way.y;
    gl_FragDepth = depth_of(distance) - NEARER;
    vec3 eye = -normalize(ray), normal = entry ? out_of(side) : -out_of(side);
    float passed = pow(transparency[number], 1.0 / max(dot(normal, eye), 0.1));
    colour = vec4(cap_light() * shade(normal, eye, entry, 1.0, 0.0), 1.0 - passed);
}
