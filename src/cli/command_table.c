/* Every command. */
#include "options_table.h"

#include "cmd.h"

/* clang-format off */
const struct command commands[] = {
    { "", "FILE", "isoscope [FILE] [OPTION]...", "open FILE, or a procedural volume, in the window", cmd_view, VIEW },
    { "render", "FILE", "isoscope render [FILE] [OPTION]...", "draw one picture (PNG), without a display", cmd_render,
      RENDER },
    { "extract", "FILE", "isoscope extract [FILE] -o OUT [OPTION]...",
      "write surfaces as PLY, STL, OBJ, GLB, VTP or PVTP, in world coordinates", cmd_extract, EXTRACT, true },
    { "info", "FILE", "isoscope info FILE [OPTION]...", "describe a volume, and measure its surface at --iso", cmd_info,
      INFO, true },
    { "verify", "FILE", "isoscope verify [FILE] [OPTION]...", "check a mesh, and its topology against the voxels",
      cmd_verify, VERIFY },
    { "bench", "FILE", "isoscope bench [FILE] [OPTION]...", "time the stages: at one isovalue, at many, rung by rung",
      cmd_bench, BENCH, true },
    { "ladder", "OP", "isoscope ladder [OP|all] [RUNG] [OPTION]...",
      "every op from its textbook rung up: as a lesson, checked, timed", cmd_ladder, LADDER },
    { "synth", "NAME", "isoscope synth NAME -o FILE.nrrd [OPTION]...", "make a procedural volume", cmd_synth, SYNTH },
    { "pack", "FILE", "isoscope pack FILE -o OUT.zarr [OPTION]...", "write a volume as OME-Zarr, in chunks and levels",
      cmd_pack, PACK },
    { "doctor", NULL, "isoscope doctor [OPTION]...", "report what OpenGL and CUDA find here, and what was tried", cmd_doctor,
      DOCTOR },
    { NULL, NULL, NULL, NULL, NULL, 0 },
};
/* clang-format on */
