// A vertical gradient, a faint light behind the object, and noise of half a grey level against banding.

layout(location = 80) uniform vec2 origin; // of the tile in the picture, pixels
layout(location = 81) uniform vec2 whole;  // size of the picture

const vec3 TOP = vec3(0.235, 0.262, 0.298);
const vec3 BOTTOM = vec3(0.082, 0.092, 0.108);

vec4 background(vec2 pixel)
{
    pixel += origin;
    vec2 position = pixel / whole; // 0 to 1, y upwards
    vec2 off = position - vec2(0.5, 0.52);
    vec3 c = mix(BOTTOM, TOP, smoothstep(0.0, 1.0, position.y)) + 0.055 * exp(-4.5 * dot(off, off));
    float noise = fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
    return vec4(c + (noise - 0.5) / 255.0, 1.0);
}
