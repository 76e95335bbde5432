/* Every command. */
#include "options_table.h"

#include "cmd.h"

/* clang-format off */
const struct command commands[] = {
    { "", "FILE", "isoscope [FILE] [OPTION]...", "open FILE, or a built-in volume, in a window", cmd_view, VIEW },
    { "render", "FILE", "isoscope render [FILE] [OPTION]...", "draw pictures (PNG) without a display", cmd_render,
      RENDER },
    { "extract", "FILE", "isoscope extract [FILE] -o OUT [OPTION]...",
      "write surfaces as PLY, STL, OBJ, GLB, VTP or PVTP, in world coordinates", cmd_extract, EXTRACT, true },
    { "info", "FILE", "isoscope info FILE [OPTION]...", "describe a volume; with --iso, measure a surface", cmd_info,
      INFO, true },
    { "verify", "FILE", "isoscope verify [FILE] [OPTION]...", "check a mesh and its topology against the voxels",
      cmd_verify, VERIFY },
    { "bench", "FILE", "isoscope bench [FILE] [OPTION]...", "time the stages at one isovalue or many, by rung, or with a picture",
      cmd_bench, BENCH, true },
    { "ladder", "OP", "isoscope ladder [OP|all] [RUNG] [OPTION]...",
      "explain, check and time the rungs (versions) of an op", cmd_ladder, LADDER },
    { "synth", "NAME", "isoscope synth NAME -o FILE.nrrd [OPTION]...", "make a procedural volume", cmd_synth, SYNTH },
    { "pack", "FILE", "isoscope pack FILE -o OUT.zarr [OPTION]...", "write a volume as OME-Zarr, in chunks and levels",
      cmd_pack, PACK },
    { "doctor", NULL, "isoscope doctor [OPTION]...", "report the OpenGL and CUDA found on this machine", cmd_doctor,
      DOCTOR },
    { NULL, NULL, NULL, NULL, NULL, 0 },
};
/* clang-format on */
