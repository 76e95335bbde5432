#version 450 core
// What is seen at a pixel, for the passes that shade it later: depth, which OpenGL writes, and normal, side and surface in
// 32 bits (seen.glsl reads them). Nothing here depends on colours or lamps.

layout(location = 5) uniform uint surface; // 1; 65: a cap on the border of a volume that is cut open

layout(location = 0) out uint seen;

vec3 face_normal();
uint pack_seen(vec3 normal, bool outside, uint surface);

void main() { seen = pack_seen(face_normal(), gl_FrontFacing, surface); }
