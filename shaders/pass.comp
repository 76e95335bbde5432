#version 450 core
// A pass over the pixels of a picture, computed.

layout(local_size_x = 8, local_size_y = 8) in;

layout(binding = 0) writeonly uniform image2D picture;

vec4 result(ivec2 at);

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, imageSize(picture)))) imageStore(picture, at, result(at));
}
