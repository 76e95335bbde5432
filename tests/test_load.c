/* Loading and saving apart from NRRD: RAW, options of the caller, files that are no volumes, detached data, round trips,
 * locale, progress. test_manifest.py has real files. */
#include "load_util.h"

#include "save_nrrd.h"

#include "replace.h"
#include "text.h"

#include <glob.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* ---- RAW names --------------------------------------------------------------------------------------------------- */

/* Names that describe 4x5x6 voxels of `type`, and names to refuse (NULL). */
static const struct {
    const char *name;
    size_t size;
    const char *type;
} raw_names[] = {
    { "bonsai_4x5x6_uint8.raw", 120, "uint8" },
    { "test.4x5x6.raw", 120, "uint8" },
    { "test.4x5x6.raw", 480, "float32" },
    { "stent_4x5x6_int16.raw", 240, "int16" },
    { "4X5X6.raw", 120, "uint8" },
    { "head4x5x6u16.raw", 240, "uint16" },
    { "a-4x5x6-ushort.raw", 240, "uint16" },
    { "a_float_4x5x6.raw", 480, "float32" },
    { "f32_4x5x6.raw", 480, "float32" },
    { "run-2x3_4x5x6_uint8.raw", 120, "uint8" },
    { "a_4x5x6_int16be.raw", 240, "int16" },
    { "a_4x5x6_uint16_big.raw", 240, "uint16" },
    { "a_04x05x06_uint8.raw", 120, "uint8" },
    { "Bucky.raw", 32768, NULL },
    { "test.4x5x6.raw", 240, NULL }, /* uint16 or int16 */
    { "test.4x5x6.raw", 960, NULL }, /* three types of 8 bytes */
    { "test.4x5x6.raw", 121, NULL },
    { "a_4x5x6_uint8_int16.raw", 240, NULL },
    { "a_4x5x6_2x2x2_uint8.raw", 120, NULL },
    { "a_4x5x6x7_uint8.raw", 840, NULL }, /* four numbers */
    { "a_4x0x6_uint8.raw", 120, NULL },
    { "a_0x5x6_uint8.raw", 120, NULL },
    { "a_99999999999999999999x5x6_uint8.raw", 120, NULL },
    { "a_4294967296x4294967296x4294967296_uint8.raw", 120, NULL },
    { "a_4294967296x4294967296x1_uint8.raw", 120, NULL },
    { "a_4x5x6_uint8.raw", 0, NULL },
};

static void raw_names_are_understood(void)
{
    uint8_t *data = calloc(1, 65536);
    for (size_t i = 0; i < sizeof raw_names / sizeof raw_names[0]; i++) {
        struct volume v;
        struct err err;
        check_subject(raw_names[i].name);
        const int code = read_bytes(read_raw, &v, data, raw_names[i].size, raw_names[i].name, &err);
        if (!raw_names[i].type) refused(code, &v, &err);
        else if (CHECK(code == ERR_NONE)) {
            CHECK(v.grid.nx == 4 && v.grid.ny == 5 && v.grid.nz == 6);
            CHECK(!strcmp(voxel_type_name[v.grid.type], raw_names[i].type));
        }
        volume_free(&v);
    }
    free(data);
}

static void raw_errors_say_what_would_fit(void)
{
    static const struct {
        const char *name;
        size_t size;
        const char *says;
    } cases[] = {
        { "Bucky.raw", 32768, "--dims 32x32x32 --type uint8" },
        { "a_4x5x6.raw", 240, "--type uint16 or --type int16" },
        { "a_4x5x6_float32.raw", 240, "--type uint16 would fit" },
        { "a_4x5x6_uint8.raw", 100, "--dims 4x5x5 would fit" },
        { "a_4x5x6_uint8.raw", 99, "found 99 bytes, expected 120" },
        { "a_4x5x6_uint8.raw", 130, "--offset 10" },
    };
    uint8_t *data = calloc(1, 65536);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct volume v;
        struct err err;
        check_subject(cases[i].says);
        refused(read_bytes(read_raw, &v, data, cases[i].size, cases[i].name, &err), &v, &err);
        char sentence[ERR_SENTENCE];
        is_said(err_sentence(&err, sentence), cases[i].says);
        CHECK(!strstr(err.text, "--")); /* the window shows this part: its box has fields for them */
    }
    free(data);
}

