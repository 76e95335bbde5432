// How open the surroundings of a point are, at every second pixel along x and y. Nearby pixels in front of its tangent
// plane take light away (horizon-based ambient occlusion, Bavoil and Sainz 2008, with a cosine weight for each sample). The
// directions turn from pixel to pixel; soften.glsl averages 4 x 4 of them.

layout(location = 2) uniform int taps;
layout(location = 3) uniform float turn; // differs for each sample of the picture, 0 to 1
layout(location = 5) uniform vec2 reach; // how far it looks: scene units; limit in pixels

const float STRENGTH = 7.0;
const float POWER = 1.6;
const float LEAST = 0.08;    // so that nothing becomes black
const float FLAT = 0.06;     // sine of the angle above the tangent plane that takes no light: positions are inexact
const float GOLDEN = 2.39996323; // angle between samples, radians
const float TURN = 6.28318531;

uint seen_at(ivec2 pixel);
float distance_at(ivec2 pixel);
vec3 point_at(vec2 pixel, float distance);
float pixels_at(float distance);
ivec2 last_pixel();
vec3 seen_normal(uint seen);

// The same 16 values in every square of 4 x 4 pixels; neighbours have very different values.
float bayer(ivec2 at)
{
    const float order[16] = float[](0., 8., 2., 10., 12., 4., 14., 6., 3., 11., 1., 9., 15., 7., 13., 5.);
    return order[(at.y & 3) * 4 + (at.x & 3)] / 16.0;
}

// Returns the openness (1: nothing is near) and the distance from the eye.
vec4 result(ivec2 second)
{
    ivec2 at = second * 2, last = last_pixel();
    uint seen = seen_at(at);
    if (seen == 0u) return vec4(1.0, 1e4, 0.0, 0.0);
    float distance = distance_at(at);
    vec3 point = point_at(vec2(at) + 0.5, distance), normal = seen_normal(seen);
    float pixels = min(reach.x * pixels_at(distance), reach.y);
    float first = bayer(second), angle = (first + turn) * TURN, taken = 0.0;
    for (int i = 0; i < taps; i++) {
        float part = (float(i) + 0.5 + 0.9 * (first - 0.5)) / float(taps), off = pixels * part * sqrt(part);
        ivec2 there = clamp(at + ivec2(round(vec2(cos(angle), sin(angle)) * off)), ivec2(0), last);
        vec3 to = point_at(vec2(there) + 0.5, distance_at(there)) - point;
        float squared = dot(to, to) + 1e-9, near = max(0.0, 1.0 - squared / (reach.x * reach.x));
        taken += near * max(0.0, dot(to, normal) * inversesqrt(squared) - FLAT);
        angle += GOLDEN;
    }
    return vec4(max(LEAST, pow(max(0.0, 1.0 - STRENGTH * taken / float(taps)), POWER)), distance, 0.0, 0.0);
}
