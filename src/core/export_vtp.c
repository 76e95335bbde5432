/* VTP: VTK's XML format for vtkPolyData. The arrays are appended as raw bytes, each after its size in 64 bits. Several
 * parts become one mesh with an isovalue per point. */
#include "export_format.h"

#include <inttypes.h>

enum { NORMALS, ISOVALUE, POINTS, CONNECTIVITY, OFFSETS, ARRAYS };

static uint64_t bytes_of(const struct export_file *e, int array)
{
    const uint64_t each[ARRAYS] = { 3 * sizeof(float), e->count > 1 ? sizeof(double) : 0,
                                    3 * (e->wide ? sizeof(double) : sizeof(float)), 3 * sizeof(int64_t), sizeof(int64_t) };
    return each[array] * (array < CONNECTIVITY ? e->vertices : e->triangles);
}

static void describe(const struct export_file *e, FILE *file, int array, const char *type, int components, const char *name)
{
    uint64_t offset = 0;
    for (int before = 0; before < array; before++)
        if (bytes_of(e, before)) offset += sizeof(uint64_t) + bytes_of(e, before);
    fprintf(file,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
            type, name, components, offset);
}

static bool head(const struct export_file *e, FILE *file)
{
    fprintf(file,
            "<?xml version=\"1.0\"?>\n<!-- isoscope " ISO_VERSION "%s%s -->\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"%sEndian\" header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"%" PRIu64
            "\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%" PRIu64 "\">\n",
            *e->unit ? ", unit " : "", e->unit, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "Big" : "Little", e->vertices,
            e->triangles);
    fprintf(file, "<PointData Normals=\"Normals\"%s>\n", e->count > 1 ? " Scalars=\"isovalue\"" : "");
    describe(e, file, NORMALS, "Float32", 3, "Normals");
    if (e->count > 1) describe(e, file, ISOVALUE, "Float64", 1, "isovalue");
    fprintf(file, "</PointData>\n<Points>\n");
    describe(e, file, POINTS, e->wide ? "Float64" : "Float32", 3, "Points");
    fprintf(file, "</Points>\n<Polys>\n");
    describe(e, file, CONNECTIVITY, "Int64", 1, "connectivity");
    describe(e, file, OFFSETS, "Int64", 1, "offsets");
    return fprintf(file, "</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_") > 0;
}

static bool tail(const struct export_file *e, FILE *file)
{
    (void)e;
    return fprintf(file, "\n</AppendedData>\n</VTKFile>\n") > 0;
}

#define BEGIN(name, array)                                                                         \
    static bool begin_##name(const struct export_file *e, const struct export_part *p, FILE *file) \
    {                                                                                              \
        const uint64_t bytes = bytes_of(e, array);                                                 \
        (void)p;                                                                                   \
        return fwrite(&bytes, sizeof bytes, 1, file) == 1;                                         \
    }
BEGIN(normals, NORMALS)
BEGIN(isovalue, ISOVALUE)
BEGIN(points, POINTS)
BEGIN(connectivity, CONNECTIVITY)
BEGIN(offsets, OFFSETS)
#undef BEGIN

static char *put_normals(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    (void)e;
    return put_normal(p, i, at);
}

static char *put_isovalue(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    (void)e, (void)i;
    return put_bytes(at, &p->value, sizeof p->value);
}

static char *put_point(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    return put_position(e, p, i, e->wide, at);
}

static char *put_corners(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    int64_t corner[3];
    for (int c = 0; c < 3; c++) corner[c] = (int64_t)(p->first_vertex + export_corner(e, p, i, c));
    return put_bytes(at, corner, sizeof corner);
}

/* Where the corners of the next triangle begin. */
static char *put_offset(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    const int64_t end = 3 * (int64_t)(p->first_triangle + i + 1);
    (void)e;
    return put_bytes(at, &end, sizeof end);
}

const struct export_format export_vtp = {
    .name = "VTP",
    .ending = ".vtp",
    .fixed = true,
    .head = head,
    .tail = tail,
    .section = { [NORMALS] = { .most = 12, .put = put_normals, .begin = begin_normals },
                 [ISOVALUE] = { .several = true, .most = 8, .put = put_isovalue, .begin = begin_isovalue },
                 [POINTS] = { .most = 24, .put = put_point, .begin = begin_points },
                 [CONNECTIVITY] = { .of_triangles = true, .most = 24, .put = put_corners, .begin = begin_connectivity },
                 [OFFSETS] = { .of_triangles = true, .most = 8, .put = put_offset, .begin = begin_offsets } },
};
