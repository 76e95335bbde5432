#version 450 core
// Mesh vertices: voxel coordinates -> view and clip coordinates. All shading modes share it.

layout(location = 0) in vec3 position; // voxels
layout(location = 1) in vec4 normal;   // voxels; w unused
layout(location = 2) in vec4 turned;   // clip coordinates without the matrix' last column and its shift

layout(location = 0) uniform mat4 clip_from_voxel;
layout(location = 1) uniform mat4 view_from_voxel;
layout(location = 2) uniform mat3 normal_matrix; // inverse transpose of view_from_voxel, times any positive factor
layout(location = 30) uniform vec3 turning;     // x: 1 if `turned` is used; y, z: shift of the picture
layout(location = 40) uniform uvec4 first;     // first vertex of each surface; the next entry is its end
layout(location = 20) uniform vec4 cut[7];     // planes; their negative sides are not drawn

out vec3 view_position;
out vec3 view_normal; // any length
flat out uint surface; // number, from 0
out float gl_ClipDistance[7];

void main()
{
    view_position = (view_from_voxel * vec4(position, 1.0)).xyz;
    view_normal = normal_matrix * normal.xyz;
    surface = 0u;
    for (int i = 1; i < 4; i++) surface += uint(uint(gl_VertexID) >= first[i]);
    gl_Position = clip_from_voxel * vec4(position, 1.0);
    if (turning.x > 0.0) gl_Position = turned + vec4(turning.yz * turned.w, 0.0, 0.0) + clip_from_voxel[3];
    for (int i = 0; i < 7; i++) gl_ClipDistance[i] = dot(cut[i], vec4(position, 1.0));
}
