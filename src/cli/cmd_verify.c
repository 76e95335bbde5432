/* verify: checks whether the mesh is the surface that the voxels have. Checks the mesh by itself, and compares its
 * topology with the one that verify.h finds from the voxels, by code independent of the code that made the mesh. */
#include "cmd.h"

#include "caps.h"
#include "export_edit.h"
#include "plan.h"
#include "report.h"
#include "slabs.h"
#include "stream_info.h"
#include "stream_verify.h"
#include "table.h"
#include "terminal.h"
#include "text.h"
#include "verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    struct volume volume;
    const struct volume *told; /* whose name, note and size are printed */
    struct setup_value value;
    struct iso iso;
    struct mesh_host mesh;
    struct mesh_topology found;
    struct grid_topology truth;
    bool right;
    char why[512], wrong[256]; /* wrong: what is wrong with the mesh */
};

/* ---- the mesh and the voxels behind it --------------------------------------------------------------------------- */

/* Makes the mesh as the window does: by the fused rung if one is chosen, in any order. */
static int make_mesh(struct job *job, float value, struct err *err)
{
    struct iso *iso = &job->iso;
    struct buffer buffer = { NULL, 0 };
    struct mesh_buffers out = { { NULL, NULL }, 0, 0 };
    bool fits = false;
    if (!iso_is_fused(iso) || iso_is_ordered(iso)) return iso_extract(iso, value, &job->mesh, err);
    int code = iso_fuse(iso, value, &out, &fits, err);
    if (!code && !fits) code = iso_reserve_mesh(iso, &buffer, &out, err);
    if (!code && !fits) code = iso_fuse(iso, value, &out, &fits, err);
    if (!code) code = mesh_host_alloc(&job->mesh, iso->counts.vertices, iso->counts.triangles, err);
    if (!code && job->mesh.vertex_count) code = iso_download_mesh(iso, &out.mesh, &job->mesh, err);
    buffer_release(&buffer, iso->ops);
    return code;
}

static int find_truth(struct job *job, float value, const struct setup *setup, struct err *err)
{
    struct terminal_progress terminal;
    struct progress progress = { NULL, NULL };
    struct grid grid;
    void *copy;
    int code = iso_voxels_host(&job->iso, &job->volume.grid, &grid, &copy, err);
    if (!code) {
        terminal_begin(&terminal, "looking at the voxels", &progress);
        code = setup->close ? grid_topology_find_closed(&job->truth, &grid, value, setup->topology, &progress, err)
                            : grid_topology_find(&job->truth, &grid, value, setup->topology, &progress, err);
        terminal_end(&terminal);
    }
    free(copy);
    return code;
}

static int check_mesh(struct job *job, struct err *err)
{
    const size_t n[3] = { job->volume.grid.nx, job->volume.grid.ny, job->volume.grid.nz };
    struct terminal_progress terminal;
    struct progress progress = { NULL, NULL };
    terminal_begin(&terminal, "checking the mesh", &progress);
    const int code = mesh_topology_find(&job->found, &job->mesh, n, &progress, err);
    terminal_end(&terminal);
    return code;
}

/* Whether mesh and voxels agree that there is no surface. Then nothing was checked. */
static bool is_empty(const struct job *job) { return !job->found.triangles && !job->truth.cells; }

/* ---- slab by slab ------------------------------------------------------------------------------------------------ */

static const char *against_slabs(const struct options *o)
{
    if (o->setup.smooth > 0) return "--smooth is";
    if (o->setup.close) return "--close is";
    return o->setup.backend == CHOICE_CUDA ? "--backend cuda is" : NULL;
}

/* Checking needs 12 bytes per vertex and 24 per triangle in addition to the mesh. */
static uint64_t checked_bytes(struct iso_layer mesh)
{
    return mesh.vertices * (sizeof(struct vertex) + 12) + mesh.triangles * (3 * sizeof(uint32_t) + 24);
}

/* Returns an error if the surface is too large next to its volume. The caller then checks it slab by slab, unless
 * something rules that out. */
static int leave_for_slabs(struct job *job, const struct options *o, struct err *err)
{
    const struct export_edit edit = { .close = o->setup.close };
    const struct iso_surface surface = { &job->iso, &job->volume, volume_iso(&job->volume, job->value.value) };
    struct iso_layer mesh;
    uint64_t beside;
    if (!slabs_limits(&job->iso, o)) return ERR_NONE;
    if (slabs_room(&mesh, &beside, &edit, &surface, err)) return err->code;
    const uint64_t made = plan_bytes(mesh) + beside, checked = checked_bytes(mesh);
    return slabs_exceeds(&job->iso, &job->volume, o, "its surface", made > checked ? made : checked, err) ? ERR_FAILED
                                                                                                          : ERR_NONE;
}

