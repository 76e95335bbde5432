/* OpenDX: grids as text and as binary, in the file or beside it, load exactly; everything else is refused with a
 * sentence. */
#include "header_util.h"

#define GRID                                                                                                         \
    "# a comment: object 1 class field\nobject 1 class gridpositions counts 3 4 5\norigin 10 20 30 # here\n"         \
    "delta 0.5 0.25 0\ndelta 0 1.5 0\ndelta 0 0 -2\nobject \"the connections\" class gridconnections counts 3 4 5\n" \
    "attribute \"element type\" string \"cubes\"\n"
#define TRAILER "\nattribute \"dep\" string \"positions\"\nobject \"regular\" class field\ncomponent \"data\" value 3\n"

enum mode { TEXT, LSB, MSB };

/* DX's names of the types in stored_types; NULL: none. */
static const char *const dx_type[] = { "byte", "signed byte", "unsigned short", "short", "float", "int", "unsigned int",
                                       NULL,   NULL,          "double" };

/* z fastest, and components faster still. */
static void append_values(struct bytes *to, const struct stored_type *type, int components, enum mode mode)
{
    for (int x = 0; x < NX; x++)
        for (int y = 0; y < NY; y++)
            for (int z = 0; z < NZ; z++)
                for (int c = 0; c < components; c++) {
                    const double value = sample(type, (z * NY + y) * NX + x, c);
                    if (mode == TEXT) append_text(to, "%.15g%s", value, z == 2 ? "\n" : " ");
                    else append_value(to, type, value, mode == MSB);
                }
}

static struct bytes make_file(const struct stored_type *type, int components, enum mode mode)
{
    static const char *const word[] = { "", "lsb binary ", "msb ieee " };
    struct bytes file = { 0 };
    append_text(&file, GRID "object 3 class array type %s rank %d ", dx_type[type - stored_types], components > 1);
    if (components > 1) append_text(&file, "shape %d ", components);
    append_text(&file, "items %d %sdata follows\n", N, word[mode]);
    append_values(&file, type, components, mode);
    append_text(&file, TRAILER);
    return file;
}

static void has_samples(const struct volume *volume, const struct stored_type *type, int c)
{
    static const double direction[3][3] = { { 0.5, 0, 0 }, { 0.25, 1.5, 0 }, { 0, 0, -2 } }, origin[3] = { 10, 20, 30 };
    int wrong = 0;
    CHECK(volume->grid.nx == NX && volume->grid.ny == NY && volume->grid.nz == NZ && volume->grid.type == type->voxel);
    for (int i = 0; i < N; i++) wrong += grid_value(&volume->grid, (size_t)i) != (float)sample(type, i, c);
    CHECK(wrong == 0);
    for (int row = 0; row < 3; row++) {
        for (int a = 0; a < 3; a++) CHECK_NEAR(volume->direction[row][a], direction[row][a], 0);
        CHECK_NEAR(volume->origin[row], origin[row], 0);
    }
    CHECK(volume->world == WORLD_OTHER && !*volume->unit && !strstr(volume->note, "ignored"));
}

static void every_kind_loads(void)
{
    for (const struct stored_type *type = stored_types; type < &stored_types[STORED_FLOAT16]; type++)
        for (int kind = 0; kind < 6 && dx_type[type - stored_types]; kind++) {
            const int components = kind < 3 ? 1 : 3;
            struct bytes file = make_file(type, components, (enum mode)(kind % 3));
            struct volume volume;
            char subject[64];
            snprintf(subject, sizeof subject, "%s, kind %d", type->name, kind);
            check_subject(subject);
            if (reads(read_dx, &volume, &file, &(struct load_desc){ .component = (uint64_t)components - 1 })) {
                has_samples(&volume, type, components - 1);
                volume_free(&volume);
            }
            drop(&file);
        }
}

/* Values in a file of their own, after some bytes of something else. */
static void detached_data_loads(void)
{
    const struct stored_type *type = stored_type_find("int16");
    for (enum mode mode = TEXT; mode <= MSB; mode++) {
        static const char *const word[] = { "ascii", "lsb", "msb" };
        struct bytes header = { 0 }, data = { 0 };
        struct volume volume;
        struct err err = { 0 };
        check_subject(word[mode]);
        append_text(&header, GRID "object 3 class array type short rank 0 items 60 data %s %s file values.bin,7\n",
                    word[mode], mode ? "binary" : "");
        append_text(&data, "7 bytes");
        append_values(&data, type, 1, mode);
        write_file("grid.dx", header.data, header.size);
        write_file("values.bin", data.data, data.size);
        if (is_fine(load_volume(&volume, in_folder("grid.dx"), NULL, &err), &err)) has_samples(&volume, type, 0);
        volume_free(&volume);
        drop(&header);
        drop(&data);
    }
    write_text("up.dx", GRID "object 3 class array type short items 60 data file ../values.bin\n");
    file_is_refused("up.dx", "not a path inside");
    write_text("own.dx", GRID "object 3 class array type short items 60 data file own.dx\n");
    file_is_refused("own.dx", "the header itself");
}

