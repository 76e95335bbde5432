/* Every option, and how its value is read. */
#include "options_table.h"

#include "length_unit.h"
#include "options_file.h"
#include "options_numbers.h"
#include "options_parts.h"
#include "options_view.h"
#include "options_surfaces.h"
#include "rounds.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one parser per kind of value ---------------------------------------------------------------------------------- */

static int parse_iso(struct options *o, const char *option, const char *value, struct err *err)
{
    o->setup.iso_given = true;
    struct values several;
    const char *end = isovalue_parse(value, &o->setup.iso, &o->setup.iso_in);
    if (end && !*end) return ERR_NONE;
    if (values_parse(&several, value, 2))
        return options_bad(err, option, value, "one isovalue; for several, run the command for each");
    return options_bad(err, option, value, ISOVALUE_GRAMMAR);
}

/* Returns the number of a word in a list, or -1. */
static int find_word(const char *word, const char *const *words, int n)
{
    while (--n >= 0 && strcmp(word, words[n]) != 0) {
    }
    return n;
}

static int parse_backend(struct options *o, const char *option, const char *value, struct err *err)
{
    static const char *const names[] = { "auto", "cpu", "cuda" };
    const int found = find_word(value, names, 3);
    if (found < 0) return options_bad(err, option, value, "auto, cpu or cuda");
    o->setup.backend = (enum backend_choice)found;
    return ERR_NONE;
}

static int parse_topology(struct options *o, const char *option, const char *value, struct err *err)
{
    const int found = find_word(value, topology_name, TOPOLOGY_COUNT);
    if (found < 0) return options_bad(err, option, value, "trilinear or fixed");
    o->setup.topology = (enum topology)found;
    return ERR_NONE;
}

static int parse_threads(struct options *o, const char *option, const char *value, struct err *err)
{
    uint64_t n;
    if (!parse_whole(value, 1, SETUP_MOST_THREADS, &n))
        return options_bad(err, option, value, "a whole number from 1 to 1024");
    o->setup.threads = (int)n;
    return ERR_NONE;
}