static int find_stats(struct job *job, const struct store *store, uint64_t memory, const struct progress *progress,
                      struct err *err)
{
    const struct stream_info_desc desc = { .store = store, .memory = memory, .progress = *progress };
    struct stream_info info;
    const int code = stream_info_find(&info, &desc, &job->iso, err);
    if (!code) job->value.stats = info.stats, job->value.stats_known = true;
    return code;
}

/* The value that was asked for, or the automatic one from the statistics. */
static int find_value(struct job *job, const struct store *store, const struct setup *setup, uint64_t memory,
                      const struct progress *progress, struct err *err)
{
    const struct stats *stats = &job->value.stats;
    job->value.value = setup->iso;
    if (setup->iso_given && !setup->iso_in) return ERR_NONE;
    int code = find_stats(job, store, memory, progress, err);
    if (!code) job->value.value = stats->first_value;
    if (!code && setup->iso_given)
        code = stats_isovalue(stats, &job->iso, &store->volume, setup->iso_in, setup->iso, &job->value.value, err);
    return code;
}

static int verify_slabs(struct job *job, const struct store *store, const struct options *o, struct err *err)
{
    struct stream_verify found = { .mesh = { .euler = 0 } };
    struct terminal_progress terminal;
    struct stream_verify_desc desc = { .store = store, .memory = slabs_memory(o) };
    terminal_begin(&terminal, "checking slab by slab", &desc.progress);
    int code = find_value(job, store, &o->setup, desc.memory, &desc.progress, err);
    desc.value = job->value.value;
    if (!code) code = stream_verify_find(&found, &desc, &job->iso, err);
    if (!code) job->found = found.mesh, job->truth = found.voxels;
    if (!code && is_empty(job) && !job->value.stats_known) code = find_stats(job, store, desc.memory, &desc.progress, err);
    terminal_end(&terminal);
    return code;
}

/* ---- in memory --------------------------------------------------------------------------------------------------- */

