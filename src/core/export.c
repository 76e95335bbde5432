#include "export.h"

#include "replace.h"
#include "text.h"
#include "timing.h"
#include "trace.h"
#include "kernels/cpu_util.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE = 1 << 16,    /* records formatted at once */
    PARTS = 64,         /* threads that format, at most */
    NORMAL_DECIMALS = 4 /* normals have 10 bits */
};

/* ---- numbers and positions -------------------------------------------------------------------------------------------- */

static double position_of(const struct export_file *e, uint64_t i, int axis)
{
    const struct vertex *v = &e->mesh.vertices[i];
    return (double)(axis == 0 ? v->x : axis == 1 ? v->y : v->z) + e->origin[axis];
}

/* Signed 10 bits; the caller normalises. */
static double unpack_component(uint32_t packed, int axis) { return (double)((int32_t)(packed << (22 - 10 * axis)) >> 22); }

static void normal_of(const struct export_file *e, uint64_t i, double n[3])
{
    const uint32_t packed = e->mesh.vertices[i].normal;
    double square = 0;
    for (int r = 0; r < 3; r++) {
        n[r] = 0;
        for (int a = 0; a < 3; a++) n[r] += e->normal[r][a] * unpack_component(packed, a);
        square += n[r] * n[r];
    }
    for (int r = 0; r < 3 && square > 0; r++) n[r] /= sqrt(square);
}

/* Vertex at corner c (0, 1 or 2) of a triangle, turning as in the world. */
static uint32_t corner_of(const struct export_file *e, uint64_t triangle, int c)
{
    return e->mesh.indices[3 * triangle + (uint64_t)(e->flipped && c ? 3 - c : c)];
}

static char *put_float(char *at, double value)
{
    const float f = (float)value;
    return (char *)memcpy(at, &f, sizeof f) + sizeof f;
}

static char *put_whole(char *at, uint64_t value)
{
    char digits[20];
    int n = 0;
    do digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n) *at++ = digits[--n];
    return at;
}

/* A number with a fixed count of decimals: ten times as fast as printf, and with a dot in every locale. */
static char *put_decimal(char *at, double value, int decimals)
{
    static const double power[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
    const long long scaled = llround(value * power[decimals]);
    const uint64_t size = scaled < 0 ? -(uint64_t)scaled : (uint64_t)scaled, one = (uint64_t)power[decimals];
    if (scaled < 0) *at++ = '-';
    at = put_whole(at, size / one);
    if (!decimals) return at;
    *at++ = '.';
    for (uint64_t rest = size % one, digit = one / 10; digit; digit /= 10) *at++ = (char)('0' + rest / digit % 10);
    return at;
}

/* ---- PLY (Turk 1994) ----------------------------------------------------------------------------------------------- */

static void head_ply(const struct export_file *e, FILE *file)
{
    fprintf(file,
            "ply\nformat binary_%s_endian 1.0\ncomment isoscope " ISO_VERSION "\nelement vertex %llu\n"
            "property float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\n"
            "property float nz\nelement face %llu\nproperty list uchar uint vertex_indices\nend_header\n",
            __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little", (unsigned long long)e->mesh.vertex_count,
            (unsigned long long)e->mesh.triangle_count);
}

static char *put_ply_vertex(const struct export_file *e, uint64_t i, char *at)
{
    double n[3];
    normal_of(e, i, n);
    for (int a = 0; a < 3; a++) at = put_float(at, position_of(e, i, a));
    for (int a = 0; a < 3; a++) at = put_float(at, n[a]);
    return at;
}

static char *put_ply_face(const struct export_file *e, uint64_t i, char *at)
{
    const uint32_t corners[3] = { corner_of(e, i, 0), corner_of(e, i, 1), corner_of(e, i, 2) };
    *at = 3;
    return (char *)memcpy(at + 1, corners, sizeof corners) + sizeof corners;
}

/* ---- STL (3D Systems 1989): a soup, each triangle with the normal of its plane -------------------------------------- */

static void head_stl(const struct export_file *e, FILE *file)
{
    char text[80] = "isoscope " ISO_VERSION " binary STL";   /* must not begin with "solid": that is STL as text */
    const uint32_t count = (uint32_t)e->mesh.triangle_count; /* no surface has more: iso.h */
    fwrite(text, 1, sizeof text, file);
    fwrite(&count, sizeof count, 1, file);
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static char *put_stl_facet(const struct export_file *e, uint64_t i, char *at)
{
    const uint32_t c[3] = { corner_of(e, i, 0), corner_of(e, i, 1), corner_of(e, i, 2) };
    double u[3], v[3], n[3];
    for (int a = 0; a < 3; a++)
        u[a] = position_of(e, c[1], a) - position_of(e, c[0], a), v[a] = position_of(e, c[2], a) - position_of(e, c[0], a);
    cross(u, v, n);
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int a = 0; a < 3; a++) at = put_float(at, length > 0 ? n[a] / length : 0);
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) at = put_float(at, position_of(e, c[k], a));
    return (char *)memset(at, 0, 2) + 2; /* attributes: none */
}

