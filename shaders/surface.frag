#version 450 core
// What is seen at a pixel, for the passes that shade it later. OpenGL writes the depth; normal, side and surface are packed
// in 32 bits (seen.glsl reads them). Nothing here depends on colours or lamps.

layout(location = 5) uniform uint border; // 32: a cap on the volume's border; else 0
layout(location = 41) uniform uint flipped; // one bit per surface: its inner side is drawn as an outer one

flat in uint surface;

layout(location = 0) out uint seen;

vec3 face_normal();
uint pack_seen(vec3 normal, bool outside, uint surface);

void main()
{
    bool outside = gl_FrontFacing != ((flipped >> surface & 1u) != 0u);
    seen = pack_seen(face_normal(), outside, surface + 1u + border);
}