static void quoted_types_load(void)
{
    const struct stored_type *type = stored_type_find("uint16");
    struct bytes file = { 0 }, packed = { 0 };
    append_text(&file, GRID "object 3 class array type \"unsigned short\" rank 0 items 60 data follows\n");
    append_values(&file, type, 1, TEXT);
    append_text(&file, TRAILER);
    append_gzip(&packed, file.data, file.size);
    write_file("quoted.dx", file.data, file.size);
    write_file("quoted.dx.gz", packed.data, packed.size);
    for (int i = 0; i < 2; i++) {
        struct volume volume;
        struct err err = { 0 };
        check_subject(i ? "quoted.dx.gz" : "quoted.dx");
        if (is_fine(load_volume(&volume, in_folder(i ? "quoted.dx.gz" : "quoted.dx"), NULL, &err), &err))
            has_samples(&volume, type, 0);
        volume_free(&volume);
    }
    drop(&file);
    drop(&packed);
    text_is_refused(read_dx, GRID "object 3 class array type \" items 60 data follows\n", "type ''");
}

static void gzip_loads(void)
{
    for (enum mode mode = TEXT; mode <= MSB; mode++) {
        struct bytes file = make_file(stored_type_find("float32"), 1, mode), packed = { 0 };
        append_gzip(&packed, file.data, file.size);
        write_file("a.dx.gz", packed.data, packed.size);
        file_loads("a.dx.gz", NX);
        drop(&file);
        drop(&packed);
    }
}

static void bad_files_are_refused(void)
{
    for (enum mode mode = TEXT; mode <= LSB; mode++) {
        struct bytes file = make_file(stored_type_find("int16"), 1, mode);
        const char *header = strstr((char *)file.data, "follows");
        check_subject("damage");
        const size_t vague = mode == TEXT ? 6 : 0; /* a digit less is a number */
        cuts_are_refused(read_dx, &file, file.size - strlen(TRAILER) - vague, "test");
        damaged_words_do_no_harm(read_dx, &file, (size_t)(header - (char *)file.data), "test");
        drop(&file);
    }
    text_is_refused(read_dx, "object 1 class field\n", "unknown word 'field'");
    text_is_refused(read_dx, "object 1 class series\n", "unknown word 'series'");
    text_is_refused(read_dx, "object 1\n", "a name and a class");
    text_is_refused(read_dx, "object \"a b", "a name and a class");
    text_is_refused(read_dx, "hello\n", "unknown word 'hello'");
    text_is_refused(read_dx, GRID, "no array");
    text_is_refused(read_dx, GRID "delta 1 1 1\n", "more than three");
    text_is_refused(read_dx, "object 1 class gridpositions counts 3 4\n", "three whole numbers");
    text_is_refused(read_dx, "object 1 class gridpositions counts 3 4 5 6\n", "three whole numbers");
    text_is_refused(read_dx, "object 1 class array items 8 data follows\n1 2 3 4 5 6 7 8\n", "before the counts");
    text_is_refused(read_dx, GRID "object 3 class array type string items 60 data follows\n", "'string'");
    text_is_refused(read_dx, GRID "object 3 class array type unsigned float items 60 data follows\n", "'float'");
    text_is_refused(read_dx, GRID "object 3 class array category complex items 60 data follows\n", "complex");
    text_is_refused(read_dx, GRID "object 3 class array type float rank 2 shape 3 items 60 data follows\n", "rank 2");
    text_is_refused(read_dx, GRID "object 3 class array type float items 61 data follows\n",
                    "61 items for counts of 3 4 5");
    text_is_refused(read_dx, GRID "object 3 class array type float items 60 data 0\n", "unknown word '0'");
    text_is_refused(read_dx, GRID "object 3 class array type float items 60 data file a,b\n", "a comma");
    text_is_refused(read_dx, GRID "object 3 class array type float items 60 data data data", "'data follows'");
}

int main(void)
{
    if (!make_folder()) return check_summary("test_read_dx");
    every_kind_loads();
    detached_data_loads();
    quoted_types_load();
    gzip_loads();
    bad_files_are_refused();
    remove_folder();
    return check_summary("test_read_dx");
}
