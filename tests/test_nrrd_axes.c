/* NRRD: what the axes are (space, components, frames), and where they lie in the world. */
#include "load_util.h"

/* Loads a file of uint8 values 0, 1, 2... with this header. */
static bool load(struct volume *volume, const struct load_desc *desc, const char *what, int values, const char *format, ...)
{
    char header[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(header, sizeof header, format, args);
    va_end(args);
    struct bytes file = { 0 };
    append_text(&file, "NRRD0005\ntype: uint8\nencoding: raw\n%s\n\n", header);
    for (int i = 0; i < values; i++) append(&file, &(uint8_t){ (uint8_t)i }, 1);
    struct source source;
    struct err err = { 0 };
    check_subject(what);
    source_memory(&source, file.data, file.size, "test.nrrd");
    const bool good = is_fine(read_with(read_nrrd, volume, &source, desc, &err), &err);
    drop(&file);
    return good;
}

/* ---- what the axes are ------------------------------------------------------------------------------------------- */

/* Files of 120 values: 2 x 3 x 4 voxels with 5 of something, or as the header says. `first` and `step`: the value of voxel
 * 0 and of the next along x, y, z. */
/* clang-format off */
static const struct {
    const char *what, *header;
    uint64_t component, frame, components, frames;
    size_t n[3];
    int first, step[3];
    const char *note;
} roles[] = {
    { "three axes", "dimension: 3\nsizes: 4 5 6", 0, 0, 1, 1, { 4, 5, 6 }, 0, { 1, 4, 20 }, NULL },
    { "4 4 4 with unknown kinds", "dimension: 3\nsizes: 3 5 8\nkinds: ??? none ???",
      0, 0, 1, 1, { 3, 5, 8 }, 0, { 1, 3, 15 }, NULL },
    { "an image", "dimension: 2\nsizes: 10 12", 0, 0, 1, 1, { 10, 12, 1 }, 0, { 1, 10, 0 }, NULL },
    { "four without kinds", "dimension: 4\nsizes: 2 3 4 5",
      0, 3, 1, 5, { 2, 3, 4 }, 72, { 1, 2, 6 }, "axis 4 taken for frames" },
    { "five without kinds", "dimension: 5\nsizes: 2 3 4 5 1",
      0, 1, 1, 5, { 2, 3, 4 }, 24, { 1, 2, 6 }, "axis 4 taken for frames" },
    { "vector first", "dimension: 4\nsizes: 5 2 3 4\nkinds: vector domain domain domain",
      2, 0, 5, 1, { 2, 3, 4 }, 2, { 5, 10, 30 }, "component 2 of 5" },
    { "vector last", "dimension: 4\nsizes: 2 3 4 5\nkinds: domain domain domain covariant-vector",
      4, 0, 5, 1, { 2, 3, 4 }, 96, { 1, 2, 6 }, NULL },
    { "vector in the middle", "dimension: 4\nsizes: 2 5 3 4\nkinds: space vector space space",
      1, 0, 5, 1, { 2, 3, 4 }, 2, { 1, 10, 30 }, NULL },
    { "list", "dimension: 4\nsizes: 2 3 4 5\nkinds: domain domain domain list",
      0, 4, 1, 5, { 2, 3, 4 }, 96, { 1, 2, 6 }, "frame 4 of 5" },
    { "list first", "dimension: 4\nsizes: 5 2 3 4\nkinds: LIST space SPACE Domain",
      0, 4, 1, 5, { 2, 3, 4 }, 4, { 5, 10, 30 }, NULL },
    { "time", "dimension: 4\nsizes: 2 3 4 5\nkinds: space space space time",
      0, 1, 1, 5, { 2, 3, 4 }, 24, { 1, 2, 6 }, NULL },
    { "a fourth domain", "dimension: 4\nsizes: 2 3 4 5\nkinds: domain domain domain domain",
      0, 1, 1, 5, { 2, 3, 4 }, 24, { 1, 2, 6 }, "axis 4 taken for frames" },
    { "colours of an image", "dimension: 3\nsizes: 3 5 8\nkinds: RGB-color domain domain",
      1, 0, 3, 1, { 5, 8, 1 }, 1, { 3, 15, 0 }, NULL },
    { "colours and time", "dimension: 5\nsizes: 3 2 2 2 5\nkinds: 3-color domain domain domain time",
      2, 3, 3, 5, { 2, 2, 2 }, 74, { 3, 6, 12 }, NULL },
    { "time, colours last", "dimension: 5\nsizes: 2 2 2 5 3\nkinds: domain domain domain time RGB-color",
      2, 3, 3, 5, { 2, 2, 2 }, 104, { 1, 2, 4 }, NULL },
    { "complex", "dimension: 4\nsizes: 2 3 4 5\nkinds: complex domain domain domain",
      1, 0, 2, 1, { 3, 4, 5 }, 1, { 2, 6, 24 }, "component 0 is the real part" },
    { "matrices", "dimension: 4\nsizes: 6 2 2 5\nkinds: 3D-symmetric-matrix space space space",
      5, 0, 6, 1, { 2, 2, 5 }, 5, { 6, 12, 24 }, "a component is an entry" },
    { "lists of lists", "dimension: 5\nsizes: 2 2 2 5 3\nkinds: space space space list list",
      0, 14, 1, 15, { 2, 2, 2 }, 112, { 1, 2, 4 }, NULL },
    { "a stub", "dimension: 4\nsizes: 4 1 5 6\nkinds: space stub space space",
      0, 0, 1, 1, { 4, 5, 6 }, 0, { 1, 4, 20 }, NULL },
    { "a fourth axis of one", "dimension: 4\nsizes: 4 5 6 1", 0, 0, 1, 1, { 4, 5, 6 }, 0, { 1, 4, 20 }, NULL },
    { "an unknown kind", "dimension: 3\nsizes: 4 5 6\nkinds: domain gurke\x1b domain",
      0, 0, 1, 1, { 4, 5, 6 }, 0, { 1, 4, 20 }, "unknown kind 'gurke\\x1b'" },
    { "no direction first", "dimension: 4\nsizes: 5 2 3 4\nspace: LPS\nspace directions: none (1,0,0) (0,1,0) (0,0,1)",
      3, 0, 5, 1, { 2, 3, 4 }, 3, { 5, 10, 30 }, "axis 1 taken for components" },
    { "no direction last", "dimension: 4\nsizes: 2 3 4 5\nspace: LPS\nspace directions: (1,0,0) (0,1,0) (0,0,1) none",
      0, 2, 1, 5, { 2, 3, 4 }, 48, { 1, 2, 6 }, "axis 4 taken for frames" },
    { "no direction, a kind", "dimension: 4\nsizes: 2 3 4 5\nspace: LPS\n"
      "space directions: (1,0,0) (0,1,0) (0,0,1) none\nkinds: space space space vector",
      2, 0, 5, 1, { 2, 3, 4 }, 48, { 1, 2, 6 }, NULL },
    { "a direction in time", "dimension: 4\nsizes: 2 3 4 5\nspace: LPST\n"
      "space directions: (1,0,0,0) (0,1,0,0) (0,0,1,0) (0,0,0,2)\nkinds: domain domain domain domain",
      0, 2, 1, 5, { 2, 3, 4 }, 48, { 1, 2, 6 }, NULL },
    { "no spacing", "dimension: 4\nsizes: 5 2 3 4\nspacings: nan 1 1 2",
      3, 0, 5, 1, { 2, 3, 4 }, 3, { 5, 10, 30 }, "axis 1 taken for components" },
};
/* clang-format on */

static void axes_are_what_the_header_says(void)
{
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        const struct load_desc desc = { .component = roles[i].component, .frame = roles[i].frame };
        struct volume v;
        if (!load(&v, &desc, roles[i].what, 120, "%s", roles[i].header)) continue;
        const struct grid *g = &v.grid;
        const size_t *n = roles[i].n;
        const int *step = roles[i].step;
        CHECK(v.components == roles[i].components && v.frames == roles[i].frames);
        CHECK(!strstr(v.note, "ignored")); /* other frames are no surplus */
        if (CHECK(g->nx == n[0] && g->ny == n[1] && g->nz == n[2]))
            for (size_t z = 0; z < n[2]; z++)
                for (size_t y = 0; y < n[1]; y++)
                    for (size_t x = 0; x < n[0]; x++)
                        CHECK_NEAR(grid_value(g, (z * n[1] + y) * n[0] + x),
                                   roles[i].first + (int)x * step[0] + (int)y * step[1] + (int)z * step[2], 0);
        if (!CHECK(roles[i].note ? strstr(v.note, roles[i].note) != NULL : !strstr(v.note, "taken")))
            printf("  its note: %s\n", v.note);
        volume_free(&v);
    }
}