/* ---- OBJ (Wavefront 1989): text, corners counted from 1 -------------------------------------------------------------- */

static void head_obj(const struct export_file *e, FILE *file)
{
    (void)e;
    fprintf(file, "# isoscope " ISO_VERSION "\n");
}

static char *put_line(char *at, const char *word, const double number[3], int decimals)
{
    while (*word) *at++ = *word++;
    for (int a = 0; a < 3; a++) {
        *at++ = ' ';
        at = put_decimal(at, number[a], decimals);
    }
    *at++ = '\n';
    return at;
}

static char *put_obj_vertex(const struct export_file *e, uint64_t i, char *at)
{
    return put_line(at, "v", (const double[3]){ position_of(e, i, 0), position_of(e, i, 1), position_of(e, i, 2) },
                    e->decimals);
}

static char *put_obj_normal(const struct export_file *e, uint64_t i, char *at)
{
    double n[3];
    normal_of(e, i, n);
    return put_line(at, "vn", n, NORMAL_DECIMALS);
}

static char *put_obj_face(const struct export_file *e, uint64_t i, char *at)
{
    *at++ = 'f';
    for (int c = 0; c < 3; c++) {
        const uint64_t number = (uint64_t)corner_of(e, i, c) + 1;
        *at++ = ' ';
        at = put_whole(at, number);
        *at++ = '/', *at++ = '/';
        at = put_whole(at, number);
    }
    *at++ = '\n';
    return at;
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct export_format export_formats[] = {
    { "PLY", ".ply", head_ply, { { false, 24, put_ply_vertex }, { true, 13, put_ply_face } } },
    { "STL", ".stl", head_stl, { { true, 50, put_stl_facet } } },
    { "OBJ", ".obj", head_obj, { { false, 72, put_obj_vertex }, { false, 32, put_obj_normal }, { true, 72, put_obj_face } } },
    { NULL, NULL, NULL, { { false, 0, NULL } } },
};
/* clang-format on */

const struct export_format *export_format_of(const char *path, struct err *err)
{
    for (const struct export_format *f = export_formats; f->name; f++)
        if (text_ends(path, f->ending)) return f;
    err_set(err, ERR_USAGE, "%s: a surface is written as PLY, STL or OBJ, so the name must end in .ply, .stl or .obj",
            path);
    return NULL;
}

/* ---- making ---------------------------------------------------------------------------------------------------------- */

/* Extracts with shared vertices, in the order of the stages, whatever rungs are chosen. */
static int extract(struct export_file *e, struct iso *iso, float value, struct err *err)
{
    const struct rung *chosen = iso->rung[STAGE_GENERATE];
    const struct iso_counts counts = iso->counts;
    const bool fusing = iso->fusing;
    int code = ERR_NONE;
    if (((const struct generate_rung *)chosen)->soup) code = iso_set_rung(iso, STAGE_GENERATE, NULL, err);
    if (!code) code = iso_extract(iso, value, &e->mesh, err);
    iso_set_rung(iso, STAGE_GENERATE, chosen->name, NULL);
    iso->counts = counts;
    iso->fusing = fusing;
    iso->counted = false; /* the next surface is counted by its own rungs */
    return code;
}

/* Sets where the volume lies in the world, and how finely coordinates must be written. */
static int set_world(struct export_file *e, const struct volume *v, struct err *err)
{
    const size_t n[3] = { v->grid.nx, v->grid.ny, v->grid.nz };
    const double sign = volume_handedness(v) < 0 ? -1 : 1;
    double least = INFINITY, farthest = 0;
    for (int a = 0; a < 3; a++) { /* the inverse transpose, but for its scale: cross products of the columns */
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        const double u[3] = { v->direction[0][b], v->direction[1][b], v->direction[2][b] };
        const double w[3] = { v->direction[0][c], v->direction[1][c], v->direction[2][c] };
        double normal[3], reach = fabs(v->origin[a]);
        cross(u, w, normal);
        for (int r = 0; r < 3; r++) e->normal[r][a] = sign * normal[r], reach += fabs(v->direction[a][r]) * (double)n[r];
        least = fmin(least, volume_spacing(v, a)), farthest = fmax(farthest, reach);
        e->origin[a] = v->origin[a];
    }
    if (!(least > FLT_MIN && farthest < 1e17))
        return err_set(err, ERR_FAILED,
                       "voxels %g apart, as far as %g from the origin, exceed what files can hold: give "
                       "another distance with --spacing",
                       least, farthest);
    e->flipped = sign < 0;
    const double decimals = fmin(6 - floor(log10(least)), 17 - ceil(log10(farthest))); /* all in 63 bits */
    e->decimals = (int)fmax(0, fmin(15, decimals));
    const double rounded = farthest * 0x1p-24;
    if (rounded > 0.01 * least)
        text_note(e->note,
                  "this far from the origin, 32-bit coordinates are rounded by up to %.2g, with voxels %.2g "
                  "apart; OBJ keeps them",
                  rounded, least);
    return ERR_NONE;
}

int export_make(struct export_file *e, struct iso *iso, const struct volume *volume, const struct component_filter *filter,
                double value, struct err *err)
{
    const double start = timing_ms();
    *e = (struct export_file){ .threads = iso->exec.threads > 0 ? iso->exec.threads : 1 };
    if (set_world(e, volume, err)) return ERR_FAILED;
    int code = extract(e, iso, volume_iso(volume, value), err);
    e->left_out = e->mesh.triangle_count;
    if (!code && component_filter_is_on(filter)) code = component_list_filter_host(&e->mesh, iso, volume, filter, err);
    if (!code && e->mesh.triangle_count) code = export_transform(e, iso, volume, err);
    if (code) export_free(e);
    e->vertices = e->mesh.vertex_count, e->triangles = e->mesh.triangle_count;
    e->left_out -= e->triangles;
    e->make_ms = timing_ms() - start;
    return code;
}

void export_free(struct export_file *e) { mesh_host_free(&e->mesh); }

/* ---- writing --------------------------------------------------------------------------------------------------------- */

struct writer {
    const struct export_file *e;
    FILE *file;
    char *buffer;
    const struct progress *progress;
    uint64_t done, all; /* records */
    bool cancelled;
};

static uint64_t records_of(const struct export_file *e, const struct export_section *s)
{
    return s->of_triangles ? e->mesh.triangle_count : e->mesh.vertex_count;
}

/* Formats n records from number `from` on, a part of them per thread, and writes the parts in order. */
static bool write_piece(struct writer *w, const struct export_section *s, uint64_t from, size_t n)
{
    const int parts = w->e->threads < PARTS ? w->e->threads : PARTS;
    size_t bytes[PARTS];
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int p = 0; p < parts; p++) {
        char *const begin = w->buffer + part_start(n, p, parts) * s->most, *at = begin;
        for (size_t i = part_start(n, p, parts); i < part_start(n, p + 1, parts); i++) at = s->put(w->e, from + i, at);
        bytes[p] = (size_t)(at - begin);
    }
    for (int p = 0; p < parts; p++)
        if (fwrite(w->buffer + part_start(n, p, parts) * s->most, 1, bytes[p], w->file) != bytes[p]) return false;
    w->done += n;
    w->cancelled = w->progress->step && !w->progress->step(w->progress->context, (double)w->done / (double)w->all);
    return !w->cancelled;
}

