/* The file names that the window offers: the volume's name without its ending, and never one that exists. */
#include "check.h"

#include "export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void is_named(const char *name, const char *middle, const char *expected)
{
    char path[512];
    check_subject(name);
    export_free_name(path, name, middle, ".stl");
    if (!CHECK(!strcmp(path, expected))) printf("  it is %s\n", path);
}

static void test_endings(void)
{
    static const char *const names[][2] = {
        { "brain.nii", "brain_7.stl" },
        { "brain.nii.gz", "brain_7.stl" },
        { "brain.NII.GZ", "brain_7.stl" },
        { "scan_4x4x4_uint8.raw.gz", "scan_4x4x4_uint8_7.stl" },
        { "cell.ome.tif", "cell_7.stl" },
        { "cell.ome.zarr", "cell_7.stl" },
        { "cell.ome.tif.gz", "cell_7.stl" },
        { "cell.zarr", "cell_7.stl" },
        { "v1.2.nrrd", "v1.2_7.stl" },
        { "some.ome", "some_7.stl" },
        { "gz", "gz_7.stl" },
        { ".gz", ".gz_7.stl" },
        { ".nii.gz", ".nii_7.stl" },
        { "a.ome/b.nii.gz", "a.ome/b_7.stl" },
        { "a.b/c", "a.b/c_7.stl" },
        { "a.b/.c", "a.b/.c_7.stl" },
        { "plain", "plain_7.stl" },
        { "", "_7.stl" },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) is_named(names[i][0], "_7", names[i][1]);
}

/* A name that is taken gets a number; without a middle there always is one. */
static void test_taken(void)
{
    char folder[] = "/tmp/export_name_XXXXXX";
    if (!CHECK(mkdtemp(folder) && !chdir(folder))) return;
    is_named("a.nii.gz", "", "a_1.stl");
    FILE *file = fopen("a_1.stl", "w");
    if (CHECK(file != NULL)) fclose(file);
    is_named("a.nii.gz", "", "a_2.stl");
    is_named("a.nii.gz", "_1", "a_1_1.stl");
    CHECK(!unlink("a_1.stl") && !chdir("/") && !rmdir(folder));
}

int main(void)
{
    test_endings();
    test_taken();
    return check_summary("test_export_name");
}
