"""Which tests meet a bug in a file; the first pattern that matches counts. Names are ctest's, if need be
with more words for the test (live_steps alone takes two minutes); `ops OP` is one op of ops_cpu."""

import os

LADDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/ladder")
OPS = sorted({name[3:-2] for name in os.listdir(LADDER) if name.startswith("op_")} - {"grid", "list"})

EXTRACTION = ["iso_cpu", "rungs_cpu", "cli", "extract"]
WINDOW = ["window", "slices", "sorted", "live", "smooth_window"]

COVER = [
    # ---- kernels
    ("kernels/fused*", ["ops fused", *EXTRACTION]),
    ("kernels/bricks*", ["ops bricks", "ops fused", *EXTRACTION]),
    ("kernels/classify*", ["ops classify", *EXTRACTION]),
    ("kernels/scan*", ["ops scan", *EXTRACTION]),
    ("kernels/compact*", ["ops compact", *EXTRACTION]),
    ("kernels/generate*", ["ops generate", *EXTRACTION]),
    ("kernels/edge_vertex.h", ["ops generate", "ops fused", "iso_cpu", "rungs_cpu"]),
    ("kernels/mc_tables*", ["tables", "ops generate", "iso_cpu"]),
    ("kernels/strips.h", ["ops classify", "ops generate", "iso_cpu", "rungs_cpu"]),
    ("kernels/cpu_util.h", ["ops classify", "ops bricks", "ops fused", "iso_cpu", "rungs_cpu"]),
    ("kernels/grid.h", ["ops classify", "ops reduce", "load", "iso_cpu", "rungs_cpu"]),
    ("kernels/count_cells*", ["backend_cpu", "cli"]),
    ("kernels/triangles*", ["backend_cpu", "sorted"]),
    ("kernels/reduce*", ["ops reduce", "stats_cpu", "cli"]),
    ("kernels/histogram*", ["ops histogram", "stats_cpu"]),
    ("kernels/gaussian*", ["ops gaussian", "smooth_cpu"]),
    ("kernels/lower_bound*", ["ops lower_bound", "stats_cpu"]),
    ("kernels/marching_squares*", ["ops marching_squares", "slice_cpu"]),
    ("kernels/gemm*", ["ops gemm", "extract"]),
    ("kernels/gemv*", ["ops gemv", "sorted"]),
    ("kernels/sort*", ["ops sort", "sorted"]),
    ("kernels/copy*", ["ops copy"]),
    ("kernels/upload*", ["ops upload", "iso_cpu"]),
    ("kernels/transpose*", ["ops transpose", "load", "nrrd"]),
    ("kernels/branch*", ["ops branch"]),
    ("kernels/banks*", ["patterns"]),
    ("kernels/latency*", ["ops latency", "patterns"]),
    ("kernels/triad*", ["ops triad"]),
    ("kernels/sum*", ["ops sum"]),
    ("kernels/fma_peak*", ["ops fma_peak"]),
    ("kernels/find_equal*", ["ops find_equal"]),
    ("kernels/host_memory*", ["memory", "faults"]),
    ("kernels/*", ["ops scan", "iso_cpu", "stats_cpu", "cli", "faults"]),  # backends, rungs, helpers
    # ---- src/core
    ("src/open/setup*", ["cli", "extract", "faults"]),
    ("src/open/*nrrd*", ["nrrd", "nrrd_axes", "nrrd_data", "load", "fuzz"]),
    ("src/open/*tiff*", ["read_tiff", "tiff_refused", "fuzz"]),
    ("src/open/read_slices*", ["read_slices"]),
    ("src/open/*", ["load", "nrrd", "voxels", "read_text", "read_nifti", "read_metaimage", "read_mrc", "read_npy", "read_qvis",
                    "read_vti", "read_vtk", "read_cube", "read_dx", "raw_sidecar", "float16", "dicom", "fuzz", "cli"]),
    ("src/core/source*", ["load", "nrrd", "fuzz", "cli"]),
    ("src/core/save_nrrd*", ["load", "nrrd", "synth"]),
    ("src/core/synth*", ["synth", "iso_cpu", "cli"]),
    ("src/core/text*", ["text", "load", "nrrd", "cli"]),
    ("src/core/stats*", ["stats_cpu", "cli", "slices"]),
    ("src/core/slice*", ["slice_cpu", "slices"]),
    ("src/core/measure*", ["iso_cpu", "smooth_cpu", "cli"]),
    ("src/core/volume*", ["load", "iso_cpu", "stats_cpu", "cli", "slices"]),
    ("src/core/export*", ["extract", "export", "cli", "faults"]),
    ("src/core/simplify*", ["export"]),
    ("src/core/smooth_mesh*", ["export"]),
    ("src/core/replace*", ["load", "extract", "cli"]),
    ("src/core/iso_smooth*", ["smooth_cpu", "cli", "smooth_window"]),
    ("src/core/iso*", ["iso_cpu", "rungs_cpu", "stats_cpu", "smooth_cpu", "cli", "memory", "faults"]),
    ("src/core/mesh_host*", ["iso_cpu", "extract"]),
    ("src/core/trace*", ["trace", "cli"]),
    ("src/core/nvtx*", ["trace"]),
    ("src/core/resource*", ["frame", "cli"]),
    ("src/core/*", ["text", "load", "iso_cpu", "cli", "extract", "faults"]),  # errors, reports, tables, set-up
    # ---- the rest of src
    ("src/live/sorted*", ["sorted", "frame", "faults"]),
    ("src/live/*", ["coarse", "surface", "live_steps 3 2000", "live_threads", "live", "window", "sorted", "smooth_window", "faults"]),
    ("src/look/*", ["frame", "cli", "palette"]),
    ("src/view/shader*", ["frame", "shaders", "faults"]),
    ("src/view/slices*", ["slices", "frame", "faults"]),
    ("src/view/camera*", ["frame", "window", "slices", "sorted"]),
    ("src/view/*", ["frame", "cli", *WINDOW, "faults"]),
    ("src/window/panel*", WINDOW),
    ("src/window/*", [*WINDOW, "faults"]),
    *((f"src/ladder/op_{op}.c", [f"ops {op}", "cli_bench"]) for op in OPS),
    ("src/ladder/op*", ["ops scan", "ops sum", "ops_words", "backend_cpu", "cli_bench"]),  # what all of them share
    ("src/ladder/*", ["cli_bench"]),
    ("src/cli/cmd_bench*", ["cli_bench", "cli"]),
    ("src/cli/cmd_ladder*", ["cli_bench"]),
    ("src/cli/cmd_view*", ["cli", "window"]),
    ("src/cli/*", ["cli", "extract", "frame", "faults"]),
    ("shaders/contour*", ["slices"]),
    ("shaders/slice*", ["slices"]),
    ("shaders/*", ["frame", *WINDOW]),
]
