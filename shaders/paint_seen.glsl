// Which surface is seen at the pixel.

uint seen_at(ivec2 pixel);

uint painted_surface() { return (seen_at(ivec2(gl_FragCoord.xy)) >> 25) - 1u; }