/* Refuses `value` and lists the stages that were expected. */
static int bad_stage(struct err *err, const char *option, const char *value, int stages, const char *before,
                     const char *after)
{
    char text[256];
    int used = snprintf(text, sizeof text, "%s", before);
    for (int s = 0; s < stages; s++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", s ? ", " : "", stage_name[s]);
    snprintf(text + used, sizeof text - (size_t)used, "%s", after);
    return options_bad(err, option, value, text);
}

static int parse_rung(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *const equals = strchr(value, '=');
    char op[32] = "";
    if (equals) snprintf(op, sizeof op, "%.*s", (int)(equals - value), value);
    const struct ladder *const ladder = ladder_of(op);
    for (int s = 0; s < STAGE_ALL; s++)
        if (ladder && !strcmp(ladder->op, stage_name[s])) {
            o->setup.rung[s] = equals + 1;
            return ERR_NONE;
        }
    return bad_stage(err, option, value, STAGE_ALL, "STAGE=NAME, where STAGE is one of ", "");
}

static int parse_smooth(struct options *o, const char *option, const char *value, struct err *err)
{
    double *sigma = &o->setup.smooth;
    const char *end;
    if (!text_double(value, &end, sigma) || !isfinite(*sigma)) end = "?";
    const struct length_unit *unit = *end ? length_unit_find(end) : NULL;
    o->setup.smooth_mm = unit && unit->mm > 0;
    if (o->setup.smooth_mm) *sigma *= unit->mm;
    if ((o->setup.smooth_mm || (!*end && *sigma <= (double)ISO_MAX_SIGMA)) && *sigma >= 0) return ERR_NONE;
    return options_bad(err, option, value,
                       "the sigma of a Gaussian in voxels, from 0 (off) to 5, or a length, like 1.5mm or 20um");
}

/* "0.5" or "2%" */
static int parse_min_size(struct options *o, const char *option, const char *value, struct err *err)
{
    struct component_filter *filter = &o->setup.filter;
    if (parse_number_or_percent(value, &filter->min_size, &filter->percent) && filter->min_size >= 0) return ERR_NONE;
    return options_bad(err, option, value, "a length in the file's unit, or percent of the longest part, like 2.5 or 10%");
}

static int parse_keep(struct options *o, const char *option, const char *value, struct err *err)
{
    uint64_t *keep = &o->setup.filter.keep;
    *keep = strcmp(value, "all") != 0;
    if (!*keep || !strcmp(value, "largest") || parse_whole(value, 1, UINT64_MAX, keep)) return ERR_NONE;
    return options_bad(err, option, value, "largest, all, or a whole number, 1 or more");
}

/* "800M", "12G", or bytes. */
static int parse_size(const char *option, const char *value, uint64_t *bytes, struct err *err)
{
    static const char units[] = "KMGT";
    const char *end, *unit;
    uint64_t n;
    *bytes = 0;
    if (!text_uint(value, &end, &n)) return options_bad(err, option, value, "a size like 800M or 12G");
    unit = *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if ((*end && (!unit || end[1])) || n > (uint64_t)INT64_MAX >> shift || !(*bytes = n << shift))
        return options_bad(err, option, value, "a size like 800M or 12G");
    return ERR_NONE;
}

static int parse_memory(struct options *o, const char *option, const char *value, struct err *err)
{
    return parse_size(option, value, &o->setup.load.memory, err);
}

static int parse_cache(struct options *o, const char *option, const char *value, struct err *err)
{
    return parse_size(option, value, &o->setup.cache, err);
}

static int parse_output(struct options *o, const char *option, const char *value, struct err *err)
{
    o->output = value;
    return *value ? ERR_NONE : options_bad(err, option, "''", "a file name");
}

static int parse_pixels(struct options *o, const char *option, const char *value, struct err *err)
{
    uint64_t size[2];
    if (!parse_wholes(value, 2, size) || size[0] > VIEW_MOST_PIXELS || size[1] > VIEW_MOST_PIXELS)
        return options_bad(err, option, value, "pixels, like 1280x720, at most 1000000 each");
    o->view.width = (int)size[0], o->view.height = (int)size[1];
    return ERR_NONE;
}

static int parse_voxels(struct options *o, const char *option, const char *value, struct err *err)
{
    const bool cube = parse_whole(value, 1, UINT32_MAX, &o->size[0]);
    if (cube) o->size[1] = o->size[2] = o->size[0];
    if ((cube || parse_wholes(value, 3, o->size)) && o->size[0] > 1 && o->size[1] > 1 && o->size[2] > 1) return ERR_NONE;
    return options_bad(err, option, value, "voxels, like 256 or 256x256x128, at least 2 along each axis");
}

static int parse_seed(struct options *o, const char *option, const char *value, struct err *err)
{
    return parse_whole(value, 0, UINT64_MAX, &o->seed) ? ERR_NONE : options_bad(err, option, value, "a whole number");
}

/* An angle that is not given is that of the first view. */
static int parse_angle(struct options *o, double *angle, const char *option, const char *value, struct err *err)
{
    if (!o->view.view_given) o->view.azimuth = CAMERA_AZIMUTH, o->view.elevation = CAMERA_ELEVATION;
    o->view.view_given = true;
    return parse_number(value, angle) ? ERR_NONE : options_bad(err, option, value, "degrees, like 20 or -7.5");
}

static int parse_azimuth(struct options *o, const char *option, const char *value, struct err *err)
{
    return parse_angle(o, &o->view.azimuth, option, value, err);
}

static int parse_elevation(struct options *o, const char *option, const char *value, struct err *err)
{
    return parse_angle(o, &o->view.elevation, option, value, err);
}

static int parse_up(struct options *o, const char *option, const char *value, struct err *err)
{
    for (int up = 0; up < CAMERA_UPS; up++)
        if (!strcmp(value, camera_up_name[up])) {
            o->view.up = (enum camera_up)up;
            o->view.up_given = true;
            return ERR_NONE;
        }
    return options_bad(err, option, value, "+z, +y, -y, -z, +x or -x");
}

static int parse_samples(struct options *o, const char *option, const char *value, struct err *err)
{
    uint64_t n;
    if (!parse_whole(value, 1, VIEW_MOST_SAMPLES, &n))
        return options_bad(err, option, value, "a whole number from 1 to 64");
    o->view.samples = (unsigned)n;
    return ERR_NONE;
}

static int parse_window(struct options *o, const char *option, const char *value, struct err *err)
{
    double *window = o->view.window;
    const char *at;
    o->view.window_given = true;
    if (text_double(value, &at, &window[0]) && *at == ',' && parse_number(at + 1, &window[1]) && isfinite(window[0]) &&
        window[0] < window[1])
        return ERR_NONE;
    return options_bad(err, option, value, "two values in the file's units, the lower one first, like -160,240");
}

static int parse_ui_scale(struct options *o, const char *option, const char *value, struct err *err)
{
    if (parse_number(value, &o->view.ui_scale) && o->view.ui_scale >= 0.5 && o->view.ui_scale <= 8) return ERR_NONE;
    return options_bad(err, option, value, "a factor from 0.5 to 8");
}

static int parse_cold(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)value, (void)err;
    o->cold = true;
    return ERR_NONE;
}

