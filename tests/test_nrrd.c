/* NRRD: good files of every type load exactly; everything else is refused with a sentence and an empty volume. What axes
 * mean and where they lie: test_nrrd_axes.c; where data is, and how it is encoded: test_nrrd_data.c. */
#include "header_util.h"

static void nrrd_is_refused(const char *what, const void *data, size_t size)
{
    struct volume volume;
    struct err err;
    check_subject(what);
    if (!refused(read_bytes(read_nrrd, &volume, data, size, "test.nrrd", &err), &volume, &err)) volume_free(&volume);
}

/* ---- good files -------------------------------------------------------------------------------------------------- */

static struct bytes samples(const struct stored_type *type, bool big)
{
    struct bytes bytes = { 0 };
    for (int i = 0; i < N; i++) append_value(&bytes, type, sample(type, i, 0), big);
    return bytes;
}

static void has_samples(const struct volume *volume, const struct stored_type *type)
{
    CHECK(volume->grid.type == type->voxel);
    if (!CHECK(volume->grid.nx == NX && volume->grid.ny == NY && volume->grid.nz == NZ)) return;
    for (int i = 0; i < N; i++) CHECK_NEAR(grid_value(&volume->grid, (size_t)i), sample(type, i, 0), 0);
    CHECK(!type->convert == !strstr(volume->note, "converted to float32"));
    CHECK(!strstr(volume->note, "of them")); /* all of them are floats */
}

static void one_nrrd_loads(const struct stored_type *type, bool big, bool gzip, bool detached)
{
    struct bytes data = samples(type, big), packed = { 0 }, file = { 0 };
    if (gzip) append_gzip(&packed, data.data, data.size);
    const struct bytes *body = gzip ? &packed : &data;
    append_text(&file, "NRRD0004\n# comment\ntype: %s\ndimension: 3\nsizes: %d %d %d\nencoding: %s\nendian: %s\n",
                type->name, NX, NY, NZ, gzip ? "gzip" : "raw", big ? "big" : "little");
    if (detached) {
        write_file("body.bin", body->data, body->size);
        append_text(&file, "data file: body.bin\n");
    } else {
        append_text(&file, "\n");
        append(&file, body->data, body->size);
    }
    struct volume volume;
    struct err err = { 0 };
    if (is_fine(read_bytes(read_nrrd, &volume, file.data, file.size, in_folder("x.nhdr"), &err), &err))
        has_samples(&volume, type);
    volume_free(&volume);
    drop(&data);
    drop(&packed);
    drop(&file);
}

static void every_type_loads(void)
{
    for (const struct stored_type *type = stored_types; type->name; type++) {
        if (type == &stored_types[STORED_FLOAT16]) continue; /* test_float16 has its own values */
        check_subject(type->name);
        for (int way = 0; way < 8; way++) one_nrrd_loads(type, way & 1, way & 2, way & 4);
        for (int big = 0; big < 2; big++) {
            struct bytes data = samples(type, big);
            char name[64];
            snprintf(name, sizeof name, "v_%dx%dx%d_%s_%s.raw", NX, NY, NZ, type->name, big ? "be" : "le");
            struct volume volume;
            struct err err;
            if (CHECK(!read_bytes(read_raw, &volume, data.data, data.size, name, &err))) has_samples(&volume, type);
            volume_free(&volume);
            drop(&data);
        }
    }
}