/* 64 values follow each. */
static const struct {
    const char *what, *header, *says;
} refusals[] = {
    { "dimension 1", "dimension: 1\nsizes: 64", "not 2 to 5" },
    { "colours of 4", "dimension: 3\nsizes: 4 4 4\nkinds: RGB-color domain domain", "3 values, but its size is 4" },
    { "scalars of 4", "dimension: 3\nsizes: 4 4 4\nkinds: scalar domain domain", "1 value, but its size is 4" },
    { "too few kinds", "dimension: 3\nsizes: 4 4 4\nkinds: domain domain", "a kind for each axis" },
    { "too many kinds", "dimension: 3\nsizes: 4 4 4\nkinds: domain domain domain domain", "as many kinds" },
    { "components apart", "dimension: 4\nsizes: 2 4 4 2\nkinds: vector domain domain vector", "with other axes between" },
    { "frames apart", "dimension: 4\nsizes: 2 4 4 2\nkinds: list domain domain time", "with other axes between" },
    { "nothing spatial", "dimension: 2\nsizes: 8 8\nkinds: list vector", "none of its axes is spatial" },
    { "frames beyond 2^31", "dimension: 3\nsizes: 1 2000000000 2000000000\nkinds: space list list", "exceed 2147483647" },
    { "unknown space", "dimension: 3\nsizes: 4 4 4\nspace: left-posterior-inferior",
      "'left-posterior-inferior' is unknown" },
    { "unknown letters", "dimension: 3\nsizes: 4 4 4\nspace: LPI", "'LPI' is unknown" },
    { "empty space", "dimension: 3\nsizes: 4 4 4\nspace:", "is unknown" },
    { "two dimensions of space", "dimension: 3\nsizes: 4 4 4\nspace: LPS\nspace dimension: 4", "not that of its space" },
    { "vectors without time", "dimension: 3\nsizes: 4 4 4\nspace: LPST\nspace directions: (1,0,0) (0,1,0) (0,0,1)",
      "a vector like" },
    { "vectors with time", "dimension: 3\nsizes: 4 4 4\nspace: RAS\nspace directions: (1,0,0,0) (0,1,0,0) (0,0,1,0)",
      "a vector like" },
    { "too few directions", "dimension: 4\nsizes: 2 2 4 4\nspace: LPS\nspace directions: (1,0,0) (0,1,0) (0,0,1)",
      "a vector like" },
    { "origin without time", "dimension: 3\nsizes: 4 4 4\nspace: LPST\nspace origin: (1,2,3)", "as many numbers" },
    { "a word among the centers", "dimension: 3\nsizes: 4 4 4\ncenters: cell middle cell", "of cell, node" },
    { "two centers", "dimension: 3\nsizes: 4 4 4\ncenters: cell cell", "a word for each axis" },
    { "four centers", "dimension: 3\nsizes: 4 4 4\ncenters: cell cell cell cell", "as many words" },
    { "two axis mins", "dimension: 3\nsizes: 4 4 4\naxis mins: 1 2", "a number for each axis" },
    { "infinite axis min", "dimension: 3\nsizes: 4 4 4\naxis mins: 1 inf 2", "origin" },
    { "infinite axis max", "dimension: 3\nsizes: 4 4 4\naxis mins: 0 0 0\naxis maxs: 1 inf 2", "long along y" },
    { "axis maxs 1e99", "dimension: 3\nsizes: 4 4 4\naxis mins: 0 0 0\naxis maxs: 1 1e99 2", "long along y" },
    { "two units", "dimension: 3\nsizes: 4 4 4\nunits: \"mm\" \"mm\"", "a unit for each axis" },
    { "centers twice", "dimension: 3\nsizes: 4 4 4\ncenters: cell cell cell\ncenterings: cell cell cell", "twice" },
};