static void every_raw_prefix_is_refused(void)
{
    const uint8_t data[61] = { 0 };
    struct volume volume;
    struct err err;
    check_subject("RAW prefix");
    for (size_t n = 0; n <= 61; n++) {
        const int code = read_bytes(read_raw, &volume, data, n, "v_3x4x5_uint8.raw", &err);
        if (n == 60) CHECK(code == ERR_NONE);
        else refused(code, &volume, &err);
        volume_free(&volume);
    }
    CHECK(strstr(err.text, "left over"));
}

static int load_with(const char *name, const struct load_desc *desc, struct volume *volume)
{
    struct err err = { 0 };
    const int code = load_volume(volume, in_folder(name), desc, &err);
    CHECK(code == err.code && (code == ERR_NONE) == !*err.text);
    if (code) CHECK(!volume->grid.voxels);
    return code;
}

static void requests_are_obeyed(void)
{
    struct volume v;
    check_subject("load_desc");
    write_text("plain.dat", "headerABCDEFGHtail");
    CHECK(load_with("plain.dat", &(struct load_desc){ 0 }, &v) == ERR_INPUT);
    CHECK(load_with("plain.dat", &(struct load_desc){ .dims = { 2, 2, 2 }, .type = "uint8" }, &v) == ERR_INPUT);
    struct load_desc desc = { .dims = { 2, 2, 2 }, .type = "uint8", .offset = 6, .offset_given = true };
    desc.spacing[1] = 3;
    CHECK(load_with("plain.dat", &desc, &v) == ERR_NONE);
    CHECK(!memcmp(v.grid.voxels, "ABCDEFGH", 8) && volume_spacing(&v, 1) == 3 && volume_spacing(&v, 0) == 1);
    CHECK(!strcmp(v.name, "plain.dat") && strstr(v.note, "4 bytes after"));
    volume_free(&v);
    desc.offset = 11;
    CHECK(load_with("plain.dat", &desc, &v) == ERR_INPUT);
    desc.offset = UINT64_MAX;
    CHECK(load_with("plain.dat", &desc, &v) == ERR_INPUT);
    CHECK(load_with("plain.dat", &(struct load_desc){ .dims = { 2, 0, 2 } }, &v) == ERR_USAGE);
    CHECK(load_with("plain.dat", &(struct load_desc){ .dims = { 2, 2, 2 }, .type = "int128" }, &v) == ERR_USAGE);
    CHECK(load_with("plain.dat", &(struct load_desc){ .dims = { 2, 2, 2 }, .endian = "middle" }, &v) == ERR_USAGE);
    CHECK(load_with("plain.dat", &(struct load_desc){ .spacing = { -1, 1, 1 } }, &v) == ERR_USAGE);
    static const double beyond[] = { NAN, INFINITY, 1e16, 9e-16, 1e-300 };
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        CHECK(load_with("plain.dat", &(struct load_desc){ .spacing = { 1, 1, beyond[i] } }, &v) == ERR_USAGE);
    write_text("ok.nrrd", HEAD "spacings: 1 2 -4\n\n01234567");
    CHECK(load_with("ok.nrrd", &(struct load_desc){ .dims = { 2, 2, 2 } }, &v) == ERR_USAGE);
    CHECK(load_with("ok.nrrd", &(struct load_desc){ .spacing = { 0, 0, 3 } }, &v) == ERR_NONE);
    CHECK(v.direction[2][2] == -3 && v.direction[1][1] == 2);
    volume_free(&v);
}

/* ---- order of axes ----------------------------------------------------------------------------------------------- */

/* The value of a voxel encodes its position; other types use the same bytes. */
static uint64_t voxel_at(size_t x, size_t y, size_t z)
{
    return (x * 7919 + y * 104729 + z * 1299709) * 0x9e3779b97f4a7c15u;
}