static bool write_sections(struct writer *w)
{
    const struct export_section *section = w->e->format->section;
    for (int i = 0; i < EXPORT_SECTIONS && section[i].put; i++) w->all += records_of(w->e, &section[i]);
    w->e->format->head(w->e, w->file);
    for (int i = 0; i < EXPORT_SECTIONS && section[i].put; i++) {
        const uint64_t n = records_of(w->e, &section[i]);
        for (uint64_t at = 0; at < n; at += PIECE)
            if (!write_piece(w, &section[i], at, n - at < PIECE ? (size_t)(n - at) : PIECE)) return false;
    }
    return !fflush(w->file);
}

static size_t largest_record(const struct export_format *format)
{
    size_t most = format->section[0].most;
    for (int i = 1; i < EXPORT_SECTIONS; i++) most = format->section[i].most > most ? format->section[i].most : most;
    return most;
}

int export_write(struct export_file *e, const char *path, const struct progress *progress, struct err *err)
{
    const double start = timing_ms();
    struct writer w = { .e = e, .progress = progress, .buffer = malloc(PIECE * largest_record(e->format)) };
    struct replace replace;
    if (!w.buffer) return err_set(err, ERR_FAILED, "no memory to write %s", path);
    int code = replace_open(&replace, path, err);
    if (!code) {
        w.file = replace.file;
        trace_push("write", NULL);
        const bool written = write_sections(&w);
        trace_pop();
        e->bytes = written ? (uint64_t)ftello(w.file) : 0;
        code = replace_close(&replace, written, err);
        if (w.cancelled) err_set(err, ERR_FAILED, "%s: cancelled; nothing was written", path);
    }
    free(w.buffer);
    e->write_ms = timing_ms() - start;
    return code;
}

void export_free_name(char path[512], const char *name, const char *middle, const char *ending)
{
    char base[256], number[16] = "";
    snprintf(base, sizeof base, "%.255s", name);
    char *dot = strrchr(base, '.');
    if (dot && dot != base) *dot = '\0';
    int n = *middle ? 0 : 1;
    do {
        if (n) snprintf(number, sizeof number, "_%d", n);
        snprintf(path, 512, "%s%s%s%s", base, middle, number, ending);
    } while (access(path, F_OK) == 0 && n++ < 100000);
}
