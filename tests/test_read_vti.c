/* VTI: every way to store an array loads exactly; what is not supported is refused by its name, and damage with a
 * sentence. */
#include "header_util.h"

#define GEOMETRY "Origin=\"10 20 30\" Spacing=\"0.5 1.5 2\" Direction=\"0 -1 0 1 0 0 0 0 1\""

enum where { ASCII, INLINE, RAW, BASE64 }; /* the last two: appended */

struct variant {
    enum where where;
    bool deflate, big;
    int count_bytes;
    size_t block; /* bytes of values in a compressed block */
};

static void append_base64(struct bytes *to, const uint8_t *data, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t bits = (uint32_t)data[i] << 16 | (i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0) |
                              (i + 2 < size ? data[i + 2] : 0);
        const char four[] = { digit[bits >> 18], digit[bits >> 12 & 63], i + 1 < size ? digit[bits >> 6 & 63] : '=',
                              i + 2 < size ? digit[bits & 63] : '=' };
        append(to, four, 4);
    }
}

static void append_count(struct bytes *to, const struct variant *v, uint64_t value)
{
    for (int b = 0; b < v->count_bytes; b++) {
        const int shift = 8 * (v->big ? v->count_bytes - 1 - b : b);
        const uint8_t byte = (uint8_t)(value >> shift);
        append(to, &byte, 1);
    }
}

/* The table of blocks, and the blocks. */
static void deflate_blocks(struct bytes *table, struct bytes *blocks, const struct bytes *values, const struct variant *v)
{
    const size_t n = (values->size + v->block - 1) / v->block;
    append_count(table, v, n);
    append_count(table, v, v->block);
    append_count(table, v, values->size % v->block);
    for (size_t at = 0; at < values->size; at += v->block) {
        const size_t size = values->size - at < v->block ? values->size - at : v->block;
        uint8_t packed[65536];
        uLongf length = sizeof packed;
        CHECK(compress(packed, &length, values->data + at, size) == Z_OK);
        append_count(table, v, length);
        append(blocks, packed, length);
    }
}

/* The array as its bytes stand in the file. */
static void append_data(struct bytes *to, const struct bytes *values, const struct variant *v)
{
    struct bytes start = { 0 }, rest = { 0 };
    if (v->deflate) deflate_blocks(&start, &rest, values, v);
    else {
        append_count(&start, v, values->size);
        append(v->where == RAW ? &rest : &start, values->data, values->size); /* as base64, a single text */
    }
    if (v->where == RAW) {
        append(to, start.data, start.size);
        append(to, rest.data, rest.size);
    } else {
        append_base64(to, start.data, start.size);
        append_base64(to, rest.data, rest.size);
    }
    drop(&start);
    drop(&rest);
}

static struct bytes values_of(const struct stored_type *type, int components, bool big)
{
    struct bytes values = { 0 };
    for (int i = 0; i < N; i++)
        for (int c = 0; c < components; c++) append_value(&values, type, sample(type, i, c), big);
    return values;
}

/* VTK's name of a type: "UInt8" for uint8. */
static const char *vtk_name(const struct stored_type *type)
{
    static char name[16];
    snprintf(name, sizeof name, "%s", type->name);
    name[0] = (char)(name[0] - 32);
    if (name[0] == 'U') name[1] = 'I';
    return name;
}

/* A file with one array in the middle of things that must be skipped; the first voxel is point (-2, 1, 0) of the grid. */
static struct bytes make_file(const struct stored_type *type, int components, const struct variant *v)
{
    struct bytes file = { 0 }, values = values_of(type, components, v->big), other = { 0 };
    const bool appended = v->where == RAW || v->where == BASE64;
    append_text(
        &file,
        "<?xml version=\"1.0\"?>\n<!-- <DataArray> -->\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"%s\" "
        "header_type=\"UInt%d\"%s>\n<ImageData WholeExtent=\"-2 0 1 4 0 4\" " GEOMETRY ">\n<FieldData>"
        "<DataArray type=\"Int32\" Name=\"time\" NumberOfTuples=\"1\" format=\"ascii\">7</DataArray></FieldData>\n"
        "<Piece Extent=\"-2 0 1 4 0 4\"><PointData Scalars=\"p\">",
        v->big ? "BigEndian" : "LittleEndian", 8 * v->count_bytes,
        v->deflate ? " compressor=\"vtkZLibDataCompressor\"" : "");
    append_data(&other, &values, v);
    append_text(&file, "<DataArray type=\"%s\" Name=\"p\" NumberOfComponents=\"%d\" format=\"%s\" offset=\"%zu\">",
                vtk_name(type), components,
                v->where == ASCII    ? "ascii"
                : v->where == INLINE ? "binary"
                                     : "appended",
                v->where == RAW || v->where == BASE64 ? other.size : 0);
    for (int i = 0; i < N * components && v->where == ASCII; i++)
        append_text(&file, "%s%.15g", i % 7 ? " " : "\n", sample(type, i / components, i % components));
    if (v->where == INLINE) {
        append_text(&file, "\n   ");
        append(&file, other.data, other.size);
    }
    append_text(&file, "\n<InformationKey name=\"L2\"/></DataArray></PointData><CellData/></Piece></ImageData>\n");
    if (appended) {
        append_text(&file, "<AppendedData encoding=\"%s\">\n  _", v->where == RAW ? "raw" : "base64");
        append(&file, other.data, other.size); /* of another array, before that of p */
        append(&file, other.data, other.size);
        append_text(&file, "\n</AppendedData>\n");
    }
    append_text(&file, "</VTKFile>\n");
    drop(&values);
    drop(&other);
    return file;
}

