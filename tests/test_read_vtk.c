/* Legacy VTK: text and binary load exactly, of several arrays the right one; everything else is refused with a sentence. */
#include "header_util.h"

#define START(encoding) "# vtk DataFile Version 3.0\ntitle # of all\n" encoding "\nDATASET STRUCTURED_POINTS\n"
#define GRID "DIMENSIONS 3 4 5\nORIGIN 10 20 30\nSPACING 0.5 1.5 -2\nPOINT_DATA 60\n"
#define SMALL "DIMENSIONS 2 2 2\nPOINT_DATA 8\n"
#define TABLE "LOOKUP_TABLE default\n"
#define EIGHT " 2 3 4 5 6 7 8\n"

/* VTK's names of the types in stored_types. */
static const char *const vtk_type[] = { "unsigned_char", "char",         "unsigned_short", "short",         "float",
                                        "int",           "unsigned_int", "vtktypeint64",   "unsigned_long", "double" };

static void append_values(struct bytes *to, const struct stored_type *type, int components, bool binary)
{
    for (int i = 0; i < N * components; i++) {
        const double value = sample(type, i / components, i % components);
        if (binary) append_value(to, type, value, true);
        else append_text(to, "%.15g%s", value, i % 9 ? " " : "\r\n");
    }
    append_text(to, "\n");
}

static void has_samples(const struct volume *volume, const struct stored_type *type, int c)
{
    int wrong = 0;
    if (!CHECK(volume->grid.nx == NX && volume->grid.ny == NY && volume->grid.nz == NZ)) return;
    for (int i = 0; i < N; i++) wrong += grid_value(&volume->grid, (size_t)i) != (float)sample(type, i, c);
    CHECK(wrong == 0 && volume->grid.type == type->voxel);
    CHECK_NEAR(volume->direction[0][0], 0.5, 0);
    CHECK_NEAR(volume->direction[1][1], 1.5, 0);
    CHECK_NEAR(volume->direction[2][2], -2, 0);
    CHECK(volume->origin[0] == 10 && volume->origin[1] == 20 && volume->origin[2] == 30);
    CHECK(volume->world == WORLD_OTHER && !*volume->unit && !strstr(volume->note, "ignored"));
}

/* An array of scalars and one of a field, each in the middle of things to be passed over. */
static struct bytes make_file(const struct stored_type *type, int components, bool binary)
{
    const char *name = vtk_type[type - stored_types];
    struct bytes file = { 0 };
    append_text(&file, "%s", binary ? START("BINARY") : START("ASCII"));
    append_text(&file, "FIELD FieldData 3\ntime 1 1 int\n%s\nMETADATA\nINFORMATION 0\n\n", binary ? "abcd" : "7");
    append_text(&file, "who 1 4 string\n%s%064d%s\n", binary ? "\xc3%20\xc0\x80\x40" : "one%20two\n\n", 0,
                binary ? "\xc1x" : "\nSCALARS of nobody");
    append_text(&file, "odd 1 11 bit\n%s\n" GRID "\n", binary ? "ab" : "0 1 0 1 0 1 0 1 0 1 0");
    append_text(&file, "VECTORS v float\n");
    append_values(&file, &stored_types[STORED_FLOAT32], 3, binary);
    append_text(&file, "SCALARS the%%20scalars %s %d\n" TABLE, name, components);
    append_values(&file, type, components, binary);
    append_text(&file, "LOOKUP_TABLE default 2\n%s\nFIELD f 2\nodd 1 3 char\n%s\nlast %d %d %s\n",
                binary ? "rgbaRGBA" : "0 0 0 1  1 1 1 1", binary ? "abc" : "1 2 3", components, N, name);
    append_values(&file, type, components, binary);
    return file;
}

static void every_kind_loads(void)
{
    for (const struct stored_type *type = stored_types; type < &stored_types[STORED_FLOAT16]; type++)
        for (int kind = 0; kind < 8; kind++) {
            const int components = kind & 1 ? 3 : 1, c = components - 1;
            const bool last = kind & 4;
            struct bytes file = make_file(type, components, kind & 2);
            struct volume volume;
            const struct load_desc desc = { .component = (uint64_t)c, .array = last ? "last" : NULL };
            char subject[64];
            snprintf(subject, sizeof subject, "%s, kind %d", type->name, kind);
            check_subject(subject);
            if (reads(read_vtk, &volume, &file, &desc)) {
                has_samples(&volume, type, c);
                CHECK(last == !strstr(volume.note, "array 'the scalars' of 'v', 'the scalars', 'last'"));
            }
            volume_free(&volume);
            drop(&file);
        }
}

/* ---- headers ------------------------------------------------------------------------------------------------------- */

static void text_loads(const char *text, const char *array, size_t nx, float first, const char *says)
{
    struct volume volume;
    struct bytes file = { 0 };
    check_subject(text);
    append_text(&file, "%s", text);
    if (reads(read_vtk, &volume, &file, &(struct load_desc){ .array = array })) {
        CHECK(volume.grid.nx == nx && grid_value(&volume.grid, 0) == first);
        if (!CHECK(*says ? strstr(volume.note, says) != NULL : !*volume.note)) printf("  note: %s\n", volume.note);
    }
    volume_free(&volume);
    drop(&file);
}