static void other_axes_are_refused(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct bytes file = { 0 };
        append_text(&file, "NRRD0005\ntype: uint8\nencoding: raw\n%s\n\n", refusals[i].header);
        append(&file, (const uint8_t[64]){ 0 }, 64);
        check_subject(refusals[i].what);
        must_refuse(read_nrrd, &file, "test.nrrd", refusals[i].says);
        drop(&file);
    }
}

/* ---- where they lie ---------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *what, *fields; /* of 2 x 3 x 4 voxels */
    double direction[3][3], origin[3];
    enum volume_world world;
    const char *unit, *note; /* NULL: none at all; "": any */
} worlds[] = {
#define OBLIQUE "space directions: (0,2,0) (-3,0,0) (0,0.5,4)\nspace origin: (1,-2.5,3)"
    { "LPS", "space: left-posterior-superior\n" OBLIQUE,
      { { 0, -3, 0 }, { 2, 0, 0.5 }, { 0, 0, 4 } }, { 1, -2.5, 3 }, WORLD_LPS, "mm", NULL },
    { "RAS", "space: right-anterior-superior\n" OBLIQUE,
      { { 0, 3, 0 }, { -2, 0, -0.5 }, { 0, 0, 4 } }, { -1, 2.5, 3 }, WORLD_LPS, "mm", NULL },
    { "LAS", "space: LAS\n" OBLIQUE, { { 0, -3, 0 }, { -2, 0, -0.5 }, { 0, 0, 4 } }, { 1, 2.5, 3 }, WORLD_LPS, "mm", NULL },
    { "ras in microns", "space: ras\nspace units: \"microns\" \"\xc2\xb5m\" \"um\"\n" OBLIQUE,
      { { 0, 3, 0 }, { -2, 0, -0.5 }, { 0, 0, 4 } }, { -1, 2.5, 3 }, WORLD_LPS, "um", NULL },
    { "scanner", "space: scanner-xyz\n" OBLIQUE,
      { { 0, -3, 0 }, { 2, 0, 0.5 }, { 0, 0, 4 } }, { 1, -2.5, 3 }, WORLD_OTHER, "", NULL },
    { "right-handed", "space: 3D-right-handed\n" OBLIQUE,
      { { 0, -3, 0 }, { 2, 0, 0.5 }, { 0, 0, 4 } }, { 1, -2.5, 3 }, WORLD_OTHER, "", NULL },
    { "left-handed", "space: 3D-left-handed\n" OBLIQUE,
      { { 0, -3, 0 }, { 2, 0, 0.5 }, { 0, 0, 4 } }, { 1, -2.5, 3 }, WORLD_OTHER, "", "left-handed" },
    { "a space by number", "space dimension: 3\nmeasurement frame: (1,0,0) (0,1,0) (0,0,1)\n" OBLIQUE,
      { { 0, -3, 0 }, { 2, 0, 0.5 }, { 0, 0, 4 } }, { 1, -2.5, 3 }, WORLD_OTHER, "", NULL },
    { "time", "space: right-anterior-superior-time\nspace directions: (1,0,0,0) (0,2,0,0) (0,0,3,0)\n"
      "space origin: (1,2,3,9)",
      { { -1, 0, 0 }, { 0, -2, 0 }, { 0, 0, 3 } }, { -1, -2, 3 }, WORLD_LPS, "mm", NULL },
    { "space alone", "space: RAS\nspacings: 1 2 3",
      { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3 } }, { 0, 0, 0 }, WORLD_OTHER, "", "how the axes lie" },
    { "both", "spacings: 7 7 7\naxis mins: 1 1 1\nspace: LPS\n" OBLIQUE,
      { { 0, -3, 0 }, { 2, 0, 0.5 }, { 0, 0, 4 } }, { 1, -2.5, 3 }, WORLD_LPS, "mm", "both spacings and space directions" },
    { "cells", "axis mins: 0 10 -4\naxis maxs: 1 16 4\ncenters: cell cell cell",
      { { 0.5, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2 } }, { 0.25, 11, -3 }, WORLD_OTHER, "", NULL },
    { "nodes", "axis mins: 0 10 -4\naxis maxs: 1 16 2\ncenterings: node node node",
      { { 1, 0, 0 }, { 0, 3, 0 }, { 0, 0, 2 } }, { 0, 10, -4 }, WORLD_OTHER, "", NULL },
    { "no centers", "axis mins: 0 10 -4\naxis maxs: 1 16 4",
      { { 0.5, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2 } }, { 0.25, 11, -3 }, WORLD_OTHER, "", "without centers" },
    { "mins equal to maxs", "axis mins: 0 0 4\naxis maxs: 0 0 4\ncenters: node node node",
      { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 4 }, WORLD_OTHER, "",
      "mins and maxs are equal; a spacing of 1 assumed" },
    { "mins and spacings", "axis mins: 1 2 3\nspacings: 2 2 2\ncenters: node cell node",
      { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2 } }, { 1, 3, 3 }, WORLD_OTHER, "", NULL },
    { "maxs and spacings", "axis maxs: 1 2 3\nspacings: 2 2 2\ncenters: node cell node",
      { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2 } }, { -1, -3, -3 }, WORLD_OTHER, "", NULL },
    { "some mins", "axis mins: nan 2 nan\naxis maxs: NaN nan 3\ncenters: node node node\nspacings: nan 2 1",
      { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 1 } }, { 0, 2, 0 }, WORLD_OTHER, "", "1 assumed" },
    { "agreement", "axis mins: 0 0 0\naxis maxs: 1 2 3\nspacings: 1 1 1\ncenters: node node node\nthicknesses: 9 9 9",
      { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 }, WORLD_OTHER, "", NULL },
    { "conflict", "axis mins: 0 0 0\naxis maxs: 1 2 5\nspacings: 1 1 1\ncenters: node node node",
      { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 }, WORLD_OTHER, "", "contradict" },
    { "mins equal to maxs, and spacings", "axis mins: 0 0 0\naxis maxs: 0 0 0\nspacings: 1 2 3\ncenters: node node node",
      { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3 } }, { 0, 0, 0 }, WORLD_OTHER, "", "contradict the spacings, which are used" },
    { "backwards", "axis mins: 1 10 4\naxis maxs: 0 4 -4\ncenters: cell node cell",
      { { -0.5, 0, 0 }, { 0, -3, 0 }, { 0, 0, -2 } }, { 0.75, 10, 3 }, WORLD_OTHER, "", NULL },
    { "units", "units: \"millimeters\" \"mm\" \"millimetre\"",
      { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 }, WORLD_OTHER, "mm", NULL },
    { "inches", "units: \"inches\" \"in\" \"inch\"",
      { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 }, WORLD_OTHER, "in", NULL },
    { "unknown units", "units: \"\" \"light years\" \"light years\"",
      { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 }, WORLD_OTHER, "light y", NULL },
    { "different units", "units: \"mm\" \"mm\" \"um\"",
      { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 }, WORLD_OTHER, "", "different units" },
    { "a unit for terminals", "units: \"\x1b[m\" \"\x1b[m\" \"\x1b[m\"",
      { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 }, WORLD_OTHER, "\\x1b[m", NULL },
};
/* clang-format on */

