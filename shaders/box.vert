#version 450 core
// Draws a line of the box as a rectangle on the screen, because OpenGL's own lines are one pixel wide.

layout(location = 0) in vec3 line_from; // voxels
layout(location = 1) in vec3 line_to;

layout(location = 0) uniform mat4 clip_from_voxel;
layout(location = 1) uniform vec2 pixels;      // width and height of the viewport
layout(location = 2) uniform float half_width; // pixels

noperspective out float across; // pixels from the middle of the line

const float BEHIND = 1e-3; // least w: points below it are at the eye or behind it, and cut off

// Returns the end, or if it is behind the eye, the point of the line where it comes in front of the eye.
vec4 cut(vec4 end, vec4 other)
{
    return end.w >= BEHIND ? end : mix(end, other, (BEHIND - end.w) / (other.w - end.w));
}

void main()
{
    vec4 from = clip_from_voxel * vec4(line_from, 1.0), to = clip_from_voxel * vec4(line_to, 1.0);
    if (max(from.w, to.w) <= BEHIND) {
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        return;
    }
    vec4 first = cut(from, to), last = cut(to, from);
    vec2 a = first.xy / first.w * 0.5 * pixels, b = last.xy / last.w * 0.5 * pixels;
    float length_of_it = distance(a, b);
    vec2 along = length_of_it > 1e-3 ? (b - a) / length_of_it : vec2(1.0, 0.0);
    float reach = half_width + 0.5; // with the smooth edge
    across = (gl_VertexID & 1) != 0 ? reach : -reach;
    vec4 base = gl_VertexID >= 2 ? last : first;
    vec2 moved = (gl_VertexID >= 2 ? b + along * half_width : a - along * half_width) + vec2(-along.y, along.x) * across;
    gl_Position = vec4(moved / (0.5 * pixels) * base.w, base.zw);
}