static size_t misplaced(const struct grid *g, size_t bytes)
{
    size_t wrong = 0;
    for (size_t z = 0; z < g->nz; z++)
        for (size_t y = 0; y < g->ny; y++)
            for (size_t x = 0; x < g->nx; x++) {
                const uint64_t want = voxel_at(x, y, z);
                const char *got = (const char *)g->voxels + ((z * g->ny + y) * g->nx + x) * bytes;
                wrong += memcmp(got, &want, bytes) != 0;
            }
    return wrong;
}

/* The voxels of nx x ny x nz with z fastest, little-endian or big. */
static void append_reversed(struct bytes *to, const size_t dims[3], size_t bytes, bool big)
{
    for (size_t x = 0; x < dims[0]; x++)
        for (size_t y = 0; y < dims[1]; y++)
            for (size_t z = 0; z < dims[2]; z++) {
                const uint64_t value = voxel_at(x, y, z);
                uint8_t byte[8];
                for (size_t i = 0; i < bytes; i++) byte[i] = (uint8_t)(value >> 8 * (big ? bytes - 1 - i : i));
                append(to, byte, bytes);
            }
}

static void z_may_be_fastest(void)
{
    /* clang-format off */
    static const size_t shapes[][3] = {
        { 1, 1, 1 }, { 3, 4, 5 }, { 5, 1, 7 }, { 1, 6, 2 },      /* thin */
        { 15, 3, 16 }, { 16, 2, 17 }, { 17, 3, 5 },              /* around a slab of 4 bytes */
        { 33, 2, 31 }, { 63, 2, 3 }, { 64, 3, 65 }, { 65, 2, 2 }, /* of 2 bytes, of 1; 2 slabs and one slice */
        { 131, 3, 7 },
    };
    /* clang-format on */
    static const char *const types[] = { "uint8", "uint16", "float32" };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int t = 0; t < 3; t++)
            for (int big = 0; big < 2; big++) {
                const size_t *dims = shapes[i];
                struct bytes file = { 0 };
                struct volume v;
                char name[64];
                append_reversed(&file, dims, (size_t)1 << t, big);
                snprintf(name, sizeof name, "z_%zux%zux%zu_%s.raw", dims[0], dims[1], dims[2], types[t]);
                check_subject(name);
                write_file(name, file.data, file.size);
                drop(&file);
                const struct load_desc desc = { .z_fastest = true, .endian = big ? "big" : "little" };
                if (!CHECK(load_with(name, &desc, &v) == ERR_NONE)) continue;
                CHECK(v.grid.nx == dims[0] && v.grid.ny == dims[1] && v.grid.nz == dims[2]);
                CHECK(misplaced(&v.grid, (size_t)1 << t) == 0);
                volume_free(&v);
            }
}

/* Converted types go through the same slabs after conversion. */
static void z_may_be_fastest_in_doubles(void)
{
    double values[2][3][4];
    struct volume v;
    check_subject("z fastest, float64");
    for (int i = 0; i < 24; i++) (&values[0][0][0])[i] = i;
    write_file("z_2x3x4_float64.raw", values, sizeof values);
    if (!CHECK(load_with("z_2x3x4_float64.raw", &(struct load_desc){ .z_fastest = true }, &v) == ERR_NONE)) return;
    const float *got = v.grid.voxels;
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 3; y++)
            for (int z = 0; z < 4; z++) CHECK(got[(z * 3 + y) * 2 + x] == (float)values[x][y][z]);
    volume_free(&v);
}