/* Columns: 0.5 along +y, 1.5 along -x, 2 along +z; the origin is that of point (0, 0, 0). */
static void has_geometry(const struct volume *volume)
{
    static const double direction[3][3] = { { 0, -1.5, 0 }, { 0.5, 0, 0 }, { 0, 0, 2 } }, origin[3] = { 8.5, 19, 30 };
    for (int row = 0; row < 3; row++) {
        for (int a = 0; a < 3; a++) CHECK_NEAR(volume->direction[row][a], direction[row][a], 1e-12);
        CHECK_NEAR(volume->origin[row], origin[row], 1e-12);
    }
    CHECK(volume->world == WORLD_OTHER && !*volume->unit);
}

static void one_file_loads(const struct stored_type *type, int components, const struct variant *v)
{
    struct bytes file = make_file(type, components, v);
    for (int c = 0; c < components; c++) {
        struct volume volume;
        char subject[96];
        snprintf(subject, sizeof subject, "%s, component %d of %d, place %d, deflate %d, big %d, counts of %d bytes",
                 type->name, c, components, v->where, v->deflate, v->big, v->count_bytes);
        check_subject(subject);
        if (!reads(read_vti, &volume, &file, &(struct load_desc){ .component = (uint64_t)c })) continue;
        CHECK(volume.grid.nx == NX && volume.grid.ny == NY && volume.grid.nz == NZ && volume.grid.type == type->voxel);
        int wrong = 0;
        for (int i = 0; i < N; i++) wrong += grid_value(&volume.grid, (size_t)i) != (float)sample(type, i, c);
        CHECK(wrong == 0);
        CHECK(volume.components == (uint64_t)components);
        CHECK(!strstr(volume.note, "ignored") && !strstr(volume.note, "array"));
        has_geometry(&volume);
        volume_free(&volume);
    }
    drop(&file);
}

static void every_kind_loads(void)
{
    for (const struct stored_type *type = stored_types; type < &stored_types[STORED_FLOAT16]; type++)
        for (int kind = 0; kind < 32; kind++) {
            const struct variant v = { (enum where)(kind % 4), kind & 4, kind & 8, kind & 16 ? 8 : 4, 56 };
            one_file_loads(type, 1, &v); /* blocks of 56 bytes: the last one is partial */
            one_file_loads(type, 3, &v);
        }
    for (size_t block = 8; block <= 480; block *= 60) { /* whole blocks only, and a single one */
        const struct variant v = { RAW, true, false, 8, block };
        one_file_loads(stored_type_find("float64"), 1, &v);
    }
}

/* Count and values as two texts, as some writers have it; and lines within the base64. */
static void other_base64_loads(void)
{
    const struct variant v = { INLINE, false, false, 4, 0 };
    const struct stored_type *type = stored_type_find("uint8");
    struct bytes file = { 0 }, values = values_of(type, 1, false), count = { 0 };
    struct volume volume;
    check_subject("count and values as two base64 texts");
    append_count(&count, &v, values.size);
    append_text(&file, "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\"><ImageData WholeExtent=\"0 2 0 3 0 4\">"
                       "<Piece Extent=\"0 2 0 3 0 4\"><PointData><DataArray type=\"UInt8\" format=\"binary\">");
    append_base64(&file, count.data, count.size);
    for (size_t at = 0; at < values.size; at += 15) {
        append_text(&file, "\r\n  ");
        append_base64(&file, values.data + at, 15);
    }
    append_text(&file, "</DataArray></PointData></Piece></ImageData></VTKFile>");
    if (reads(read_vti, &volume, &file, NULL))
        for (int i = 0; i < N; i++) CHECK(grid_value(&volume.grid, (size_t)i) == (float)sample(type, i, 0));
    volume_free(&volume);
    drop(&file);
    drop(&values);
    drop(&count);
}

