#version 450 core
// A plane of voxels: the rectangle from the first voxel to the last along the two axes of the plane.

layout(location = 0) uniform mat4 clip_from_voxel;
layout(location = 3) uniform int axis;    // perpendicular to the plane
layout(location = 4) uniform float index; // of the plane along that axis
layout(location = 5) uniform vec2 size;   // voxels along the axes of the plane
layout(location = 20) uniform vec4 cut[7]; // as in mesh.vert

out float gl_ClipDistance[7];
out vec2 voxel; // along the axes of the plane

void main()
{
    voxel = vec2(gl_VertexID & 1, gl_VertexID >> 1) * (size - 1.0);
    vec3 position = axis == 0 ? vec3(index, voxel) : axis == 1 ? vec3(voxel.x, index, voxel.y) : vec3(voxel, index);
    gl_Position = clip_from_voxel * vec4(position, 1.0);
    for (int i = 0; i < 7; i++) gl_ClipDistance[i] = dot(cut[i], vec4(position, 1.0));
}
