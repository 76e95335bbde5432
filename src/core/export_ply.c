/* PLY (Turk 1994): binary. Several parts become one mesh with an isovalue per vertex. */
#include "export_format.h"

static int check(const struct export_file *e, struct err *err)
{
    if (e->vertices <= UINT32_MAX) return ERR_NONE;
    return err_set(err, ERR_FAILED, "%llu vertices, but a PLY file counts them in 32 bits: write a .vtp file",
                   (unsigned long long)e->vertices);
}

static bool head(const struct export_file *e, FILE *file)
{
    const char *const type = e->wide ? "double" : "float";
    fprintf(file, "ply\nformat binary_%s_endian 1.0\ncomment isoscope " ISO_VERSION "\n",
            __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little");
    if (*e->unit) fprintf(file, "comment unit %s\n", e->unit);
    fprintf(file, "element vertex %llu\nproperty %s x\nproperty %s y\nproperty %s z\n", (unsigned long long)e->vertices,
            type, type, type);
    fprintf(file, "property float nx\nproperty float ny\nproperty float nz\n");
    if (e->count > 1) fprintf(file, "property double isovalue\n");
    fprintf(file, "element face %llu\nproperty list uchar uint vertex_indices\nend_header\n",
            (unsigned long long)e->triangles);
    return !ferror(file);
}

static char *put_vertex(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    at = put_normal(p, i, put_position(e, p, i, e->wide, at));
    return e->count > 1 ? put_bytes(at, &p->value, sizeof p->value) : at;
}

static char *put_face(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    const uint32_t first = (uint32_t)p->first_vertex;
    *at++ = 3;
    for (int c = 0; c < 3; c++) {
        const uint32_t corner = first + export_corner(e, p, i, c);
        at = put_bytes(at, &corner, sizeof corner);
    }
    return at;
}

const struct export_format export_ply = {
    .name = "PLY",
    .ending = ".ply",
    .fixed = true,
    .check = check,
    .head = head,
    .section = { { .most = 44, .put = put_vertex }, { .of_triangles = true, .most = 13, .put = put_face } },
};
