#include "options.h"

#include "bench.h"
#include "cmd.h"
#include "keys.h"
#include "synth.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- commands ------------------------------------------------------------------------------------------------------ */

enum {
    VIEW = 1,
    RENDER = 2,
    INFO = 4,
    SYNTH = 8,
    DOCTOR = 16,
    BENCH = 32,
    LADDER = 64,
    EXTRACT = 128,
    FILES = VIEW | RENDER | INFO | BENCH | EXTRACT
};

/* clang-format off */
static const struct command commands[] = {
    { "", "isoscope [FILE] [OPTION]...", "open FILE, or a procedural volume, in the window", cmd_view, VIEW },
    { "render", "isoscope render [FILE] [OPTION]...", "draw one picture (PNG), without a display", cmd_render, RENDER },
    { "extract", "isoscope extract [FILE] -o OUT [OPTION]...", "write the surface as PLY, STL or OBJ, in world coordinates",
      cmd_extract, EXTRACT },
    { "info", "isoscope info FILE [OPTION]...", "say what a volume is, and count its surface at --iso", cmd_info, INFO },
    { "bench", "isoscope bench [FILE] [OPTION]...", "time the stages: at one isovalue, at many, rung beside rung",
      cmd_bench, BENCH },
    { "ladder", "isoscope ladder [OP|all] [OPTION]...", "every op from its textbook rung up: as a lesson, checked, timed",
      cmd_ladder, LADDER },
    { "synth", "isoscope synth NAME -o FILE.nrrd [OPTION]...", "make a procedural volume", cmd_synth, SYNTH },
    { "doctor", "isoscope doctor [OPTION]...", "say what OpenGL and CUDA find here, and what was tried", cmd_doctor, DOCTOR },
};
/* clang-format on */
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* ---- one parser per kind of value ---------------------------------------------------------------------------------- */

static int bad(struct err *err, const char *option, const char *value, const char *expected)
{
    return err_set(err, ERR_USAGE, "--%s %s: expected %s", option, value, expected);
}

static bool number(const char *text, double *value)
{
    const char *end;
    return text_double(text, &end, value) && !*end && isfinite(*value);
}

static bool whole(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    const char *end;
    return text_uint(text, &end, value) && !*end && *value >= least && *value <= most;
}

/* "4x5x6" or "4,5,6" into `n` numbers at least 1. */
static bool wholes(const char *text, int n, uint64_t *value)
{
    const char *at = text, *end;
    for (int i = 0; i < n; i++) {
        if (!text_uint(at, &end, &value[i]) || value[i] == 0) return false;
        if (i == n - 1) return !*end;
        if (*end != 'x' && *end != ',') return false;
        at = end + 1;
    }
    return false;
}

static int parse_iso(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *end;
    o->setup.iso_given = true;
    const bool good = text_double(value, &end, &o->setup.iso) && isfinite(o->setup.iso);
    o->setup.iso_percent = good && !strcmp(end, "%");
    if (good && (!*end || (o->setup.iso_percent && o->setup.iso >= 0 && o->setup.iso <= 100))) return ERR_NONE;
    return bad(err, option, value, "a finite number, in the file's own units, or a percentile from 0% to 100%");
}

static int parse_backend(struct options *o, const char *option, const char *value, struct err *err)
{
    static const char *const names[] = { "auto", "cpu", "cuda" };
    for (int i = 0; i < 3; i++)
        if (!strcmp(value, names[i])) {
            o->setup.backend = (enum backend_choice)i;
            return ERR_NONE;
        }
    return bad(err, option, value, "auto, cpu or cuda");
}

static int parse_threads(struct options *o, const char *option, const char *value, struct err *err)
{
    uint64_t n;
    if (!whole(value, 1, 1024, &n)) return bad(err, option, value, "a whole number from 1 to 1024");
    o->setup.threads = (int)n;
    return ERR_NONE;
}

