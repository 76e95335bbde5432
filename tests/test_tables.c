/* Exhaustive test of the case tables: every case alone, and every pair of neighbouring cells in every direction. */
#include "check.h"
#include "mesh_check.h"

#include <string.h>

static struct mc_tables tables;

/* Corners at the two ends of an edge. */
static void edge_ends(unsigned e, unsigned *low, unsigned *high)
{
    *low = mc_edge_dx(e) | mc_edge_dy(e) << 1 | mc_edge_dz(e) << 2;
    *high = *low | 1u << mc_edge_axis(e);
}

static void numbering(void)
{
    unsigned seen[8][8] = { { 0 } };
    for (unsigned e = 0; e < 12; e++) {
        unsigned a, b;
        edge_ends(e, &a, &b);
        CHECK(a < b && b < 8 && !seen[a][b]);
        seen[a][b] = 1;
    }
}

/* The last case, all corners inside, has one subcase: the last. A release build does not assert it. */
static void all_subcases_fit(void) { CHECK(tables.cases[255].first + 1u == MC_SUBCASES); }

/* A case uses exactly the edges with different ends, each in one closed loop. */
static void edges_match_corners(void)
{
    for (unsigned c = 0; c < 256; c++) {
        unsigned used = 0;
        for (unsigned k = 0; k < 3u * tables.triangles[c]; k++) {
            CHECK(tables.edge[c][k] < 12);
            used |= 1u << tables.edge[c][k];
            if (!tables.cases[c].open) CHECK((tables.packed[c] >> 4 * k & 15) == tables.edge[c][k]);
        }
        CHECK(tables.packed[c] >> 60 == (tables.cases[c].open ? 0 : tables.triangles[c]));
        for (unsigned e = 0; e < 12; e++) {
            unsigned a, b;
            edge_ends(e, &a, &b);
            CHECK((used >> e & 1) == ((c >> a ^ c >> b) & 1));
        }
    }
}

/* One inside corner: the triangle's front must face away from it. */
static void fronts_face_lower_values(void)
{
    for (unsigned corner = 0; corner < 8; corner++) {
        double p[3][3];
        for (int i = 0; i < 3; i++) {
            const unsigned e = tables.edge[1u << corner][i];
            p[i][0] = mc_edge_dx(e) + (mc_edge_axis(e) == 0 ? 0.5 : 0);
            p[i][1] = mc_edge_dy(e) + (mc_edge_axis(e) == 1 ? 0.5 : 0);
            p[i][2] = mc_edge_dz(e) + (mc_edge_axis(e) == 2 ? 0.5 : 0);
        }
        double u[3], v[3], away = 0;
        for (int i = 0; i < 3; i++) u[i] = p[1][i] - p[0][i], v[i] = p[2][i] - p[0][i];
        const double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
        for (int i = 0; i < 3; i++) away += n[i] * (p[0][i] - (corner >> i & 1));
        CHECK(away > 0);
    }
    CHECK(tables.triangles[0] == 0 && tables.triangles[255] == 0);
}

/* On a face with two inside corners on a diagonal, each outside corner is cut off alone: edges around an outside corner are
 * joined, edges around an inside corner are not. */
static void ambiguous_faces_separate_the_outside(void)
{
    for (unsigned c = 0; c < 256; c++)
        for (unsigned axis = 0; axis < 3; axis++)
            for (unsigned side = 0; side < 2; side++) {
                const unsigned u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3, base = side << axis;
                const unsigned corner[4] = { base, base | u, base | u | v, base | v };
                unsigned in = 0;
                for (unsigned i = 0; i < 4; i++) in |= (c >> corner[i] & 1) << i;
                if (in != 5 && in != 10) continue;
                for (unsigned i = 0; i < 4; i++) {
                    const unsigned a = corner[i], b = corner[(i + 1) % 4], d = corner[(i + 3) % 4];
                    unsigned joined = 0, e1 = 12, e2 = 12;
                    for (unsigned e = 0; e < 12; e++) {
                        unsigned low, high;
                        edge_ends(e, &low, &high);
                        if ((low | high) == (a | b) && (low & high) == (a & b)) e1 = e;
                        if ((low | high) == (a | d) && (low & high) == (a & d)) e2 = e;
                    }
                    for (unsigned k = 0; k < 3u * tables.triangles[c]; k++) {
                        const unsigned p = tables.edge[c][k], q = tables.edge[c][k % 3 == 2 ? k - 2 : k + 1];
                        joined += (p == e1 && q == e2) || (p == e2 && q == e1);
                    }
                    CHECK(joined == !(in >> i & 1));
                }
            }
}

/* All 2^12 value patterns on two cells that share a face, along each axis, through the whole pipeline. */
static void neighbours_close(void)
{
    struct iso iso;
    struct err err;
    if (!CHECK(!iso_open(&iso, BACKEND_CPU, -1, 1, &err))) return;
    for (unsigned axis = 0; axis < 3; axis++)
        for (unsigned pattern = 0; pattern < 4096; pattern++) {
            uint8_t voxels[12];
            struct grid g = { voxels, VOXEL_UINT8, axis == 0 ? 3 : 2, axis == 1 ? 3 : 2, axis == 2 ? 3 : 2 };
            struct mesh_host mesh;
            for (unsigned i = 0; i < 12; i++) voxels[i] = pattern >> i & 1;
            iso_set_volume(&iso, &g, &err);
            if (!CHECK(!iso_count(&iso, 0.5f, &err) && !iso_mesh_host(&iso, &mesh, &err))) continue;
            const struct mesh_findings c = mesh_check(&mesh, &g, 0.5f);
            if (!CHECK(!c.fault)) printf("  axis %u pattern %u: %s\n", axis, pattern, c.fault);
            mesh_host_free(&mesh);
        }
    iso_close(&iso);
}

int main(void)
{
    memset(&tables, 0xff, sizeof tables);
    mc_tables_build(&tables, TOPOLOGY_TRILINEAR);
    numbering();
    all_subcases_fit();
    edges_match_corners();
    fronts_face_lower_values();
    ambiguous_faces_separate_the_outside();
    neighbours_close();
    return check_summary("test_tables");
}
