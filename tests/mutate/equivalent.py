"""Bugs that are none: {(file, line, line with the bug): why nobody could see a difference}, as the page prints them."""

REASONS = {
    ("src/core/iso.c", "{ &iso->scratch, scan_bytes > compact_bytes ? scan_bytes : compact_bytes } };",
     "{ &iso->scratch, scan_bytes >= compact_bytes ? scan_bytes : compact_bytes } };"):
        "the larger of two equal sizes is either",
    ("src/core/stats.c", "if (below == 0 || below == total) continue;", "if (below == total) continue;"):
        "0 / 0 is NaN, and NaN is never larger than the best",
    ("src/live/live.c", "va_end(args);", ";"):
        "gcc and clang compile va_end to nothing",
    ("src/view/shader.c", "GLuint vertex = 0, fragment = 0, program = 0;", "GLuint vertex = 0, fragment = 0, program = 1;"):
        "link sets the program, and nothing reads it before; only compilers want a value there",
    ("src/open/read_nrrd.c", "nrrd->text = malloc(most + 1);", "nrrd->text = malloc(most + 2);"):
        "a byte more than is used",
    ("src/live/live_surface.c", "static const struct live_cut none = { NAN, 0 };",
     "static const struct live_cut none = { NAN, 1 };"):
        "NaN equals no value, of whatever epoch",
    ("kernels/fused_cpu.c", "const bool any = before[1].vertices > before[0].vertices || before[1].triangles > before[0].triangles;",
     "const bool any = before[1].vertices >= before[0].vertices || before[1].triangles > before[0].triangles;"):
        "a slab without a surface is passed through, and nothing written",
}
