#version 450 core
// What is seen at a pixel, for the passes that shade it later: depth, which OpenGL writes, and normal, side and surface in
// 32 bits (seen.glsl reads them). Nothing here depends on colours or lamps.

in vec3 view_position;
in vec3 view_normal;

layout(location = 0) out uint seen;

uint pack_seen(vec3 normal, bool outside, uint surface);

void main()
{
    vec3 n = normalize(view_normal);
    seen = pack_seen(gl_FrontFacing ? n : -n, gl_FrontFacing, 1u);
}
