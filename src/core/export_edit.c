#include "export_edit.h"

#include "simplify.h"
#include "smooth_mesh.h"

#define SMOOTHING 0.1 /* its share of the time, if the mesh is also simplified */

struct edit_job {
    const struct export_edit *edit;
    const struct iso_surface *of;
    struct export_edited *edited;
};

struct stretch { /* the part of the progress that one filter reports */
    const struct progress *whole;
    double begin, share;
};

static bool tell_stretch(void *stretch, double fraction)
{
    const struct stretch *p = stretch;
    return progress_tell(p->whole, p->begin + p->share * fraction);
}

static int close_mesh(struct mesh_host *mesh, const struct edit_job *job, struct err *err)
{
    return job->edit->close ? caps_close(mesh, job->of, job->edit->side, err) : ERR_NONE;
}

static int filter(struct mesh_host *mesh, const struct edit_job *job, struct err *err)
{
    const uint64_t all = mesh->triangle_count;
    if (!component_filter_is_on(&job->edit->filter)) return ERR_NONE;
    if (component_list_filter_host(mesh, job->of->iso, job->of->volume, &job->edit->filter, err)) return ERR_FAILED;
    job->edited->left_out += all - mesh->triangle_count;
    return ERR_NONE;
}

static int smooth(struct mesh_host *mesh, const struct edit_job *job, struct err *err)
{
    struct stretch stretch = { &job->edit->progress, 0, export_edit_simplifies(job->edit) ? SMOOTHING : 1 };
    const struct progress progress = { tell_stretch, &stretch };
    return job->edit->smooth ? smooth_mesh(mesh, job->edit->smooth, &progress, err) : ERR_NONE;
}

static int simplify(struct mesh_host *mesh, const struct edit_job *job, struct err *err)
{
    const double begin = job->edit->smooth ? SMOOTHING : 0;
    struct stretch stretch = { &job->edit->progress, begin, 1 - begin };
    const struct progress progress = { tell_stretch, &stretch };
    const struct simplify_goal goal = { job->edit->keep, job->edit->most };
    const uint64_t wanted = (uint64_t)(job->edit->keep * (double)mesh->triangle_count);
    double error;
    if (!export_edit_simplifies(job->edit)) return ERR_NONE;
    if (simplify_mesh(mesh, job->of->volume, goal, &progress, &error, err)) return ERR_FAILED;
    if (error > job->edited->error) job->edited->error = error;
    if (job->edit->keep > 0 && mesh->triangle_count > wanted) job->edited->short_of = true;
    return ERR_NONE;
}

/* In the order in which they run: first those that add or remove pieces, then moving vertices, then removing some. */
static int (*const filters[])(struct mesh_host *mesh, const struct edit_job *job, struct err *err) = { close_mesh, filter,
                                                                                                       smooth, simplify };

bool export_edit_moves(const struct export_edit *edit) { return edit->smooth || export_edit_simplifies(edit); }

int export_edit_mesh(const struct export_edit *edit, struct mesh_host *mesh, const struct iso_surface *of,
                     struct export_edited *edited, struct err *err)
{
    const struct edit_job job = { edit, of, edited };
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        if (filters[i](mesh, &job, err)) return err->code;
    return ERR_NONE;
}

static uint64_t more(uint64_t a, uint64_t b) { return a > b ? a : b; }

int export_edit_room(const struct export_edit *edit, struct iso_layer *mesh, uint64_t *bytes, const struct iso_surface *of,
                     struct err *err)
{
    *bytes = 0;
    if (edit->close && caps_close_room(mesh, bytes, of, edit->side, err)) return ERR_FAILED;
    if (component_filter_is_on(&edit->filter))
        *bytes = more(*bytes, component_list_filter_bytes(mesh->vertices, mesh->triangles));
    if (edit->smooth) *bytes = more(*bytes, smooth_mesh_bytes(mesh->vertices));
    if (export_edit_simplifies(edit)) *bytes = more(*bytes, simplify_bytes(mesh->vertices, mesh->triangles));
    return ERR_NONE;
}
