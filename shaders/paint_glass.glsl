// Which surface a translucent face is of: as glass.frag has it.

uint painted_surface() { return surface; }
