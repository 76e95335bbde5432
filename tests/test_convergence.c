/* Surfaces approach the true ones with the square of the spacing: positions, area, volume and normals of exported files,
 * for a sphere and a torus sampled exactly, in volumes that are stretched, turned and mirrored. A wrong term of an
 * interpolation or of a transformation shows as a slope below 2.
 * Usage: test_convergence cpu|cuda */
#include "iso_util.h"

#include "export.h"

#include <unistd.h>

/* ---- true surfaces ----------------------------------------------------------------------------------------------- */

struct shape {
    const char *name;
    double (*distance)(const double p[3], double normal[3]); /* from the surface; > 0 inside. Sets the normal, outwards */
    double area, volume;
};

static double sphere_distance(const double p[3], double normal[3])
{
    const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (int a = 0; a < 3; a++) normal[a] = p[a] / length;
    return 0.8 - length;
}

static double torus_distance(const double p[3], double normal[3])
{
    const double axis = sqrt(p[0] * p[0] + p[1] * p[1]), ring = axis - 0.6, length = sqrt(ring * ring + p[2] * p[2]);
    normal[0] = ring / length * p[0] / axis, normal[1] = ring / length * p[1] / axis, normal[2] = p[2] / length;
    return 0.27 - length;
}

#define PI 3.14159265358979323846

static const struct shape shapes[] = {
    { "sphere", sphere_distance, 4 * PI * 0.8 * 0.8, 4 * PI / 3 * 0.8 * 0.8 * 0.8 },
    { "torus", torus_distance, 4 * PI *PI * 0.6 * 0.27, 2 * PI *PI * 0.6 * 0.27 * 0.27 },
};

/* ---- volumes that lie in the world in many ways ------------------------------------------------------------------ */

struct pose {
    const char *name;
    int stretch[3];      /* spacing along each axis, in the smallest */
    double turn, mirror; /* radians about (1, 2, 3); mirror: 1 or -1 */
};

static const struct pose poses[] = {
    { "plain", { 1, 1, 1 }, 0, 1 },
    { "spacing 1, 1, 3", { 1, 1, 3 }, 0, 1 },
    { "turned", { 1, 1, 1 }, 0.7, 1 },
    { "mirrored", { 1, 1, 1 }, 0, -1 },
    { "turned, mirrored, 1, 2, 1", { 1, 2, 1 }, 1.9, -1 },
};

/* Sets column `axis` of a rotation about (1, 2, 3) / sqrt(14) (Rodrigues). */
static void turned_axis(double turn, int axis, double column[3])
{
    const double k[3] = { 1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14) }, c = cos(turn), s = sin(turn);
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    for (int r = 0; r < 3; r++) column[r] = k[r] * k[axis] * (1 - c) + (r == axis ? c : 0);
    column[next] += k[last] * s;
    column[last] -= k[next] * s;
}

/* A box of +-0.95 around the shape, `cells` of the smallest spacing wide. Off centre, so that no voxel lies on the
 * surface. */
static struct volume sample(const struct shape *shape, const struct pose *pose, size_t cells)
{
    struct volume v;
    struct err err;
    uint64_t dims[3];
    double normal[3];
    for (int a = 0; a < 3; a++) dims[a] = cells / (size_t)pose->stretch[a] + 1;
    if (volume_alloc(&v, VOXEL_FLOAT32, dims, &err)) abort();
    for (int a = 0; a < 3; a++) {
        double column[3];
        const double step = (a == 0 ? pose->mirror : 1) * 1.9 / (double)cells * pose->stretch[a];
        turned_axis(pose->turn, a, column);
        for (int r = 0; r < 3; r++) {
            v.direction[r][a] = step * column[r];
            v.origin[r] -= v.direction[r][a] * ((double)(dims[a] - 1) / 2 + 0.01 * (a + 1));
        }
    }
    float *to = (float *)v.grid.voxels;
    for (size_t i = 0; i < grid_voxels(&v.grid); i++) {
        const double voxel[3] = { (double)(i % dims[0]), (double)(i / dims[0] % dims[1]), (double)(i / dims[0] / dims[1]) };
        double world[3];
        volume_to_world(&v, voxel, world);
        to[i] = (float)shape->distance(world, normal);
    }
    return v;
}

/* ---- the exported file ------------------------------------------------------------------------------------------- */

struct surface {
    unsigned long long vertices, triangles;
    float (*vertex)[6]; /* position and normal */
    uint32_t (*corner)[3];
};

static char folder[] = "test_convergence.XXXXXX";

static bool read_ply(const char *path, struct surface *s)
{
    char line[256] = "";
    FILE *file = fopen(path, "rb");
    *s = (struct surface){ 0 };
    while (file && fgets(line, sizeof line, file) && strcmp(line, "end_header\n") != 0) {
        sscanf(line, "element vertex %llu", &s->vertices);
        sscanf(line, "element face %llu", &s->triangles);
    }
    s->vertex = malloc((s->vertices + 1) * sizeof *s->vertex);
    s->corner = malloc((s->triangles + 1) * sizeof *s->corner);
    bool good = file && s->vertex && s->corner && s->vertices > 0;
    good = good && fread(s->vertex, sizeof *s->vertex, s->vertices, file) == s->vertices;
    for (unsigned long long t = 0; good && t < s->triangles; t++)
        good = fgetc(file) == 3 && fread(s->corner[t], sizeof *s->corner, 1, file) == 1;
    good = good && fgetc(file) == EOF;
    if (file) fclose(file);
    return good;
}

