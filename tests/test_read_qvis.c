/* QVis and Inviwo: headers of both load the file that they name; what would change its meaning is refused. */
#include "format_util.h"

#define UINT8 (&stored_types[STORED_UINT8])
#define PLAIN "ObjectFileName: a.raw\nResolution: 5 4 3\nFormat: UCHAR\n"

static void write_voxels(const struct stored_type *type, size_t values, bool big, const char *before)
{
    struct bytes file = { 0 };
    append_text(&file, "%s", before);
    append_samples(&file, type, values, big);
    write_file("a.raw", file.data, file.size);
    drop(&file);
}

static struct volume load(const char *header)
{
    struct volume volume;
    struct err err = { 0 };
    check_subject(header);
    write_text("a.dat", header);
    is_fine(load_volume(&volume, in_folder("a.dat"), NULL, &err), &err);
    return volume;
}

static void every_format_loads(void)
{
    static const struct {
        const char *name;
        int stored;
    } types[] = {
        { "UCHAR", STORED_UINT8 },      { "BYTE", STORED_UINT8 },      { "CHAR", STORED_INT8 },
        { "USHORT", STORED_UINT16 },    { "SHORT", STORED_INT16 },     { "UINT", STORED_UINT32 },
        { "INT", STORED_INT32 },        { "FLOAT", STORED_FLOAT32 },   { "DOUBLE", STORED_FLOAT64 },
        { "UINT8", STORED_UINT8 },      { "FLOAT16", STORED_FLOAT16 }, { "float32", STORED_FLOAT32 },
        { "USHORT_12", STORED_UINT16 },
    };
    static const char *const orders[] = { "ByteOrder: LittleEndian", "Endianness: big", "Endianess: little",
                                          "ByteOrder: BigEndian" };
    for (size_t i = 0; i < 4 * sizeof types / sizeof *types; i++) {
        const struct stored_type *type = &stored_types[types[i / 4].stored];
        char header[256];
        write_voxels(type, N, i % 2, "");
        snprintf(header, sizeof header, "RawFile: a.raw\nDimensions: 5 4 3\nFormat: %s\n%s\n", types[i / 4].name,
                 orders[i % 4]);
        struct volume volume = load(header);
        has_samples(&volume, type, 0, x_fastest);
        CHECK(volume.world == WORLD_OTHER && !*volume.unit && !strstr(volume.note, "byte order"));
        volume_free(&volume);
    }
}

static void headers_of_both_programs_load(void)
{
    static const char *const headers[] = {
        PLAIN,
        ("ObjectFileName:\ta.raw\r\nTaggedFileName:\t---\r\nResolution:\t5 4 3\r\nSliceThickness:\t1 2 4\r\n"
         "Format:\tUCHAR\r\nNbrTags:\t0\r\nObjectType:\tTEXTURE_VOLUME_OBJECT\r\nObjectModel:\tDENSITY\r\n"
         "GridType:\tEQUIDISTANT\r\n"), /* clang takes strings that stand together in a list for a comma forgotten */
        ("# a comment: with a colon\n/ another\nrawfile: a.raw\nresolution: 5 4 3\nformat: UINT8\nSpacing: 1 2 4\n"
         "DataRange: 0 255\nunit: arb. unit\nByteOffset: 0\nSequences: 1\nCompression: none\n"),
    };
    write_voxels(UINT8, N, false, "");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct volume volume = load(headers[i]);
        has_samples(&volume, UINT8, 0, x_fastest);
        CHECK(!*volume.note && volume_handedness(&volume) == (i ? 8 : 1));
        volume_free(&volume);
    }
    write_voxels(UINT8, N, false, "header");
    struct volume volume = load(PLAIN "ByteOffset: 6\nSliceThickness: 0 2 nan\n");
    has_samples(&volume, UINT8, 0, x_fastest);
    CHECK(volume.direction[0][0] == 1 && volume.direction[1][1] == 2 && strstr(volume.note, "1 assumed"));
    volume_free(&volume);
    write_voxels(&stored_types[STORED_INT16], N, false, "");
    volume = load("ObjectFileName: a.raw\nResolution: 5 4 3\nFormat: SHORT\n");
    CHECK(strstr(volume.note, "little-endian assumed"));
    volume_free(&volume);
}

