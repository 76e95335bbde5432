// The normal of a face, towards the side that is seen: one for the whole triangle.

in vec3 view_position;

vec3 face_normal()
{
    vec3 n = normalize(cross(dFdx(view_position), dFdy(view_position)));
    return dot(n, view_position) > 0.0 ? -n : n;
}

vec3 face_eye() { return -normalize(view_position); }
