// The surface and the point that are seen at the pixel.

vec2 here(); // the pixel
uint seen_at(ivec2 pixel);
uint seen_surface(uint seen);
float distance_at(ivec2 pixel);
vec3 point_at(vec2 pixel, float distance);

uint painted_surface() { return seen_surface(seen_at(ivec2(here()))) - 1u; }

vec3 painted_point() { return point_at(here(), distance_at(ivec2(here()))); }