static void nrrd_may_have_z_fastest(void)
{
    static const size_t dims[3] = { 4, 3, 2 }; /* x, y, z */
    const struct load_desc reversed = { .z_fastest = true };
    for (int gzip = 0; gzip < 2; gzip++) {
        struct bytes voxels = { 0 }, file = { 0 };
        struct volume v;
        check_subject(gzip ? "z fastest, gzip" : "z fastest, raw");
        append_reversed(&voxels, dims, 2, false);
        append_text(&file,
                    "NRRD0004\ntype: uint16\ndimension: 3\nsizes: 2 3 4\nendian: little\nspacings: 5 6 -7\n"
                    "encoding: %s\n\n",
                    gzip ? "gzip" : "raw");
        if (gzip) append_gzip(&file, voxels.data, voxels.size);
        else append(&file, voxels.data, voxels.size);
        write_file("z.nrrd", file.data, file.size);
        drop(&voxels);
        drop(&file);
        if (!CHECK(load_with("z.nrrd", &reversed, &v) == ERR_NONE)) continue;
        CHECK(v.grid.nx == 4 && v.grid.ny == 3 && v.grid.nz == 2 && misplaced(&v.grid, 2) == 0);
        CHECK(v.direction[0][0] == -7 && v.direction[1][1] == 6 && v.direction[2][2] == 5);
        volume_free(&v);
    }
    /* A header whose first axis is z needs no reordering: every voxel is in its place. */
    struct volume v;
    check_subject("z fastest by its directions");
    write_text("d.nrrd", HEAD "space dimension: 3\nspace directions: (0,0,5) (0,6,0) (7,0,0)\n\n01234567");
    CHECK(load_with("d.nrrd", &reversed, &v) == ERR_USAGE);
    if (!CHECK(load_with("d.nrrd", &(struct load_desc){ 0 }, &v) == ERR_NONE)) return;
    CHECK(((const char *)v.grid.voxels)[1] == '1' && v.direction[2][0] == 5 && v.direction[0][0] == 0); /* '1': up in z */
    CHECK(v.direction[1][1] == 6 && v.direction[0][2] == 7 && volume_handedness(&v) == -5 * 6 * 7);
    volume_free(&v);
}

static void a_reversed_file_that_is_cut_off_is_refused(void)
{
    const char data[36] = { 0 };
    struct err err = { 0 };
    struct volume v;
    check_subject("z fastest, cut off");
    write_file("cut_4x3x4_uint8.raw", data, sizeof data);
    CHECK(load_volume(&v, in_folder("cut_4x3x4_uint8.raw"), &(struct load_desc){ .z_fastest = true }, &err) == ERR_INPUT);
    if (!CHECK(!strcmp(err.advice, "--dims 3x3x4 would fit"))) printf("  it says: %s\n", err.advice);
}

/* ---- files and folders ------------------------------------------------------------------------------------------- */

static void sources_are_regular_files(void)
{
    mkdir(in_folder("folder.raw"), 0700);
    mkfifo(in_folder("fifo.raw"), 0600);
    write_text("empty.raw", "");
    if (symlink("/dev/zero", in_folder("zero.raw"))) CHECK(!"symlink");
    file_is_refused("missing.raw", "no such file");
    file_is_refused("folder.raw", "folder");
    file_is_refused("fifo.raw", "FIFO");
    file_is_refused("zero.raw", "device");
    file_is_refused("empty.raw", "empty");
    file_is_refused("empty.raw/x.raw", "not a folder");
    if (geteuid() == 0) {
        check_skip("unreadable file: root may read everything");
        return;
    }
    write_text("secret.raw", "x");
    chmod(in_folder("secret.raw"), 0);
    file_is_refused("secret.raw", "permission");
}

static void detached_data_stays_in_its_folder(void)
{
    static const struct {
        const char *name, *data_file, *says;
    } cases[] = {
        { "abs.nhdr", "/etc/passwd", "own folder" },
        { "up.nhdr", "../outside.raw", "own folder" },
        { "down-up.nhdr", "sub/../../outside.raw", "own folder" },
        { "link.nhdr", "link.raw", "leads out" },
        { "link-dir.nhdr", "outdir/outside.raw", "leads out" },
        { "zero.nhdr", "zero.raw", "leads out" },
        { "fifo.nhdr", "pipe", "FIFO" },
        { "dir.nhdr", "sub", "folder" },
        { "self-dir.nhdr", ".", "inside" },
        { "list.nhdr", "LIST", "the number of its data files is 0" },
        { "pattern.nhdr", "%d.raw 1 2 1", "cannot be opened" },
        { "missing.nhdr", "nothing.raw", "cannot be opened" },
    };
    mkdir(in_folder("in"), 0700);
    mkdir(in_folder("in/sub"), 0700);
    mkfifo(in_folder("in/pipe"), 0600);
    write_text("outside.raw", "01234567");
    write_text("in/inside.raw", "01234567");
    write_text("in/sub/deep.raw", "01234567");
    CHECK(!symlink("../outside.raw", in_folder("in/link.raw")) && !symlink("..", in_folder("in/outdir")) &&
          !symlink("/dev/zero", in_folder("in/zero.raw")) && !symlink("sub/deep.raw", in_folder("in/inner.raw")));
    char name[64], header[512];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(name, sizeof name, "in/%s", cases[i].name);
        snprintf(header, sizeof header, HEAD "data file: %s\n", cases[i].data_file);
        write_text(name, header);
        file_is_refused(name, cases[i].says);
    }
    static const char *const fine[] = { "inside.raw", "./inside.raw", "sub/deep.raw", "inner.raw" };
    for (int i = 0; i < 4; i++) {
        snprintf(header, sizeof header, HEAD "data file: %s", fine[i]); /* no newline at the end: legal here */
        write_text("in/fine.nhdr", header);
        file_loads("in/fine.nhdr", 2);
    }
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

