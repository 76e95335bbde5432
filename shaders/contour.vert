#version 450 core
// Draws a segment of a contour as a rectangle on the screen, because OpenGL's own lines are one pixel wide. The segment
// lies in the plane and in the surface, which would hide parts of it. So it is moved towards the eye, along the line of
// sight.

layout(location = 0) in vec4 segment; // from, to: voxels along the plane's own axes

layout(location = 1) uniform mat4 view_from_voxel;
layout(location = 2) uniform mat4 clip_from_view;
layout(location = 3) uniform int axis;
layout(location = 4) uniform float index;
layout(location = 8) uniform vec2 pixels; // width and height of the viewport
layout(location = 9) uniform float half_width; // pixels
layout(location = 20) uniform vec4 cut[7]; // as in mesh.vert

out float gl_ClipDistance[7];
noperspective out vec2 offset;  // from the segment's start: pixels along the segment and across
flat out float segment_length; // pixels

layout(location = 11) uniform float edge; // pixels beyond the half width

const float NEARER = 4.0; // distance that it moves towards the eye, in half widths of the line

vec3 voxel_at(vec2 p) { return axis == 0 ? vec3(index, p) : axis == 1 ? vec3(p.x, index, p.y) : vec3(p, index); }

vec4 clip(vec2 p)
{
    vec3 voxel = voxel_at(p);
    vec3 view = (view_from_voxel * vec4(voxel, 1.0)).xyz;
    float pixel = 2.0 / (clip_from_view[1][1] * pixels.y); // at distance 1
    vec3 nearer = clip_from_view[3][3] > 0.0 ? vec3(0.0, 0.0, 1.0) : -view; // to the eye: parallel lines of sight, or not
    return clip_from_view * vec4(view + nearer * NEARER * half_width * pixel, 1.0);
}

void main()
{
    vec4 from = clip(segment.xy), to = clip(segment.zw);
    if (min(from.w, to.w) <= 0.0) { // behind the eye
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        for (int i = 0; i < 7; i++) gl_ClipDistance[i] = -1.0;
        return;
    }
    vec2 a = from.xy / from.w * 0.5 * pixels, b = to.xy / to.w * 0.5 * pixels;
    segment_length = distance(a, b);
    vec2 along = segment_length > 1e-3 ? (b - a) / segment_length : vec2(1.0, 0.0), across = vec2(-along.y, along.x);

    float reach = half_width + edge + 0.5; // with the smooth edge; the ends reach as far, to join the next segment
    bool end = gl_VertexID >= 2;
    float side = (gl_VertexID & 1) != 0 ? reach : -reach;
    offset = vec2(end ? segment_length + reach : -reach, side);
    vec4 base = end ? to : from;
    vec2 moved = (end ? b + along * reach : a - along * reach) + across * side;
    gl_Position = vec4(moved / (0.5 * pixels) * base.w, base.zw);
    vec3 voxel = voxel_at(end ? segment.zw : segment.xy);
    for (int i = 0; i < 7; i++) gl_ClipDistance[i] = dot(cut[i], vec4(voxel, 1.0));
}
