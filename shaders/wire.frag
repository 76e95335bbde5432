#version 450 core
// Triangle edges, on top of any shading mode.

layout(location = 0) out vec4 colour;

void main()
{
    colour = vec4(0.05, 0.07, 0.10, 0.55);
}