static int verify(struct job *job, const struct options *options, struct err *err)
{
    mesh_host_free(&job->mesh);
    int code = setup_set_volume(&job->iso, &job->volume, &options->setup, err);
    if (!code) code = setup_choose_value(&job->value, &job->iso, &job->volume, &options->setup, err);
    if (!code) code = leave_for_slabs(job, options, err);
    if (code) return code;
    const struct iso_surface surface = { &job->iso, &job->volume, volume_iso(&job->volume, job->value.value) };
    code = make_mesh(job, surface.value, err);
    if (!code && options->setup.close) code = caps_close(&job->mesh, &surface, CAPS_ABOVE, err);
    if (!code) code = check_mesh(job, err);
    if (!code) code = find_truth(job, surface.value, &options->setup, err);
    if (code || !is_empty(job) || job->value.stats_known) return code;
    job->value.stats_known = true;
    return stats_compute(&job->value.stats, &job->iso, &job->volume, err);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void print_row(const struct table *table, const char *name, int64_t mesh, int64_t grid)
{
    struct table_cells row = { .used = 0 };
    table_text(&row, name);
    table_print(&row, "%" PRId64, mesh);
    table_print(&row, "%" PRId64, grid);
    table_row(table, &row);
}

/* Lists only the faults that were found. */
static void print_answer(const struct job *job)
{
    static const struct table_column columns[] = { { "", -40 }, { "mesh", 14 }, { "voxels", 14 } };
    const struct table table = { stdout, false, columns, 3 };
    struct verify_row row[VERIFY_ROWS];
    printf("%s, iso %.9g, topology %s, %s\n\n", job->told->name, job->value.value, topology_name[job->iso.topology],
           job->iso.ops->name);
    table_titles(&table);
    verify_compare(row, &job->found, &job->truth);
    for (int i = 0; i < VERIFY_ROWS; i++) print_row(&table, row[i].name, row[i].mesh, row[i].grid);
    for (int f = 0; f < MESH_FAULTS; f++)
        if (job->found.fault[f]) print_row(&table, mesh_fault_text[f], (int64_t)job->found.fault[f], 0);
    printf("\n%" PRIu64 " %s; cells: %" PRIu64 " crossed, %" PRIu64 " by several pieces, %" PRIu64 " with a tunnel\n",
           job->found.triangles, text_word(job->found.triangles, "triangle", "triangles"), job->truth.cells,
           job->truth.several, job->truth.tunnels);
    if (job->right) printf("right: the mesh is sound and matches the voxels\n");
}

/* Reports "Euler characteristic" as euler_characteristic. */
static void report_as(struct report *r, const char *name, int64_t value)
{
    char key[64];
    size_t n = 0;
    for (; n < sizeof key - 1 && name[n]; n++) key[n] = (char)(name[n] == ' ' ? '_' : name[n] | ('a' - 'A'));
    key[n] = 0;
    report_number(r, key, (double)value);
}

static void report_answer(const struct job *job)
{
    struct report r = { .json = true };
    struct verify_row row[VERIFY_ROWS];
    verify_compare(row, &job->found, &job->truth);
    report_text(&r, "file", job->told->file);
    report_text(&r, "note", *job->told->note ? job->told->note : NULL);
    report_number(&r, "iso", job->value.value);
    report_text(&r, "topology", topology_name[job->iso.topology]);
    report_text(&r, "backend", job->why);
    report_whole(&r, "triangles", job->found.triangles);
    report_whole(&r, "interior_vertices", job->found.inner_vertices);
    for (int side = 0; side < 2; side++) {
        report_open(&r, side ? "voxels" : "mesh", '{');
        for (int i = 0; i < VERIFY_ROWS; i++) report_as(&r, row[i].name, side ? row[i].grid : row[i].mesh);
        report_close(&r, '}');
    }
    report_open(&r, "faults", '{');
    for (int f = 0; f < MESH_FAULTS; f++) report_as(&r, mesh_fault_text[f], (int64_t)job->found.fault[f]);
    report_close(&r, '}');
    report_whole(&r, "cells", job->truth.cells);
    report_whole(&r, "cells_of_several_pieces", job->truth.several);
    report_whole(&r, "tunnels", job->truth.tunnels);
    report_flag(&r, "right", job->right);
    report_text(&r, "wrong", job->right ? NULL : job->wrong);
    report_end(&r);
}

/* The absence of a surface must not pass for a sound surface. */
static int refuse_empty(const struct job *job, struct err *err)
{
    char text[512];
    setup_explain_empty(text, sizeof text, job->told, &job->value.stats, job->value.value);
    return err_set(err, ERR_FAILED, "%s; nothing was checked", text);
}

static int answer(struct job *job, const struct options *options, struct err *err)
{
    if (is_empty(job) || !options->json) setup_say_note(job->told);
    if (is_empty(job)) return refuse_empty(job, err);
    job->right = verify_judge(&job->found, &job->truth, options->setup.exact_positions, job->wrong, sizeof job->wrong);
    if (options->json) report_answer(job);
    else print_answer(job);
    if (job->right) return ERR_NONE;
    return err_set(err, ERR_WRONG, "the mesh does not match the voxels: %s", job->wrong);
}

/* A soup has three vertices per triangle, and so no topology to check. */
static int refuse_soup(const struct iso *iso, struct err *err)
{
    const struct generate_rung *generate = (const struct generate_rung *)iso->rung[STAGE_GENERATE];
    if (iso_is_fused(iso) || !generate->soup) return ERR_NONE;
    return err_set(err, ERR_USAGE,
                   "generate=%s makes a mesh without shared vertices, which verify cannot check: choose another rung",
                   generate->rung.name);
}

/* Works slab by slab, because a volume or surface exceeds the memory, as `err` says. */
static int verify_by_slabs(const struct options *options, struct err *err)
{
    struct job job = { .right = false };
    struct store store;
    int code = slabs_open(&store, &job.iso, options, against_slabs(options), job.why, sizeof job.why, err);
    if (code) return code;
    code = refuse_soup(&job.iso, err);
    if (!code) code = verify_slabs(&job, &store, options, err);
    if (store_has_gaps(&store)) setup_note_gaps(&store.volume);
    job.told = &store.volume;
    if (!code) code = answer(&job, options, err);
    iso_close(&job.iso);
    store_close(&store);
    return code;
}

int cmd_verify(const struct options *options, struct err *err)
{
    struct job job = { .right = false };
    int code = setup_open_volume(&job.volume, &job.value.value, &options->setup, err);
    if (!code) code = setup_open_iso(&job.iso, &options->setup, -1, job.why, sizeof job.why, err);
    if (!code) code = refuse_soup(&job.iso, err);
    if (!code && slabs_limits(&job.iso, options) && slabs_smooth_exceeds(&job.iso, &job.volume, options, err))
        code = ERR_FAILED;
    if (!code) {
        do code = verify(&job, options, err);
        while (code && err->cause != CAUSE_VOLUME &&
               setup_fall_back(&job.iso, &options->setup, job.why, sizeof job.why, err));
    }
    job.told = &job.volume;
    if (!code) code = answer(&job, options, err);
    mesh_host_free(&job.mesh);
    iso_close(&job.iso);
    volume_free(&job.volume);
    return code && err->cause == CAUSE_VOLUME ? verify_by_slabs(options, err) : code;
}
