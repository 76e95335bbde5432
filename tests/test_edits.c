/* Smoothing and simplifying a mesh tell how far they are, and stop when they are told to: the mesh is whole all the
 * same. */
#include "iso_util.h"

#include "export_edit.h"
#include "mesh_topology.h"

/* 65^3 voxels: 13,000 vertices, enough for three progress reports before the first collapse and three after it. */
enum { N = 65 };

struct told { /* by an edit; cancels it when `stop` reports were made */
    int reports, stop;
    double last;
    bool rising;
};

static bool tell(void *context, double fraction)
{
    struct told *t = context;
    t->rising = t->rising && fraction >= t->last && fraction <= 1;
    t->last = fraction;
    return ++t->reports != t->stop;
}

/* Edits the surface of `iso` into a new `mesh`. */
static int edit_surface(struct iso *iso, const struct volume *v, struct export_edit edit, struct told *told,
                        struct mesh_host *mesh, struct err *err)
{
    struct export_edited edited = { 0 };
    edit.progress = (struct progress){ told ? tell : NULL, told };
    CHECK(!iso_extract(iso, 0, mesh, err));
    return export_edit_mesh(&edit, mesh, &(struct iso_surface){ iso, v, 0 }, &edited, err);
}

/* Whether it is a closed surface without handles, like the ball it was; its triangles may have become poor. */
static bool is_ball(const struct mesh_host *mesh)
{
    static const enum mesh_fault faults[] = { FAULT_INDEX,   FAULT_REPEATED, FAULT_UNUSED,
                                              FAULT_CROWDED, FAULT_TURNED,   FAULT_PINCHED };
    struct mesh_topology found;
    struct err err;
    if (mesh_topology_find(&found, mesh, (const size_t[]){ N, N, N }, NULL, &err)) return false;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (found.fault[faults[i]]) return false;
    return found.border_edges == 0 && found.components == 1 && found.euler == 2;
}

/* An edit that is cancelled at any report ends there, partly done. */
static void stops_anywhere(struct iso *iso, const struct volume *v, struct export_edit edit, int reports)
{
    for (int stop = 1; stop <= reports; stop++) {
        struct told told = { .stop = stop, .rising = true };
        struct mesh_host mesh = { 0 };
        struct err err = { 0 };
        CHECK(edit_surface(iso, v, edit, &told, &mesh, &err) == ERR_FAILED && !strcmp(err.text, "cancelled"));
        CHECK(told.reports == stop && is_ball(&mesh));
        mesh_host_free(&mesh);
    }
}

static void tells_and_stops(struct iso *iso, const struct volume *v, struct export_edit edit, int least, double end)
{
    struct told told = { .rising = true };
    struct mesh_host silent = { 0 }, mesh = { 0 };
    struct err err = { 0 };
    CHECK(!edit_surface(iso, v, edit, NULL, &silent, &err) && !edit_surface(iso, v, edit, &told, &mesh, &err));
    CHECK(same_mesh(&silent, &mesh) && is_ball(&mesh));
    CHECK(told.rising && told.reports >= least && told.last >= end);
    printf("  %s: %d reports, the last at %.2f\n", check.subject, told.reports, told.last);
    mesh_host_free(&silent);
    mesh_host_free(&mesh);
    stops_anywhere(iso, v, edit, told.reports);
}

int main(void)
{
    static const struct {
        const char *name;
        struct export_edit edit;
        int least;  /* reports */
        double end; /* of the last, at least: what an error leaves is not known before */
    } rows[] = {
        { "smoothing", { .smooth = 7 }, 7, 1 },
        { "a share", { .keep = 0.1 }, 6, 0.7 },
        { "an error", { .most = 0.001 }, 5, 0.15 },
        { "both", { .smooth = 7, .keep = 0.1 }, 13, 0.7 },
    };
    struct volume v = field_volume(sphere, N);
    struct iso iso;
    struct err err = { 0 };
    if (!CHECK(!iso_open(&iso, BACKEND_CPU, -1, 1, &err) && !iso_set_volume(&iso, &v.grid, &err))) return 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_subject(rows[i].name);
        tells_and_stops(&iso, &v, rows[i].edit, rows[i].least, rows[i].end);
    }
    iso_close(&iso);
    volume_free(&v);
    return check_summary("test_edits");
}
