#version 450 core
// Copies what is seen, and its depth, from a buffer.

layout(location = 0) out uint found;

uint seen_at(ivec2 pixel);
float depth_at(ivec2 pixel);

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    found = seen_at(at);
    gl_FragDepth = depth_at(at);
}
