/* STL (3D Systems 1989): binary, a soup, each triangle with the normal of its plane. */
#include "export_format.h"
#include "vector.h"

#include <math.h>

static int check(const struct export_file *e, struct err *err)
{
    if (e->triangles <= UINT32_MAX) return ERR_NONE;
    return err_set(err, ERR_FAILED, "%llu triangles, but an STL file counts them in 32 bits: write a .vtp file",
                   (unsigned long long)e->triangles);
}

static bool head(const struct export_file *e, FILE *file)
{
    char text[80] = { 0 }; /* must not begin with "solid", which marks STL as text */
    const uint32_t count = (uint32_t)e->triangles;
    snprintf(text, sizeof text, "isoscope " ISO_VERSION " binary STL%s%s", *e->unit ? ", unit " : "", e->unit);
    return fwrite(text, 1, sizeof text, file) == sizeof text && fwrite(&count, sizeof count, 1, file) == 1;
}

/* Sets n to the unit normal of the plane through three points; 0 if they lie on a line. */
static void plane_normal(double corner[3][3], double n[3])
{
    double u[3], v[3];
    for (int a = 0; a < 3; a++) u[a] = corner[1][a] - corner[0][a], v[a] = corner[2][a] - corner[0][a];
    vector_cross(u, v, n);
    const double length = sqrt(vector_dot(n, n));
    for (int a = 0; a < 3; a++) n[a] = length > 0 ? n[a] / length : 0;
}

static char *put_facet(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    double corner[3][3], n[3];
    for (int c = 0; c < 3; c++)
        for (int a = 0; a < 3; a++) corner[c][a] = export_position(e, p, export_corner(e, p, i, c), a);
    plane_normal(corner, n);
    for (int a = 0; a < 3; a++) at = put_float(at, n[a]);
    for (int c = 0; c < 3; c++) at = put_position(e, p, export_corner(e, p, i, c), false, at);
    return put_bytes(at, "\0", 2); /* no attributes */
}

const struct export_format export_stl = {
    .name = "STL",
    .ending = ".stl",
    .narrow = "",
    .single = true,
    .fixed = true,
    .check = check,
    .head = head,
    .section = { { .of_triangles = true, .most = 50, .put = put_facet } },
};
