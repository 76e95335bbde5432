#version 450 core
// Triangle edges, on top of any shading mode. They fade where triangles are so small that only edges would be visible.

layout(location = 3) uniform float voxel; // length of its shortest side in pixels where w is 1

layout(location = 0) out vec4 colour;

const float GONE = 1.5, FULL = 5.0; // pixels

void main()
{
    colour = vec4(0.05, 0.07, 0.10, 0.55 * smoothstep(GONE, FULL, voxel * gl_FragCoord.w));
}