static void axes_lie_where_the_header_says(void)
{
    static const struct load_desc plain;
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        struct volume v;
        if (!load(&v, &plain, worlds[i].what, 24, "dimension: 3\nsizes: 2 3 4\n%s", worlds[i].fields)) continue;
        for (int row = 0; row < 3; row++) {
            CHECK_NEAR(v.origin[row], worlds[i].origin[row], 1e-12);
            for (int a = 0; a < 3; a++) CHECK_NEAR(v.direction[row][a], worlds[i].direction[row][a], 1e-12);
        }
        CHECK(v.world == worlds[i].world && !strcmp(v.unit, worlds[i].unit));
        if (!CHECK(worlds[i].note ? strstr(v.note, worlds[i].note) != NULL : !*v.note)) printf("  its note: %s\n", v.note);
        volume_free(&v);
    }
}

/* The spatial axes of colours, of images, and in reversed order. */
static void others_lie_there_too(void)
{
    static const struct load_desc plain, reversed = { .z_fastest = true };
    struct volume v;
    if (load(&v, &plain, "colours", 72,
             "dimension: 4\nsizes: 3 2 3 4\nkinds: RGB-color space space space\nspace: RAS\n"
             "space directions: none (1,0,0) (0,2,0) (0,0,3)\nspace origin: (5,6,7)"))
        CHECK(v.direction[0][0] == -1 && v.direction[1][1] == -2 && v.direction[2][2] == 3 && v.origin[0] == -5);
    volume_free(&v);
    if (load(&v, &plain, "spacings of colours", 72,
             "dimension: 4\nsizes: 3 2 3 4\nkinds: RGB-color space space space\nspacings: nan 2 3 4\naxis mins: nan 1 2 3\n"
             "centers: none node node node\nunits: \"\" \"nm\" \"nm\" \"nm\""))
        CHECK(v.direction[0][0] == 2 && v.direction[2][2] == 4 && v.origin[2] == 3 && !strcmp(v.unit, "nm"));
    volume_free(&v);
    if (load(&v, &plain, "an image in space", 6,
             "dimension: 2\nsizes: 2 3\nspace: LPS\nspace directions: (0,2,0) (0,0,-3)\nspace origin: (1,2,3)"))
        CHECK(v.direction[0][2] == -1 && v.direction[1][2] == 0 && v.direction[2][2] == 0 && v.direction[2][1] == -3);
    volume_free(&v);
    if (load(&v, &plain, "an image in a plane", 6,
             "dimension: 2\nsizes: 2 3\nspace dimension: 2\nspace directions: (2,0) (0,3)\nspace origin: (1,2)"))
        CHECK(volume_handedness(&v) == 6 && v.direction[2][2] == 1 && v.origin[0] == 1 && v.origin[2] == 0);
    volume_free(&v);
    if (load(&v, &reversed, "z fastest", 24,
             "dimension: 3\nsizes: 4 3 2\nspacings: 1 2 3\naxis mins: 10 20 30\ncenters: node node node")) {
        CHECK(v.grid.nx == 2 && v.grid.ny == 3 && v.grid.nz == 4 && grid_value(&v.grid, 1) == 12);
        CHECK(v.direction[0][0] == 3 && v.direction[1][1] == 2 && v.direction[2][2] == 1);
        CHECK(v.origin[0] == 30 && v.origin[1] == 20 && v.origin[2] == 10);
    }
    volume_free(&v);
    if (load(&v, &reversed, "z fastest, in colour", 72,
             "dimension: 4\nsizes: 3 4 3 2\nkinds: vector domain domain domain\nspacings: nan 1 2 3"))
        CHECK(v.grid.nx == 2 && v.grid.nz == 4 && grid_value(&v.grid, 1) == 36 && v.direction[0][0] == 3);
    volume_free(&v);
}

int main(void)
{
    axes_are_what_the_header_says();
    other_axes_are_refused();
    axes_lie_where_the_header_says();
    others_lie_there_too();
    return check_summary("test_nrrd_axes");
}