static void saved_volumes_load_the_same(void)
{
    const uint64_t dims[3] = { 5, 7, 3 };
    for (int way = 0; way < 2 * VOXEL_TYPE_COUNT; way++) {
        struct volume a, b;
        struct err err = { 0 };
        const enum voxel_type type = (enum voxel_type)(way / 2);
        check_subject(voxel_type_name[type]);
        if (!CHECK(!volume_alloc(&a, type, dims, &err))) continue;
        for (size_t i = 0; i < 105 * voxel_bytes(type); i++) ((uint8_t *)a.grid.voxels)[i] = (uint8_t)check_random();
        const double direction[3][3] = { { 0.1, -0.3, 0 }, { 1.0 / 3, 2e-5, 0 }, { 0, 0, -0.878906 } };
        memcpy(a.direction, direction, sizeof direction);
        memcpy(a.origin, (const double[3]){ -1e-7, 12345.678901234567, 1.0 / 7 }, sizeof a.origin);
        CHECK(save_nrrd(&a, in_folder("saved.nrrd"), way % 2, &err) == ERR_NONE);
        if (CHECK(load_volume(&b, in_folder("saved.nrrd"), NULL, &err) == ERR_NONE)) {
            CHECK(b.grid.type == type && b.grid.nx == 5 && b.grid.ny == 7 && b.grid.nz == 3 && !*b.note);
            CHECK(!memcmp(a.grid.voxels, b.grid.voxels, 105 * voxel_bytes(type)));
            CHECK(!memcmp(a.direction, b.direction, sizeof a.direction));
            CHECK(!memcmp(a.origin, b.origin, sizeof a.origin));
            volume_free(&b);
        } else printf("  it says: %s\n", err.text);
        volume_free(&a);
    }
}

static size_t count_files(const char *pattern)
{
    glob_t found = { 0 };
    const size_t count = glob(in_folder(pattern), 0, NULL, &found) ? 0 : found.gl_pathc;
    globfree(&found);
    return count;
}

static bool is_kind(const char *name, mode_t kind)
{
    struct stat status;
    return !lstat(in_folder(name), &status) && (status.st_mode & S_IFMT) == kind;
}

/* The complete new file cannot replace a folder that has appeared meanwhile. It must not remain under another name. */
static void a_failed_replacement_leaves_nothing(void)
{
    struct replace replace;
    struct err err = { 0 };
    char path[PATH_MAX];
    CHECK(!mkdir(in_folder("alone"), 0777));
    snprintf(path, sizeof path, "%s", in_folder("alone/file"));
    if (!CHECK(!replace_open(&replace, path, &err))) return;
    fputs("new", replace.file);
    CHECK(!mkdir(path, 0777) && replace_close(&replace, true, &err) == ERR_FAILED);
    CHECK(count_files("alone/*") == 1 && !rmdir(path) && !rmdir(in_folder("alone")));
}

/* A private copy of /dev/null: root could replace the system's. */
static void devices_are_not_replaced(const struct volume *v)
{
    struct err err = { 0 };
    if (mknod(in_folder("null.nrrd"), S_IFCHR | 0666, makedev(1, 3))) {
        check_skip("a device node cannot be made here");
        return;
    }
    CHECK(save_nrrd(v, in_folder("null.nrrd"), false, &err) == ERR_FAILED && strstr(err.text, "not a regular file"));
    CHECK(is_kind("null.nrrd", S_IFCHR));
}

