// Polished jade. Light that enters the stone comes out again beyond the shadow's edge, and edges against the light glow.

const vec3 OUTSIDE = vec3(0.070, 0.300, 0.170); // linear light
const vec3 INSIDE = vec3(0.420, 0.330, 0.170);
const vec3 GLOW = vec3(0.60, 1.00, 0.62); // colour of light that has passed through
const vec3 LAMP = normalize(vec3(-0.55, 0.65, 0.75));
const float WRAP = 0.45; // how far light reaches beyond the shadow's edge

bool has_paint();
vec3 paint(bool outside);

vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim)
{
    vec3 base = has_paint() ? paint(outside) : outside ? OUTSIDE : INSIDE;
    float facing = dot(normal, LAMP), edge = 1.0 - max(dot(normal, eye), 0.0);
    float lit = max(0.0, (facing + WRAP) / (1.0 + WRAP)), passed = lit * (1.0 - max(facing, 0.0));
    vec3 light = vec3(1.15 * lit * lit + 0.10) + 0.35 * GLOW * passed + vec3(0.24) * (0.5 + 0.5 * normal.y);

    float shine = max(dot(normal, normalize(LAMP + eye)), 0.0);
    shine *= shine, shine *= shine, shine *= shine, shine *= shine, shine *= shine, shine *= shine; // to the power of 64
    vec3 linear = base * light * mix(open, sqrt(open), 0.7) + 0.35 * shine * open + 0.25 * rim * edge * edge * GLOW;
    return pow(linear, vec3(1.0 / 2.2));
}
