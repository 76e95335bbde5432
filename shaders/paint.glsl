// Surfaces' own colours, which replace those of the shading mode: one per surface, or by a quantity (tint.c).

layout(location = 42) uniform vec4 paints[4]; // linear light; w: 1 if the surface has one
layout(location = 50) uniform int tint;       // 0: paints; 1: by position along an axis; 2: by gradient
layout(location = 51) uniform vec4 height;          // point of the view -> position in the map
layout(location = 52) uniform mat4 field_from_view; // point of the view -> position in the field
layout(location = 53) uniform mat3 steps;           // differences of neighbours in the field -> position in the map
layout(location = 54) uniform vec3 map[9];          // as in slice.frag
layout(binding = 4) uniform sampler3D field;

const vec3 NOT_A_NUMBER = vec3(0.16, 0.16, 0.17);

uint painted_surface(); // number, from 0
vec3 painted_point();   // in the view

bool has_paint() { return tint != 0 || paints[painted_surface()].w > 0.0; }

float steepness()
{
    vec3 at = (field_from_view * vec4(painted_point(), 1.0)).xyz, size = vec3(textureSize(field, 0)), difference;
    for (int a = 0; a < 3; a++) {
        vec3 off = vec3(0.0);
        off[a] = 1.0 / size[a];
        difference[a] = textureLod(field, at + off, 0.0).r - textureLod(field, at - off, 0.0).r;
    }
    return length(steps * difference);
}

vec3 tinted()
{
    float part = tint == 1 ? dot(height, vec4(painted_point(), 1.0)) : steepness();
    float at = clamp(part, 0.0, 1.0) * 8.0;
    int low = min(int(at), 7);
    return pow(isnan(part) ? NOT_A_NUMBER : mix(map[low], map[low + 1], at - float(low)), vec3(2.2));
}

// The inner side is darker and greyer.
vec3 paint(bool outside)
{
    vec3 own = tint != 0 ? tinted() : paints[painted_surface()].rgb;
    return outside ? own : 0.45 * mix(vec3(dot(own, vec3(0.21, 0.72, 0.07))), own, 0.7) + 0.015;
}
