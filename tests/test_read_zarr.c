/* Reading Zarr: every type, codec, order and kind of shard against the values written; OME's levels, axes, units; what is
 * not known, broken, or leads out of the folder. */
#include "zarr_util.h"

#include "store.h"

static const struct zarr_spec plain_2 = { .format = 2, .type = &stored_types[STORED_UINT16] },
                              plain_3 = { .format = 3, .type = &stored_types[STORED_UINT16] },
                              packed_3 = { .format = 3, .type = &stored_types[STORED_UINT16], .codecs = { "zstd" } },
                              shards = {
                                  .format = 3, .type = &stored_types[STORED_UINT16], .codecs = { "zstd" }, .sharded = true
                              };

static void begin(void)
{
    remove_folder();
    CHECK(mkdir(folder, 0777) == 0);
}

static bool has_samples(const struct volume *v, const struct stored_type *type)
{
    bool same = v->grid.nx == NX && v->grid.ny == NY && v->grid.nz == NZ;
    for (int i = 0; same && i < N; i++) same = (double)grid_value(&v->grid, (size_t)i) == sample(type, i, 0);
    return same;
}

/* Loads; prints the error where there should be none. */
static bool loads(struct volume *v, const char *name, const struct load_desc *desc)
{
    struct err err = { 0 };
    return is_fine(load_volume(v, in_folder(name), desc, &err), &err);
}

static void says(const char *name, const struct load_desc *desc, int code, const char *must_say)
{
    struct volume v;
    struct err err = { 0 };
    check_subject(must_say);
    if (!CHECK(load_volume(&v, in_folder(name), desc, &err) == code && !v.grid.voxels) ||
        !CHECK(strstr(err.text, must_say)))
        printf("  it says: %s\n", err.text);
    volume_free(&v);
}

static void refuses(const char *name, const char *must_say) { says(name, NULL, ERR_INPUT, must_say); }

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static void check_array(const struct zarr_spec *s)
{
    char subject[128];
    struct volume v;
    snprintf(subject, sizeof subject, "format %d, %s, %s, %s, %s + %s%s%s", s->format, s->type->name,
             s->big ? "big" : "little", s->fortran ? "F" : "C", s->codecs[0] ? s->codecs[0] : "none",
             s->codecs[1] ? s->codecs[1] : "none", s->sharded ? ", shards" : "", s->index_first ? ", index first" : "");
    check_subject(subject);
    begin();
    put_array("a.zarr", s);
    if (!loads(&v, "a.zarr", NULL)) return;
    CHECK(has_samples(&v, s->type));
    volume_free(&v);
}

static void test_types(void)
{
    for (const struct stored_type *type = stored_types; type->name && strcmp(type->name, "float16") != 0; type++)
        for (int i = 0; i < 16; i++) {
            const struct zarr_spec s = { i & 1 ? 3 : 2, type, .big = i & 2, .fortran = i & 4, .sharded = (i & 9) == 9 };
            check_array(&s);
        }
}

static void test_codecs(void)
{
    static const char *const names[] = { "blosc", "zstd", "gzip", "crc32c", "zlib" };
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 4; k++) {
            const struct zarr_spec s = { 3, &stored_types[STORED_INT16], .sharded = k & 1, .index_first = k == 3,
                                         .codecs = { names[i], k & 2 ? "crc32c" : NULL } };
            if (i < 4) check_array(&s);
        }
        const struct zarr_spec chain = { 3, &stored_types[STORED_FLOAT32], .codecs = { "crc32c", names[i], "zstd" } };
        if (i < 4) check_array(&chain);
        const struct zarr_spec s = { 2, &stored_types[STORED_INT16], .codecs = { names[i] } };
        if (i != 3) check_array(&s);
    }
}