static void odd_headers_load(void)
{
    text_loads("# vtk DataFile Version 1.0\r\nt\r\n\r\nascii\r\n\r\ndataset structured_points\r\ndimensions 2 2 2\r\n"
               "Aspect_Ratio 1 1 1\r\n\r\npoint_data 8\r\nscalars s char\r\nlookup_table default\r\n-1" EIGHT,
               NULL, 2, -1, "");
    text_loads(START("ASCII") SMALL "SCALARS a int\n" TABLE "1" EIGHT "SCALARS b int\n" TABLE "9" EIGHT, NULL, 2, 1,
               "array 'a' of 'a', 'b'");
    text_loads(START("ASCII") SMALL "NORMALS a int\n" EIGHT EIGHT EIGHT "1 1 1 SCALARS b int\n" TABLE "9" EIGHT, NULL, 2, 9,
               "array 'b' of 'a', 'b'");
    text_loads(START("ASCII") SMALL "SCALARS a int\n" TABLE "1" EIGHT "SOMETHING else", NULL, 2, 1,
               "what follows 'SOMETHING' is not understood");
    text_loads(START("ASCII") SMALL "SCALARS a int\n" TABLE "1" EIGHT "FIELD f 1\ns 1 2 string\none\ntwo", NULL, 2, 1,
               "what follows 's' is not understood");
    text_loads(START("ASCII") "DIMENSIONS 3 3 3\nSPACING 2 2 2\nCELL_DATA 8\nSCALARS a int\n" TABLE "7" EIGHT, NULL, 2, 7,
               "values of cells");
    text_loads(START("ASCII") SMALL "SCALARS a int\n" TABLE "1" EIGHT "CELL_DATA 1\nSCALARS b int\n" TABLE "9", NULL, 2, 1,
               "array 'a' of 'a', 'b'");
    text_loads(START("ASCII") SMALL "SCALARS a int\n" TABLE "1" EIGHT "CELL_DATA 1\nSCALARS b int\n" TABLE "9", "b", 1, 9,
               "values of cells");
}

/* Every byte comes back from the six digits that VTK writes. */
static void colours_are_fractions(void)
{
    struct volume volume;
    struct bytes file = { 0 };
    int wrong = 0;
    check_subject("colours as text");
    append_text(&file, START("ASCII") "DIMENSIONS 16 8 2\nPOINT_DATA 256\nCOLOR_SCALARS c 1\n");
    for (int i = 0; i < 256; i++) append_text(&file, "%d.%06d ", i / 255, i % 255 * 1000000 / 255);
    if (reads(read_vtk, &volume, &file, NULL)) {
        for (int i = 0; i < 256; i++) wrong += volume_real(&volume, grid_value(&volume.grid, (size_t)i)) != i;
        CHECK(wrong == 0 && volume.grid.type == VOXEL_UINT8);
    }
    volume_free(&volume);
    drop(&file);
    text_is_refused(read_vtk, START("ASCII") SMALL "COLOR_SCALARS c 1\n1.2" EIGHT, "uint8");
    text_is_refused(read_vtk, START("ASCII") SMALL "COLOR_SCALARS c 1\n-1" EIGHT, "uint8");
}

static void cells_lie_between_points(void)
{
    struct volume volume;
    struct bytes file = { 0 };
    check_subject("cells");
    append_text(&file, START("ASCII") "DIMENSIONS 3 5 1\nORIGIN 10 20 30\nSPACING 2 4 6\nCELL_DATA 8\nSCALARS a int\n" TABLE
                                      "1" EIGHT);
    if (reads(read_vtk, &volume, &file, NULL)) {
        CHECK(volume.grid.nx == 2 && volume.grid.ny == 4 && volume.grid.nz == 1);
        CHECK(volume.origin[0] == 11 && volume.origin[1] == 22 &&
              volume.origin[2] == 30); /* a flat axis has its cells there */
    }
    volume_free(&volume);
    drop(&file);
}

/* ---- refusals ------------------------------------------------------------------------------------------------------ */

