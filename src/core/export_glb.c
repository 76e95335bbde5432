/* GLB: glTF 2.0 in one file (Khronos 2021): a mesh, a node and a material per part. One node above them turns the world's z
 * upwards, which is y in glTF, and scales to metres if the unit is known. */
#include "export_format.h"

#include "length_unit.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GLB_MAGIC = 0x46546c67, CHUNK_JSON = 0x4e4f534a, CHUNK_BIN = 0x004e4942, HEADERS = 12 + 8 + 8 };
enum { PER_VERTEX = 24, PER_TRIANGLE = 12, JSON_PER_PART = 4096 };

static uint64_t chunk_bytes(const struct export_file *e) { return PER_VERTEX * e->vertices + PER_TRIANGLE * e->triangles; }

static int check(const struct export_file *e, struct err *err)
{
    if (HEADERS + JSON_PER_PART * (e->count + 1) + chunk_bytes(e) <= UINT32_MAX) return ERR_NONE;
    return err_set(err, ERR_FAILED, "%.1f GB, but a GLB file has at most 4.2: write PLY or VTP, or fewer triangles",
                   (double)chunk_bytes(e) * 1e-9);
}

/* ---- the JSON chunk ---------------------------------------------------------------------------------------------- */

static double metres(const char *unit)
{
    const struct length_unit *known = length_unit_find(unit);
    return known && known->mm > 0 ? known->mm / 1000 : 1;
}

static void print_numbers(FILE *json, const double *number, int n)
{
    char text[32];
    for (int i = 0; i < n; i++) fprintf(json, "%s%s", i ? "," : "", text_print(text, number[i]));
}

/* World (x, y, z) becomes (x, z, -y) in the scene. */
static void print_nodes(const struct export_file *e, FILE *json)
{
    const double s = metres(e->unit), *o = e->origin, *shift = e->shift;
    const double t[3] = { o[0] - shift[0], o[1] - shift[1], o[2] - shift[2] };
    const double matrix[16] = { s, 0, 0, 0, 0, 0, -s, 0, 0, s, 0, 0, s * t[0], s * t[2], 0 - s * t[1], 1 };
    char value[32];
    fprintf(json, "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"world\",\"matrix\":[");
    print_numbers(json, matrix, 16);
    fprintf(json, "],\"children\":[");
    for (size_t i = 0; i < e->count; i++) fprintf(json, "%s%zu", i ? "," : "", i + 1);
    fprintf(json, "]}");
    for (size_t i = 0; i < e->count; i++)
        fprintf(json, ",{\"name\":\"iso %s\",\"mesh\":%zu}", text_print(value, e->parts[i].value), i);
    fprintf(json, "],");
}

static void print_meshes(const struct export_file *e, FILE *json)
{
    char value[32];
    fprintf(json, "\"meshes\":[");
    for (size_t i = 0; i < e->count; i++) {
        text_print(value, e->parts[i].value);
        fprintf(json,
                "%s{\"name\":\"iso %s\",\"primitives\":[{\"attributes\":{\"POSITION\":%zu,\"NORMAL\":%zu},\"indices\":%zu,"
                "\"material\":%zu,\"mode\":4}],\"extras\":{\"isovalue\":%s,\"unit\":\"%s\"}}",
                i ? "," : "", value, 3 * i, 3 * i + 1, 3 * i + 2, i, value, e->unit);
    }
    fprintf(json, "],");
}

/* Linear colours: the window's bone colour, then those that colour-blind people can also tell apart (Okabe and Ito
 * 2008). */
static void print_materials(const struct export_file *e, FILE *json)
{
    static const double colour[][4] = { { 0.80, 0.68, 0.50, 1 }, { 0.09, 0.46, 0.81, 1 }, { 0.00, 0.34, 0.17, 1 },
                                        { 0.66, 0.11, 0.00, 1 }, { 0.87, 0.77, 0.05, 1 }, { 0.60, 0.19, 0.38, 1 } };
    fprintf(json, "\"materials\":[");
    for (size_t i = 0; i < e->count; i++) {
        const struct export_look *look = &e->parts[i].look;
        double own[4];
        memcpy(own, colour[i % (sizeof colour / sizeof colour[0])], sizeof own);
        for (int c = 0; c < 3 && look->coloured; c++) own[c] = (double)look->colour[c];
        own[3] -= (double)look->transparency;
        fprintf(json, "%s{\"pbrMetallicRoughness\":{\"baseColorFactor\":[", i ? "," : "");
        print_numbers(json, own, 4);
        fprintf(json, "],\"metallicFactor\":0,\"roughnessFactor\":0.6},%s\"doubleSided\":true}",
                own[3] < 1 ? "\"alphaMode\":\"BLEND\"," : "");
    }
    fprintf(json, "],");
}

