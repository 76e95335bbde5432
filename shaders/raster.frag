#version 450 core
// Takes over what CUDA has drawn: depth, and what is seen, from a buffer of its own. As a pass, for drivers bring the depths of a
// buffer into a texture by way of the host.

layout(std430, binding = 0) readonly buffer Planes { uint word[]; };

layout(location = 62) uniform uvec2 shape; // pixels of a row; words from the plane of depths to that of what is seen

layout(location = 0) out uint found;

void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint i = at.y * shape.x + at.x;
    found = word[shape.y + i];
    gl_FragDepth = uintBitsToFloat(word[i]);
}
