/* info: describes a volume, and its surface at --iso in numbers. */
#include "cmd.h"

#include "caps.h"
#include "component_list.h"
#include "export_edit.h"
#include "plan.h"
#include "report.h"
#include "slabs.h"
#include "stats.h"
#include "stream_info.h"
#include "table.h"
#include "team.h"
#include "terminal.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* In JSON, what is not known is null, so that a script finds each name. */
static void report_unknown(struct report *r, const char *name)
{
    if (r->json) report_text(r, name, NULL);
}

/* The statistics are those of the smoothed volume. */
static void report_volume(struct report *r, const struct volume *v, const struct stats *s, double sigma)
{
    const double dims[3] = { (double)v->grid.nx, (double)v->grid.ny, (double)v->grid.nz };
    const double spacing[3] = { volume_spacing(v, 0), volume_spacing(v, 1), volume_spacing(v, 2) };
    const bool any = s->summary.count > 0;
    report_text(r, "file", v->file);
    if (v->note[0]) report_text(r, "note", v->note);
    else report_unknown(r, "note");
    report_numbers(r, "dims", dims, 3);
    report_text(r, "type", voxel_type_name[v->grid.type]);
    if (r->json || v->slope != 1 || v->intercept != 0) {
        report_number(r, "slope", v->slope); /* a value is slope * stored + intercept */
        report_number(r, "intercept", v->intercept);
    }
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
    uint64_t vertices, triangles;
    struct measure measure;
    struct component_list parts;
    bool parts_known, by_slabs;
    char note[ERR_TEXT + 64]; /* why it is not measured; "": it is */
};

static int measure_surface(struct surface *s, struct iso *iso, const struct volume *v, const struct mesh_host *mesh,
                           struct err *err)
{
    s->vertices = mesh->vertex_count, s->triangles = mesh->triangle_count;
    int failed = measure_mesh(&s->measure, mesh, v, iso->exec.threads, err);
    if (failed || component_list_is_soup(s->vertices, s->triangles)) return failed;
    failed = component_list_find_host(&s->parts, iso, v, mesh, err);
    s->parts_known = !failed;
    return failed;
}

/* Counted here if the volume has no cells, because then no stage reads its voxels. */
static int count_inside(struct surface *s, struct iso *iso, const struct volume *v, float at, struct err *err)
{
    struct grid grid;
    void *copy;
    if (iso_has_cells(iso)) return ERR_NONE;
    if (iso_voxels_host(iso, &v->grid, &grid, &copy, err)) return err->code;
    s->cells.inside = iso_inside_host(&grid, at);
    free(copy);
    return ERR_NONE;
}