/* ---- arrays -------------------------------------------------------------------------------------------------------- */

#define START \
    "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\"><ImageData WholeExtent=\"0 1 0 1 0 1\" Spacing=\"2 2 2\">"
#define PIECE_START "<Piece Extent=\"0 1 0 1 0 1\">"
#define END "</Piece></ImageData></VTKFile>"
#define ARRAY(name, value) \
    "<DataArray type=\"UInt8\" Name=\"" name "\" format=\"ascii\">" value " 2 3 4 5 6 7 8</DataArray>"
#define CELLS "<CellData Scalars=\"c\"><DataArray type=\"UInt8\" Name=\"c\" format=\"ascii\">9</DataArray></CellData>"

/* `first` is the value of the first voxel; `says` must be in the note. */
static void array_loads(const char *text, const char *array, float first, const char *says)
{
    struct volume volume;
    struct bytes file = { 0 };
    check_subject(array ? array : text);
    append_text(&file, "%s", text);
    if (reads(read_vti, &volume, &file, &(struct load_desc){ .array = array })) {
        CHECK(grid_value(&volume.grid, 0) == first);
        if (!CHECK(*says ? strstr(volume.note, says) != NULL : !*volume.note)) printf("  note: %s\n", volume.note);
        if (first == 9) CHECK(volume.grid.nx == 1 && volume.origin[0] == 1 && volume.origin[2] == 1);
    }
    volume_free(&volume);
    drop(&file);
}

static void arrays_are_chosen(void)
{
    static const char three[] = START PIECE_START "<PointData Scalars=\"q\">" ARRAY(
        "p", "1") "<DataArray type=\"String\" "
                  "Name=\"s\" format=\"ascii\">1</DataArray>" ARRAY("q", "21") "</PointData>" CELLS END;
    array_loads(three, NULL, 21, "array 'q' of 'p', 'q', 'c'");
    array_loads(three, "p", 1, "");
    array_loads(three, "c", 9, "values of cells");
    array_loads(START PIECE_START "<PointData Scalars=\"gone\">" ARRAY("p", "1") ARRAY("q", "2") "</PointData>" END, NULL,
                1, "array 'p' of 'p', 'q'");
    array_loads(START PIECE_START "<CellData/><PointData>" ARRAY("p", "1") "</PointData>" END, NULL, 1, "");
    array_loads(START PIECE_START "<PointData/>" CELLS END, NULL, 9, "values of cells");
    array_loads(START PIECE_START CELLS "<PointData>" ARRAY("p", "1") "</PointData>" END, NULL, 1, "'c', 'p'");

    struct volume volume;
    struct err err;
    struct bytes file = { 0 };
    append_text(&file, "%s", three);
    check_subject("an array that is not there");
    CHECK(read_described(read_vti, &volume, &file, "test", &(struct load_desc){ .array = "P" }, &err) == ERR_USAGE);
    CHECK(strstr(err.text, "'P'") && strstr(err.text, "'p', 'q', 'c'"));
    CHECK(read_described(read_vti, &volume, &file, "test", &(struct load_desc){ .array = "s" }, &err) == ERR_INPUT);
    CHECK(strstr(err.text, "String"));
    drop(&file);

    check_subject("more names than a sentence holds");
    append_text(&file, START PIECE_START "<PointData>");
    for (int i = 0; i < 40; i++) append_text(&file, ARRAY("%d", "1"), i);
    append_text(&file, "</PointData>" END);
    if (reads(read_vti, &volume, &file, NULL))
        CHECK(strstr(volume.note, "array '0' of '0', '1', ") && strstr(volume.note, ", ..."));
    volume_free(&volume);
    drop(&file);
}

/* ---- refusals ------------------------------------------------------------------------------------------------------ */

