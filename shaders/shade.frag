#version 450 core
// Gives what is seen its colour. Pixels at which nothing is seen keep the background.

layout(location = 0) out vec4 colour;

uint seen_at(ivec2 pixel);
vec3 ray_at(vec2 pixel);
vec3 seen_normal(uint seen);
bool seen_outside(uint seen);
vec3 shade(vec3 normal, vec3 eye, bool outside);

void main()
{
    uint seen = seen_at(ivec2(gl_FragCoord.xy));
    if (seen == 0u) discard;
    vec3 eye = -normalize(ray_at(gl_FragCoord.xy));
    colour = vec4(shade(seen_normal(seen), eye, seen_outside(seen)), 1.0);
}