/* Counts are right even if the mesh exceeds the memory. Only measures and parts are unknown then. */
static int count_surface(struct surface *s, struct iso *iso, const struct volume *v, const struct setup *setup,
                         double value, struct err *err)
{
    const bool filtered = component_filter_is_on(&setup->filter), edited = filtered || setup->close;
    const struct iso_surface surface = { iso, v, volume_iso(v, value) };
    struct mesh_host mesh;
    int failed = iso_count_host(iso, surface.value, err);
    if (!failed) failed = iso_count_cells(iso, &s->cells, err);
    if (!failed) failed = count_inside(s, iso, v, surface.value, err);
    if (failed) return failed;
    s->vertices = iso->counts.vertices, s->triangles = iso->counts.triangles;
    s->measure = (struct measure){ .area = NAN };
    failed = iso_mesh_host(iso, &mesh, err);
    if (!failed && setup->close) failed = caps_close(&mesh, &surface, CAPS_ABOVE, err);
    if (!failed && filtered) failed = component_list_filter_host(&mesh, iso, v, &setup->filter, err);
    if (!failed) failed = measure_surface(s, iso, v, &mesh, err);
    mesh_host_free(&mesh);
    if (!failed || edited || err->cause == CAUSE_BACKEND) return failed;
    if (err->cause == CAUSE_MEMORY && iso->exec.backend != BACKEND_CPU) return failed;
    snprintf(s->note, sizeof s->note, "%s unknown: %s", isnan(s->measure.area) ? "area and volume" : "parts", err->text);
    return ERR_NONE;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

enum { PARTS_SHOWN = 20 }; /* in plain text */

static void list_parts(struct report *r, const struct component_list *parts)
{
    report_open(r, "parts", '[');
    for (uint64_t i = 0; i < parts->count; i++) {
        const struct measure *m = &parts->list[i].measure;
        report_open(r, NULL, '{');
        report_whole(r, "triangles", m->triangles);
        report_whole(r, "vertices", m->vertices);
        report_number(r, "area", m->area);
        report_number(r, "volume", m->closed ? m->volume : NAN);
        report_number(r, "size", parts->list[i].size);
        report_numbers(r, "low", m->low, 3);
        report_numbers(r, "high", m->high, 3);
        report_close(r, '}');
    }
    report_close(r, ']');
}

/* How many significant digits show hundredths of a voxel in the coordinates of all parts; at least 6. */
static int digits_of(const struct component_list *parts, const struct volume *v)
{
    const double voxel = fmin(volume_spacing(v, 0), fmin(volume_spacing(v, 1), volume_spacing(v, 2)));
    double far = voxel;
    for (uint64_t i = 0; i < parts->count; i++)
        for (int a = 0; a < 3; a++)
            far = fmax(far, fmax(fabs(parts->list[i].measure.low[a]), fabs(parts->list[i].measure.high[a])));
    const double digits = 3 + floor(log10(far)) - floor(log10(voxel));
    return digits > 6 ? (int)fmin(digits, 17) : 6;
}

static void print_parts(const struct component_list *parts, const struct volume *v)
{
    const char *const unit = v->unit;
    const int digits = digits_of(parts, v), wide = 2 * digits + 10;
    char area[32] = "area", volume[32] = "volume";
    struct table_column columns[] = { { "triangles", 11 },     { area, 12 },  { volume, 12 },
                                      { "box along x", wide }, { "y", wide }, { "z", wide } };
    const struct table table = { stdout, false, columns, sizeof columns / sizeof columns[0] };
    if (*unit) {
        snprintf(area, sizeof area, "area %s2", unit);
        snprintf(volume, sizeof volume, "volume %s3", unit);
    }
    printf("\n");
    table_titles(&table);
    for (uint64_t i = 0; i < parts->count && i < PARTS_SHOWN; i++) {
        const struct measure *m = &parts->list[i].measure;
        struct table_cells row = { .used = 0 };
        table_print(&row, "%" PRIu64, m->triangles);
        table_print(&row, "%.6g", m->area);
        if (m->closed) table_print(&row, "%.6g", m->volume);
        else table_text(&row, "-");
        for (int a = 0; a < 3; a++) table_print(&row, "%.*g to %.*g", digits, m->low[a], digits, m->high[a]);
        table_row(&table, &row);
    }
    if (parts->count > PARTS_SHOWN) printf("and %" PRIu64 " more\n", parts->count - PARTS_SHOWN);
}

static void report_box(struct report *r, const struct measure *m)
{
    if (m->triangles) report_numbers(r, "box_low", m->low, 3), report_numbers(r, "box_high", m->high, 3);
    else report_unknown(r, "box_low"), report_unknown(r, "box_high");
}

static void report_parts(struct report *r, const struct surface *s)
{
    if (s->parts_known) report_whole(r, "part_count", s->parts.count);
    else if (s->by_slabs) report_number(r, "part_count", NAN);
    else report_unknown(r, "part_count");
    if (s->parts_known && r->json) list_parts(r, &s->parts);
    else report_unknown(r, "parts");
}

/* edges: vertices on grid edges, in the mesh with shared vertices. */
static void report_surface(struct report *r, const struct surface *s, uint64_t edges, double value)
{
    report_number(r, "iso", value);
    report_whole(r, "voxels_inside", s->cells.inside);
    report_whole(r, "active_cells", s->cells.active);
    report_whole(r, "edge_vertices", edges);
    report_whole(r, "interior_vertices", s->cells.inner);
    report_whole(r, "vertices", s->vertices);
    report_whole(r, "triangles", s->triangles);
    report_number(r, "area", s->measure.area);
    report_number(r, "volume",
                  s->measure.closed ? s->measure.volume : NAN); /* a surface cut open by the border encloses none */
    if (!s->measure.closed && isfinite(s->measure.area))
        report_text(r, "volume_note",
                    "the surface is open at the volume's border, so it encloses no volume; --close closes it");
    else report_unknown(r, "volume_note");
    report_box(r, &s->measure);
    report_parts(r, s);
    if (*s->note) report_text(r, "surface_note", s->note);
    else report_unknown(r, "surface_note");
}

/* ---- slab by slab ------------------------------------------------------------------------------------------------ */

static const char *against_slabs(const struct options *o)
{
    const struct {
        bool is;
        const char *what;
    } against[] = {
        { o->setup.smooth > 0, "--smooth is" },
        { o->setup.close, "--close is" },
        { component_filter_is_on(&o->setup.filter), "choosing among parts is" },
        { o->setup.backend == CHOICE_CUDA, "--backend cuda is" },
    };
    for (size_t i = 0; i < sizeof against / sizeof against[0]; i++)
        if (against[i].is) return against[i].what;
    return NULL;
}

/* Whether several processes do this together; and whether this process prints for all. */
static bool is_shared(const struct options *o) { return o->team && o->team->size > 1; }

static bool leads(const struct options *o) { return !o->team || !o->team->rank; }

static void take_surface(struct surface *s, const struct stream_info *found, const struct options *o)
{
    char memory[32];
    *s = (struct surface){ .cells = found->cells, .vertices = found->vertices, .triangles = found->triangles };
    s->measure = found->measure;
    s->by_slabs = true;
    if (s->triangles && is_shared(o))
        snprintf(s->note, sizeof s->note, "parts unknown: finding them needs one process with the whole surface in memory");
    else if (s->triangles)
        snprintf(s->note, sizeof s->note,
                 "parts unknown: finding them needs the whole surface in memory, but only %s is allowed",
                 text_bytes(memory, (double)slabs_memory(o)));
}

static void answer_slabs(const struct stream_info *found, struct store *store, const struct options *o, const char *why)
{
    struct surface surface;
    struct report report = { .json = o->json };
    if (found->gaps) setup_note_gaps(&store->volume);
    take_surface(&surface, found, o);
    report_volume(&report, &store->volume, &found->stats, 0);
    report_text(&report, "backend", why);
    if (o->setup.iso_given) report_surface(&report, &surface, found->vertices - found->cells.inner, found->value);
    report_end(&report);
    if (o->setup.iso_given && !found->triangles) setup_say_empty(&store->volume, &found->stats, found->value);
}

/* Works slab by slab, because a volume or surface exceeds the memory, as `err` says, or is shared with other processes. */
static int info_by_slabs(const struct options *o, struct err *err)
{
    struct store store;
    struct iso iso;
    struct stream_info found;
    struct terminal_progress terminal;
    char why[512];
    if (slabs_open(&store, &iso, o, against_slabs(o), why, sizeof why, err)) return err->code;
    struct stream_info_desc desc = { .store = &store,
                                     .surface = o->setup.iso_given,
                                     .in = o->setup.iso_in,
                                     .value = o->setup.iso,
                                     .memory = slabs_memory(o),
                                     .team = o->team };
    if (leads(o)) terminal_begin(&terminal, "reading slab by slab", &desc.progress);
    const int code = stream_info_find(&found, &desc, &iso, err);
    if (leads(o)) terminal_end(&terminal);
    if (!code && leads(o)) answer_slabs(&found, &store, o, why);
    iso_close(&iso);
    store_close(&store);
    return code;
}

/* Returns an error if the surface is too large next to its volume. The caller then measures it slab by slab, unless
 * something rules that out. */
static int leave_for_slabs(struct iso *iso, const struct volume *volume, const struct options *o, double value,
                           struct err *err)
{
    const struct export_edit edit = { .close = o->setup.close, .filter = o->setup.filter };
    const struct iso_surface surface = { iso, volume, volume_iso(volume, value) };
    struct iso_layer mesh;
    uint64_t beside;
    if (!slabs_limits(iso, o)) return ERR_NONE;
    if (slabs_room(&mesh, &beside, &edit, &surface, err)) return err->code;
    return slabs_exceeds(iso, volume, o, "its surface", plan_bytes(mesh) + beside, err) ? ERR_FAILED : ERR_NONE;
}

/* ---- in memory --------------------------------------------------------------------------------------------------- */

/* With --close, a surface of caps alone has parts, too. */
static void say_empty(const struct surface *s, const struct iso *iso, const struct volume *volume,
                      const struct setup *setup, const struct stats *stats, double value)
{
    if (iso->counts.triangles || (setup->close && s->cells.inside)) setup_say_left_out(value);
    else setup_say_empty(volume, stats, value);
}

/* Computes everything before it prints the first line, so that a failure leaves no half answer. */
static int info(struct surface *surface, struct iso *iso, const struct volume *volume, const struct options *options,
                const char *why, struct err *err)
{
    struct stats stats;
    struct report report = { .json = options->json };
    double value = options->setup.iso;
    component_list_free(&surface->parts);
    *surface = (struct surface){ .parts_known = false };
    if (setup_set_volume(iso, volume, &options->setup, err)) return err->code;
    if (stats_compute(&stats, iso, volume, err)) return err->code;
    if (stats_isovalue(&stats, iso, volume, options->setup.iso_in, value, &value, err)) return err->code;
    if (options->setup.iso_given && leave_for_slabs(iso, volume, options, value, err)) return err->code;
    if (options->setup.iso_given && count_surface(surface, iso, volume, &options->setup, value, err)) return err->code;
    report_volume(&report, volume, &stats, options->setup.smooth_mm ? (double)iso->sigma : options->setup.smooth);
    report_text(&report, "backend", why);
    if (options->setup.iso_given)
        report_surface(&report, surface, iso->counts.shared_vertices - surface->cells.inner, value);
    report_end(&report);
    if (surface->parts.count && !options->json) print_parts(&surface->parts, volume);
    if (options->setup.iso_given && !surface->triangles) say_empty(surface, iso, volume, &options->setup, &stats, value);
    return ERR_NONE;
}

/* Without --iso there is no surface that these could change. */
static int check_options(const struct options *options, struct err *err)
{
    const struct setup *setup = &options->setup;
    const struct {
        bool is;
        const char *name;
    } of_surface[] = { { setup->filter.keep != 0, "--keep" },
                       { setup->filter.min_size > 0, "--min-size" },
                       { setup->close, "--close" },
                       { setup->topology != TOPOLOGY_TRILINEAR, "--topology fixed" },
                       { setup->exact_positions, "--exact-positions" } };
    for (size_t i = 0; i < sizeof of_surface / sizeof of_surface[0] && !setup->iso_given; i++)
        if (of_surface[i].is)
            return err_set(err, ERR_USAGE, "%s needs a surface: give an isovalue, too, like --iso 300", of_surface[i].name);
    return ERR_NONE;
}

int cmd_info(const struct options *options, struct err *err)
{
    struct volume volume;
    struct surface surface = { .parts_known = false };
    struct iso iso;
    char why[512];
    double first_value;
    if (!options->setup.file) return err_set(err, ERR_USAGE, "info needs a file: isoscope info FILE");
    if (check_options(options, err)) return err->code;
    if (is_shared(options)) return info_by_slabs(options, err);
    if (setup_open_iso(&iso, &options->setup, -1, why, sizeof why, err)) return err->code;
    iso_use_order(&iso);
    int code = setup_open_volume(&volume, &first_value, &options->setup, err);
    if (!code && slabs_limits(&iso, options) && slabs_smooth_exceeds(&iso, &volume, options, err)) code = ERR_FAILED;
    if (!code) {
        do code = info(&surface, &iso, &volume, options, why, err);
        while (code && err->cause != CAUSE_VOLUME && setup_fall_back(&iso, &options->setup, why, sizeof why, err));
    }
    component_list_free(&surface.parts);
    volume_free(&volume);
    iso_close(&iso);
    return code && err->cause == CAUSE_VOLUME ? info_by_slabs(options, err) : code;
}
