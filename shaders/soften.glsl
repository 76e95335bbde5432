// The mean occlusion of those of the 4 x 4 pixels around this one that are about as far away.

layout(binding = 0) uniform sampler2D rough;

const float NEAR = 0.04; // scene units

// Returns occlusion and distance.
vec4 result(ivec2 at)
{
    ivec2 last = textureSize(rough, 0) - 1;
    float distance = texelFetch(rough, at, 0).g;
    vec2 sum = vec2(0.0);
    for (int y = -2; y < 2; y++)
        for (int x = -2; x < 2; x++) {
            vec2 there = texelFetch(rough, clamp(at + ivec2(x, y), ivec2(0), last), 0).rg;
            float weight = max(1e-4, 1.0 - abs(there.g - distance) / NEAR);
            sum += vec2(there.r * weight, weight);
        }
    return vec4(sum.x / sum.y, distance, 0.0, 0.0);
}