/* What is not there is the fill value, and is told. */
static void test_missing(void)
{
    const struct zarr_spec *const specs[] = { &plain_2, &plain_3, &shards };
    const char *const files[] = { "a.zarr/0.0.0", "a.zarr/c/0/0/0", "a.zarr/c/0/0/0" }, *const notes[] = { "1 of 12",
                                                                                                           "1 of 12",
                                                                                                           "4 of 12" };
    for (int i = 0; i < 3; i++) {
        struct volume v;
        check_subject(notes[i]);
        begin();
        put_array("a.zarr", specs[i]);
        CHECK(unlink(in_folder(files[i])) == 0);
        if (!loads(&v, "a.zarr", NULL)) continue;
        CHECK((double)grid_value(&v.grid, 0) == 7 &&
              (double)grid_value(&v.grid, N - 1) == sample(specs[i]->type, N - 1, 0));
        is_said(v.note, notes[i]);
        volume_free(&v);
    }
}

/* Replaces `from` in the metadata of an array by `to`. */
static void change(const char *name, const struct zarr_spec *s, const char *from, const char *to)
{
    char path[256];
    struct bytes meta = { 0 }, changed = { 0 };
    if (s->format == 2) meta_2(&meta, s);
    else meta_3(&meta, s);
    append(&meta, "", 1);
    const char *text = (const char *)meta.data, *at = strstr(text, from);
    if (CHECK(at != NULL)) append_text(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    snprintf(path, sizeof path, "%s/%s", name, s->format == 2 ? ".zarray" : "zarr.json");
    if (at) put(path, changed.data, changed.size);
    drop(&meta), drop(&changed);
}

static void test_fill(void)
{
    static const struct {
        int type;
        const char *text;
        double value;
    } cases[] = { { STORED_FLOAT32, "\"NaN\"", NAN },
                  { STORED_FLOAT32, "\"-Infinity\"", -INFINITY },
                  { STORED_FLOAT32, "\"0x3fc00000\"", 1.5 },
                  { STORED_FLOAT64, "\"0x3ff8000000000000\"", 1.5 },
                  { STORED_FLOAT16, "\"0x3e00\"", 1.5 },
                  { STORED_INT16, "-300", -300 },
                  { STORED_UINT8, "true", 1 },
                  { STORED_INT8, "-128", -128 },
                  { STORED_UINT64, "9007199254740992", 0x1p53 },
                  { STORED_UINT64, "18446744073709551615", 0x1p64 },
                  { STORED_FLOAT32, "NaN", NAN }, /* bare, as Python writes them */
                  { STORED_FLOAT64, "-Infinity", -INFINITY },
                  { STORED_FLOAT32, "null", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct zarr_spec s = { 3, &stored_types[cases[i].type], .sharded = i & 1 };
        struct volume v;
        check_subject(cases[i].text);
        begin();
        make_folders("a.zarr/");
        change("a.zarr", &s, "\"fill_value\": 7", "\"fill_value\": 8");
        char text[64];
        snprintf(text, sizeof text, "\"fill_value\": %s", cases[i].text);
        change("a.zarr", &s, "\"fill_value\": 7", text);
        if (!loads(&v, "a.zarr", NULL)) continue;
        for (size_t k = 0; k < N; k++) {
            const double value = (double)grid_value(&v.grid, k);
            CHECK(isnan(cases[i].value) ? isnan(value) : value == cases[i].value);
        }
        volume_free(&v);
    }
}

/* What xarray writes of the CF conventions: a straight line from stored to real values. A negative slope makes float32, in
 * chunks that are there and in one that is not. */
static void test_calibration(void)
{
    static const struct {
        const char *attributes;
        double slope, intercept; /* of the volume, whose slopes are positive */
        bool negated;
        const char *note; /* "": none about missing values */
    } cases[] = {
        { "{}", 1, 0, false, "" },
        { "{\"scale_factor\": 0.5, \"add_offset\": -3, \"_FillValue\": \"NaN\"}", 0.5, -3, false, "" },
        { "{\"scale_factor\": [0.25], \"_FillValue\": -999}", 0.25, 0, false, "stored values of -999 stand for none" },
        { "{\"add_offset\": 273.15}", 1, 273.15, false, "" },
        { "{\"_FillValue\": NaN, \"a\": [Infinity,-Infinity], \"NaN \\\"NaN\": {\"id\":36893488147419103232}, "
          "\"nul\": \"\\u0000\", \"scale_factor\": 0.125}",
          0.125, 0, false, "" },
        { "{\"scale_factor\": -2, \"add_offset\": 1}", 2, 1, true, "" },
    };
    const struct zarr_spec whole = { 3, &stored_types[STORED_INT16], .sharded = true },
                           wide = { 2, &stored_types[STORED_FLOAT64] };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const struct zarr_spec *spec = i & 1 ? &wide : &whole;
        char text[256];
        struct volume v;
        check_subject(cases[i / 2].attributes);
        snprintf(text, sizeof text, "\"attributes\": %s", cases[i / 2].attributes);
        begin();
        put_array("a.zarr", spec);
        if (i & 1) put_text("a.zarr/.zattrs", cases[i / 2].attributes);
        else change("a.zarr", spec, "\"attributes\": {}", text);
        CHECK(unlink(in_folder(i & 1 ? "a.zarr/0.0.0" : "a.zarr/c/0/0/0")) == 0);
        if (!loads(&v, "a.zarr", NULL)) continue;
        const double sign = cases[i / 2].negated ? -1 : 1;
        CHECK(v.slope == cases[i / 2].slope && v.intercept == cases[i / 2].intercept);
        CHECK((v.grid.type == VOXEL_FLOAT32) == (i & 1 || cases[i / 2].negated));
        CHECK((double)grid_value(&v.grid, 0) == sign * 7);
        CHECK((double)grid_value(&v.grid, N - 1) == sign * sample(spec->type, N - 1, 0));
        if (!CHECK(!strstr(v.note, *cases[i / 2].note ? cases[i / 2].note : "stand for") == !*cases[i / 2].note))
            printf("  it says: %s\n", v.note);
        volume_free(&v);
    }
    begin();
    put_array("a.zarr", &plain_2);
    put_text("a.zarr/.zattrs", "{\"scale_factor\": \"0.5\"}");
    refuses("a.zarr", "'scale_factor' in its attributes is not a number");
    put_text("a.zarr/.zattrs", "{\"add_offset\": [1, 2]}");
    refuses("a.zarr", "'add_offset' in its attributes is not a number");
    put_text("a.zarr/.zattrs", "{\"scale_factor\": 0}");
    refuses("a.zarr", "slope 0");
    put_text("a.zarr/.zattrs", "{\"scale_factor\": NaN}");
    refuses("a.zarr", "'scale_factor' in its attributes is not a number");
    put_text("a.zarr/.zattrs", "{\"a\": NaNs}");
    refuses("a.zarr", "not JSON: line 1");
    put_text("a.zarr/.zattrs", "{\"a\": \"NaN");
    refuses("a.zarr", "not JSON: line 1");
}

/* ---- OME --------------------------------------------------------------------------------------------------------- */

#define AXES                                                                                                              \
    "[{\"name\": \"z\", \"type\": \"space\", \"unit\": \"nanometer\"}, {\"name\": \"y\", \"type\": \"space\", \"unit\": " \
    "\"micrometer\"}, {\"name\": \"x\", \"type\": \"space\", \"unit\": \"micrometer\"}]"
#define SCALE(z, y, x)                                       \
    "[{\"type\": \"scale\", \"scale\": [" #z ", " #y ", " #x \
    "]}, {\"type\": \"translation\", \"translation\": [500, 2, 3]}]"
#define IMAGE                                                                                      \
    "{\"axes\": " AXES ", \"datasets\": [{\"path\": \"0\", \"coordinateTransformations\": " SCALE( \
        2000, 0.5, 0.25) "}, "                                                                     \
                         "{\"path\": \"1\", \"coordinateTransformations\": " SCALE(                \
                             4000, 1, 0.5) "}], \"coordinateTransformations\": "                   \
                                           "[{\"type\": \"scale\", \"scale\": [1, 1, 2]}]}"

/* The middle of a voxel of level 1 lies between two of level 0. */
#define MOVED                                                                                                    \
    "{\"axes\": " AXES ", \"datasets\": [{\"path\": \"0\", \"coordinateTransformations\": " SCALE(               \
        2000, 0.5,                                                                                               \
        0.25) "}, {\"path\": \"1\", \"coordinateTransformations\": [{\"type\": \"scale\", \"scale\": [4000, 1, " \
              "0.5]}, {\"type\": \"translation\", \"translation\": [1500, 2.25, 3.125]}]}]}"

static void put_image(int format)
{
    begin();
    put_array("a.zarr/0", format == 2 ? &plain_2 : &shards);
    put_array("a.zarr/1", format == 2 ? &plain_2 : &packed_3);
    if (format == 2) {
        put_text("a.zarr/.zgroup", "{\"zarr_format\": 2}");
        put_text("a.zarr/.zattrs", "{\"multiscales\": [" IMAGE "]}");
        change("a.zarr/1", &plain_2, "[5, 4, 3]", "[3, 2, 2]");
    } else {
        put_text("a.zarr/zarr.json",
                 "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"ome\": {\"version\": \"0.5\", "
                 "\"multiscales\": [" IMAGE "]}}}");
        change("a.zarr/1", &packed_3, "[5, 4, 3]", "[3, 2, 2]");
    }
}

static void check_level(const char *file, const struct load_desc *desc, size_t nx, double x, const char *note)
{
    struct volume v;
    check_subject(note);
    if (!loads(&v, file, desc)) return;
    CHECK(v.grid.nx == nx && volume_spacing(&v, 0) == x && volume_spacing(&v, 1) == x && volume_spacing(&v, 2) == 4 * x);
    CHECK(!strcmp(v.unit, "um") && v.origin[0] == 6 && v.origin[1] == 2 && v.origin[2] == 0.5);
    is_said(v.note, note);
    volume_free(&v);
}

static void test_levels(void)
{
    for (int format = 2; format < 4; format++) {
        put_image(format);
        check_level("a.zarr", NULL, NX, 0.5, "level 0 of 0 to 1");
        check_level(format == 2 ? "a.zarr/.zattrs" : "a.zarr/zarr.json", NULL, NX, 0.5, "level 0 of 0 to 1");
        check_level("a.zarr", &(struct load_desc){ .level = 1, .level_given = true }, 2, 1, "level 1 of 0 to 1");
        says("a.zarr", &(struct load_desc){ .level = 2, .level_given = true }, ERR_USAGE, "the file has levels 0 to 1");
        says("a.zarr/0", &(struct load_desc){ .level = 1, .level_given = true }, ERR_USAGE, "only one");
        says("a.zarr", &(struct load_desc){ .memory = 100, .level_given = true }, ERR_FAILED, "need");
    }
    write_text("a_2x2x2_uint8.raw", "12345678");
    says("a_2x2x2_uint8.raw", &(struct load_desc){ .level = 1, .level_given = true }, ERR_USAGE, "only one");
}

/* Another spacing is that of level 0 at every level: its voxels' distances and places grow with those of level 0. */
static void test_spacing_of_levels(void)
{
    for (int level = 0; level < 2; level++) {
        const double x = level ? 2 : 1;
        struct load_desc desc = { .spacing = { 5, 0, 7 }, .level = (uint64_t)level, .level_given = true };
        struct volume v;
        put_image(3);
        put_text("a.zarr/zarr.json",
                 "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"ome\": {\"version\": "
                 "\"0.5\", \"multiscales\": [" MOVED "]}}}");
        if (!loads(&v, "a.zarr", &desc)) continue;
        CHECK_NEAR(volume_spacing(&v, 0), 5 * x, 1e-12);
        CHECK_NEAR(volume_spacing(&v, 1), x / 2, 1e-12);
        CHECK_NEAR(volume_spacing(&v, 2), 7 * x, 1e-12);
        CHECK_NEAR(v.origin[0], 3 + (level ? 2.5 : 0), 1e-12);
        CHECK_NEAR(v.origin[1], 2 + (level ? 0.25 : 0), 1e-12);
        CHECK_NEAR(v.origin[2], 0.5 + (level ? 3.5 : 0), 1e-12);
        volume_free(&v);
    }
}

/* Level 0 has 120 bytes of voxels, level 1 has 24; chunks take 64 KiB to read, so that none fits, but the choice is
 * told. */
static void test_level_by_memory(void)
{
    put_image(3);
    struct volume v;
    struct err err = { 0 };
    CHECK(load_volume(&v, in_folder("a.zarr"), &(struct load_desc){ .memory = 119 }, &err) == ERR_FAILED);
    CHECK(strstr(err.text, "one of its chunks") != NULL); /* of level 1, whose voxels fit */
    put_image(3);
    change("a.zarr/0", &shards, "[5, 4, 3]", "[500, 400, 300]");
    check_level("a.zarr", &(struct load_desc){ .memory = 1 << 20 }, 2, 1,
                "level 1 of 0 to 1: the finest, 300 x 400 x 500, exceeds");
}

static void test_channels(void)
{
    static const char *const meta =
        "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [2, 3, 1, 2, 2], \"data_type\": \"uint8\", "
        "\"chunk_grid\": {\"name\": "
        "\"regular\", \"configuration\": {\"chunk_shape\": [2, 2, 1, 2, 2]}}, \"chunk_key_encoding\": {\"name\": \"v2\", "
        "\"configuration\": {\"separator\": \"/\"}}, \"fill_value\": 0, \"codecs\": [\"bytes\"]%s}";
    static const char *const names[] = { "", ", \"dimension_names\": [\"t\", \"c\", \"z\", \"y\", \"x\"]" };
    begin();
    for (int i = 0; i < 2; i++) {
        char text[1024], chunk[16];
        snprintf(text, sizeof text, meta, names[i]);
        put_text("a.zarr/zarr.json", text);
        for (int k = 0; k < 16; k++) chunk[k] = (char)k;
        put("a.zarr/0/0/0/0/0", chunk, 16);
        for (int k = 0; k < 16; k++) chunk[k] = (char)(16 + k);
        put("a.zarr/0/1/0/0/0", chunk, 16);
        for (uint64_t t = 0; t < 2; t++)
            for (uint64_t c = 0; c < 3; c++) {
                struct volume v;
                if (!loads(&v, "a.zarr", &(struct load_desc){ .frame = t, .component = c })) continue;
                const double first = (double)(c / 2 * 16 + t * 8 + c % 2 * 4);
                CHECK(v.frames == 2 && v.components == 3 && (double)grid_value(&v.grid, 0) == first &&
                      (double)grid_value(&v.grid, 3) == first + 3);
                CHECK((strstr(v.note, "axes are taken") == NULL) == i);
                volume_free(&v);
            }
        says("a.zarr", &(struct load_desc){ .component = 3 }, ERR_USAGE, "the file has 0 to 2");
    }
}

static void test_groups(void)
{
    struct volume v;
    begin();
    put_text("a.zarr/.zgroup", "{\"zarr_format\": 2}");
    refuses("a.zarr", "holds no array");
    put_array("a.zarr/10", &plain_2);
    put_array("a.zarr/9", &plain_3);
    put_text("a.zarr/.other/.zgroup", "{\"zarr_format\": 2}");
    if (loads(&v, "a.zarr", NULL)) CHECK(has_samples(&v, plain_3.type) && strstr(v.note, "'9' of 2 arrays"));
    volume_free(&v);
    if (loads(&v, "a.zarr", &(struct load_desc){ .array = "10" })) CHECK(has_samples(&v, plain_2.type));
    volume_free(&v);
    says("a.zarr", &(struct load_desc){ .array = "11" }, ERR_INPUT, "'11' cannot be opened");
    says("a.zarr", &(struct load_desc){ .array = "../a.zarr/9" }, ERR_INPUT, "not a path inside");
    put_text("a.zarr/.zattrs", "{\"plate\": {}}");
    refuses("a.zarr", "a plate");
}

/* ---- what cannot be read ----------------------------------------------------------------------------------------- */

static void test_refused(void)
{
    static const struct {
        const struct zarr_spec *spec;
        const char *from, *to, *says;
    } cases[] = {
        { &plain_2, "\"zarr_format\": 2", "\"zarr_format\": 1", "'zarr_format'" },
        { &plain_2, "<u2", "<c8", "'<c8'" },
        { &plain_2, "\"<u2\"", "[[\"a\", \"<u2\"]]", "a structure" },
        { &plain_2, "\"<u2\"", "\"|u2\"", "'|u2'" },
        { &plain_2, "\"order\": \"C\"", "\"order\": \"A\"", "'order'" },
        { &plain_2, "\"filters\": null", "\"filters\": [{\"id\": \"delta\"}]", "filter 'delta'" },
        { &plain_2, "\"compressor\": null", "\"compressor\": {\"id\": \"lz4\"}", "compressor 'lz4'" },
        { &plain_2, "\"filters\": null", "\"dimension_separator\": \"-\"", "'separator'" },
        { &plain_2, "[2, 3, 2]", "[2, 3]", "'chunks'" },
        { &plain_2, "[2, 3, 2]", "[2, 0, 2]", "'chunks'" },
        { &plain_2, "[2, 3, 2]", "[4294967296, 4294967296, 4294967296]", "more bytes than can be counted" },
        { &plain_2, "[5, 4, 3]", "[5, 4, -3]", "'shape'" },
        { &plain_2, "[5, 4, 3]", "[5, 4, 4294967296]", "4294967296 values along an axis" },
        { &plain_2, "[5, 4, 3]", "[100, 900, 900]", "6750000 chunks of 12 values" },
        { &plain_2, "[5, 4, 3]", "[1, 1, 1, 1, 1, 1, 5, 4, 3]", "9 axes" },
        { &plain_2, "\"fill_value\": 7", "\"fill_value\": 65536", "'fill_value'" },
        { &plain_2, "\"fill_value\": 7", "\"fill_value\": 0.5", "'fill_value'" },
        { &plain_2, "\"fill_value\": 7", "\"fill_value\": \"NaN\"", "'fill_value'" },
        { &plain_2, "\"fill_value\": 7", "\"fill_value\": 7, \"fill_value\": 8", "not JSON" },
        { &plain_2, "{", "[{", "not JSON" },
        { &plain_3, "\"array\"", "\"stream\"", "'node_type'" },
        { &plain_3, "uint16", "complex64", "'complex64'" },
        { &plain_3, "\"regular\"", "\"rectilinear\"", "chunk_grid 'rectilinear'" },
        { &plain_3, "\"default\"", "\"fancy\"", "'fancy'" },
        { &plain_3, "\"attributes\"", "\"new\": {}, \"attributes\"", "extension 'new'" },
        { &plain_3, "\"attributes\"", "\"storage_transformers\": [{\"name\": \"far\"}], \"attributes\"",
          "transformer 'far'" },
        { &packed_3, "\"zstd\"", "\"zlib\"", "codec 'zlib'" },
        { &packed_3, "\"zstd\"", "\"numcodecs.lzma\"", "codec 'numcodecs.lzma'" },
        { &packed_3, "\"bytes\"", "\"vlen-utf8\"", "codec 'vlen-utf8'" },
        { &packed_3, "\"little\"", "\"middle\"", "'endian'" },
        { &shards, "\"zstd\"", "\"sharding_indexed\"", "codec 'sharding_indexed'" },
        { &shards, "\"chunk_shape\": [2, 3, 2]", "\"chunk_shape\": [3, 3, 2]", "a divisor" },
        { &shards, "\"chunk_shape\": [4, 6, 2]", "\"chunk_shape\": [2000000, 3000000, 2]", "16777216" },
        { &shards, "\"index_location\": \"end\"", "\"index_location\": \"middle\"", "'index_location'" },
        { &shards, "\"crc32c\"", "\"zstd\"", "index by codec 'zstd'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        put_array("a.zarr", cases[i].spec);
        change("a.zarr", cases[i].spec, cases[i].from, cases[i].to);
        refuses("a.zarr", cases[i].says);
    }
    /* no advice to write what has just been refused */
    struct volume v;
    struct err err = { 0 };
    begin();
    put_array("a.zarr", &shards);
    change("a.zarr", &shards, "\"zstd\"", "\"sharding_indexed\"");
    CHECK(load_volume(&v, in_folder("a.zarr"), NULL, &err) && strstr(err.advice, "only codec"));
    begin();
    put_array("a.zarr", &plain_3);
    change("a.zarr", &plain_3, "\"attributes\"", "\"new\": {\"must_understand\": false}, \"attributes\"");
    if (loads(&v, "a.zarr", NULL)) volume_free(&v);
}

static void test_images_refused(void)
{
    static const char *const group = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"ome\": {%s}}}";
    static const struct {
        const char *ome, *says;
    } cases[] = {
        { "\"multiscales\": []", "0 levels" },
        { "\"multiscales\": 3", "0 levels" },
        { "\"version\": \"0.6\", \"multiscales\": [{\"datasets\": [{\"path\": \"0\"}]}]", "OME-Zarr 0.6" },
        { "\"multiscales\": [{\"datasets\": [{}]}]", "has no path" },
        { "\"multiscales\": [{\"datasets\": [{\"path\": \"../b.zarr\"}]}]", "not a path inside" },
        { "\"multiscales\": [{\"datasets\": [{\"path\": \"/etc\"}]}]", "not a path inside" },
        { "\"multiscales\": [{\"datasets\": [{\"path\": \"none\"}]}]", "'none' cannot be opened" },
        { "\"multiscales\": [{\"datasets\": [{\"path\": \"link\"}]}]", "is a link" },
        { "\"multiscales\": [{\"axes\": [\"y\", \"x\"], \"datasets\": [{\"path\": \"0\"}]}]", "names 2 axes" },
        { "\"multiscales\": [{\"axes\": [\"q\", \"y\", \"x\"], \"datasets\": [{\"path\": \"0\"}]}]",
          "axis 0, 'q', has 5 values" },
        { "\"multiscales\": [{\"axes\": [\"x\", \"y\", \"x\"], \"datasets\": [{\"path\": \"0\"}]}]", "each once" },
        { "\"multiscales\": [{\"axes\": [\"z\", \"c\", \"x\"], \"datasets\": [{\"path\": \"0\"}]}]", "no axes x and y" },
    };
    begin();
    put_array("a.zarr/0", &plain_3);
    put_array("b.zarr", &plain_3);
    CHECK(symlink("../b.zarr", in_folder("a.zarr/link")) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, group, cases[i].ome);
        put_text("a.zarr/zarr.json", text);
        refuses("a.zarr", cases[i].says);
    }
    put_text("a.zarr/zarr.json",
             "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"ome\": {\"multiscales\": "
             "[{\"datasets\": [{\"path\": \"link\"}]}]}}}");
    struct volume v;
    if (loads(&v, "a.zarr", &(struct load_desc){ .anywhere = true })) volume_free(&v);
    struct err err = { 0 };
    CHECK(load_volume(&v, in_folder("a.zarr"), &(struct load_desc){ .array = "../b.zarr", .anywhere = true }, &err));
    CHECK(strstr(err.text, "not a path inside") && !strstr(err.advice, "--data-anywhere")); /* it would not help */
    if (loads(&v, "a.zarr", &(struct load_desc){ .array = "0/" })) volume_free(&v);         /* as shells complete it */
}

static void test_links(void)
{
    begin();
    put_array("a.zarr", &plain_3);
    char to[512];
    snprintf(to, sizeof to, "%s", in_folder("other"));
    CHECK(rename(in_folder("a.zarr/c/1"), to) == 0 && symlink("../../other", in_folder("a.zarr/c/1")) == 0);
    refuses("a.zarr", "is a link");
    begin();
    put_array("a.zarr", &plain_3);
    CHECK(unlink(in_folder("a.zarr/c/0/0/1")) == 0 && symlink("0", in_folder("a.zarr/c/0/0/1")) == 0);
    refuses("a.zarr", "'c/0/0/1' is a link");
    CHECK(unlink(in_folder("a.zarr/c/0/0/1")) == 0 && mkfifo(in_folder("a.zarr/c/0/0/1"), 0666) == 0);
    refuses("a.zarr", "no regular file");
    CHECK(unlink(in_folder("a.zarr/zarr.json")) == 0 && symlink("../b", in_folder("a.zarr/zarr.json")) == 0);
    put_text("b", "{}");
    refuses("a.zarr", "is a link");
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

static struct bytes take(const char *name)
{
    struct bytes file = { 0 };
    uint8_t data[4096] = { 0 };
    FILE *from = fopen(in_folder(name), "rb");
    if (CHECK(from != NULL)) append(&file, data, fread(data, 1, sizeof data, from));
    if (from) fclose(from);
    return file;
}

/* Cut at every byte, and longer; every codec, and shards. */
static void test_cut_off(void)
{
    static const char *const codecs[] = { NULL, "blosc", "zstd", "gzip", "crc32c" };
    for (int i = 0; i < 10; i++) {
        const struct zarr_spec s = { 3, &stored_types[STORED_UINT16], .sharded = i & 1, .codecs = { codecs[i / 2] } };
        begin();
        put_array("a.zarr", &s);
        struct bytes file = take("a.zarr/c/0/0/0");
        for (size_t n = 0; n < file.size; n++) {
            put("a.zarr/c/0/0/0", file.data, n);
            refuses("a.zarr", "chunk 'c/0/0/0'");
        }
        append(&file, "more", 4);
        put("a.zarr/c/0/0/0", file.data, file.size);
        refuses("a.zarr", "chunk 'c/0/0/0'");
        drop(&file);
    }
}

/* An index that lies, with the right checksum. */
static void test_index(void)
{
    static const uint64_t lies[][2] = { { 0, UINT64_MAX },     { UINT64_MAX, 10 }, { 1 << 20, 10 },
                                        { 5, UINT64_MAX - 2 }, { 0, 0 },           { 0, 200 } };
    begin();
    put_array("a.zarr", &shards);
    struct bytes good = take("a.zarr/c/0/0/0");
    if (!CHECK(good.data && good.size > 68)) {
        drop(&good);
        return;
    }
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct bytes bad = { 0 }, index = { 0 };
        append(&index, good.data + good.size - 68, 64);
        struct bytes first = { 0 };
        append_number(&first, lies[i][0]), append_number(&first, lies[i][1]);
        memcpy(index.data, first.data, 16);
        append_crc(&index, index.data, index.size);
        append(&bad, good.data, good.size - 68), append(&bad, index.data, index.size);
        put("a.zarr/c/0/0/0", bad.data, bad.size);
        refuses("a.zarr", "chunk 'c/0/0/0'");
        drop(&bad), drop(&index), drop(&first);
    }
    for (size_t k = good.size - 68; k < good.size; k++) { /* every bit counts */
        good.data[k] ^= 4;
        put("a.zarr/c/0/0/0", good.data, good.size);
        refuses("a.zarr", "checksum");
        good.data[k] ^= 4;
    }
    drop(&good);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static void test_store(void)
{
    struct store store;
    struct err err = { 0 };
    bool is;
    begin();
    put_array("a.zarr", &shards);
    if (!CHECK(!load_store(&store, in_folder("a.zarr"), &(struct load_desc){ .frame = 0 }, &is, &err) && is)) return;
    uint16_t voxels[N];
    for (size_t from = 0; from < NZ; from++)
        for (size_t to = from + 1; to <= NZ; to++)
            for (size_t row = 0; row < NY; row++) {
                const struct store_rows rows = { from, to - from, row, NY - row };
                CHECK(!store_read_rows(&store, &rows, voxels, 2, &err));
                for (size_t i = 0; i < (to - from) * (NY - row) * NX; i++) {
                    const size_t slice = from + i / ((NY - row) * NX), rest = i % ((NY - row) * NX);
                    CHECK(voxels[i] == sample(shards.type, (int)((slice * NY + row) * NX + rest), 0));
                }
            }
    store_close(&store);
    begin();
    CHECK(load_store(&store, folder, &(struct load_desc){ .frame = 0 }, &is, &err) == ERR_INPUT && !is);
}

static bool stop(void *context, double fraction) { return (void)context, fraction < 0.5; }

static void test_cancel(void)
{
    begin();
    put_array("a.zarr", &plain_3);
    says("a.zarr", &(struct load_desc){ .progress = { stop, NULL } }, ERR_FAILED, "cancelled");
}

int main(void)
{
    CHECK(crc32c("123456789", 9) == 0xe3069283);
    if (!make_folder()) return check_summary("test_read_zarr");
    test_types();
    test_codecs();
    test_missing();
    test_fill();
    test_calibration();
    test_levels();
    test_spacing_of_levels();
    test_level_by_memory();
    test_channels();
    test_groups();
    test_refused();
    test_images_refused();
    test_links();
    test_cut_off();
    test_index();
    test_store();
    test_cancel();
    remove_folder();
    return check_summary("test_read_zarr");
}
