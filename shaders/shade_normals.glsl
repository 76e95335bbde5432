// The direction of the surface as a colour, in the view: red to the right, green up, blue towards the viewer. No light.

vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim)
{
    return (0.5 + 0.5 * normal) * (outside ? 1.0 : 0.6);
}
