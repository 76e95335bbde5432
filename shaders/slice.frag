#version 450 core
// Shows values as colours, with a thin bright frame. The colour map is interpolated from nine colours (colour_map.c).

in vec2 voxel;

layout(location = 5) uniform vec2 size;        // voxels
layout(location = 6) uniform vec2 window;      // value of the first colour, 1 / range
layout(location = 7) uniform sampler2D values; // stored units; interpolation spreads NaN to its neighbours
layout(location = 8) uniform vec3 map[9];

layout(location = 0) out vec4 colour;

const vec3 NOT_A_NUMBER = vec3(0.16, 0.16, 0.17);
const vec3 FRAME = vec3(0.62, 0.66, 0.72);

void main()
{
    float value = texture(values, (voxel + 0.5) / size).r;
    float position = clamp((value - window.x) * window.y, 0.0, 1.0) * 8.0; // in map
    int low = min(int(position), 7);
    vec3 c = isnan(value) ? NOT_A_NUMBER : mix(map[low], map[low + 1], position - float(low));

    vec2 edge = min(voxel, size - 1.0 - voxel) / max(fwidth(voxel), 1e-6); // pixels to the border
    colour = vec4(mix(FRAME, c, clamp(min(edge.x, edge.y) - 0.5, 0.0, 1.0)), 1.0);
}