static void unsupported_is_refused(void)
{
    text_is_refused(read_vti, "<html></html>", "html");
    text_is_refused(read_vti, "<VTKFile type=\"UnstructuredGrid\"></VTKFile>", "UnstructuredGrid");
    text_is_refused(read_vti, "<VTKFile></VTKFile>", "only ImageData");
    text_is_refused(read_vti, "<VTKFile type=\"ImageData\" byte_order=\"Middle\"/>", "Middle");
    text_is_refused(read_vti, "<VTKFile type=\"ImageData\" header_type=\"UInt16\"/>", "UInt16");
    text_is_refused(read_vti, "<!DOCTYPE a [<!ENTITY b \"c\">]><VTKFile type=\"ImageData\"/>", "document type");
    text_is_refused(read_vti, START PIECE_START "</Piece>" PIECE_START END, "several pieces");
    text_is_refused(read_vti, START "<Piece Extent=\"0 1 0 1 0 0\">" END, "not the whole");
    text_is_refused(read_vti, START PIECE_START END, "no array");
    text_is_refused(read_vti, START PIECE_START "<PointData>" ARRAY("p", "1") "</PointData>", "XML");
    text_is_refused(read_vti, START PIECE_START "<PointData>" ARRAY("p", "1 1") "</PointData>" END, "follows the last");
    text_is_refused(read_vti, START PIECE_START "<PointData>" ARRAY("p", "1a") "</PointData>" END, "value 0");
    text_is_refused(read_vti, START PIECE_START "<PointData><DataArray type=\"UInt8\" format=\"ascii\"/></PointData>" END,
                    "0 bytes are there;");
    text_is_refused(read_vti,
                    START PIECE_START
                    "<PointData><DataArray type=\"UInt8\" format=\"binary\">CAAAAAEC</DataArray></PointData>" END,
                    "too few as they are encoded");
    text_is_refused(read_vti,
                    START PIECE_START
                    "<PointData><DataArray type=\"UInt8\" format=\"binary\">CAA?AAECAwQFBgcI</DataArray></PointData>" END,
                    "byte 0x3f in");
    text_is_refused(read_vti, START PIECE_START "<PointData><DataArray type=\"UInt8\" format=\"x\"/></PointData>" END,
                    "'x'");
    text_is_refused(
        read_vti, START PIECE_START "<PointData><DataArray type=\"UInt8\" format=\"appended\"/></PointData>" END, "offset");
    text_is_refused(read_vti,
                    START PIECE_START
                    "<PointData><DataArray type=\"UInt8\" format=\"appended\" offset=\"0\"/></PointData>" END,
                    "no appended data");
    text_is_refused(read_vti, "<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"0 1 1 0 0 1\"/></VTKFile>",
                    "WholeExtent");
    text_is_refused(read_vti,
                    "<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"0 1 0 1 0 1\" Origin=\"1 2\"/></VTKFile>",
                    "Origin");
    text_is_refused(read_vti,
                    "<VTKFile type=\"ImageData\" compressor=\"vtkLZ4DataCompressor\"><ImageData WholeExtent=\"0 1 0 1 0 "
                    "1\">" PIECE_START
                    "<PointData><DataArray type=\"UInt8\" format=\"binary\">AAAA</DataArray></PointData>" END,
                    "vtkLZ4DataCompressor");
}

/* Elements in one another without end, and a file of nothing but elements. */
static void endless_xml_is_refused(void)
{
    static const char *const what[] = { "<a>", "<a/>", "<a" };
    static const char *const must_say[] = { "nested more than", "bytes of XML elements", "element or comment of over" };
    for (int i = 0; i < 3; i++) {
        struct bytes file = { 0 };
        check_subject(what[i]);
        append_text(&file, "<VTKFile type=\"ImageData\">%s", i == 2 ? "<b " : "");
        char piece[4096] = "";
        for (size_t n = 0; n + 6 < sizeof piece; n = strlen(piece))
            snprintf(piece + n, sizeof piece - n, "%s", i == 2 ? "     " : what[i]);
        for (int j = 0; j < 1024; j++) append(&file, piece, strlen(piece)); /* 4 MiB */
        is_refused(read_vti, &file, must_say[i]);
    }
}

/* Each byte of the data and of the counts before it, changed: an error or other voxels; with zlib an error, but for bits
 * that mean nothing, at the end of a base64 text or of a deflate stream. */
