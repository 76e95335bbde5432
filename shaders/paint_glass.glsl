// Which surface a translucent face is of, and where: as mesh.vert tells.

uint painted_surface() { return surface; }

vec3 painted_point() { return view_position; }