static int parse_pictures(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)value, (void)err;
    o->pictures = true;
    return ERR_NONE;
}

static int parse_pipeline(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err; /* the command checks it */
    o->pipeline = value;
    return ERR_NONE;
}

static int parse_runs(struct options *o, const char *option, const char *value, struct err *err)
{
    uint64_t n;
    o->runs = parse_whole(value, ROUNDS_LEAST, ROUNDS_MOST, &n) ? (int)n : 0;
    return o->runs ? ERR_NONE : options_bad(err, option, value, "a whole number from 5 to 10000");
}

/* One value is that of other options; several are timed in a table of their own. */
static int parse_bench_iso(struct options *o, const char *option, const char *value, struct err *err)
{
    if (!values_parse(&o->values, value, 1)) return options_bad(err, option, value, VALUES_GRAMMAR);
    o->setup.iso_given = o->values.count == 1;
    if (!o->setup.iso_given) return ERR_NONE;
    o->setup.iso = o->values.value[0], o->setup.iso_in = o->values.in[0];
    o->values.count = 0;
    return ERR_NONE;
}

static int parse_values(struct options *o, const char *option, const char *value, struct err *err)
{
    return values_parse(&o->values, value, 1) ? ERR_NONE : options_bad(err, option, value, VALUES_GRAMMAR);
}

/* "25%" of the triangles, or the largest RMS error. */
static int parse_decimate(struct options *o, const char *option, const char *value, struct err *err)
{
    double n;
    bool percent;
    if (!parse_number_or_percent(value, &n, &percent) || !(n > 0))
        return options_bad(err, option, value,
                           "the triangles to keep, like 25%, or the largest RMS error in world units, like 0.1");
    o->edit.keep = percent ? n / 100 : 0;
    o->edit.most = percent ? 0 : n;
    return ERR_NONE;
}

static int parse_smooth_mesh(struct options *o, const char *option, const char *value, struct err *err)
{
    uint64_t n;
    if (!parse_whole(value, 1, 1000, &n)) return options_bad(err, option, value, "a number of rounds from 1 to 1000");
    o->edit.smooth = (int)n;
    return ERR_NONE;
}

static int parse_compare(struct options *o, const char *option, const char *value, struct err *err)
{
    for (int s = 0; s < STAGE_COUNT; s++)
        if (!strcmp(value, stage_name[s]) || !strcmp(value, "all")) o->compare |= 1u << s;
    return o->compare ? ERR_NONE : bad_stage(err, option, value, STAGE_COUNT, "", " or all");
}

static int parse_report(struct options *o, const char *option, const char *value, struct err *err)
{
    o->report = value;
    return *value ? ERR_NONE : options_bad(err, option, "''", "a file name");
}