static void changed_data_is_refused(const struct variant *v)
{
    const struct stored_type *type = stored_type_find("uint8");
    struct bytes file = make_file(type, 1, v);
    int errors = 0;
    const char *mark = v->where == INLINE ? "\n   " : "_";
    uint8_t *data = (uint8_t *)strstr(strstr((char *)file.data, "offset="), mark) + strlen(mark);
    while (data < file.data + file.size && *data != '<') {
        struct volume volume;
        struct err err;
        const uint8_t before = *data;
        *data ^= before == '=' ? 1 : 2;
        check_subject("a changed byte of the data");
        const int code = read_bytes(read_vti, &volume, file.data, file.size, "test", &err);
        CHECK(code == ERR_NONE || code == ERR_INPUT);
        int wrong = 0;
        for (int j = 0; j < N && !code; j++) wrong += grid_value(&volume.grid, (size_t)j) != (float)sample(type, j, 0);
        if (v->deflate) CHECK(wrong == 0);
        errors += code == ERR_INPUT;
        volume_free(&volume);
        *data++ = before;
    }
    CHECK(errors > (v->deflate ? 60 : 2)); /* without zlib, only the count can be wrong */
    drop(&file);
}

static void damage_is_refused(void)
{
    static const struct variant kinds[] = { { ASCII, false, false, 4, 0 },  { INLINE, false, false, 4, 0 },
                                            { INLINE, true, false, 4, 56 }, { RAW, false, false, 8, 0 },
                                            { RAW, true, false, 8, 56 },    { BASE64, true, true, 4, 56 } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct bytes file = make_file(stored_type_find("uint8"), 1, &kinds[i]);
        const bool appended = kinds[i].where == RAW || kinds[i].where == BASE64;
        /* Behind the values of an appended array, nothing is read. */
        cuts_are_refused(read_vti, &file, appended ? file.size - strlen("\n</AppendedData>\n</VTKFile>\n") : file.size - 2,
                         "test");
        damaged_words_do_no_harm(read_vti, &file, (size_t)(strstr((char *)file.data, "offset=") - (char *)file.data) + 9,
                                 "test");
        drop(&file);
    }
    changed_data_is_refused(&kinds[1]);
    changed_data_is_refused(&kinds[2]);
}

/* Tables of blocks that lie. */
static void wrong_tables_are_refused(void)
{
    static const struct {
        uint64_t counts[4];
        const char *must_say;
    } tables[] = {
        { { 0, 56, 0, 8 }, "0 blocks" },
        { { 1, 59, 0, 8 }, "60 bytes were expected" },
        { { 2, 60, 60, 8 }, "60 bytes were expected" },
        { { 60, 1, 0, 8 }, "does not fit" },
        { { UINT64_MAX, UINT64_MAX, 60, 8 }, "60 bytes were expected" },
        { { 1, 60, 0, 0 }, "block 1" },
        { { 1, 60, 0, 3 }, "block 1" },
        { { 1, 60, 0, UINT64_MAX }, "block 1" },
    };
    const struct variant v = { RAW, true, false, 8, 60 };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct bytes file = make_file(stored_type_find("uint8"), 1, &v);
        struct bytes values = values_of(stored_type_find("uint8"), 1, false), blocks = { 0 }, table = { 0 };
        file.size = (size_t)(strchr(strstr((char *)file.data, "offset="), '_') + 1 - (char *)file.data);
        deflate_blocks(&table, &blocks, &values, &v);
        for (size_t j = 0; j < table.size + blocks.size; j++) append(&file, "0", 1); /* where the other array was */
        for (int j = 0; j < 4; j++) append_count(&file, &v, tables[i].counts[j]);
        append(&file, blocks.data, blocks.size);
        check_subject(tables[i].must_say);
        is_refused(read_vti, &file, tables[i].must_say);
        drop(&values);
        drop(&blocks);
        drop(&table);
    }
}

/* In gzip, what is not compressed itself is read as well. */
static void gzip_loads(void)
{
    if (!make_folder()) return;
    const struct variant kinds[] = { { ASCII, false, false, 4, 0 },
                                     { RAW, false, true, 8, 0 },
                                     { RAW, true, false, 8, 56 } };
    for (size_t i = 0; i < 3; i++) {
        struct bytes file = make_file(stored_type_find("int16"), 1, &kinds[i]), packed = { 0 };
        append_gzip(&packed, file.data, file.size);
        write_file("a.vti.gz", packed.data, packed.size);
        if (i < 2) file_loads("a.vti.gz", NX);
        else file_is_refused("a.vti.gz", "through gzip");
        drop(&file);
        drop(&packed);
    }
    remove_folder();
}

int main(void)
{
    every_kind_loads();
    other_base64_loads();
    arrays_are_chosen();
    unsupported_is_refused();
    endless_xml_is_refused();
    damage_is_refused();
    wrong_tables_are_refused();
    gzip_loads();
    return check_summary("test_read_vti");
}