/* The bounds must be those of the floats in the file, because every reader relies on them. */
static void print_bounds(const struct export_file *e, const struct export_part *p, FILE *json)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (uint64_t i = 0; i < p->mesh.vertex_count; i++)
        for (int a = 0; a < 3; a++) {
            const double x = (double)(float)export_position(e, p, i, a);
            low[a] = x < low[a] ? x : low[a], high[a] = x > high[a] ? x : high[a];
        }
    fprintf(json, ",\"min\":[");
    print_numbers(json, low, 3);
    fprintf(json, "],\"max\":[");
    print_numbers(json, high, 3);
    fprintf(json, "]");
}

static void print_accessors(const struct export_file *e, FILE *json)
{
    fprintf(json, "\"accessors\":[");
    for (size_t i = 0; i < e->count; i++) {
        const struct mesh_host *m = &e->parts[i].mesh;
        const unsigned long long vertices = m->vertex_count, corners = 3 * m->triangle_count;
        fprintf(json, "%s{\"bufferView\":%zu,\"componentType\":5126,\"count\":%llu,\"type\":\"VEC3\"", i ? "," : "", 3 * i,
                vertices);
        print_bounds(e, &e->parts[i], json);
        fprintf(json, "},{\"bufferView\":%zu,\"componentType\":5126,\"count\":%llu,\"type\":\"VEC3\"}", 3 * i + 1,
                vertices);
        fprintf(json, ",{\"bufferView\":%zu,\"componentType\":5125,\"count\":%llu,\"type\":\"SCALAR\"}", 3 * i + 2,
                corners);
    }
    fprintf(json, "],");
}

static void print_view(FILE *json, uint64_t offset, uint64_t bytes, int target)
{
    fprintf(json, "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":%d}", (unsigned long long)offset,
            (unsigned long long)bytes, target);
}

static void print_views(const struct export_file *e, FILE *json)
{
    enum { ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963 };
    fprintf(json, "\"bufferViews\":[");
    for (size_t i = 0; i < e->count; i++) {
        const struct export_part *p = &e->parts[i];
        const uint64_t begin = PER_VERTEX * p->first_vertex + PER_TRIANGLE * p->first_triangle;
        const uint64_t bytes = PER_VERTEX / 2 * p->mesh.vertex_count;
        if (i) fputc(',', json);
        print_view(json, begin, bytes, ARRAY_BUFFER);
        fputc(',', json);
        print_view(json, begin + bytes, bytes, ARRAY_BUFFER);
        fputc(',', json);
        print_view(json, begin + 2 * bytes, PER_TRIANGLE * p->mesh.triangle_count, ELEMENT_ARRAY_BUFFER);
    }
    fprintf(json, "],\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)chunk_bytes(e));
}

/* Returns the text, from malloc and padded with spaces to whole words. NULL: no memory. */
static char *print_json(const struct export_file *e, size_t *size)
{
    char *text = NULL;
    FILE *json = open_memstream(&text, size);
    if (!json) return NULL;
    fprintf(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"isoscope " ISO_VERSION "\"},");
    print_nodes(e, json);
    print_meshes(e, json);
    print_materials(e, json);
    print_accessors(e, json);
    print_views(e, json);
    fputc('}', json);
    for (long at = ftell(json); at % 4; at++) fputc(' ', json);
    const bool good = !ferror(json);
    if (!fclose(json) && good) return text;
    free(text);
    return NULL;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool head(const struct export_file *e, FILE *file)
{
    size_t size = 0;
    char *json = print_json(e, &size);
    if (!json) return false;
    const uint32_t chunk = (uint32_t)chunk_bytes(e);
    const uint32_t before[] = { GLB_MAGIC, 2, HEADERS + (uint32_t)size + chunk, (uint32_t)size, CHUNK_JSON };
    const uint32_t behind[] = { chunk, CHUNK_BIN };
    const bool good = fwrite(before, sizeof before, 1, file) == 1 && fwrite(json, size, 1, file) == 1 &&
                      fwrite(behind, sizeof behind, 1, file) == 1;
    free(json);
    return good;
}

static char *put_point(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    return put_position(e, p, i, false, at);
}

static char *put_vertex_normal(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    (void)e;
    return put_normal(p, i, at);
}

static char *put_corners(const struct export_file *e, const struct export_part *p, uint64_t i, char *at)
{
    const uint32_t corner[3] = { export_corner(e, p, i, 0), export_corner(e, p, i, 1), export_corner(e, p, i, 2) };
    return put_bytes(at, corner, sizeof corner);
}

const struct export_format export_glb = {
    .name = "GLB",
    .ending = ".glb",
    .narrow = ", which its node adds",
    .by_part = true,
    .check = check,
    .head = head,
    .section = { { .most = PER_VERTEX / 2, .put = put_point },
                 { .most = PER_VERTEX / 2, .put = put_vertex_normal },
                 { .of_triangles = true, .most = PER_TRIANGLE, .put = put_corners } },
};