/* Links of every kind, also to files that do not exist yet; circular links fail. */
static void links_are_written_through(const struct volume *v)
{
    static const struct {
        const char *link, *to, *file;
    } links[] = {
        { "link.nrrd", "target.nrrd", "target.nrrd" },    /* to a file */
        { "dangling.nrrd", "new.nrrd", "new.nrrd" },      /* to no file */
        { "twice.nrrd", "dangling2.nrrd", "newer.nrrd" }, /* to a link to no file */
        { "sub/up.nrrd", "../above.nrrd", "above.nrrd" }, /* relative to the link's folder */
    };
    struct err err = { 0 };
    write_text("target.nrrd", "old");
    CHECK(!mkdir(in_folder("sub"), 0777) && !symlink("newer.nrrd", in_folder("dangling2.nrrd")));
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        check_subject(links[i].link);
        CHECK(!symlink(links[i].to, in_folder(links[i].link)));
        CHECK(save_nrrd(v, in_folder(links[i].link), true, &err) == ERR_NONE && is_kind(links[i].link, S_IFLNK));
        file_loads(links[i].file, 2);
    }
    check_subject("an absolute link");
    char to[512];
    snprintf(to, sizeof to, "%s/absolute-target.nrrd", folder);
    CHECK(!symlink(to, in_folder("absolute.nrrd")) && !save_nrrd(v, in_folder("absolute.nrrd"), true, &err));
    file_loads("absolute-target.nrrd", 2);
    check_subject("links in a circle");
    CHECK(!symlink("b.nrrd", in_folder("a.nrrd")) && !symlink("a.nrrd", in_folder("b.nrrd")));
    CHECK(save_nrrd(v, in_folder("a.nrrd"), true, &err) == ERR_FAILED && is_kind("a.nrrd", S_IFLNK));
    check_subject("save");
}

/* Also for root, which ignores the mode. */
static void read_only_files_are_kept(const struct volume *v)
{
    struct err err = { 0 };
    write_text("mine.nrrd", "keep me");
    CHECK(!chmod(in_folder("mine.nrrd"), 0444) && !symlink("mine.nrrd", in_folder("to-mine.nrrd")));
    CHECK(save_nrrd(v, in_folder("mine.nrrd"), false, &err) == ERR_FAILED && strstr(err.text, "read-only"));
    CHECK(save_nrrd(v, in_folder("to-mine.nrrd"), false, &err) == ERR_FAILED && strstr(err.text, "read-only"));
    CHECK(count_files("*.tmp") == 0);
    CHECK(!chmod(in_folder("mine.nrrd"), 0640) && !save_nrrd(v, in_folder("mine.nrrd"), false, &err));
    struct stat status;
    CHECK(!stat(in_folder("mine.nrrd"), &status) && (status.st_mode & 07777) == 0640);
    file_loads("mine.nrrd", 2);
}

static void the_same_file_is_known(void)
{
    char hard[512], other[512];
    write_text("one.nrrd", "1"), write_text("two.nrrd", "1");
    snprintf(hard, sizeof hard, "%s/hard.nrrd", folder), snprintf(other, sizeof other, "%s/two.nrrd", folder);
    CHECK(!link(in_folder("one.nrrd"), hard) && replace_is_same(hard, in_folder("one.nrrd")));
    CHECK(!replace_is_same(other, in_folder("one.nrrd")) && !replace_is_same(other, in_folder("absent.nrrd")));
}