/* Expected: a stage, by the names in their table. */
static int bad_stage(struct err *err, const char *option, const char *value, int stages, const char *before,
                     const char *after)
{
    char text[256];
    int used = snprintf(text, sizeof text, "%s", before);
    for (int s = 0; s < stages; s++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", s ? ", " : "", stage_name[s]);
    snprintf(text + used, sizeof text - (size_t)used, "%s", after);
    return bad(err, option, value, text);
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
    if (number(value, &o->setup.smooth) && o->setup.smooth >= 0 && o->setup.smooth <= (double)ISO_MAX_SIGMA)
        return ERR_NONE;
    return bad(err, option, value, "the sigma of a Gaussian in voxels, from 0 (off) to 5");
}

static int parse_dims(struct options *o, const char *option, const char *value, struct err *err)
{
    return wholes(value, 3, o->setup.load.dims) ? ERR_NONE
                                                : bad(err, option, value, "voxels along x, y and z, like 256x256x128");
}

static int parse_type(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err; /* the loader knows the types, and names them */
    o->setup.load.type = value;
    return ERR_NONE;
}

static int parse_endian(struct options *o, const char *option, const char *value, struct err *err)
{
    o->setup.load.endian = value;
    return !strcmp(value, "little") || !strcmp(value, "big") ? ERR_NONE : bad(err, option, value, "little or big");
}

static int parse_order(struct options *o, const char *option, const char *value, struct err *err)
{
    o->setup.load.z_fastest = !strcmp(value, "zyx");
    if (o->setup.load.z_fastest || !strcmp(value, "xyz")) return ERR_NONE;
    return bad(err, option, value, "the file's axes, the fastest first: xyz or zyx");
}

static int parse_offset(struct options *o, const char *option, const char *value, struct err *err)
{
    o->setup.load.offset_given = true;
    return whole(value, 0, INT64_MAX, &o->setup.load.offset) ? ERR_NONE : bad(err, option, value, "a number of bytes");
}

static int parse_spacing(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *at = value, *end;
    for (int i = 0; i < 3; i++) {
        const bool good = text_double(at, &end, &o->setup.load.spacing[i]) && isfinite(o->setup.load.spacing[i]);
        if (!good || o->setup.load.spacing[i] <= 0 || (i < 2 ? *end != ',' && *end != 'x' : *end != 0))
            return bad(err, option, value, "the distance of voxels along x, y and z, like 0.5,0.5,2");
        at = end + 1;
    }
    return ERR_NONE;
}

static int parse_output(struct options *o, const char *option, const char *value, struct err *err)
{
    o->output = value;
    return *value ? ERR_NONE : bad(err, option, "''", "a file name");
}

static int parse_pixels(struct options *o, const char *option, const char *value, struct err *err)
{
    uint64_t size[2];
    if (!wholes(value, 2, size) || size[0] > 16384 || size[1] > 16384)
        return bad(err, option, value, "pixels, like 1280x720, at most 16384 each");
    o->view.width = (int)size[0], o->view.height = (int)size[1];
    return ERR_NONE;
}

static int parse_voxels(struct options *o, const char *option, const char *value, struct err *err)
{
    if (whole(value, 1, UINT32_MAX, &o->size[0])) {
        o->size[1] = o->size[2] = o->size[0];
        return ERR_NONE;
    }
    return wholes(value, 3, o->size) ? ERR_NONE : bad(err, option, value, "voxels, like 256 or 256x256x128");
}

static int parse_seed(struct options *o, const char *option, const char *value, struct err *err)
{
    return whole(value, 0, UINT64_MAX, &o->seed) ? ERR_NONE : bad(err, option, value, "a whole number");
}

static int parse_angle(double *angle, bool *given, const char *option, const char *value, struct err *err)
{
    *given = true;
    return number(value, angle) ? ERR_NONE : bad(err, option, value, "degrees");
}

static int parse_azimuth(struct options *o, const char *option, const char *value, struct err *err)
{
    return parse_angle(&o->view.azimuth, &o->view.view_given, option, value, err);
}

static int parse_elevation(struct options *o, const char *option, const char *value, struct err *err)
{
    return parse_angle(&o->view.elevation, &o->view.view_given, option, value, err);
}

static int parse_up(struct options *o, const char *option, const char *value, struct err *err)
{
    for (int up = 0; up < CAMERA_UPS; up++)
        if (!strcmp(value, camera_up_name[up])) {
            o->view.up = (enum camera_up)up;
            return ERR_NONE;
        }
    return bad(err, option, value, "+z, +y, -y or -z");
}

static int parse_shading(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err; /* the renderer knows its modes, and names them */
    o->view.shading = value;
    return ERR_NONE;
}

/* "x=128" or "x=128,z=40" */
static int parse_slice(struct options *o, const char *option, const char *value, struct err *err)
{
    for (const char *at = value;; at++) {
        const int axis = *at - 'x';
        if (axis < 0 || axis > 2 || at[1] != '=' || !text_uint(at + 2, &at, &o->view.slice[axis]) || (*at && *at != ','))
            return bad(err, option, value, "planes by axis and voxel, like x=128 or x=128,z=40");
        o->view.slice_given[axis] = true;
        if (!*at) return ERR_NONE;
    }
}

static int parse_opacity(struct options *o, const char *option, const char *value, struct err *err)
{
    o->view.opacity_given = true;
    if (number(value, &o->view.opacity) && o->view.opacity >= 0 && o->view.opacity <= 1) return ERR_NONE;
    return bad(err, option, value, "a number from 0, which is not to be seen, to 1, which is opaque");
}

static int parse_ui_scale(struct options *o, const char *option, const char *value, struct err *err)
{
    if (number(value, &o->view.ui_scale) && o->view.ui_scale >= 0.5 && o->view.ui_scale <= 8) return ERR_NONE;
    return bad(err, option, value, "a factor from 0.5 to 8");
}

static int parse_pipeline(struct options *o, const char *option, const char *value, struct err *err)
{
    (void)option, (void)err; /* the command knows the pipelines, and names them */
    o->pipeline = value;
    return ERR_NONE;
}

static int parse_runs(struct options *o, const char *option, const char *value, struct err *err)
{
    uint64_t n;
    o->runs = whole(value, BENCH_LEAST_RUNS, BENCH_MOST_RUNS, &n) ? (int)n : 0;
    return o->runs ? ERR_NONE : bad(err, option, value, "a whole number from 5 to 10000");
}

static int parse_sweep(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *at;
    uint64_t n;
    const bool good = text_double(value, &at, &o->sweep.from) && isfinite(o->sweep.from) && *at == ':' &&
                      text_double(at + 1, &at, &o->sweep.to) && isfinite(o->sweep.to) && *at == ':' &&
                      whole(at + 1, 2, 1000, &n);
    if (!good) return bad(err, option, value, "FROM:TO:COUNT, like 20:200:10, with a count from 2 to 1000");
    o->sweep.count = (size_t)n;
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
    return *value ? ERR_NONE : bad(err, option, "''", "a file name");
}

/* "1000,4096" */
static bool whole_list(const char *text, uint64_t list[OPTION_SIZES], int *count)
{
    for (*count = 0; *count < OPTION_SIZES; text++) {
        uint64_t *one = &list[(*count)++];
        if (!text_uint(text, &text, one) || !*one || *one > (uint64_t)1 << 40) return false;
        if (!*text) return true;
        if (*text != ',') return false;
    }
    return false;
}

static int parse_sizes(struct options *o, const char *option, const char *value, struct err *err)
{
    if (whole_list(value, o->sizes, &o->size_count)) return ERR_NONE;
    return bad(err, option, value, "at most 16 whole numbers from 1 to 2^40, like 1000,4096");
}

static int parse_blocks(struct options *o, const char *option, const char *value, struct err *err)
{
    if (whole_list(value, o->blocks, &o->block_count)) return ERR_NONE;
    return bad(err, option, value, "at most 16 numbers of threads, like 128,256");
}

static int parse_trace(struct options *o, const char *option, const char *value, struct err *err)
{
    o->trace = value;
    return *value ? ERR_NONE : bad(err, option, "''", "a file name");
}

static int parse_save(struct options *o, const char *option, const char *value, struct err *err)
{
    o->save = value;
    return *value ? ERR_NONE : bad(err, option, "''", "a file name");
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
FLAG(json, json)
FLAG(verbose, view.verbose)
FLAG(gzip, gzip)
#undef FLAG

/* ---- the table ----------------------------------------------------------------------------------------------------- */

static const struct row {
    const char *name;
    char letter;
    const char *argument; /* NULL: takes none */
    const char *help;
    unsigned commands;
    int (*parse)(struct options *o, const char *option, const char *value, struct err *err);
} rows[] = {
    { "iso", 'i', "V", "isovalue, in the file's units, or a percentile like 95%; else by the histogram",
      VIEW | RENDER | BENCH | EXTRACT, parse_iso },
    { "iso", 'i', "V", "count and measure the surface at this value (the file's units, or a percentile like 95%)", INFO,
      parse_iso },
    { "smooth", 0, "SIGMA", "smooth the volume first, by a Gaussian of SIGMA voxels, at most 5", FILES, parse_smooth },
    { "output", 'o', "FILE", "where to write", RENDER | SYNTH, parse_output },
    { "output", 'o', "OUT", "where to write: a name that ends in .ply, .stl or .obj", EXTRACT, parse_output },
    { "size", 's', "WxH", "size of the window or picture in pixels", VIEW | RENDER, parse_pixels },
    { "size", 's', "N", "voxels: N, or XxYxZ (default 256)", SYNTH, parse_voxels },
    { "azimuth", 0, "A", "camera: degrees round the vertical axis", VIEW | RENDER, parse_azimuth },
    { "elevation", 0, "A", "camera: degrees above the horizon", VIEW | RENDER, parse_elevation },
    { "up", 0, "AXIS", "camera: which axis points up: +z +y -y -z", VIEW | RENDER, parse_up },
    { "shading", 0, "MODE", "light or matcap", VIEW | RENDER, parse_shading },
    { "slice", 0, "AXIS=INDEX,...", "planes of voxels with contour lines, like x=128,z=40", VIEW | RENDER, parse_slice },
    { "opacity", 0, "F", "of the surface, 0 to 1; below 1 it is translucent", VIEW | RENDER, parse_opacity },
    { "dims", 0, "XxYxZ", "RAW files: voxels along each axis", FILES, parse_dims },
    { "type", 0, "TYPE", "RAW files: uint8 int8 uint16 int16 float32", FILES, parse_type },
    { "endian", 0, "ORDER", "RAW files: little or big", FILES, parse_endian },
    { "offset", 0, "BYTES", "RAW files: bytes before the first voxel", FILES, parse_offset },
    { "order", 0, "AXES", "the file's axes, the fastest first: xyz, or zyx", FILES, parse_order },
    { "spacing", 0, "X,Y,Z", "distance of voxels, instead of the file's", FILES, parse_spacing },
    { "backend", 'b', "NAME", "who computes: auto, cpu or cuda", FILES | LADDER, parse_backend },
    { "threads", 't', "N", "CPU threads; else one per core", FILES | SYNTH | LADDER, parse_threads },
    { "rung", 'r', "STAGE=NAME", "implementation of a stage, like scan=textbook", FILES, parse_rung },
    { "staging", 0, NULL, "copy meshes from CUDA to OpenGL, never share buffers", VIEW | RENDER, parse_staging },
    { "ui-scale", 0, "F", "size of text and controls; else what the display says", VIEW, parse_ui_scale },
    { "pipeline", 0, "NAME", "staged or fused; else by the rung of fused", BENCH, parse_pipeline },
    { "runs", 'n', "N", "how many runs count, after 3 to warm up (default 20, at least 5)", BENCH | LADDER, parse_runs },
    { "iso-sweep", 0, "A:B:N", "time N isovalues from A to B, a row each", BENCH, parse_sweep },
    { "compare", 0, "STAGE", "time all rungs of a stage in turns, beside the textbook; all: every stage", BENCH,
      parse_compare },
    { "save", 0, "FILE.md", "append the table to FILE.md, or put it between its lines <!-- bench --> and <!-- /bench -->",
      BENCH, parse_save },
    { "test", 0, NULL, "check every rung against a plain reference", LADDER, parse_test },
    { "bench", 0, NULL, "check every rung, and time the right ones in turns", LADDER, parse_bench },
    { "size", 's', "N,...", "sizes to run at, in the op's unit; else its own", LADDER, parse_sizes },
    { "block", 0, "N,...", "CUDA threads per block, of the rungs that take any", LADDER, parse_blocks },
    { "report", 0, "FILE.html", "time, and write one page with tables, bars and a roofline", LADDER, parse_report },
    { "save", 0, "FILE.md", "append the tables, or put them between the lines <!-- ladder --> and <!-- /ladder -->", LADDER,
      parse_save },
    { "seed", 0, "N", "seed of random fields", SYNTH, parse_seed },
    { "gzip", 'z', NULL, "compress the voxels", SYNTH, parse_gzip },
    { "trace", 0, "FILE.json", "record what runs when, for ui.perfetto.dev or chrome://tracing", FILES, parse_trace },
    { "json", 0, NULL, "answer in JSON", INFO | BENCH | LADDER | DOCTOR | EXTRACT, parse_json },
    { "verbose", 'v', NULL, "log every surface and its times on stderr", VIEW | RENDER, parse_verbose },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- help ---------------------------------------------------------------------------------------------------------- */

static void print_rows(unsigned commands_bit)
{
    for (int i = 0; i < ROWS; i++) {
        char left[64], letter[8] = "    ";
        if (!(rows[i].commands & commands_bit)) continue;
        if (rows[i].letter) snprintf(letter, sizeof letter, "-%c, ", rows[i].letter);
        snprintf(left, sizeof left, "%s--%s %s", letter, rows[i].name, rows[i].argument ? rows[i].argument : "");
        printf("  %-26s %s\n", left, rows[i].help);
    }
    printf("  %-26s %s\n", "-h, --help", "this text; COMMAND --help for a command's own");
}

static void print_keys(void)
{
    printf("\nKeys in the window (F1 shows them there, with their present values):\n");
    for (const struct key *k = keys; k->code || k->name; k++)
        if (k->name) printf("  %-28s %s\n", k->name, k->text);
}

enum { HELP_WIDTH = 110 }; /* characters */

static void print_rungs(const char *title, int from, int to)
{
    printf("\n%s, textbook first, * the default:\n", title);
    for (int s = from; s < to; s++)
        for (int b = 0; b < BACKEND_COUNT; b++) {
            const struct ladder *ladder = ladder_of(stage_name[s]);
            const struct rung *rung;
            if (!ladder_rung(ladder, (enum backend)b, 0)) continue;
            int column = printf("  %-9s %-5s", stage_name[s], backends[b]->name);
            const int indent = column;
            for (size_t i = 0; (rung = ladder_rung(ladder, (enum backend)b, i)); i++) {
                if (column + 2 + (int)strlen(rung->name) > HELP_WIDTH) column = printf("\n%*s", indent, "") - 1;
                column += printf(" %s%s", rung->name, rung->is_default ? "*" : "");
            }
            printf("\n");
        }
}

static void print_help(const struct command *command)
{
    if (command->bit == VIEW) {
        printf("isoscope: see, measure and time isosurfaces of volume files\n\nUsage:\n");
        for (int i = 0; i < COMMANDS; i++) printf("  %-46s %s\n", commands[i].usage, commands[i].idea);
        printf("\nFILE is NRRD, NHDR, or RAW with its size and type in its name, like bonsai_256x256x256_uint8.raw.\n"
               "\nOptions of the window:\n");
    } else printf("Usage: %s\n%c%s.\n\nOptions:\n", command->usage, command->idea[0] - 'a' + 'A', command->idea + 1);
    print_rows(command->bit);
    if (command->bit == VIEW) print_keys();
    if (command->bit == SYNTH) {
        printf("\nFields (NAME):\n");
        for (const struct synth *s = synths; s->name; s++) printf("  %-16s %s\n", s->name, s->idea);
    }
    if (command->bit & FILES) {
        print_rungs("Stages and their rungs", 0, STAGE_COUNT);
        print_rungs("Ops that serve them, and their rungs", STAGE_COUNT, STAGE_ALL);
    }
    printf("\nExit codes: 0 ok, 1 failed, 2 usage, 3 bad input file, 4 no usable OpenGL, 5 CUDA asked for and absent.\n");
}

static void print_version(void)
{
    char text[256];
    printf("isoscope %s\n", ISO_VERSION);
    for (int b = 0; b < BACKEND_COUNT; b++) {
        const bool works = backends[b]->available(text, sizeof text);
        printf("%-5s %s%s\n", backends[b]->name, works ? "" : "not here: ", text);
    }
    printf("reads NRRD, NHDR, RAW\n");
}

/* ---- parsing ------------------------------------------------------------------------------------------------------- */

/* Edit distance (Levenshtein 1966), for "did you mean"; both words are short. */
static size_t distance(const char *a, const char *b)
{
    size_t row[64], n = strlen(b);
    if (n >= 64) return SIZE_MAX;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const size_t above = row[j], change = corner + (a[i - 1] != b[j - 1]);
            size_t least = above < row[j - 1] ? above + 1 : row[j - 1] + 1;
            row[j] = change < least ? change : least;
            corner = above;
        }
    }
    return row[n];
}

static int unknown_option(const char *word, const struct command *command, struct err *err)
{
    const char *nearest = NULL, *space = *command->name ? " " : ""; /* the window's has none */
    const int dashes = (int)strspn(word, "-"), length = (int)strcspn(word, "=");
    char name[64];
    size_t best = 3;
    snprintf(name, sizeof name, "%.*s", length - dashes, word + dashes);
    for (int i = 0; i < ROWS; i++) {
        if (!strcmp(rows[i].name, name))
            return err_set(err, ERR_USAGE, "%.*s is not an option of '%s': see isoscope%s%s --help", length, word,
                           command->usage, space, command->name);
        if (rows[i].commands & command->bit && distance(name, rows[i].name) < best)
            best = distance(name, rows[i].name), nearest = rows[i].name;
    }
    return nearest ? err_set(err, ERR_USAGE, "unknown option %.*s: did you mean --%s?", length, word, nearest)
                   : err_set(err, ERR_USAGE, "unknown option %.*s: see isoscope%s%s --help", length, word, space,
                             command->name);
}

static const struct row *find_row(const char *word, size_t length, const struct command *command)
{
    for (int i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        const bool is_long = !strncmp(word, "--", 2) && strlen(r->name) == length - 2 &&
                             !strncmp(word + 2, r->name, length - 2);
        const bool is_short = length == 2 && r->letter && word[1] == r->letter;
        if (r->commands & command->bit && (is_long || is_short)) return r;
    }
    return NULL;
}

/* One option with its value, which may follow '=' or be the next word. */
static int parse_option(struct options *o, const struct command *command, char **argv, int *at, struct err *err)
{
    const char *word = argv[*at], *equals = strchr(word, '=');
    const struct row *row = find_row(word, equals ? (size_t)(equals - word) : strlen(word), command);
    if (!row) return unknown_option(word, command, err);
    const char *value = equals ? equals + 1 : NULL;
    if (!row->argument && value) return err_set(err, ERR_USAGE, "--%s takes no value", row->name);
    if (row->argument && !value && !(value = argv[++*at]))
        return err_set(err, ERR_USAGE, "--%s needs a value: --%s %s", row->name, row->name, row->argument);
    return row->parse(o, row->name, value, err);
}

int options_parse(struct options *options, const struct command **command, int argc, char **argv, struct err *err)
{
    int at = 1;
    bool only_files = false;
    memset(options, 0, sizeof *options);
    const struct command *chosen = &commands[0];
    *command = NULL;
    for (int i = 1; argc > 1 && i < COMMANDS; i++)
        if (!strcmp(argv[1], commands[i].name)) chosen = &commands[i], at = 2;

    for (; at < argc; at++) {
        const char *word = argv[at];
        if (only_files || word[0] != '-' || !word[1]) {
            if (options->setup.file)
                return err_set(err, ERR_USAGE, "one file at a time: '%s' is one too many after '%s'", word,
                               options->setup.file);
            options->setup.file = word;
        } else if (!strcmp(word, "--")) only_files = true;
        else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            print_help(chosen);
            return ERR_NONE;
        } else if (!strcmp(word, "--version")) {
            print_version();
            return ERR_NONE;
        } else if (parse_option(options, chosen, argv, &at, err)) return ERR_USAGE;
    }
    *command = chosen;
    return ERR_NONE;
}