/* Eight values of each converted type, in host byte order, and the number that a float cannot hold. */
static void lost_values_are_counted(void)
{
    static const int32_t i32[8] = { 0, -1, 1 << 24, (1 << 24) + 1, -(1 << 24) - 1, INT32_MAX, INT32_MIN, 3 << 24 };
    static const uint32_t u32[8] = { 0, 1, 1u << 31, UINT32_MAX, (1u << 24) - 1, (1u << 24) + 1, 0xffffff00u, 0xffffff80u };
    static const int64_t i64[8] = { INT64_MIN,        INT64_MAX, 1ll << 60, (1ll << 60) + 1,
                                    -(1ll << 60) - 1, -3,        0xffffff,  1 << 25 };
    static const uint64_t u64[8] = {
        UINT64_MAX,     1ull << 63,    (1ull << 63) + (1ull << 40), (1ull << 63) + (1ull << 39), 5, 0,
        (1u << 24) + 1, (1u << 24) + 2
    };
    static const double f64[8] = { 1e-300, 1e39, -1e39, INFINITY, 0, NAN, 3.4028234663852886e38, 3.5e38 };
    static const struct {
        const char *type;
        const void *values;
        size_t bytes;
        const char *says;
    } cases[] = {
        { "int32", i32, sizeof i32, "3 of them were rounded" },
        { "uint32", u32, sizeof u32, "3 of them were rounded" },
        { "int64", i64, sizeof i64, "3 of them were rounded" },
        { "uint64", u64, sizeof u64, "3 of them were rounded" },
        { "float64", f64, sizeof f64, "4 of them lie beyond its range" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little";
        struct bytes file = { 0 };
        struct volume volume;
        struct err err;
        check_subject(cases[i].type);
        append_text(&file, "NRRD0004\ntype: %s\ndimension: 3\nsizes: 2 2 2\nencoding: raw\nendian: %s\n\n", cases[i].type,
                    endian);
        append(&file, cases[i].values, cases[i].bytes);
        if (is_fine(read_bytes(read_nrrd, &volume, file.data, file.size, "x.nrrd", &err), &err))
            is_said(volume.note, cases[i].says);
        volume_free(&volume);
        drop(&file);
    }
    check_subject("");
}

static void type_names_are_known(void)
{
    /* clang-format off */
    static const char *const names[][2] = {
        { "signed char", "int8" }, { "int8_t", "int8" }, { "uchar", "uint8" }, { "unsigned char", "uint8" },
        { "uint8_t", "uint8" }, { "short", "int16" }, { "short int", "int16" }, { "signed short", "int16" },
        { "signed short int", "int16" }, { "int16_t", "int16" }, { "ushort", "uint16" }, { "unsigned short", "uint16" },
        { "unsigned short int", "uint16" }, { "uint16_t", "uint16" }, { "int", "int32" }, { "signed int", "int32" },
        { "int32_t", "int32" }, { "uint", "uint32" }, { "unsigned int", "uint32" }, { "uint32_t", "uint32" },
        { "longlong", "int64" }, { "long long", "int64" }, { "long long int", "int64" },
        { "signed long long", "int64" }, { "signed long long int", "int64" }, { "int64_t", "int64" },
        { "ulonglong", "uint64" }, { "unsigned long long", "uint64" }, { "unsigned long long int", "uint64" },
        { "uint64_t", "uint64" }, { "float", "float32" }, { "double", "float64" }, { "FLOAT", "float32" },
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        check_subject(names[i][0]);
        const struct stored_type *type = stored_type_find(names[i][0]);
        CHECK(type && !strcmp(type->name, names[i][1]));
    }
    for (const struct stored_type *type = stored_types; type->name; type++)
        CHECK(strstr(stored_type_list(), type->name) != NULL);
    CHECK(!stored_type_find("block") && !stored_type_find("int128") && !stored_type_find("char") && !stored_type_find(""));
}

/* ---- headers ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *what, *header;
} good_headers[] = {
    { "plain", HEAD "\n" },
    { "CRLF", "NRRD0001\r\ntype: uint8\r\ndimension: 3\r\nsizes: 2 2 2\r\nencoding: raw\r\n\r\n" },
    { "CR alone", "NRRD0001\rtype: uint8\rdimension: 3\rsizes: 2 2 2\rencoding: raw\r\r" },
    { "key/value",
      "NRRD0005\nkey:=value: with colon\nempty:=\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "unknown fields", HEAD "kinds: domain domain domain\nlabels: \"x\" \"y\" \"z\"\nold min: 7\nnonsense: %n%s\n\n" },
    { "case and blanks", "NRRD0002\nType:  UCHAR \nDIMENSION:\t3\nsizes:  2\t2  2 \nEncoding: RAW\n\n" },
    { "odd bytes in a comment", HEAD "# \x01\x1b[31m\xff\n\n" },
    { "line skip", HEAD "line skip: 2\n\nfirst\nsecond\n" },
    { "byte skip", HEAD "byte skip: 3\n\nabc" },
    { "byte skip from the end", HEAD "byte skip: -1\n\nwhatever comes before" },
    { "datafile as one word is detached", HEAD "byteskip: 0\n\n" },
};

static void good_headers_load(void)
{
    for (size_t i = 0; i < sizeof good_headers / sizeof good_headers[0]; i++) {
        struct bytes file = { 0 };
        append(&file, good_headers[i].header, strlen(good_headers[i].header));
        append(&file, "\n\r\0\1\2\3\4\5", 8); /* data may start with line ends */
        check_subject(good_headers[i].what);
        struct volume volume;
        struct err err;
        if (is_fine(read_bytes(read_nrrd, &volume, file.data, file.size, "test.nrrd", &err), &err))
            CHECK(!memcmp(volume.grid.voxels, "\n\r\0\1\2\3\4\5", 8));
        volume_free(&volume);
        drop(&file);
    }
}

