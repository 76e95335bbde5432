// The normal of a face, towards the visible side: one for the whole triangle.

in vec3 view_position;

layout(location = 4) uniform vec4 eye; // in the view: the origin, or if w is 0 the direction to it

vec3 face_eye();

vec3 face_normal()
{
    vec3 n = normalize(cross(dFdx(view_position), dFdy(view_position)));
    return dot(n, face_eye()) < 0.0 ? -n : n;
}

vec3 face_eye() { return normalize(eye.xyz - eye.w * view_position); }
