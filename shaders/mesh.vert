#version 450 core
// Mesh vertices, voxel coordinates -> view and clip coordinates. Shared by all shading modes.

layout(location = 0) in vec3 position; // voxels
layout(location = 1) in vec4 normal;   // voxels; w unused

layout(location = 0) uniform mat4 clip_from_voxel;
layout(location = 1) uniform mat4 view_from_voxel;
layout(location = 2) uniform mat3 view_normal; // inverse transpose, any length

out vec3 at;        // view coordinates
out vec3 normal_at; // view coordinates, not of unit length

void main()
{
    at = (view_from_voxel * vec4(position, 1.0)).xyz;
    normal_at = view_normal * normal.xyz;
    gl_Position = clip_from_voxel * vec4(position, 1.0);
}
