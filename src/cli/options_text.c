#include "options_text.h"

#include "error.h"
#include "options_table.h"

const char options_idea[] = "view, measure and time isosurfaces of volume files";

/* clang-format off */
const struct example options_examples[] = {
    { VIEW, "bonsai_256x256x256_uint8.raw --iso 40", "a RAW file whose name has its size and type" },
    { VIEW, "head.nii.gz --slice x=90+ --close", "cut open at a slice, closed at the volume's border" },
    { VIEW, "--rung fused=none", "the built-in volume, with the staged pipeline" },
    { RENDER, "render ct.nrrd -o ct.png --iso 95% --size 1920x1080", "isovalue at the 95th percentile" },
    { RENDER, "render ct.nrrd --shading jade --samples 16 --azimuth 30", "another look, from another side" },
    { RENDER, "render ct.nrrd --slice z=40 --slice-map viridis --opacity 0.4", "a slice inside a translucent surface" },
    { EXTRACT, "extract ct.nrrd --iso 300 -o bone.ply", "one surface" },
    { EXTRACT, "extract ct.nrrd --iso 300,600 --close -o 'bone_%.stl'", "bone_300.stl and bone_600.stl, watertight" },
    { EXTRACT, "extract ct.nrrd --keep largest --decimate 25% -o bone.glb", "the largest part, in fewer triangles" },
    { EXTRACT, "extract ct.nrrd --iso 300 -o bone.ply --part 3/8 --phase count", "part 3 of 8, in its own process" },
    { INFO, "info ct.nrrd", "size, type, range and mean" },
    { INFO, "info ct.nrrd --iso 300 --close", "area, volume and connected parts of a surface" },
    { INFO, "info ct.nrrd --iso 95% --min-size 2% --json", "JSON for a script, small parts left out" },
    { VERIFY, "verify ct.nrrd --iso 300", "does the mesh match the voxels?" },
    { VERIFY, "verify ct.nrrd --close --json", "JSON for a script, with the surface closed" },
    { VERIFY, "verify --rung fused=none", "the built-in volume, with the staged pipeline" },
    { BENCH, "bench ct.nrrd --iso 300", "every stage at one isovalue" },
    { BENCH, "bench ct.nrrd --compare all", "all rungs of every stage" },
    { BENCH, "bench ct.nrrd --iso 10%:90%:9 --save times.md", "nine isovalues, saved as a table" },
    { BENCH, "bench ct.nrrd --pictures --size 1920x1080", "from a new isovalue to its picture" },
    { LADDER, "ladder scan --explain", "what each rung of scan improves, timed here" },
    { LADDER, "ladder sum --bench --size 100000,10000000", "check and time the rungs at two sizes" },
    { LADDER, "ladder gemm --bench --size 4096x4096x64", "a thin matrix product" },
    { LADDER, "ladder scan --report page.html --size 1000:100000000:16", "a page showing how the rungs scale" },
    { LADDER, "ladder classify --template", "a source file to start your own rung from" },
    { LADDER, "ladder classify --rung-file my.c", "compile and check it, and time it beside the others" },
    { LADDER, "ladder all --report page.html", "a page on every op, with bars and a roofline" },
    { SYNTH, "synth vessels -o vessels.nrrd", "256^3 voxels" },
    { SYNTH, "synth noise --size 512x512x64 --seed 7 -o noise.nrrd", "another size, another seed" },
    { SYNTH, "synth torus --size 64 -z -o torus.nrrd", "small, and compressed" },
    { PACK, "pack scan_4000x4000x4000_uint16.raw --memory 2G -o scan.zarr", "128 GB in 2 GiB of memory" },
    { PACK, "pack slices/ --spacing 0.5,0.5,1 -o scan.zarr", "a folder of slices, which has no voxel spacing" },
    { DOCTOR, "doctor", "a report to read" },
    { DOCTOR, "doctor --json", "JSON for a script or a bug report" },
    { 0, NULL, NULL },
};

const struct exit_code options_exit_codes[] = {
    { ERR_NONE, "ok" },
    { ERR_FAILED, "failed" },
    { ERR_USAGE, "usage" },
    { ERR_INPUT, "bad input file" },
    { ERR_GL, "no usable OpenGL" },
    { ERR_CUDA, "CUDA requested but unavailable" },
    { ERR_WRONG, "verify found a wrong mesh" },
    { 0, NULL },
};

const struct text_row options_variables[] = {
    { "DISPLAY", "display to open the window on; other commands need none" },
    { "HOME", "the home folder; files go there if the program is started in /" },
    { "ISOSCOPE_SHADERS", "a folder of shaders to use instead of the built-in ones; reloaded when they are saved" },
    { "ISOSCOPE_RUNG_SECONDS", "time limit in seconds for each test of --rung-file; default: 20" },
    { "ISOSCOPE_ALONE", "1: the processes that mpirun or srun starts do separate work, for example on different files" },
    { "OMPI_COMM_WORLD_SIZE, PMI_SIZE, SLURM_STEP_NUM_TASKS, PMIX_RANK",
      "set by mpirun and srun; isoscope then refuses to run, as does isoscope-mpi if its MPI sees one process" },
    { "OMP_NUM_THREADS", "CPU threads if --threads is not given; at most 1024" },
    { "OMP_STACKSIZE, GOMP_STACKSIZE", "stack size of each CPU thread; at least 64k" },
    { "OMP_WAIT_POLICY", "passive: CPU threads sleep while they wait, which is faster if other programs keep the cores busy" },
    { "PATH", "searched for dcm2niix, which converts DICOM files, and for the compilers of --rung-file" },
    { "TMPDIR", "folder for converted DICOM files while they are read; default: /tmp" },
    { "XDG_CACHE_HOME", "folder for what --rung-file compiles, until it is loaded; default: ~/.cache" },
    { "XDG_CONFIG_HOME", "folder of user-dirs.dirs, which names the pictures folder; default: ~/.config" },
    { "XDG_STATE_HOME", "folder for the window's state; default: ~/.local/state" },
    { NULL, NULL },
};

const struct text_row options_files[] = {
    { "~/.local/state/isoscope/", "recent files, the last view of each volume, and the panel's page; may be deleted" },
    { NULL, NULL },
};
/* clang-format on */
