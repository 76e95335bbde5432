#version 450 core
// Counts the faces of translucent surfaces behind two points of each line of sight: where it enters what the cuts leave of
// the volume, and where it leaves it. All of a closed surface is drawn, in any order, and the counts are added up. Behind a
// point in the material there is one inner face more than outer ones; behind any other point, as many of each.

in vec3 view_position;
flat in uint surface;

layout(location = 4) uniform vec4 eye; // as in face.glsl

layout(location = 0) out vec4 behind_entry; // a component for each surface
layout(location = 1) out vec4 behind_exit;

vec2 way_of(vec3 start, vec3 ray, out ivec2 sides);

void main()
{
    bool parallel = eye.w == 0.0;
    float distance = -view_position.z;
    vec3 start = parallel ? vec3(view_position.xy, 0.0) : vec3(0.0), ray = parallel ? vec3(0.0, 0.0, -1.0) : view_position / distance;
    ivec2 sides;
    vec2 way = way_of(start, ray, sides);
    vec4 face = vec4(0.0);
    face[surface] = gl_FrontFacing ? -1.0 : 1.0;
    behind_entry = distance > way.x ? face : vec4(0.0);
    behind_exit = distance > way.y ? face : vec4(0.0);
}
