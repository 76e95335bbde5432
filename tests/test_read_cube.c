/* CUBE: grids of one and of several values per point load exactly, with their place in angstrom. */
#include "header_util.h"

#define BOHR 0.529177210903

/* z fastest, and components faster still. The steps of the axes are oblique. */
static struct bytes make_file(int sign, bool orbitals, int values)
{
    const struct stored_type *type = stored_type_find("float32");
    struct bytes file = { 0 };
    append_text(&file, "a title # of all\r\nOUTER LOOP: X\r\n%5d  -1.0 2.0 3.0 %s\r\n", orbitals ? -2 : 2,
                orbitals || values == 1 ? "" : "2");
    append_text(&file, "%5d 0.5 0.25 0.0\n%5d 0.0 1.5 0.0\n%5d 0.0 -0.5 2.0\n", sign * NX, sign * NY, sign * NZ);
    append_text(&file, "    8    8.0    0.0    0.0    0.2\n    1    1.0    0.0    1.4   -0.8\n");
    if (orbitals && values == 1) append_text(&file, "    1    5\n");
    else if (orbitals) append_text(&file, "    2    5\n    6\n"); /* over two lines */
    for (int x = 0; x < NX; x++)
        for (int y = 0; y < NY; y++)
            for (int z = 0; z < NZ; z++)
                for (int c = 0; c < values; c++)
                    append_text(&file, "%13.5E%s", sample(type, (z * NY + y) * NX + x, c), z == NZ - 1 ? "\n" : " ");
    for (size_t i = 0; i < file.size; i++)
        if (file.data[i] == ',') file.data[i] = '.'; /* printf wrote what the locale wants */
    return file;
}

static void one_file_loads(int sign, bool orbitals, int values)
{
    const struct stored_type *type = stored_type_find("float32");
    const double unit = sign < 0 ? 1 : BOHR;
    static const double direction[3][3] = { { 0.5, 0, 0 }, { 0.25, 1.5, -0.5 }, { 0, 0, 2 } }, origin[3] = { -1, 2, 3 };
    struct bytes file = make_file(sign, orbitals, values);
    struct volume volume;
    const struct load_desc desc = { .component = (uint64_t)values - 1 };
    char subject[64];
    snprintf(subject, sizeof subject, "sign %d, orbitals %d, %d values", sign, orbitals, values);
    check_subject(subject);
    if (reads(read_cube, &volume, &file, &desc)) {
        int wrong = 0;
        CHECK(volume.grid.nx == NX && volume.grid.ny == NY && volume.grid.nz == NZ && volume.grid.type == VOXEL_FLOAT32);
        for (int i = 0; i < N; i++) wrong += grid_value(&volume.grid, (size_t)i) != (float)sample(type, i, values - 1);
        CHECK(wrong == 0 && volume.components == (uint64_t)values);
        for (int row = 0; row < 3; row++) {
            for (int a = 0; a < 3; a++) CHECK_NEAR(volume.direction[row][a], direction[row][a] * unit, 1e-12);
            CHECK_NEAR(volume.origin[row], origin[row] * unit, 1e-12);
        }
        CHECK(!strcmp(volume.unit, "A") && volume.world == WORLD_OTHER);
        CHECK((sign > 0) == (strstr(volume.note, "bohr") != NULL) && !strstr(volume.note, "ignored"));
    }
    volume_free(&volume);
    drop(&file);
}

static void damage_is_refused(void)
{
    check_subject("damage");
    for (int orbitals = 0; orbitals < 2; orbitals++) {
        struct bytes file = make_file(1, orbitals, 2);
        const char *last_atom = strstr((char *)file.data, "-0.8\n");
        cuts_are_refused(read_cube, &file, file.size - strlen("1.23456E+01."), "test"); /* fewer digits are a number, too */
        damaged_words_do_no_harm(read_cube, &file, (size_t)(last_atom - (char *)file.data) + 10, "test");
        drop(&file);
    }
    text_is_refused(read_cube, "a\nb\nc 1 2 3\n", "line of atoms");
    text_is_refused(read_cube, "a\nb\n1 1 2 3 x\n", "line of atoms");
    text_is_refused(read_cube, "a\nb\n1 1 2 3\n2 1 0\n", "line of x points");
    text_is_refused(read_cube, "a\nb\n0 1 2 3\n2 1 0 0\n2 0 1 0\n-2 0 0 1\n1 2 3 4 5 6 7 8\n", "different signs");
    text_is_refused(read_cube, "a\nb\n9 1 2 3\n2 1 0 0\n2 0 1 0\n2 0 0 1\n1 2 3 4 5 6 7 8\n", "9 atoms");
    text_is_refused(read_cube, "a\nb\n-1 1 2 3\n1 1 0 0\n1 0 1 0\n1 0 0 1\n1 1 0 0 0\nx\n", "line of orbitals");
    text_is_refused(read_cube, "a\nb\n-1 1 2 3\n1 1 0 0\n1 0 1 0\n1 0 0 1\n1 1 0 0 0\n9 1 2\n", "line of orbitals");
    text_is_refused(read_cube, "a\nb\n0 1 2 3\n2 1 0 0\n2 0 1 0\n2 0 0 1\n1 2 3 4 5 6 7\n", "are there");
    text_is_refused(read_cube, "a\nb\n0 1 2 3\n1 1 0 0\n2 0 1 0\n2 0 0 1\n1 2 3 4 5\n", "follows the last");
    text_is_refused(read_cube, "a\nb\n0 1 2 3\n0 1 0 0\n2 0 1 0\n2 0 0 1\n", "0 values along x");
}

static void gzip_loads(void)
{
    struct bytes file = make_file(1, true, 2), packed = { 0 };
    if (!make_folder()) return;
    append_gzip(&packed, file.data, file.size);
    write_file("a.cube.gz", packed.data, packed.size);
    write_file("b.cub", file.data, file.size);
    file_loads("a.cube.gz", NX);
    file_loads("b.cub", NX);
    remove_folder();
    drop(&file);
    drop(&packed);
}

int main(void)
{
    for (int kind = 0; kind < 8; kind++) one_file_loads(kind & 1 ? 1 : -1, kind & 2, kind & 4 ? 2 : 1);
    damage_is_refused();
    gzip_loads();
    return check_summary("test_read_cube");
}
