#include "options_text.h"

#include "error.h"
#include "options_table.h"

const char options_idea[] = "see, measure and time isosurfaces of volume files";

/* clang-format off */
const struct example options_examples[] = {
    { VIEW, "bonsai_256x256x256_uint8.raw --iso 40", "a RAW file whose name has its size and type" },
    { VIEW, "head.nii.gz --slice x=90+ --close", "cut open at a slice, and closed at the border" },
    { VIEW, "--rung fused=none", "the built-in volume, stage by stage" },
    { RENDER, "render ct.nrrd -o ct.png --iso 95% --size 1920x1080", "95 % of the voxels lie below the surface" },
    { RENDER, "render ct.nrrd --shading jade --samples 16 --azimuth 30", "another look, from another side" },
    { RENDER, "render ct.nrrd --slice z=40 --slice-map viridis --opacity 0.4", "a slice inside a translucent surface" },
    { EXTRACT, "extract ct.nrrd --iso 300 -o bone.ply", "one surface" },
    { EXTRACT, "extract ct.nrrd --iso 300,600 --close -o 'bone_%.stl'", "bone_300.stl and bone_600.stl, watertight" },
    { EXTRACT, "extract ct.nrrd --keep largest --decimate 25% -o bone.glb", "the largest part, in fewer triangles" },
    { EXTRACT, "extract ct.nrrd --iso 300 -o bone.ply --part 3/8 --phase count", "a part of the work, in a process of its own" },
    { INFO, "info ct.nrrd", "size, type, range and mean" },
    { INFO, "info ct.nrrd --iso 300 --close", "area, volume and parts of a surface" },
    { INFO, "info ct.nrrd --iso 95% --min-size 2% --json", "for a script, without dust" },
    { VERIFY, "verify ct.nrrd --iso 300", "is the mesh what the voxels say?" },
    { VERIFY, "verify ct.nrrd --close --json", "the closed surface, for a script" },
    { VERIFY, "verify --rung fused=none", "the built-in volume, by the four stages" },
    { BENCH, "bench ct.nrrd --iso 300", "every stage at one value" },
    { BENCH, "bench ct.nrrd --compare all", "all rungs of every stage" },
    { BENCH, "bench ct.nrrd --iso-sweep 10%:90%:9 --save times.md", "nine values, kept as a table" },
    { LADDER, "ladder scan --explain", "the rungs of scan as a story, timed here" },
    { LADDER, "ladder sum --bench --size 100000,10000000", "checked and timed at two sizes" },
    { LADDER, "ladder gemm --bench --size 4096x4096x64", "a thin product: what the shape costs" },
    { LADDER, "ladder scan --report page.html --size 1000:100000000:16", "a page that shows how rungs scale" },
    { LADDER, "ladder classify --template", "a file to start a rung of one's own from" },
    { LADDER, "ladder classify --rung-file my.c", "compiled, checked, and timed beside the others" },
    { LADDER, "ladder all --report page.html", "a page with bars and a roofline" },
    { SYNTH, "synth vessels -o vessels.nrrd", "256^3 voxels" },
    { SYNTH, "synth noise --size 512x512x64 --seed 7 -o noise.nrrd", "another size, another seed" },
    { SYNTH, "synth torus --size 64 -z -o torus.nrrd", "small, and compressed" },
    { PACK, "pack scan_4000x4000x4000_uint16.raw --memory 2G -o scan.zarr", "128 GB in 2 GiB of memory" },
    { PACK, "pack slices/ --spacing 0.5,0.5,1 -o scan.zarr", "a folder of slices, which has no distances" },
    { DOCTOR, "doctor", "for a person" },
    { DOCTOR, "doctor --json", "for a script, or a report of an error" },
    { 0, NULL, NULL },
};

const struct exit_code options_exit_codes[] = {
    { ERR_NONE, "ok" },
    { ERR_FAILED, "failed" },
    { ERR_USAGE, "usage" },
    { ERR_INPUT, "bad input file" },
    { ERR_GL, "no usable OpenGL" },
    { ERR_CUDA, "CUDA asked for and absent" },
    { ERR_WRONG, "verify found a wrong mesh" },
    { 0, NULL },
};

const struct text_row options_variables[] = {
    { "DISPLAY", "where the window opens; not needed by the other commands" },
    { "HOME", "the user's own folder, where files go if the program is started in /" },
    { "ISOSCOPE_SHADERS", "a folder of shaders to use in place of those in the program; read again when they are saved" },
    { "ISOSCOPE_RUNG_SECONDS", "most seconds that each test of --rung-file may take; 20 if unset" },
    { "ISOSCOPE_ALONE", "1: each process that mpirun or srun starts has work of its own, such as another file" },
    { "OMPI_COMM_WORLD_SIZE, PMI_SIZE, SLURM_STEP_NUM_TASKS, PMIX_RANK",
      "set by mpirun and srun; isoscope, which works alone, then refuses, and isoscope-mpi whose MPI sees one process" },
    { "OMP_NUM_THREADS", "CPU threads where --threads does not say; more than 1024 are refused" },
    { "OMP_STACKSIZE, GOMP_STACKSIZE", "stack of each CPU thread; less than 64k is refused" },
    { "PATH", "where dcm2niix is looked for, which converts DICOM files, and the compilers of --rung-file" },
    { "TMPDIR", "where converted DICOM files lie for a moment; /tmp if unset" },
    { "XDG_CACHE_HOME", "where what --rung-file compiles lies for a moment; ~/.cache if unset" },
    { "XDG_CONFIG_HOME", "where user-dirs.dirs names the folder for pictures; ~/.config if unset" },
    { "XDG_STATE_HOME", "where the window's state is kept; ~/.local/state if unset" },
    { NULL, NULL },
};

const struct text_row options_files[] = {
    { "~/.local/state/isoscope/", "recent files, which way each volume was turned, and the panel's page; may be deleted" },
    { NULL, NULL },
};
/* clang-format on */
