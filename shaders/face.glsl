// The normal of a face, towards the visible side, from the normals of the field at the vertices.

in vec3 view_position;
in vec3 view_normal;

layout(location = 4) uniform vec4 eye; // in the view: the origin, or if w is 0 the direction to it

vec3 face_normal()
{
    vec3 n = dot(view_normal, view_normal) > 0.0 ? normalize(view_normal) : vec3(0.0, 0.0, 1.0);
    return gl_FrontFacing ? n : -n;
}

vec3 face_eye() { return normalize(eye.xyz - eye.w * view_position); }
