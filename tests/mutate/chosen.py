"""Bugs written by hand: the kinds that this project has had, or that its tests once let through.

Each is (files, snippet, what stands there instead, why). The snippet must stand once in all files that the pattern matches;
white space does not count. A snippet that is not there is an error: write the bug anew for the code as it is."""

BUGS = [
    # ---- kernels: what is inside, where vertices lie, what is counted
    ("kernels/fused*cpu*.c", "before[1].vertices <= d->vertex_capacity", "before[1].vertices <= d->vertex_capacity + 1",
     "a mesh of one vertex too many is written past its buffer"),
    ("kernels/fused*cpu*.c", "before[1].triangles <= d->triangle_capacity", "before[1].triangles <= d->triangle_capacity + 1",
     "a mesh of one triangle too many is written past its buffer"),
    ("kernels/edge_vertex.h", "return t >= 0.0f && t <= 1.0f ? t : 0.5f;", "return t;", "vertices beside infinite voxels are NaN"),
    ("kernels/edge_vertex.h", "-1.5f * grid_value(g, i) + 2.0f * grid_value(g, i + step) - 0.5f * grid_value(g, i + 2 * step)",
     "grid_value(g, i + step) - grid_value(g, i)", "normals on the border are of first order only"),
    ("kernels/edge_vertex.h", "return -((1.0f - t) * da + t * db);", "return -(t * da + (1.0f - t) * db);",
     "the normals of an edge's ends are exchanged"),
    ("kernels/mc_tables.c", "if (!(inside >> a & 1) || inside >> b & 1) continue;",
     "if (inside >> a & 1 || !(inside >> b & 1)) continue;", "all triangles are wound the wrong way"),
    ("kernels/mc_tables.c", "(on_one_face(loop[i], loop[j]) ? FORBIDDEN : 0)", "0", "neighbours may draw the same chord twice"),
    ("kernels/reduce_cpu.c", "*(isnan(v) ? &c->nan[lane] : &c->infinite[lane]) += 1;", "c->nan[lane] += 1;",
     "infinite values are counted as NaN"),
    ("kernels/histogram_cpu.c", "count += table[256 + i] + table[512 + i] + table[768 + i];",
     "count += table[256 + i] + table[512 + i];", "one of four tables is left out of the histogram"),
    ("kernels/count_cells_cpu.c", "active += popcount32(strip_active(&c));", "active += popcount32(strip_active(&c) >> 1);",
     "the first cell of each strip is not counted"),
    # ---- core: units, limits, files
    ("src/core/volume.c", "return (double)iso < stored ? nextafterf(iso, INFINITY) : iso;", "return iso;",
     "0.7 is not inside at 0.7: the isovalue is rounded down"),
    ("src/core/iso*.c", "vertices <= UINT32_MAX && triangles <= UINT32_MAX", "1", "meshes beyond 32-bit indices are made all the same"),
    ("src/core/stats.c", "{ 0.05, 0.995 }", "{ 0.25, 0.995 }", "Otsu's value is clamped to other percentiles"),
    ("src/core/stats.c", "if (below == 0 || below == total) continue;", "if (below == total) continue;",
     "Otsu's split divides by zero where the first bins are empty"),
    ("src/core/source.c", "if (reason || !S_ISREG(status.st_mode))", "if (reason)", "FIFOs and devices are read like files"),
    ("src/core/measure.c", "volume_handedness(volume) < 0 ? -six_volumes / 6 : six_volumes / 6", "six_volumes / 6",
     "volumes of mirrored data are negative"),
    ("src/core/export*.c", "const double sign = volume_handedness(v) < 0 ? -1 : 1;", "const double sign = 1;",
     "exported surfaces of mirrored data are inside out"),
    ("src/core/export*.c", "export_corner(e, p, i, c) + 1", "export_corner(e, p, i, c)",
     "OBJ counts corners from 0"),
    ("src/core/replace.c", "if (!(old->st_mode & 0222) || faccessat(AT_FDCWD, target, W_OK, AT_EACCESS))", "if (0)",
     "read-only files are replaced"),
    ("src/core/replace.c", "if (code && replace->temporary[0]) unlink(replace->temporary);", "", "a failed export leaves a file"),
    ("src/open/voxels.c", "if (r->swap) stored_type_swap(raw, n, type->bytes);", "", "big-endian files are read as little-endian"),
    ("src/open/nrrd_data.c", "part->offset += part->bytes - bytes;", "part->offset += part->bytes - bytes - 1;", "byte skip -1 is off by one"),
    # ---- live: workers, coarse levels, order
    ("src/live/sorted.c", ".descending = true,", ".descending = false,", "translucent triangles are drawn front to back"),
    ("src/live/worker.c", "__atomic_store_n(&w->cancel, true, __ATOMIC_RELAXED);", "", "nothing stops the worker"),
    ("src/live/coarse.c", "sigma / (float)coarse->level.step", "sigma", "the coarse level is smoothed too much"),
    # ---- view: what is seen
    ("src/view/camera.c", "camera_pan(camera, -x * moved, -y * moved);", "camera_pan(camera, x * moved, y * moved);",
     "the wheel zooms away from the cursor"),
    ("src/view/camera.c", "(camera->left_handed ? -1.0f : 1.0f)", "1.0f", "mirrored data is lit from behind"),
    ("src/view/render.c", "glDepthFunc(GL_LESS);", "glDepthFunc(GL_ALWAYS);", "what is behind is drawn over what is before it"),
    # ---- window: hands
    ("src/window/input.c", "pow(WHEEL_FACTOR, dy)", "pow(WHEEL_FACTOR, -dy)", "the wheel zooms the other way"),
    ("src/window/app_probe.c", "app->height - 1 - (int)floor(app->input.cursor[1])", "app->height - (int)floor(app->input.cursor[1])",
     "a click reads the pixel above"),
    # ---- ladder and cli: numbers that people quote
    ("src/ladder/*.c", "rows[first].own.us.median / rows[i].own.us.median", "rows[i].own.us.median / rows[first].own.us.median",
     "speed-ups are upside down"),
    ("src/ladder/bench.c", "if (ms[s] > 0) bytes += iso->stage[s].bytes;", "bytes += iso->stage[s].bytes;",
     "stages that did not run count as moved bytes"),
    ("src/cli/cmd_info.c", "int failed = measure_mesh(&s->measure, mesh, v, iso->exec.threads, err);", "int failed = ERR_NONE;",
     "info says area and volume 0"),
    # ---- shaders
    ("shaders/mesh.vert", "view_normal = normal_matrix * normal.xyz;", "view_normal = normal.xyz;", "light turns with the surface"),
    ("shaders/slice.frag", "(voxel + 0.5) / size", "voxel / size", "slices are drawn half a voxel off"),
]