/* 64 bytes of data follow each. */
static const struct {
    const char *what, *header;
} bad_headers[] = {
    { "not NRRD", "NRRX0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "version 0", "NRRD0000\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "version 6", "NRRD0006\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "byte order mark", "\xef\xbb\xbfNRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "magic and more", "NRRD0004x\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "no type", "NRRD0004\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "no dimension", "NRRD0004\ntype: uint8\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "no sizes", "NRRD0004\ntype: uint8\ndimension: 3\nencoding: raw\n\n" },
    { "no encoding", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\n\n" },
    { "type twice", HEAD "type: uint8\n\n" },
    { "sizes twice", HEAD "sizes: 2 2 2\n\n" },
    { "line without a colon", HEAD "hello\n\n" },
    { "empty type", "NRRD0004\ntype:\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "type block", "NRRD0004\ntype: block\nblock size: 4\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "type int128", "NRRD0004\ntype: int128\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "control character in the type", "NRRD0004\ntype: uint8\x01\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "dimension 0", "NRRD0004\ntype: uint8\ndimension: 0\nsizes:\nencoding: raw\n\n" },
    { "dimension 1", "NRRD0004\ntype: uint8\ndimension: 1\nsizes: 8\nencoding: raw\n\n" },
    { "dimension 6", "NRRD0004\ntype: uint8\ndimension: 6\nsizes: 2 2 2 1 1 1\nencoding: raw\n\n" },
    { "dimension 16, 17 sizes",
      "NRRD0004\ntype: uint8\ndimension: 16\nsizes: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\nencoding: raw\n\n" },
    { "dimension 999", "NRRD0004\ntype: uint8\ndimension: 999\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "dimension 3x", "NRRD0004\ntype: uint8\ndimension: 3x\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "dimension overflows", "NRRD0004\ntype: uint8\ndimension: 18446744073709551619\nsizes: 2 2 2\nencoding: raw\n\n" },
    { "two sizes", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2\nencoding: raw\n\n" },
    { "four sizes", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2 2\nencoding: raw\n\n" },
    { "size 0", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 0 2\nencoding: raw\n\n" },
    { "size negative", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 -4 2\nencoding: raw\n\n" },
    { "size with plus", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: +2 2 2\nencoding: raw\n\n" },
    { "size hex", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 0x2 2 2\nencoding: raw\n\n" },
    { "size 1e0", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 1e0 2 2\nencoding: raw\n\n" },
    { "size 1e99", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 1e99 2 2\nencoding: raw\n\n" },
    { "size 2.0", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2.0 2 2\nencoding: raw\n\n" },
    { "size nan", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: nan 2 2\nencoding: raw\n\n" },
    { "size 2^31", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2147483648 1 1\nencoding: raw\n\n" },
    { "size 2^64 + 2", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 18446744073709551618 2 2\nencoding: raw\n\n" },
    { "product wraps to 0", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4194304 4194304 1048576\nencoding: raw\n\n" },
    { "product wraps to 64",
      "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2147483647 2147483647 2147483647\nencoding: raw\n\n" },
    { "4 TiB in 64 bytes", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 65536 65536 1024\nencoding: raw\n\n" },
    { "4 TiB of gzip in 64 bytes", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 65536 65536 1024\nencoding: gzip\n\n" },
    { "encoding text", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: text\n\n" },
    { "encoding ascii", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: ascii\n\n" },
    { "encoding bzip2", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: bzip2\n\n" },
    { "encoding unknown", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: %n%s\n\n" },
    { "gzip that is not", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: gzip\n\n" },
    { "endian middle", HEAD "endian: middle\n\n" },
    { "spacing inf", HEAD "spacings: 1 inf 1\n\n" },
    { "spacing too large", HEAD "spacings: 1 1e999 1\n\n" },
    { "spacing 1e300", HEAD "spacings: 1 1e300 1\n\n" },
    { "spacing with a comma", HEAD "spacings: 1 0,5 1\n\n" },
    { "spacing hex", HEAD "spacings: 1 0x1p3 1\n\n" },
    { "two spacings", HEAD "spacings: 1 1\n\n" },
    { "four spacings", HEAD "spacings: 1 1 1 1\n\n" },
    { "spacing garbage", HEAD "spacings: a b c\n\n" },
    { "directions nonexistent", HEAD "space dimension: 3\nspace directions: nonexistent (1,0,0) (0,1,0)\n\n" },
    { "directions cut", HEAD "space directions: (1,0,0) (0,1,0) (0,0\n\n" },
    { "directions of two", HEAD "space directions: (1,0) (0,1) (0,0)\n\n" },
    { "four directions", HEAD "space directions: (1,0,0) (0,1,0) (0,0,1) (0,0,1)\n\n" },
    { "direction inf", HEAD "space directions: (inf,0,0) (0,1,0) (0,0,1)\n\n" },
    { "direction 1e200", HEAD "space directions: (1e200,0,0) (0,1,0) (0,0,1)\n\n" },
    { "space dimension 1", HEAD "space dimension: 1\n\n" },
    { "space dimension 5", HEAD "space dimension: 5\n\n" },
    { "three axes in a plane", HEAD "space dimension: 2\nspace directions: (1,0) (0,1) (1,1)\n\n" },
    { "space with time", HEAD "space: right-anterior-superior-time\nspace directions: (1,0,0) (0,1,0) (0,0,1)\n\n" },
    { "origin garbage", HEAD "space origin: (0,0,x)\n\n" },
    { "origin inf", HEAD "space origin: (0,0,-inf)\n\n" },
    { "byte skip -2", HEAD "byte skip: -2\n\n" },
    { "byte skip past the end", HEAD "byte skip: 57\n\n" },
    { "byte skip 2^64 - 1", HEAD "byte skip: 18446744073709551615\n\n" },
    { "byte skip 1e3", HEAD "byte skip: 1e3\n\n" },
    { "byte skip -1 with gzip", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: gzip\nbyte skip: -1\n\n" },
    { "line skip past the end", HEAD "line skip: 1000\n\n" },
    { "line skip negative", HEAD "line skip: -1\n\n" },
    { "no data", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 5 5 3\nencoding: raw" },
    { "data file absolute", HEAD "data file: /etc/passwd\n\n" },
    { "data file above", HEAD "data file: ../secret.raw\n\n" },
    { "data file above, hidden", HEAD "data file: a/../../secret.raw\n\n" },
    { "data file ..", HEAD "data file: ..\n\n" },
    { "data file LIST", HEAD "data file: LIST\na.raw\nb.raw\n\n" },
    { "data file pattern", HEAD "data file: x%03d.raw 0 10 1\n\n" },
    { "data file format string", HEAD "data file: %n%n%s%d.raw 0 1 1\n\n" },
    { "data file empty", HEAD "data file:\n\n" },
    { "data file that is not there", HEAD "data file: no-such-file\n\n" },
};

static void bad_headers_are_refused(void)
{
    for (size_t i = 0; i < sizeof bad_headers / sizeof bad_headers[0]; i++) {
        struct bytes file = { 0 };
        append(&file, bad_headers[i].header, strlen(bad_headers[i].header));
        append(&file, "0123456789012345678901234567890123456789012345678901234567890123", 64);
        nrrd_is_refused(bad_headers[i].what, file.data, file.size);
        drop(&file);
    }
    static const char nul[] = "NRRD0004\ntype: uint8\0x\ndimension: 3\nsizes: 1 1 1\nencoding: raw\n\na";
    nrrd_is_refused("type hidden by a NUL", nul, sizeof nul);
    struct bytes file = { 0 };
    append_text(&file, "NRRD0004\n#");
    file.data = realloc(file.data, 3 << 20);
    memset(file.data + file.size, 'x', (3 << 20) - file.size);
    nrrd_is_refused("3 MiB line", file.data, 3 << 20);
    drop(&file);
}

static struct volume world_of(const char *fields)
{
    struct bytes file = { 0 };
    append_text(&file, HEAD "%s\n\n01234567", fields);
    struct volume volume;
    struct err err;
    check_subject(fields);
    is_fine(read_bytes(read_nrrd, &volume, file.data, file.size, "test.nrrd", &err), &err);
    drop(&file);
    return volume;
}

static void worlds_are_as_in_the_file(void)
{
    struct volume v = world_of("spacings: 0.5 -2 3e-1");
    CHECK(v.direction[0][0] == 0.5 && v.direction[1][1] == -2 && v.direction[2][2] == 0.3 && !*v.note);
    volume_free(&v);
    v = world_of("spacings: nan 0 2");
    CHECK(v.direction[0][0] == 1 && v.direction[1][1] == 1 && v.direction[2][2] == 2 && strstr(v.note, "1 assumed"));
    volume_free(&v);
    v = world_of("space: left-posterior-superior\nspace directions: (0, 2,0)(-3,0,0) (0,0,.5)\n"
                 "space origin: (1,-2.5,3)");
    CHECK(v.direction[1][0] == 2 && v.direction[0][1] == -3 && v.direction[2][2] == 0.5 && v.direction[0][0] == 0);
    CHECK(v.origin[0] == 1 && v.origin[1] == -2.5 && v.origin[2] == 3 && !*v.note);
    volume_free(&v);
    v = world_of("space directions: (1,0,0) (2,0,0) (0,0,1)");
    CHECK(volume_handedness(&v) == 2 && strstr(v.note, "do not span"));
    volume_free(&v);
    v = world_of("space directions: (nan,nan,nan) (0,0,0) (0,0,3)\nspace origin: (nan,0,0)");
    CHECK(volume_handedness(&v) == 3 && v.origin[0] == 0 && strstr(v.note, "origin"));
    volume_free(&v);
    v = world_of("space directions: (1e-300,0,0) (0,2,0) (0,0,3)");
    CHECK(volume_handedness(&v) == 6 && strstr(v.note, "do not span"));
    volume_free(&v);
    v = world_of("content: nothing about the world");
    CHECK(volume_handedness(&v) == 1 && !*v.note);
    volume_free(&v);
}

/* ---- truncation, gzip, chance ------------------------------------------------------------------------------------ */

static struct bytes small_nrrd(bool gzip)
{
    const struct stored_type *type = stored_type_find("int16");
    struct bytes file = { 0 }, data = samples(type, true);
    append_text(&file, "NRRD0004\ntype: int16\ndimension: 3\nsizes: %d %d %d\nendian: big\nencoding: %s\n\n", NX, NY, NZ,
                gzip ? "gzip" : "raw");
    if (gzip) append_gzip(&file, data.data, data.size);
    else append(&file, data.data, data.size);
    drop(&data);
    return file;
}

static void every_prefix_is_refused(void)
{
    for (int gzip = 0; gzip < 2; gzip++) {
        struct bytes file = small_nrrd(gzip);
        check_subject(gzip ? "gzip prefix" : "raw prefix");
        cuts_are_refused(read_nrrd, &file, file.size, "test.nrrd");
        drop(&file);
    }
}

static int read_gzip(const struct bytes *packed, struct volume *volume, struct err *err)
{
    struct bytes file = { 0 };
    append_text(&file, "NRRD0004\ntype: uint8\ndimension: 3\nsizes: %d %d %d\nencoding: gz\n\n", NX, NY, NZ);
    append(&file, packed->data, packed->size);
    const int code = read_bytes(read_nrrd, volume, file.data, file.size, "test.nrrd", err);
    drop(&file);
    return code;
}

/* Packs `size` bytes in `members` parts, then `tail`; flips byte `broken` from the end unless 0. */
static void gzip_case(const char *what, size_t size, int members, const char *tail, size_t broken, bool good)
{
    struct bytes packed = { 0 };
    uint8_t data[N * 4];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 37);
    const size_t part = size / (size_t)members;
    for (int m = 0; m < members; m++) append_gzip(&packed, data + part * (size_t)m, part);
    if (broken) packed.data[packed.size - broken] ^= 0x10;
    append(&packed, tail, strlen(tail));
    struct volume volume;
    struct err err;
    check_subject(what);
    const int code = read_gzip(&packed, &volume, &err);
    if (!good) refused(code, &volume, &err);
    else if (CHECK(code == ERR_NONE)) {
        CHECK(!memcmp(volume.grid.voxels, data, N));
        CHECK(!*tail == !*volume.note);
    }
    volume_free(&volume);
    drop(&packed);
}

static void gzip_is_checked(void)
{
    gzip_case("one member", N, 1, "", 0, true);
    gzip_case("three members", N, 3, "", 0, true);
    gzip_case("junk after the end gets a note", N, 1, "junk", 0, true);
    gzip_case("one byte short", N - 1, 1, "", 0, false);
    gzip_case("one byte long", N + 1, 1, "", 0, false);
    gzip_case("four times as long", N * 4, 4, "", 0, false);
    gzip_case("wrong checksum", N, 1, "", 8, false);
    gzip_case("wrong length", N, 1, "", 1, false);
    gzip_case("broken second magic", N, 1, "\x1f\x8b", 0, false);
}

/* 200 MB of zeros in 200 kB, declared as 2x2x2: only the declared bytes are unpacked. */
static void bomb_is_not_unpacked(void)
{
    struct bytes file = { 0 };
    uint8_t *zeros = calloc(1, 200 << 20);
    append_text(&file, "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: gzip\n\n");
    append_gzip(&file, zeros, 200 << 20);
    free(zeros);
    nrrd_is_refused("bomb", file.data, file.size);
    drop(&file);
}

/* Changes any byte of a header or of gzip data: the file loads or is refused, without a crash or half a volume. */
static void chance_does_no_harm(void)
{
    check_seed(20240229);
    static const char likely[] = "0123456789-+.e: (%\n\r";
    check_subject("random changes");
    for (int gzip = 0; gzip < 2; gzip++) {
        struct bytes file = small_nrrd(gzip);
        for (int round = 0; round < 20000; round++) {
            uint8_t changed[1024];
            memcpy(changed, file.data, file.size);
            for (int k = (int)(check_random() % 3); k >= 0; k--) {
                const size_t at = check_random() % file.size;
                changed[at] = (uint8_t)(round % 2 ? check_random() : (uint8_t)likely[check_random() % strlen(likely)]);
            }
            struct volume volume;
            struct err err;
            const int code = read_bytes(read_nrrd, &volume, changed, file.size, "test.nrrd", &err);
            CHECK(code == ERR_NONE ? volume.grid.voxels != NULL : !volume.grid.voxels && *err.text);
            volume_free(&volume);
        }
        drop(&file);
    }
}

int main(void)
{
    if (!make_folder()) return 1;
    every_type_loads();
    lost_values_are_counted();
    type_names_are_known();
    good_headers_load();
    bad_headers_are_refused();
    worlds_are_as_in_the_file();
    every_prefix_is_refused();
    gzip_is_checked();
    bomb_is_not_unpacked();
    chance_does_no_harm();
    remove_folder();
    return check_summary("test_nrrd");
}
