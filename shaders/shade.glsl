// The colour of what is seen at a pixel. kernels/draw_light.h does the same for software OpenGL while something moves.

layout(location = 2) uniform bool occluded;
layout(binding = 2) uniform sampler2D soft; // from soften.glsl, at every second pixel

// Scene units; the half diagonal of the box is 1.
const float STEP[2] = float[](0.006, 0.018); // depth between neighbours: where an outline begins, and where it is full
const float NEAR = 0.04;                     // largest depth over which pixels share occlusion
const float HASTE = 0.85;                    // typical openness of a surface, used without occlusion
const float OUTLINE = 0.55;                  // part of the light that an outline takes
const float FOG = 0.10;                      // part of the background at the far end of the box; 0 in the nearer half
const int RIM = 3;                           // width of the rim along the background, pixels

uint seen_at(ivec2 pixel);
float distance_at(ivec2 pixel);
float farthest();
float pixels_at(float distance);
ivec2 last_pixel();
vec3 ray_at(vec2 pixel);
vec3 seen_normal(uint seen);
bool seen_outside(uint seen);
bool seen_cap(uint seen);
float cap_light();
vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim);

float open_at(ivec2 at, float distance)
{
    ivec2 last = textureSize(soft, 0) - 1, low = (at - 1) >> 1;
    vec2 part = vec2(at - low * 2) * 0.5, sum = vec2(0.0);
    if (!occluded) return HASTE;
    for (int i = 0; i < 4; i++) {
        ivec2 corner = ivec2(i & 1, i >> 1);
        vec2 there = texelFetch(soft, clamp(low + corner, ivec2(0), last), 0).rg, along = mix(1.0 - part, part, vec2(corner));
        float weight = (along.x * along.y + 1e-3) * max(1e-4, 1.0 - abs(there.g - distance) / NEAR);
        sum += vec2(there.r * weight, weight);
    }
    return sum.x / sum.y;
}

// Returns where a neighbour lies, and how much farther it is than the pixel. The background does not count, because thin
// things would then be little else than outlines.
vec3 beyond(ivec2 at, float distance)
{
    at = clamp(at, ivec2(0), last_pixel());
    float there = distance_at(at);
    return vec3(at, there < farthest() ? there - distance : 0.0);
}

// Returns the farther one of two opposite neighbours, and how much farther it is than if both and the pixel were in a
// plane.
vec3 farther(ivec2 at, ivec2 step, float distance)
{
    vec3 a = beyond(at + step, distance), b = beyond(at - step, distance);
    return vec3(a.z > b.z ? a.xy : b.xy, max(a.z, b.z) + min(0.0, min(a.z, b.z)));
}

// How far a surface recedes from one pixel to the next.
float slope(vec3 normal, vec3 ray, float distance)
{
    float facing = max(0.02, -dot(normal, ray) * inversesqrt(dot(ray, ray)));
    return sqrt(max(0.0, 1.0 - facing * facing)) / (facing * pixels_at(distance));
}

// How much of an outline lies at a pixel: the depth jumps, and not only because the farther surface is seen at an angle.
float outline(ivec2 at, float distance)
{
    vec3 x = farther(at, ivec2(1, 0), distance), y = farther(at, ivec2(0, 1), distance), far = x.z > y.z ? x : y;
    vec3 normal = seen_normal(seen_at(ivec2(far.xy)));
    return smoothstep(STEP[0], STEP[1], far.z - slope(normal, ray_at(far.xy + 0.5), distance + far.z));
}

// The result is to be blended: distant parts fade into the background.
vec4 shaded(vec2 pixel)
{
    ivec2 at = ivec2(pixel), last = last_pixel();
    uint seen = seen_at(at);
    float distance = distance_at(at);
    vec3 eye = -normalize(ray_at(pixel)), normal = seen_normal(seen);

    vec2 out_of_it = normal.xy / max(1e-3, length(normal.xy)) * float(RIM);
    bool background = seen_at(clamp(at + ivec2(round(out_of_it)), ivec2(0), last)) == 0u;
    vec3 c = shade(normal, eye, seen_outside(seen), open_at(at, distance), background ? 1.0 : 0.0);

    if (seen_cap(seen)) c *= cap_light();
    c *= 1.0 - OUTLINE * outline(at, distance);
    float fog = FOG * max(0.0, 1.0 - (farthest() - distance));
    return vec4(c, 1.0 - fog);
}
