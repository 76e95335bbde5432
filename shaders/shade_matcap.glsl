// Material capture: the image of a lit sphere, looked up by the normal, gives the surface the sphere's material and light.

layout(binding = 3) uniform sampler2D matcap;

const vec3 INSIDE = vec3(0.52, 0.66, 0.80);

bool has_paint();
vec3 paint(bool outside);

vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim)
{
    // Look at the sphere along this pixel's line of sight. Otherwise, in perspective, the shading would slide over the
    // surface.
    vec3 right = normalize(vec3(eye.z, 0.0, -eye.x));
    vec3 up = cross(eye, right);
    vec2 uv = vec2(dot(right, normal), -dot(up, normal)) * 0.49 + 0.5; // the image's first row is its top
    vec3 lit = textureLod(matcap, uv, 0.0).rgb * mix(0.35, 1.0, sqrt(open));
    float grey = dot(lit, vec3(0.30, 0.59, 0.11));
    if (has_paint()) return min(vec3(1.0), 1.35 * grey * pow(paint(outside), vec3(1.0 / 2.2)));
    return outside ? lit : grey * INSIDE;
}