static int parse_sizes(struct options *o, const char *option, const char *value, struct err *err)
{
    if (values_whole(value, o->sizes, OPTION_SIZES, true, &o->size_count)) return ERR_NONE;
    o->size_count = 1;
    if (values_shape(value, o->shape)) return ERR_NONE;
    return options_bad(
        err, option, value,
        "at most 16 whole numbers from 1 to 2^40, like 1000,4096, or FROM:TO:COUNT; of matrices also 512x64x128");
}

static int parse_blocks(struct options *o, const char *option, const char *value, struct err *err)
{
    if (values_whole(value, o->blocks, OPTION_SIZES, false, &o->block_count)) return ERR_NONE;
    return options_bad(err, option, value, "at most 16 numbers of threads, like 128,256");
}

static int parse_trace(struct options *o, const char *option, const char *value, struct err *err)
{
    o->trace = value;
    return *value ? ERR_NONE : options_bad(err, option, "''", "a file name");
}

static int parse_record(struct options *o, const char *option, const char *value, struct err *err)
{
    o->view.record = value;
    return *value ? ERR_NONE : options_bad(err, option, "''", "a file name");
}

static int parse_replay(struct options *o, const char *option, const char *value, struct err *err)
{
    o->view.replay = value;
    return *value ? ERR_NONE : options_bad(err, option, "''", "a file name");
}

static int parse_save(struct options *o, const char *option, const char *value, struct err *err)
{
    o->save = value;
    return *value ? ERR_NONE : options_bad(err, option, "''", "a file name");
}

#define FLAG(name, member)                                                                             \
    static int parse_##name(struct options *o, const char *option, const char *value, struct err *err) \
    {                                                                                                  \
        (void)option, (void)value, (void)err;                                                          \
        o->member = true;                                                                              \
        return ERR_NONE;                                                                               \
    }
FLAG(staging, view.staging)
FLAG(test, test)
FLAG(bench, bench)
FLAG(explain, explain)
FLAG(template, from_template)
FLAG(contract, contract)
FLAG(box, view.box)
FLAG(legend, view.legend)
FLAG(orthographic, view.orthographic)
FLAG(json, json)
FLAG(verbose, view.verbose)
FLAG(watch, view.watch)
FLAG(data_anywhere, setup.load.anywhere)
FLAG(exact_positions, setup.exact_positions)
FLAG(close, setup.close)
FLAG(gzip, gzip)
#undef FLAG

/* ---- the table ----------------------------------------------------------------------------------------------------- */

