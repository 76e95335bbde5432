#version 450 core
// One triangle that covers the viewport.

out vec2 position; // 0 to 1, y upwards

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
    position = corner;
    gl_Position = vec4(corner * 2.0 - 1.0, 1.0, 1.0);
}