static bool export_surface(struct iso *iso, const struct volume *v, struct surface *s)
{
    struct export_file e = { .format = NULL };
    const struct progress progress = { NULL, NULL };
    char path[256];
    struct err err = { 0 };
    snprintf(path, sizeof path, "%s/surface.ply", folder);
    bool good = !iso_set_volume(iso, &v->grid, &err) && !export_open(&e, iso, v, &err) && !export_add(&e, iso, v, 0, &err);
    e.format = export_format_of(path, &err);
    good = good && !export_write(&e, path, &progress, &err) && read_ply(path, s);
    if (!good) printf("  %s\n", err.text);
    export_free(&e);
    return good;
}

/* ---- errors and their slopes ------------------------------------------------------------------------------------- */

enum { POSITION, AREA, VOLUME, NORMAL, ERRORS };

static const char *const error_name[ERRORS] = { "position", "area", "volume", "normal" };

/* Area and volume are relative; normals are angles in radians. */
static void measure(const struct surface *s, const struct shape *shape, double error[ERRORS])
{
    double area = 0, six_volumes = 0;
    error[POSITION] = error[NORMAL] = 0;
    for (unsigned long long i = 0; i < s->vertices; i++) {
        const float *v = s->vertex[i];
        const double p[3] = { (double)v[0], (double)v[1], (double)v[2] };
        double n[3], across = 0;
        error[POSITION] = fmax(error[POSITION], fabs(shape->distance(p, n)));
        for (int a = 0; a < 3; a++) across += ((double)v[3 + a] - n[a]) * ((double)v[3 + a] - n[a]);
        error[NORMAL] = fmax(error[NORMAL], 2 * asin(fmin(1, sqrt(across) / 2)));
    }
    for (unsigned long long t = 0; t < s->triangles; t++) {
        const float *a = s->vertex[s->corner[t][0]], *b = s->vertex[s->corner[t][1]], *c = s->vertex[s->corner[t][2]];
        double u[3], w[3];
        for (int r = 0; r < 3; r++) u[r] = (double)b[r] - (double)a[r], w[r] = (double)c[r] - (double)a[r];
        const double cross[3] = { u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0] };
        area += 0.5 * sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
        for (int r = 0; r < 3; r++) six_volumes += (double)a[r] * cross[r];
    }
    error[AREA] = fabs(area / shape->area - 1);
    error[VOLUME] = fabs(six_volumes / 6 / shape->volume - 1); /* about 2 if the triangles were turned inwards */
}

enum { LEVELS = 4 };

static const size_t cells_of[LEVELS] = { 60, 90, 132, 192 }; /* about 1.5 times finer each; even, and thirds are whole */

/* The slope of the line through the logarithms (least squares). */
static double slope(const double error[LEVELS][ERRORS], int which)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int l = 0; l < LEVELS; l++) {
        const double u = -log((double)cells_of[l]), v = log(error[l][which]);
        x += u / LEVELS, y += v / LEVELS, xx += u * u / LEVELS, xy += u * v / LEVELS;
    }
    return (xy - x * y) / (xx - x * x);
}

static void errors_shrink(struct iso *iso, const struct shape *shape, const struct pose *pose)
{
    double error[LEVELS][ERRORS] = { { 0 } };
    char subject[128];
    snprintf(subject, sizeof subject, "%s, %s", shape->name, pose->name);
    check_subject(subject);
    for (int l = 0; l < LEVELS; l++) {
        struct volume v = sample(shape, pose, cells_of[l]);
        struct surface s = { 0 };
        const bool made = CHECK(export_surface(iso, &v, &s));
        if (made) measure(&s, shape, error[l]);
        free(s.vertex), free(s.corner);
        volume_free(&v);
        if (!made) return;
    }
    printf("  %-34s", subject);
    for (int e = 0; e < ERRORS; e++) {
        printf(" %s %.1e, order %.2f;", error_name[e], error[LEVELS - 1][e], slope(error, e));
        CHECK(slope(error, e) >= 1.9);
    }
    printf("\n");
    check_subject("");
}

int main(int argc, char **argv)
{
    struct iso iso;
    char path[256];
    const int code = open_backend(&iso, argc, argv);
    if (code) return code;
    if (!CHECK(mkdtemp(folder))) return check_summary("test_convergence");
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t p = 0; p < sizeof poses / sizeof poses[0]; p++) errors_shrink(&iso, &shapes[s], &poses[p]);
    snprintf(path, sizeof path, "%s/surface.ply", folder);
    CHECK(!unlink(path) && !rmdir(folder));
    iso_close(&iso);
    return check_summary("test_convergence");
}
