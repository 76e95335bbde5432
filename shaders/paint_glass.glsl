// The surface of a translucent face, and the point, from mesh.vert.

uint painted_surface() { return surface; }

vec3 painted_point() { return view_position; }