const struct option_row option_rows[] = {
    { "iso", 'i', "V,...", "isovalues, like 20,40, 95% (percentile), 3sd, or A:B:N; default: one from the histogram", BENCH,
      parse_bench_iso },
    { "iso", 'i', "V,...", "isovalues, like 20,40, 95% (percentile), 3sd (above the mean), or A:B:N; at most 4",
      VIEW | RENDER, parse_isos },
    { "iso", 'i', "V,...", "isovalues, like 20,40, 95% (percentile), 3sd (above the mean), or A:B:N; default: automatic",
      EXTRACT, parse_values },
    { "iso", 'i', "V", "count and measure the surface at this isovalue, like 40, 95% or 3sd", INFO, parse_iso },
    { "iso", 'i', "V", "check the surface at this isovalue; default: from the histogram", VERIFY, parse_iso },
    { "smooth", 0, "SIGMA", "smooth the volume first by a Gaussian; SIGMA in voxels, at most 5, or a length like 20um",
      FILES, parse_smooth },
    { "topology", 0, "RULE", "how to resolve ambiguous cells: trilinear (default) or fixed (by sign pattern alone)", FILES,
      parse_topology },
    { "exact-positions", 0, NULL, "let vertices lie exactly on voxels; some triangles then have no area", FILES,
      parse_exact_positions },
    { "close", 0, NULL, "close the surface with caps at the volume's border", VIEW | RENDER | INFO | EXTRACT | VERIFY,
      parse_close },
    { "output", 'o', "FILE", "file to write (.png, default isoscope.png)", RENDER, parse_output },
    { "output", 'o', "FILE", "file to write (.nrrd)", SYNTH, parse_output },
    { "output", 'o', "OUT", "time writing this file slab by slab, once; it is deleted afterwards", BENCH, parse_output },
    { "output", 'o', "FILE", "folder to write (.zarr); delete FILE.PID-N.tmp if pack was killed", PACK, parse_output },
    { "output", 'o', "OUT", "file to write (.ply, .stl, .obj, .glb, .vtp, .pvtp); % in its name: a file per isovalue",
      EXTRACT, parse_output },
    { "smooth-mesh", 0, "N", "smooth the surface in N rounds, without shrinking it", EXTRACT, parse_smooth_mesh },
    { "decimate", 0, "HOW", "reduce triangles to a share like 25%, or up to an RMS error like 0.1 (world units)", EXTRACT,
      parse_decimate },
    { "part", 0, "K/N", "do part K of N of the work in this process; see docs/PARTS.md", EXTRACT, parse_part },
    { "phase", 0, "NAME", "count, then write, for each --part; then finish, once, with --part N; see OUT.parts", EXTRACT,
      parse_phase },
    { "size", 's', "WxH", "size of the window or picture in pixels", VIEW | RENDER, parse_pixels },
    { "size", 's', "WxH", "with --pictures: their size in pixels (default 1280x720)", BENCH, parse_pixels },
    { "size", 's', "N", "size in voxels, N or XxYxZ (default 256)", SYNTH, parse_voxels },
    { "azimuth", 0, "A", "camera: degrees around the vertical axis (default 35)", VIEW | RENDER, parse_azimuth },
    { "elevation", 0, "A", "camera: degrees above the horizon (default 20)", VIEW | RENDER, parse_elevation },
    { "target", 0, "X,Y,Z", "camera: point it orbits, from the volume's centre, in units of half the diagonal",
      VIEW | RENDER, parse_target },
    { "distance", 0, "D", "camera: distance to that point, in the same unit; default: the surface fills the picture",
      VIEW | RENDER, parse_distance },
    { "up", 0, "AXIS", "camera: axis that points up: +z +y -y -z +x -x", VIEW | RENDER, parse_up },
    { "orthographic", 0, NULL, "camera: orthographic, without perspective", VIEW | RENDER, parse_orthographic },
    { "shading", 0, "MODE", "shading mode: light, matcap, jade, x-ray, normals or flat", VIEW | RENDER, parse_shading },
    { "edges", 0, NULL, "draw the edges of triangles", VIEW | RENDER, parse_edges },
    { "samples", 0, "N", "samples per pixel for antialiasing, 1 to 64 (default 4)", VIEW | RENDER, parse_samples },
    { "slice", 0, "AXIS=INDEX,...",
      "show slices with contours, like x=128,z=40; x=128+ hides what lies above it, x=128- below", VIEW | RENDER,
      parse_slice },
    { "crop", 0, "AXIS=FROM:TO,...", "draw only what lies in a box, in voxels, like x=20:100,z=:64", VIEW | RENDER,
      parse_crop },
    { "knife", 0, "X,Y,Z,D", "hide what lies in front of a plane: voxels p with (X,Y,Z) . p < D", VIEW | RENDER,
      parse_knife },
    { "open-cuts", 0, NULL, "leave cuts open, without caps", VIEW | RENDER, parse_open_cuts },
    { "slice-map", 0, "NAME", "colour map of slices: grey, viridis, cividis or diverging", VIEW | RENDER, parse_slice_map },
    { "window", 0, "LOW,HIGH", "values at the ends of the slices' colour map (file's units); default: the range",
      VIEW | RENDER, parse_window },
    { "box", 0, NULL, "show the volume's box with ticks; in the window also numbers and a scale bar", VIEW | RENDER,
      parse_box },
    { "legend", 0, NULL, "draw a legend of the colours; with --box also numbers, a scale bar and axes", RENDER,
      parse_legend },
    { "hide", 0, "N,...", "hide surfaces, by their places in --iso, from 1", VIEW | RENDER, parse_hide },
    { "opacity", 0, "F,...", "opacity of the surfaces, 0 to 1: one for all or one for each", VIEW | RENDER, parse_opacity },
    { "color", 0, "RRGGBB,...", "colours of the surfaces, like 0072b2,d55e00; auto: the default colour", VIEW | RENDER,
      parse_color },
    { "color-by", 0, "WHAT", "colour surfaces by x, y or z (world coordinates), or by the values' gradient", VIEW | RENDER,
      parse_color_by },
    { "color-map", 0, "NAME", "colour map for --color-by, as for --slice-map; default: viridis", VIEW | RENDER,
      parse_color_map },
    { "min-size", 0, "S", "leave out parts of the surface shorter than S (file's unit, or S% of the longest)",
      INFO | EXTRACT, parse_min_size },
    { "min-size", 0, "S,...", "leave out parts shorter than S (file's unit, or S% of the longest); one for all or each",
      VIEW | RENDER, parse_min_sizes },
    { "keep", 0, "N", "keep the N largest parts of the surface by area; largest: one", INFO | EXTRACT, parse_keep },
    { "keep", 0, "N,...", "keep the N largest parts of the surface by area; largest: one; all: every part", VIEW | RENDER,
      parse_keeps },
    { "pair", 0, "N:N,...", "pair surfaces, by their places in --iso, so that one keeps minus the other's isovalue", VIEW,
      parse_pair },
    { "dims", 0, "XxYxZ", "RAW files: voxels along each axis", READ, parse_dims },
    { "type", 0, "TYPE", "RAW files: value type: uint8 int8 uint16 int16 float32, or a wider one", READ, parse_type },
    { "endian", 0, "ORDER", "RAW files: byte order, little or big", READ, parse_endian },
    { "offset", 0, "BYTES", "RAW files: bytes before the first voxel", READ, parse_offset },
    { "order", 0, "AXES", "order of the file's axes, fastest first: xyz or zyx", READ, parse_order },
    { "frame", 0, "N", "frame of a time series to open, from 0", READ, parse_frame },
    { "component", 0, "N", "component of vectors, colours or channels to open, from 0", READ, parse_component },
    { "level", 0, "N", "resolution level, from 0; default: the finest that fits in memory; extract, pack, verify: 0", READ,
      parse_level },
    { "array", 0, "NAME", "array to open, by its name (VTK) or its path in the folder (Zarr)", READ, parse_array },
    { "series", 0, "N", "DICOM files: number of the series to open, or one of its volumes, like 3a", READ, parse_series },
    { "data-anywhere", 0, NULL, "let a header name data files outside its own folder", READ, parse_data_anywhere },
    { "memory", 0, "SIZE", "memory limit, like 12G; default: 75 % of what is free (extract, info, verify: else slabs)",
      READ, parse_memory },
    { "cache", 0, "SIZE", "memory limit for finer voxels of what is in view; default: what --memory leaves", VIEW,
      parse_cache },
    { "spacing", 0, "X,Y,Z", "distance between voxels (of level 0), instead of the file's", READ, parse_spacing },
    { "backend", 'b', "NAME", "compute backend: auto, cpu or cuda", FILES | LADDER, parse_backend },
    { "threads", 't', "N", "CPU threads; default: one per core", READ | SYNTH | LADDER, parse_threads },
    { "rung", 'r', "STAGE=NAME", "rung (version) of a stage to use, like scan=textbook", FILES, parse_rung },
    { "draw", 0, "WAY", "how to draw opaque surfaces: opengl, culled, compute, raster, or auto (the fastest)",
      VIEW | RENDER, parse_draw },
    { "staging", 0, NULL, "copy meshes from CUDA to OpenGL instead of sharing buffers", VIEW | RENDER, parse_staging },
    { "ui-scale", 0, "F", "scale of text and controls; default: the display's", VIEW, parse_ui_scale },
    { "theme", 0, "NAME", "colours of the panel: dark or light; default: the last one used", VIEW, parse_theme },
    { "pipeline", 0, "NAME", "pipeline to time: staged or fused; default: set by the rung of fused", BENCH,
      parse_pipeline },
    { "runs", 'n', "N", "timed runs, after 3 warm-up runs (default 20, at least 5)", BENCH | LADDER, parse_runs },
    { "cold", 0, NULL, "with -o: drop FILE from the system's cache before timing, as after a reboot", BENCH, parse_cold },
    { "compare", 0, "STAGE", "time all rungs of a stage against the textbook rung; all: of every stage", BENCH,
      parse_compare },
    { "pictures", 0, NULL, "time a new isovalue until its picture is finished, by each way of drawing", BENCH,
      parse_pictures },
    { "save", 0, "FILE.md", "append the table, or replace what is between <!-- bench --> and <!-- /bench -->", BENCH,
      parse_save },
    { "test", 0, NULL, "check every rung against a plain reference, in many cases, or only at --size", LADDER, parse_test },
    { "bench", 0, NULL, "check every rung, and time those that are correct", LADDER, parse_bench },
    { "explain", 0, NULL, "explain what each rung improves on the one before, and time it here", LADDER, parse_explain },
    { "size", 's', "N,...", "sizes to run at; A:B:N for N from A to B; MxNxK for matrices; default: the op's own", LADDER,
      parse_sizes },
    { "block", 0, "N,...", "CUDA threads per block, for rungs that let you choose", LADDER, parse_blocks },
    { "report", 0, "FILE.html", "time, and write a page with tables, bars and a roofline", LADDER, parse_report },
    { "save", 0, "FILE.md", "append the tables, or replace what is between <!-- ladder --> and <!-- /ladder -->", LADDER,
      parse_save },
    { "rung-file", 0, "FILE", "compile FILE (.c or .cu), check it in a separate process, and add it as the rung 'mine'",
      VIEW | LADDER, parse_rung_file },
    { "template", 0, NULL, "print a file to start your own rung from: the textbook rung's code", LADDER, parse_template },
    { "contract", 0, NULL, "print the headers that define what a rung of OP must do, and those its template uses", LADDER,
      parse_contract },
    { "seed", 0, "N", "seed of random fields", SYNTH, parse_seed },
    { "gzip", 'z', NULL, "compress the voxels", SYNTH, parse_gzip },
    { "trace", 0, "FILE.json", "record a timeline, for ui.perfetto.dev or chrome://tracing", FILES, parse_trace },
    { "json", 0, NULL, "print JSON", INFO | BENCH | LADDER | DOCTOR | EXTRACT | VERIFY, parse_json },
    { "transparent", 0, NULL, "make the background transparent", RENDER, parse_transparent },
    { "frames", 0, NULL, "draw each frame of a time series, numbered like -o frame%04d.png", RENDER, parse_frames },
    { "turntable", 0, "N", "draw N pictures of a full turn, numbered like -o turn%04d.png", RENDER, parse_turntable },
    { "sweep", 0, "V,...", "draw a picture for each isovalue, like 20,40 or A:B:N, numbered like -o value%04d.png", RENDER,
      parse_render_sweep },
    { "load-state", 0, "FILE", "load settings from a state file; later options override them", VIEW | RENDER,
      parse_load_state },
    { "save-state", 0, "FILE", "save settings to a state file: those of the picture, or of the window when it closes",
      VIEW | RENDER, parse_save_state },
    { "watch", 0, NULL, "reload the file when it changes", VIEW, parse_watch },
    { "record", 0, "FILE.txt", "record mouse and keyboard events, one per line", VIEW, parse_record },
    { "replay", 0, "FILE.txt", "replay recorded events, print how long they took, and close; saves no window state", VIEW,
      parse_replay },
    { "verbose", 'v', NULL, "log every surface and its times to stderr", VIEW | RENDER, parse_verbose },
    { NULL, 0, NULL, NULL, 0, NULL },
};
