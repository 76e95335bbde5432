/* MetaImage: voxels after the header, in another file or in several load exactly; positions are those that ITK finds. */
#include "format_util.h"

#define UINT8 (&stored_types[STORED_UINT8])
#define SHAPE "NDims = 3\nDimSize = 5 4 3\n"
#define BYTES SHAPE "ElementType = MET_UCHAR\n"

/* A header, and values after it. */
static struct bytes local(const char *header, const struct stored_type *type, size_t values, bool big)
{
    struct bytes file = { 0 };
    append_text(&file, "%sElementDataFile = LOCAL\n", header);
    append_samples(&file, type, values, big);
    return file;
}

static struct volume load(const char *header)
{
    struct bytes file = local(header, UINT8, N, false);
    check_subject(header);
    const struct volume volume = must_load(read_metaimage, &file, "a.mha");
    drop(&file);
    return volume;
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

static void every_type_loads(void)
{
    static const struct {
        const char *name;
        int stored;
    } types[] = {
        { "MET_CHAR", STORED_INT8 },         { "MET_UCHAR", STORED_UINT8 },   { "MET_SHORT", STORED_INT16 },
        { "MET_USHORT", STORED_UINT16 },     { "MET_INT", STORED_INT32 },     { "MET_UINT", STORED_UINT32 },
        { "MET_LONG", STORED_INT32 },        { "MET_ULONG", STORED_UINT32 },  { "MET_LONG_LONG", STORED_INT64 },
        { "MET_ULONG_LONG", STORED_UINT64 }, { "MET_FLOAT", STORED_FLOAT32 }, { "MET_DOUBLE", STORED_FLOAT64 },
    };
    for (size_t i = 0; i < 2 * sizeof types / sizeof *types; i++) {
        const struct stored_type *type = &stored_types[types[i / 2].stored];
        const bool big = i % 2;
        char header[256];
        snprintf(header, sizeof header, "ObjectType = Image\n" SHAPE "BinaryData = True\n%s = %s\nElementType = %s\n",
                 i % 4 ? "BinaryDataByteOrderMSB" : "ElementByteOrderMSB", big ? "True" : "False", types[i / 2].name);
        struct bytes file = local(header, type, N, big);
        check_subject(header);
        struct volume volume = must_load(read_metaimage, &file, "a.mha");
        has_samples(&volume, type, 0, x_fastest);
        CHECK(volume.world == WORLD_LPS && !strcmp(volume.unit, "mm") && !strstr(volume.note, "byte order"));
        volume_free(&volume);
        drop(&file);
    }
}

static void text_and_deflate_load(void)
{
    struct bytes text = { 0 }, packed = { 0 }, voxels = { 0 };
    append_text(&text, SHAPE "ElementType = MET_SHORT\nBinaryData = False\nElementDataFile = LOCAL\n");
    for (size_t i = 0; i < N; i++) append_text(&text, "%g%s", sample(&stored_types[STORED_INT16], i), i % 5 ? " " : "\n");
    check_subject("text");
    struct volume volume = must_load(read_metaimage, &text, "a.mha");
    has_samples(&volume, &stored_types[STORED_INT16], 0, x_fastest);
    volume_free(&volume);
    append_samples(&voxels, UINT8, N, false);
    append_text(&packed, BYTES "CompressedData = True\nCompressedDataSize = 99\nElementDataFile = LOCAL\n");
    append_gzip(&packed, voxels.data, voxels.size);
    check_subject("deflate");
    volume = must_load(read_metaimage, &packed, "a.mha");
    has_samples(&volume, UINT8, 0, x_fastest);
    volume_free(&volume);
    drop(&text);
    drop(&packed);
    drop(&voxels);
}

static void frames_and_channels_are_chosen(void)
{
    struct bytes file = local(
        "NDims = 4\nDimSize = 5 4 3 2\nElementNumberOfChannels = 3\nElementType = MET_UCHAR\n"
        "ElementSpacing = 1 2 3 4\nTransformMatrix = 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\nOffset = 1 2 3 4\n",
        UINT8, 6 * N, false);
    static const size_t step[3] = { 3, 3 * NX, 3 * NX * NY };
    check_subject("frames of channels");
    for (size_t f = 0; f < 2; f++)
        for (size_t c = 0; c < 3; c++) {
            struct source source;
            struct volume volume;
            struct err err = { 0 };
            const struct load_desc desc = { .frame = f, .component = c };
            source_memory(&source, file.data, file.size, "a.mha");
            CHECK(!read_with(read_metaimage, &volume, &source, &desc, &err));
            has_samples(&volume, UINT8, f * 3 * N + c, step);
            CHECK(volume.frames == 2 && volume.components == 3 && volume.direction[2][2] == 3 && volume.origin[2] == 3);
            volume_free(&volume);
        }
    drop(&file);
}

/* ---- headers ------------------------------------------------------------------------------------------------------- */

static void good_headers_load(void)
{
    static const char *const headers[] = {
        "ndims=3\ndimsize=5 4 3\nELEMENTTYPE=met_uchar\n",
        "NDims: 3\r\nDimSize: 5 4 3\r\nElementType: MET_UCHAR\r\n",
        BYTES "Comment = a = b: c\nno separator\n\nElementMin = 7\n",
        BYTES "NDims = 3\nHeaderSize = 0\nBinaryData = T\nCompressedData = 0\nElementNumberOfChannels = 1\n",
        BYTES "HeaderSize = -1\n",
        BYTES "AnatomicalOrientation = RAI\nCenterOfRotation = 1 2 3\nModality = MET_MOD_MR\n",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct volume volume = load(headers[i]);
        has_samples(&volume, UINT8, 0, x_fastest);
        CHECK(!*volume.note && volume_handedness(&volume) == 1);
        volume_free(&volume);
    }
    struct volume slice = load("NDims = 2\nDimSize = 5 4\nElementType = MET_UCHAR\nElementSpacing = 2 3\n"
                               "TransformMatrix = 0 1 -1 0\nOffset = 7 8\n");
    CHECK(slice.grid.nx == NX && slice.grid.ny == NY && slice.grid.nz == 1 && slice.direction[1][0] == 2);
    CHECK(slice.direction[0][1] == -3 && slice.direction[2][2] == 1 && slice.origin[1] == 8);
    volume_free(&slice);
}

static void bad_headers_are_refused(void)
{
    static const struct {
        const char *header, *says;
    } headers[] = {
        { "DimSize = 5 4 3\nElementType = MET_UCHAR\n", "NDims" },
        { "NDims = 3\nElementType = MET_UCHAR\n", "DimSize" },
        { SHAPE, "ElementType" },
        { "NDims = 1\nDimSize = 60\nElementType = MET_UCHAR\n", "NDims = 1" },
        { "NDims = 5\nDimSize = 5 4 3 1 1\nElementType = MET_UCHAR\n", "NDims = 5" },
        { "NDims = 3\nDimSize = 5 4\nElementType = MET_UCHAR\n", "DimSize" },
        { "NDims = 3\nDimSize = 5 4 3 1\nElementType = MET_UCHAR\n", "DimSize" },
        { "NDims = 3\nDimSize = 5 4 -3\nElementType = MET_UCHAR\n", "DimSize" },
        { "NDims = 3\nDimSize = 5 4 0\nElementType = MET_UCHAR\n", "0 values along z" },
        { "NDims = 3\nDimSize = 5 4 4\nElementType = MET_UCHAR\n", "cut off" },
        { "NDims = 4\nDimSize = 5 4 3 2\nElementNumberOfChannels = 3\nElementType = MET_UCHAR\n",
          "5 x 4 x 3 uint8 voxels of 3 components in 2 frames need 360 bytes, but 60 bytes are there" },
        { "NDims = 3\nDimSize = 2147483647 2147483647 2147483647\nElementType = MET_UCHAR\n", "63 bits" },
        { SHAPE "ElementType = MET_STRING\n", "MET_STRING" },
        { SHAPE "ElementType = MET_FLOAT_ARRAY\n", "MET_FLOAT_ARRAY" },
        { "ObjectType = Mesh\n" BYTES, "Mesh" },
        { BYTES "BinaryData = maybe\n", "maybe" },
        { BYTES "CompressedData = True\n", "" },
        { BYTES "CompressedData = True\nHeaderSize = -1\n", "from its end" },
        { BYTES "HeaderSize = 1000\n", "1000" },
        { BYTES "HeaderSize = -2\n", "HeaderSize" },
        { BYTES "ElementNumberOfChannels = 0\n", "components" },
        { BYTES "ElementNumberOfChannels = x\n", "ElementNumberOfChannels" },
        { BYTES "ElementSpacing = 1 2\n", "ElementSpacing" },
        { BYTES "ElementSpacing = 1 2 inf\n", "finite" },
        { BYTES "ElementSpacing = 1 2 3,4\n", "ElementSpacing" },
        { BYTES "TransformMatrix = 1 0 0 0 1 0 0 0\n", "TransformMatrix" },
        { BYTES "Offset = 1 2 inf\n", "origin" },
        { BYTES "Offset = 1 2\n", "Offset" },
        { BYTES "Offset = 1 2 3\nPosition = 1 2 4\n", "contradicts" },
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct bytes file = local(headers[i].header, UINT8, N, false);
        check_subject(headers[i].header);
        must_refuse(read_metaimage, &file, "a.mha", headers[i].says);
        drop(&file);
    }
    struct bytes file = { 0 };
    append_text(&file, BYTES);
    check_subject("no data file");
    must_refuse(read_metaimage, &file, "a.mha", "ElementDataFile");
    drop(&file);
}

/* As SimpleITK 2.5 reports them: a row of the matrix is an axis. */
static void positions_are_those_of_itk(void)
{
    struct volume v = load(BYTES "ElementSpacing = 1 2 3\nTransformMatrix = 0 1 0 -1 0 0 0 0 1\nOffset = 5 6 7\n");
    CHECK(v.direction[1][0] == 1 && v.direction[0][1] == -2 && v.direction[2][2] == 3 && v.direction[0][0] == 0);
    CHECK(v.origin[0] == 5 && v.origin[1] == 6 && v.origin[2] == 7 && v.world == WORLD_LPS);
    volume_free(&v);
    v = load(BYTES "ElementSize = 4 5 6\nOrientation = 1 0 0 0 0 1 0 -1 0\nPosition = 1 2 3\n");
    CHECK(v.direction[0][0] == 4 && v.direction[2][1] == 5 && v.direction[1][2] == -6 && v.origin[2] == 3);
    volume_free(&v);
    v = load(BYTES "ElementSize = 4 5 6\nElementSpacing = 1 -2 3\nDistanceUnits = um\n");
    CHECK(v.direction[0][0] == 1 && v.direction[1][1] == -2 && !strcmp(v.unit, "um"));
    volume_free(&v);
    v = load(BYTES "ElementSpacing = 0 2 nan\nDistanceUnits = ?\n");
    CHECK(v.direction[0][0] == 1 && v.direction[2][2] == 1 && strstr(v.note, "1 assumed") && !*v.unit);
    volume_free(&v);
    v = load(BYTES "TransformMatrix = 1 0 0 1 0 0 0 0 1\n");
    CHECK(strstr(v.note, "do not span"));
    volume_free(&v);
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

static void header_loads(const char *what, const char *header)
{
    struct volume volume;
    struct err err = { 0 };
    check_subject(what);
    write_text("a.mhd", header);
    if (is_fine(load_volume(&volume, in_folder("a.mhd"), NULL, &err), &err)) has_samples(&volume, UINT8, 0, x_fastest);
    volume_free(&volume);
}

static void header_is_refused(const char *header, const char *says)
{
    write_text("b.mhd", header);
    file_is_refused("b.mhd", says);
}

static void data_lies_in_other_files(void)
{
    struct bytes voxels = { 0 };
    append_samples(&voxels, UINT8, N, false);
    write_file("whole.raw", voxels.data, N);
    struct bytes longer = { 0 };
    append(&longer, "abc", 3);
    append(&longer, voxels.data, N);
    write_file("longer.raw", longer.data, longer.size);
    for (int z = 0; z < NZ; z++) {
        char name[32];
        snprintf(name, sizeof name, "slice %02d.raw", 3 + 2 * z);
        write_file(name, voxels.data + (size_t)z * NX * NY, NX * NY);
        snprintf(name, sizeof name, "s%d.raw", z);
        write_file(name, longer.data + (size_t)z * NX * NY, NX * NY + 3); /* its end is the slice */
    }
    header_loads("a file", BYTES "ElementDataFile = whole.raw\n");
    header_loads("without a line end", BYTES "ElementDataFile = whole.raw");
    header_loads("a byte offset", BYTES "HeaderSize = 3\nElementDataFile = longer.raw\n");
    header_loads("from the end", BYTES "HeaderSize = -1\nElementDataFile = longer.raw\n");
    header_loads("a list", BYTES "ElementDataFile = LIST\nslice 03.raw\n\n slice 05.raw\r\nslice 07.raw\nanything\n");
    header_loads("a list of slices", BYTES "ElementDataFile = LIST 2D\nslice 03.raw\nslice 05.raw\nslice 07.raw");
    header_loads("a list of volumes", BYTES "ElementDataFile = LIST 3\nwhole.raw\n");
    header_loads("slices, each from its end", BYTES "HeaderSize = -1\nElementDataFile = LIST\ns0.raw\ns1.raw\ns2.raw\n");
    write_file("p-1.raw", voxels.data, NX * NY);
    write_file("p-3.raw", voxels.data + NX * NY, NX * NY);
    write_file("p-5.raw", voxels.data + 2 * NX * NY, NX * NY);
    header_loads("a pattern", BYTES "ElementDataFile = p-%d.raw 1 5 2\n");
    header_is_refused(BYTES "ElementDataFile = p-%d.raw 1 5\n", "5 files; 3 were expected");
    header_is_refused(BYTES "ElementDataFile = p-%d.raw 1 6 1\n", "6 files");
    header_is_refused(BYTES "ElementDataFile = p-%d.raw 1 5 0\n", "step");
    header_is_refused(BYTES "ElementDataFile = p-%d.raw\n", "step");
    header_is_refused(BYTES "ElementDataFile = p-%d.raw 2 4 1\n", "p-2.raw");
    header_is_refused(BYTES "ElementDataFile = %n%s%d 1 3 1\n", "pattern");
    header_is_refused(BYTES "ElementDataFile = LIST\nslice 03.raw\nslice 05.raw\n", "2 files; 3 were expected");
    header_is_refused(BYTES "ElementDataFile = LIST 4\nwhole.raw\n", "LIST");
    header_is_refused(BYTES "ElementDataFile = LIST\n../a\n../b\n../c\n", "inside the header's own folder");
    header_is_refused(BYTES "ElementDataFile = /etc/passwd\n", "inside the header's own folder");
    header_is_refused(BYTES "ElementDataFile = b.mhd\n", "names the header itself");
    header_is_refused(BYTES "ElementDataFile =\n", "names no file");
    header_is_refused(BYTES "ElementDataFile = absent.raw\n", "absent.raw");
    drop(&voxels);
    drop(&longer);
}

static void gzip_goes_round_it(void)
{
    struct bytes file = local(BYTES, UINT8, N, false), packed = { 0 };
    append_gzip(&packed, file.data, file.size);
    write_file("z.mha.gz", packed.data, packed.size);
    file_loads("z.mha.gz", NX);
    drop(&file);
    drop(&packed);
    file = local(BYTES "HeaderSize = -1\n", UINT8, N, false);
    append_gzip(&packed, file.data, file.size);
    write_file("y.mha.gz", packed.data, packed.size);
    file_is_refused("y.mha.gz", "from its end");
    drop(&file);
    drop(&packed);
}

static void damage_does_no_harm(void)
{
    struct bytes file = local("NDims = 4\nDimSize = 5 4 3 2\nElementType = MET_SHORT\nElementByteOrderMSB = 1\n"
                              "ElementNumberOfChannels = 2\nElementSpacing = 1 2 3 4\nHeaderSize = 0\n"
                              "TransformMatrix = 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\nOffset = 1.5 -2 3e1 4\n",
                              &stored_types[STORED_INT16], 4 * N, true);
    check_subject("a damaged header");
    cuts_are_refused(read_metaimage, &file, file.size, "a.mha");
    damaged_words_do_no_harm(read_metaimage, &file, file.size - 8 * N, "a.mha");
    drop(&file);
}

int main(void)
{
    if (!make_folder()) return 1;
    every_type_loads();
    text_and_deflate_load();
    frames_and_channels_are_chosen();
    good_headers_load();
    bad_headers_are_refused();
    positions_are_those_of_itk();
    data_lies_in_other_files();
    gzip_goes_round_it();
    damage_does_no_harm();
    remove_folder();
    return check_summary("test_read_metaimage");
}