static void bad_files_are_refused(void)
{
    text_is_refused(read_vtk, "# vtk DataFile Version 9.0\n", "not a VTK file");
    text_is_refused(read_vtk, "# vtk DataFile Version 3.0\nt\nHEX\n", "HEX");
    text_is_refused(read_vtk, "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n", "UNSTRUCTURED_GRID");
    text_is_refused(read_vtk, "# vtk DataFile Version 3.0\nt\nASCII\nPOINTS 8\n", "no DATASET");
    text_is_refused(read_vtk, START("ASCII") SMALL, "no array of numbers");
    text_is_refused(read_vtk, START("ASCII") "DIMENSIONS 2 2 -2\n", "DIMENSIONS");
    text_is_refused(read_vtk, START("ASCII") "ORIGIN a b c\n", "ORIGIN");
    text_is_refused(read_vtk, START("ASCII") "DIMENSIONS 2 2 2\nPOINT_DATA 9\n", "POINT_DATA 9, but DIMENSIONS are 2 2 2");
    text_is_refused(read_vtk, START("ASCII") "DIMENSIONS 0 2 2\nPOINT_DATA 0\n", "POINT_DATA 0");
    text_is_refused(read_vtk, START("ASCII") "DIMENSIONS 4294967296 4294967296 1\nPOINT_DATA 0\n", "POINT_DATA 0");
    text_is_refused(read_vtk, START("ASCII") SMALL "SCALARS a int\n1" EIGHT, "LOOKUP_TABLE");
    text_is_refused(read_vtk, START("ASCII") SMALL "SCALARS a int x\n" TABLE, "number of components");
    text_is_refused(read_vtk, START("ASCII") SMALL "SCALARS a bit\n" TABLE "1" EIGHT, "no array of numbers");
    text_is_refused(read_vtk, START("ASCII") SMALL "SCALARS a variant\n" TABLE "1" EIGHT, "unknown word 'a'");
    text_is_refused(read_vtk, START("BINARY") SMALL "FIELD f 1\na 1 2 string\n\xc1x\x3f\xff", "unknown word 'a'");
    text_is_refused(read_vtk, START("BINARY") SMALL "FIELD f 1\na 1 99999999999 string\n\xc1x\xc1y", "unknown word 'a'");
    text_is_refused(read_vtk, START("ASCII") SMALL "SCALARS a int\n" TABLE EIGHT, "cut off");
    text_is_refused(read_vtk, START("ASCII") SMALL "SCALARS a int\n" TABLE "x" EIGHT, "value 0");
    text_is_refused(read_vtk, START("ASCII") SMALL "SCALARS a int\n" TABLE "1 1" EIGHT, "follows the last");
    text_is_refused(read_vtk, START("BINARY") SMALL "SCALARS a double\n" TABLE "1234", "need 64 bytes");
    text_is_refused(read_vtk, START("BINARY") SMALL "SCALARS a double 4611686018427387904\n" TABLE "1234", "components");

    struct volume volume;
    struct err err;
    struct bytes file = { 0 };
    append_text(&file, START("ASCII") SMALL "SCALARS a int\n" TABLE "1" EIGHT "SCALARS b bit\n" TABLE "1" EIGHT);
    check_subject("an array that is not there, and one of bits");
    CHECK(read_described(read_vtk, &volume, &file, "test", &(struct load_desc){ .array = "b" }, &err) == ERR_INPUT);
    CHECK(strstr(err.text, "bit") != NULL);
    file.size = (size_t)(strstr((char *)file.data, "SCALARS b") - (char *)file.data);
    CHECK(read_described(read_vtk, &volume, &file, "test", &(struct load_desc){ .array = "c" }, &err) == ERR_USAGE);
    CHECK(strstr(err.text, "'c'") && strstr(err.text, "'a'"));
    drop(&file);

    check_subject("a header without end");
    append_text(&file, START("ASCII") SMALL "SCALARS a int\n");
    const size_t before = file.size;
    file.data = realloc(file.data, before + (2 << 20));
    memset(file.data + before, ' ', 2 << 20);
    file.size += 2 << 20;
    is_refused(read_vtk, &file, "LOOKUP_TABLE");
}

static void damage_is_refused(void)
{
    for (int binary = 0; binary < 2; binary++) {
        const struct stored_type *type = stored_type_find("int16");
        struct bytes file = { 0 }, all = make_file(type, 1, binary);
        check_subject("numbers of a header");
        damaged_words_do_no_harm(read_vtk, &all, all.size - (binary ? N * 2 + 1 : 400), "test");
        append_text(&file, "%s" GRID "FIELD f 1\na 1 60 short\n", binary ? START("BINARY") : START("ASCII"));
        append_values(&file, type, 1, binary);
        const size_t vague = binary ? 1 : strlen("19647 \n"); /* a number with fewer digits is one */
        cuts_are_refused(read_vtk, &file, file.size - vague, "test");
        drop(&all);
        drop(&file);
    }
}

/* In gzip, the header's own array is found, whatever follows. */
static void gzip_loads(void)
{
    if (!make_folder()) return;
    for (int binary = 0; binary < 2; binary++) {
        struct bytes file = make_file(stored_type_find("float64"), 3, binary), packed = { 0 };
        append_gzip(&packed, file.data, file.size);
        write_file("a.vtk.gz", packed.data, packed.size);
        file_loads("a.vtk.gz", NX);
        drop(&file);
        drop(&packed);
    }
    remove_folder();
}

int main(void)
{
    every_kind_loads();
    odd_headers_load();
    colours_are_fractions();
    cells_lie_between_points();
    bad_files_are_refused();
    damage_is_refused();
    gzip_loads();
    return check_summary("test_read_vtk");
}
