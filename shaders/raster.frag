#version 450 core
// Takes over what was drawn elsewhere, into a buffer: depth, and what is seen. As a pass, for drivers bring the depths of a buffer into
// a texture by way of the host. Where there is something already, the depth test decides.

layout(std430, binding = 0) readonly buffer Pixels { uint word[]; };

layout(location = 62) uniform uvec4 shape; // pixels of a row; words from a pixel to the next; those before depth; before what is seen

layout(location = 0) out uint found;

void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint i = (at.y * shape.x + at.x) * shape.y;
    found = word[shape.w + i];
    gl_FragDepth = uintBitsToFloat(word[shape.z + i]);
}