static void failed_saves_keep_the_old_file(void)
{
    const uint64_t dims[3] = { 2, 2, 2 };
    struct volume v;
    struct err err = { 0 };
    check_subject("save");
    if (!CHECK(!volume_alloc(&v, VOXEL_UINT8, dims, &err))) return;
    memset((void *)v.grid.voxels, 7, 8);
    CHECK(save_nrrd(&v, in_folder("no-such-folder/x.nrrd"), false, &err) == ERR_FAILED && *err.text);
    CHECK(save_nrrd(&v, in_folder("folder.raw"), false, &err) == ERR_FAILED);
    devices_are_not_replaced(&v);
    links_are_written_through(&v);
    read_only_files_are_kept(&v);
    the_same_file_is_known();
    a_failed_replacement_leaves_nothing();
    v.slope = 2;
    CHECK(save_nrrd(&v, in_folder("target.nrrd"), true, &err) == ERR_FAILED);
    v.slope = 1;
    for (int gzip = 0; gzip < 2; gzip++) { /* a limit of 16 bytes simulates a full disk */
        struct rlimit before, small;
        CHECK(!getrlimit(RLIMIT_FSIZE, &before));
        small = (struct rlimit){ 16, before.rlim_max };
        signal(SIGXFSZ, SIG_IGN);
        CHECK(!setrlimit(RLIMIT_FSIZE, &small));
        const int code = save_nrrd(&v, in_folder("target.nrrd"), gzip, &err);
        CHECK(!setrlimit(RLIMIT_FSIZE, &before));
        CHECK(code == ERR_FAILED && *err.text);
    }
    file_loads("target.nrrd", 2);
    CHECK(count_files("*.tmp") == 0);
    volume_free(&v);
}

/* ---- locale, progress -------------------------------------------------------------------------------------------- */

/* Sets an installed locale with a decimal comma, or compiles one in the test's folder. */
static bool set_comma_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_ALL, names[i])) return true;
    char command[256];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
    if (system(command)) return false;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void locale_does_not_matter(void)
{
    if (!set_comma_locale()) {
        check_skip("no locale with a decimal comma can be had");
        return;
    }
    check_subject("decimal comma");
    CHECK(strtod("0,5", NULL) == 0.5); /* or the test would show nothing */
    const char *end;
    char text[32];
    double value;
    CHECK(text_double("-.5e1", &end, &value) && value == -5 && !*end && !strcmp(text_print(text, 0.1), "0.1"));
    saved_volumes_load_the_same();
    setlocale(LC_ALL, "C");
}

struct watch {
    double last;
    int calls;
    double stop_at;
};

static bool watch_step(void *context, double fraction)
{
    struct watch *watch = context;
    CHECK(fraction >= watch->last && fraction <= 1 && fraction - watch->last <= 8.0 / 20 + 1e-9);
    watch->last = fraction;
    watch->calls++;
    return fraction < watch->stop_at;
}

static void progress_is_told_and_can_cancel(void)
{
    const size_t size = 20 << 20;
    uint8_t *zeros = calloc(1, size);
    struct bytes packed = { 0 };
    append_text(&packed, "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 1024 1024 20\nencoding: gzip\n\n");
    append_gzip(&packed, zeros, size);
    write_file("big_1024x1024x20_uint8.raw", zeros, size);
    write_file("big.nrrd", packed.data, packed.size);
    free(zeros);
    drop(&packed);
    static const char *const files[] = { "big_1024x1024x20_uint8.raw", "big.nrrd" };
    for (int f = 0; f < 4; f++) {
        const char *file = files[f % 2];
        const bool reversed = f / 2;
        check_subject(file);
        struct watch all = { .stop_at = 2 }, half = { .stop_at = 0.5 };
        struct volume v;
        CHECK(load_with(file, &(struct load_desc){ .z_fastest = reversed, .progress = { watch_step, &all } }, &v) ==
              ERR_NONE);
        CHECK(all.last == 1 && all.calls >= 3);
        volume_free(&v);
        CHECK(load_with(file, &(struct load_desc){ .z_fastest = reversed, .progress = { watch_step, &half } }, &v) ==
              ERR_FAILED);
        CHECK(half.last < 0.8);
    }
}

int main(void)
{
    if (!make_folder()) return 1;
    raw_names_are_understood();
    raw_errors_say_what_would_fit();
    every_raw_prefix_is_refused();
    requests_are_obeyed();
    z_may_be_fastest();
    z_may_be_fastest_in_doubles();
    nrrd_may_have_z_fastest();
    a_reversed_file_that_is_cut_off_is_refused();
    sources_are_regular_files();
    detached_data_stays_in_its_folder();
    check_seed(20240229);
    saved_volumes_load_the_same();
    failed_saves_keep_the_old_file();
    locale_does_not_matter();
    progress_is_told_and_can_cancel();
    remove_folder();
    return check_summary("test_load");
}
