// The normal of a face, towards the side that is seen.

in vec3 view_position;
in vec3 view_normal;

layout(location = 4) uniform bool plain; // each triangle has one normal: its own

vec3 face_normal()
{
    if (plain) {
        vec3 n = normalize(cross(dFdx(view_position), dFdy(view_position)));
        return dot(n, view_position) > 0.0 ? -n : n;
    }
    vec3 n = dot(view_normal, view_normal) > 0.0 ? normalize(view_normal) : vec3(0.0, 0.0, 1.0);
    return gl_FrontFacing ? n : -n;
}

vec3 face_eye() { return -normalize(view_position); }