static void edges_of_inviwo_are_taken(void)
{
    static const double direction[3][3] = { { 0.5, 0, 0 }, { 0, 1.5, 0 }, { 0, 0.25, -2 } },
                        origin[3] = { 1.25, -1.25, 2.125 };
    write_voxels(UINT8, N, false, "");
    struct volume volume = load(PLAIN "BasisVector1: 2.5 0 0\nBasisVector2: 0 6 1\nBasisVector3: 0 0 -6\nOffset: 1 -2 3\n");
    has_samples(&volume, UINT8, 0, x_fastest);
    for (int row = 0; row < 3; row++) {
        for (int a = 0; a < 3; a++) CHECK_NEAR(volume.direction[row][a], direction[row][a], 0);
        CHECK_NEAR(volume.origin[row], origin[row], 0);
    }
    volume_free(&volume);
}

static void ranges_of_inviwo_are_taken(void)
{
    static const struct {
        const char *format, *ranges;
        double slope, intercept;
        const char *note;
    } cases[] = {
        { "UCHAR", "DataRange: 0 255\n", 1, 0, "" },
        { "UCHAR", "DataRange: 0 200\nValueRange: -1000 1000\n", 10, -1000, "" },
        { "UCHAR", "ValueRange: -5 5\nDataRange: 10 30\n", 0.5, -10, "" },
        { "UCHAR", "ValueRange: 0 1\n", 1, 0, "ValueRange is ignored" },
        { "UCHAR", "ValueRange: 0 1\nDataRange: 3 3\n", 1, 0, "ignored" },
        { "UCHAR", "ValueRange: 2 2\nDataRange: 0 3\n", 1, 0, "ignored" },
        { "USHORT_12", "ByteOrder: LittleEndian\nValueRange: 0 8190\n", 2, 0, "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[256];
        write_voxels(i == 6 ? &stored_types[STORED_UINT16] : UINT8, N, false, "");
        snprintf(header, sizeof header, "RawFile: a.raw\nResolution: 5 4 3\nFormat: %s\n%s", cases[i].format,
                 cases[i].ranges);
        struct volume volume = load(header);
        check_subject(cases[i].ranges);
        CHECK_NEAR(volume.slope, cases[i].slope, 1e-12);
        CHECK_NEAR(volume.intercept, cases[i].intercept, 1e-9);
        CHECK(*cases[i].note ? strstr(volume.note, cases[i].note) != NULL : !*volume.note);
        volume_free(&volume);
    }
}

static void sequences_and_colours_are_chosen(void)
{
    static const size_t step[3] = { 4, 4 * NX, 4 * NX * NY };
    struct volume volume;
    struct err err = { 0 };
    write_voxels(UINT8, 8 * N, false, "");
    write_text("a.dat", PLAIN "ObjectModel: RGBA\nSequences: 2\n");
    check_subject("colours");
    CHECK(!load_volume(&volume, in_folder("a.dat"), &(struct load_desc){ .frame = 1, .component = 3 }, &err));
    has_samples(&volume, UINT8, 4 * N + 3, step);
    CHECK(volume.frames == 2 && volume.components == 4);
    volume_free(&volume);
}

static void bad_headers_are_refused(void)
{
    static const struct {
        const char *header, *says;
    } bad[] = {
        { "ObjectFileName: a.raw\nFormat: UCHAR\n", "Resolution" },
        { "ObjectFileName: a.raw\nResolution: 5 4 3\n", "Format" },
        { "RawFile:\nResolution: 5 4 3\nFormat: UCHAR\n", "names no file" },
        { "RawFile: ../a.raw\nResolution: 5 4 3\nFormat: UCHAR\n", "inside the header's own folder" },
        { "RawFile: b.dat\nResolution: 5 4 3\nFormat: UCHAR\n", "names the header itself" },
        { "RawFile: absent\nResolution: 5 4 3\nFormat: UCHAR\n", "absent" },
        { "RawFile: a.raw\nResolution: 5 4\nFormat: UCHAR\n", "three whole numbers" },
        { "RawFile: a.raw\nResolution: 5 4 3 2\nFormat: UCHAR\n", "three whole numbers" },
        { "RawFile: a.raw\nResolution: 5 -4 3\nFormat: UCHAR\n", "three whole numbers" },
        { "RawFile: a.raw\nResolution: 5 0 3\nFormat: UCHAR\n", "0 values along y" },
        { "RawFile: a.raw\nResolution: 5 4 4\nFormat: UCHAR\n", "cut off" },
        { "RawFile: a.raw\nResolution: 5 4 3\nFormat: Vec3UINT8\n", "Vec3UINT8" },
        { PLAIN "Resolution: 5 4 2\n", "contradicts" },
        { PLAIN "ByteOrder: middle\n", "little or big" },
        { PLAIN "ValueRange: 1\n", "two numbers" },
        { PLAIN "ValueRange: 0 1\nDataRange: 0 a\n", "two numbers" },
        { PLAIN "SliceThickness: 1 1\n", "three numbers" },
        { PLAIN "SliceThickness: 1 1 inf\n", "finite" },
        { PLAIN "BasisVector1: 1 0 0\nBasisVector2: 0 1\nBasisVector3: 0 0 1\n", "BasisVector2" },
        { PLAIN "BasisVector1: 1 0 0\nBasisVector2: 0 1 0\nBasisVector3: 0 0 1\nOffset: 1\n", "Offset" },
        { PLAIN "ByteOffset: 1000\n", "1000" },
        { PLAIN "ByteOffset: -1\n", "ByteOffset" },
        { PLAIN "Sequences: 0\n", "frames" },
        { PLAIN "Sequences: 2\n", "cut off" },
        { PLAIN "ObjectModel: VECTOR\n", "VECTOR" },
        { PLAIN "GridType: TETRAHEDRA\n", "TETRAHEDRA" },
        { PLAIN "Compression: lz4\n", "lz4" },
    };
    write_voxels(UINT8, N, false, "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text("b.dat", bad[i].header);
        file_is_refused("b.dat", bad[i].says);
    }
    write_text("b.dat", "Format: UCHAR\nThis is no volume at all.\n");
    file_is_refused("b.dat", "not in a format that isoscope reads");
}

/* The header is in memory, its voxels in the folder. */
static void damage_does_no_harm(void)
{
    struct bytes file = { 0 };
    char name[512];
    append_text(&file, "Resolution: 5 4 3\nSliceThickness: 1 2.5 4e0\nByteOffset: 2\nSequences: 1\nFormat: USHORT\n"
                       "ByteOrder: little\nObjectFileName: a.raw\n");
    write_voxels(&stored_types[STORED_UINT16], N, false, "ab");
    snprintf(name, sizeof name, "%s", in_folder("a.dat"));
    check_subject("a damaged header");
    struct volume volume = must_load(read_qvis, &file, name);
    has_samples(&volume, &stored_types[STORED_UINT16], 0, x_fastest);
    volume_free(&volume);
    damaged_words_do_no_harm(read_qvis, &file, file.size, name);
    file.size -= 2; /* the last letter of the name, and the line end */
    cuts_are_refused(read_qvis, &file, file.size, name);
    drop(&file);
}

int main(void)
{
    if (!make_folder()) return 1;
    every_format_loads();
    headers_of_both_programs_load();
    edges_of_inviwo_are_taken();
    ranges_of_inviwo_are_taken();
    sequences_and_colours_are_chosen();
    bad_headers_are_refused();
    damage_does_no_harm();
    remove_folder();
    return check_summary("test_read_qvis");
}
