// Which surface is seen at the pixel, and where.

uint seen_at(ivec2 pixel);
uint seen_surface(uint seen);
float distance_at(ivec2 pixel);
vec3 point_at(vec2 pixel, float distance);

uint painted_surface() { return seen_surface(seen_at(ivec2(gl_FragCoord.xy))) - 1u; }

vec3 painted_point() { return point_at(gl_FragCoord.xy, distance_at(ivec2(gl_FragCoord.xy))); }
