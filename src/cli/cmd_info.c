/* info: what a volume is, and its surface at --iso in numbers. */
#include "cmd.h"

#include "measure.h"
#include "report.h"
#include "stats.h"

#include <math.h>
#include <stdio.h>

/* The statistics are those of the smoothed volume. */
static void report_volume(struct report *r, const struct volume *v, const struct stats *s, double sigma)
{
    const double dims[3] = { (double)v->grid.nx, (double)v->grid.ny, (double)v->grid.nz };
    const double spacing[3] = { volume_spacing(v, 0), volume_spacing(v, 1), volume_spacing(v, 2) };
    const bool any = s->summary.count > 0;
    report_text(r, "file", v->name);
    if (v->note[0]) report_text(r, "note", v->note);
    report_numbers(r, "dims", dims, 3);
    report_text(r, "type", voxel_type_name[v->grid.type]);
    report_numbers(r, "spacing", spacing, 3);
    report_numbers(r, "origin", v->origin, 3);
    report_numbers(r, "direction", &v->direction[0][0], 9); /* rows; a column is the step from voxel to voxel */
    if (*v->unit) report_text(r, "unit", v->unit);
    else report_number(r, "unit", NAN); /* not known */
    report_text(r, "world", v->world == WORLD_LPS ? "LPS" : "file");
    report_whole(r, "frames", v->frames);
    report_whole(r, "components", v->components);
    report_number(r, "smooth", sigma);
    report_number(r, "min", any ? s->real_min : NAN);
    report_number(r, "max", any ? s->real_max : NAN);
    report_number(r, "mean", any ? s->real_mean : NAN);
    report_number(r, "stddev", any ? s->real_deviation : NAN);
    report_whole(r, "nan_count", s->summary.nan);
    report_whole(r, "infinite_count", s->summary.infinite);
    report_number(r, "first_value", any ? s->first_value : NAN);
}

struct surface {
    struct cell_counts cells;
    struct measure measure;
    char note[ERR_TEXT + 64]; /* why it is not measured; "": it is */
};

/* Counts are right even if the mesh exceeds the memory: then only area and volume stay unknown. */
static int count_surface(struct surface *s, struct iso *iso, const struct volume *v, double value, struct err *err)
{
    struct mesh_host mesh;
    *s = (struct surface){ .measure = { NAN, NAN, false } };
    int failed = iso_count_host(iso, volume_iso(v, value), err);
    if (!failed) failed = iso_count_cells(iso, &s->cells, err);
    if (failed) return failed;
    failed = iso_mesh_host(iso, &mesh, err);
    if (!failed) failed = measure_mesh(&s->measure, &mesh, v, err);
    mesh_host_free(&mesh);
    if (!failed || err->cause != CAUSE_OTHER) return failed;
    snprintf(s->note, sizeof s->note, "area and volume unknown: %s", err->text);
    s->measure = (struct measure){ NAN, NAN, false };
    return ERR_NONE;
}

static void report_surface(struct report *r, const struct surface *s, const struct iso_counts *counts, double value)
{
    report_number(r, "iso", value);
    report_whole(r, "voxels_inside", s->cells.inside);
    report_whole(r, "active_cells", s->cells.active);
    report_whole(r, "edge_vertices", counts->shared_vertices - s->cells.inner);
    report_whole(r, "interior_vertices", s->cells.inner);
    report_whole(r, "vertices", counts->vertices);
    report_whole(r, "triangles", counts->triangles);
    report_number(r, "area", s->measure.area);
    report_number(r, "volume", s->measure.closed ? s->measure.volume : NAN); /* cut open by the border it encloses none */
    if (*s->note) report_text(r, "surface_note", s->note);
}

/* Computes everything before the first line is printed: a failure must leave no half answer. */
static int info(struct iso *iso, const struct volume *volume, const struct options *options, const char *why,
                struct err *err)
{
    struct stats stats;
    struct surface surface;
    struct report report = { .json = options->json };
    double value = options->setup.iso;
    if (setup_set_volume(iso, volume, &options->setup, err)) return err->code;
    if (stats_compute(&stats, iso, volume, err)) return err->code;
    if (options->setup.iso_percent && stats_percentile(&stats, iso, volume, value / 100, &value, err)) return err->code;
    if (options->setup.iso_given && count_surface(&surface, iso, volume, value, err)) return err->code;
    report_volume(&report, volume, &stats, options->setup.smooth);
    report_text(&report, "backend", why);
    if (options->setup.iso_given) report_surface(&report, &surface, &iso->counts, value);
    report_end(&report);
    if (options->setup.iso_given && !iso->counts.triangles) setup_say_empty(volume, &stats, value);
    return ERR_NONE;
}

int cmd_info(const struct options *options, struct err *err)
{
    struct volume volume;
    struct iso iso;
    char why[512];
    double first_value;
    if (!options->setup.file) return err_set(err, ERR_USAGE, "info needs a file: isoscope info FILE");
    if (setup_open_iso(&iso, &options->setup, -1, why, sizeof why, err)) return err->code;
    int code = setup_open_volume(&volume, &first_value, &options->setup, err);
    if (!code) {
        do code = info(&iso, &volume, options, why, err);
        while (code && setup_fall_back(&iso, &options->setup, why, sizeof why, err));
    }
    volume_free(&volume);
    iso_close(&iso);
    return code;
}
