#version 450 core
// Values as colours, with a thin bright frame. The colour map is viridis (van der Walt and Smith 2015, CC0), interpolated from
// nine of its colours: equal steps of the value look equal, in grey and to colour-blind eyes too.

in vec2 voxel;

layout(location = 5) uniform vec2 size;        // voxels
layout(location = 6) uniform vec2 window;      // lowest value, 1 / range
layout(location = 7) uniform sampler2D values; // stored units; interpolation spreads NaN to its neighbours

layout(location = 0) out vec4 colour;

const vec3 MAP[9] = vec3[](vec3(0.267, 0.004, 0.329), vec3(0.278, 0.176, 0.482), vec3(0.231, 0.322, 0.545),
                           vec3(0.173, 0.447, 0.557), vec3(0.129, 0.565, 0.549), vec3(0.153, 0.678, 0.506),
                           vec3(0.365, 0.784, 0.388), vec3(0.667, 0.863, 0.196), vec3(0.992, 0.906, 0.145));
const vec3 NOT_A_NUMBER = vec3(0.16, 0.16, 0.17);
const vec3 FRAME = vec3(0.62, 0.66, 0.72);

void main()
{
    float value = texture(values, (voxel + 0.5) / size).r;
    float position = clamp((value - window.x) * window.y, 0.0, 1.0) * 8.0; // in MAP
    int low = min(int(position), 7);
    vec3 c = isnan(value) ? NOT_A_NUMBER : mix(MAP[low], MAP[low + 1], position - float(low));

    vec2 edge = min(voxel, size - 1.0 - voxel) / max(fwidth(voxel), 1e-6); // pixels to the border
    colour = vec4(mix(FRAME, c, clamp(min(edge.x, edge.y) - 0.5, 0.0, 1.0)), 1.0);
}
