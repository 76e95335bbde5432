#version 450 core
// Copies a picture. Blending adds it to the mean of several.

layout(binding = 0) uniform sampler2D picture;

layout(location = 0) out vec4 colour;

void main()
{
    colour = vec4(texelFetch(picture, ivec2(gl_FragCoord.xy), 0).rgb, 1.0);
}
