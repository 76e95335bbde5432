#version 450 core
// Counts the faces of translucent surfaces behind the sides where a line of sight comes into what cuts leave, and goes out of it.
// All of a closed surface is drawn, in any order, and what is drawn is added up: behind a point in the material it has one inner
// face more than outer ones, and behind any other as many.

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
