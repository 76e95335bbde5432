#include "export_format.h"
#include "export_pieces.h"

#include "text.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the formats ------------------------------------------------------------------------------------------------- */

const struct export_format *const export_formats[] = {
    &export_ply, &export_stl, &export_obj, &export_glb, &export_vtp, NULL
};

/* Writes "A, B or C" to `text`. The last is the format of files in pieces. */
static void list_formats(char *text, size_t size, bool endings)
{
    size_t used = 0;
    for (const struct export_format *const *f = export_formats; *f; f++) {
        const int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", endings ? (*f)->ending : (*f)->name);
        used = min_size(used + (size_t)n, size - 1);
    }
    snprintf(text + used, size - used, " or %s", endings ? export_pvtp.ending : export_pvtp.name);
}

const struct export_format *export_format_of(const char *path, struct err *err)
{
    char names[128], endings[128];
    for (const struct export_format *const *f = export_formats; *f; f++)
        if (text_ends(path, (*f)->ending)) return *f;
    if (text_ends(path, export_pvtp.ending)) return &export_pvtp;
    list_formats(names, sizeof names, false);
    list_formats(endings, sizeof endings, true);
    err_set(err, ERR_USAGE, "%s: a surface is written as %s, so the name must end in %s", path, names, endings);
    return NULL;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Extracts with shared vertices, in the order of the stages, whatever rungs are chosen. */
static int extract(struct mesh_host *mesh, struct iso *iso, float value, struct err *err)
{
    const struct rung *generate = iso->rung[STAGE_GENERATE], *fused = iso->rung[STAGE_FUSED];
    const struct iso_counts counts = iso->counts;
    const bool fusing = iso->fusing;
    int code = ERR_NONE;
    if (((const struct generate_rung *)generate)->soup) code = iso_set_rung(iso, STAGE_GENERATE, NULL, err);
    iso_use_order(iso);
    if (!code) code = iso_extract(iso, value, mesh, err);
    iso_set_rung(iso, STAGE_GENERATE, generate->name, NULL);
    iso_set_rung(iso, STAGE_FUSED, fused->name, NULL);
    iso->counts = counts;
    iso->fusing = fusing;
    iso->counted = false; /* the next surface is counted by its own rungs */
    return code;
}

/* Edits the mesh. Adds a note if simplifying stops before it reaches the requested share. */
static int edit(struct export_file *e, struct export_part *p, const struct iso_surface *of, struct err *err)
{
    const bool noted = e->edited.short_of;
    const int code = export_edit_mesh(&e->edit, &p->mesh, of, &e->edited, err);
    if (!code && e->edited.short_of && !noted)
        text_note(
            e->note,
            "more than %g%% of the triangles are left: collapsing more would change the topology, move a border, fold "
            "the surface or make thin triangles",
            100 * e->edit.keep);
    return code;
}

static int make_part(struct export_file *e, struct export_part *p, struct iso *iso, const struct volume *volume,
                     struct err *err)
{
    const struct iso_surface surface = { iso, volume, volume_iso(volume, p->value) };
    p->turned = e->edit.close && e->edit.side == CAPS_BELOW;
    int code = extract(&p->mesh, iso, surface.value, err);
    if (!code) code = edit(e, p, &surface, err);
    if (code || !p->mesh.triangle_count) return code;
    code = export_normals(e, p, iso, volume, err);
    return code ? code : export_transform(e, p, iso, volume, err);
}

static void free_part(struct export_part *p)
{
    mesh_host_free(&p->mesh);
    free(p->normals);
}

/* Adds the part to the file, unless it is empty. */
static int append(struct export_file *e, struct export_part *p, struct err *err)
{
    if (!p->mesh.triangle_count) return ERR_NONE;
    struct export_part *parts = realloc(e->parts, (e->count + 1) * sizeof *parts);
    if (!parts) return err_set(err, ERR_FAILED, "not enough memory for %zu surfaces", e->count + 1);
    p->first_vertex = e->vertices, p->first_triangle = e->triangles;
    e->vertices += p->mesh.vertex_count, e->triangles += p->mesh.triangle_count;
    e->parts = parts;
    parts[e->count++] = *p;
    *p = (struct export_part){ .value = p->value };
    return ERR_NONE;
}

/* Some volume files allow any text as a unit. In the output it must not end a comment or a string. */
static bool is_word(const char *text)
{
    return !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")];
}

int export_open(struct export_file *e, const struct iso *iso, const struct volume *volume, struct err *err)
{
    *e = (struct export_file){ .edit = e->edit, .look = e->look, .threads = iso->exec.threads > 0 ? iso->exec.threads : 1 };
    if (is_word(volume->unit)) snprintf(e->unit, sizeof e->unit, "%s", volume->unit);
    return export_set_world(e, volume, err);
}

int export_add(struct export_file *e, struct iso *iso, const struct volume *volume, double value, struct err *err)
{
    const double start = timing_ms();
    struct export_part p = { .value = value, .look = e->look };
    int code = make_part(e, &p, iso, volume, err);
    if (!code) code = append(e, &p, err);
    free_part(&p);
    if (code) export_free(e);
    e->make_ms += timing_ms() - start;
    return code;
}

void export_free(struct export_file *e)
{
    for (size_t i = 0; i < e->count; i++) free_part(&e->parts[i]);
    free(e->parts);
    e->parts = NULL;
    e->count = 0;
}

/* Cuts off the last extension of the name and returns it without its dot; NULL: there is none. */
static const char *cut_ending(char *path)
{
    char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    if (!dot || dot == name) return NULL;
    *dot = '\0';
    return dot + 1;
}

/* Cuts off the extension, and double ones such as .nii.gz and .ome.tif completely. */
static void cut_endings(char *path)
{
    const char *ending = cut_ending(path);
    if (ending && text_same(ending, "gz")) cut_ending(path);
    if (ending && text_ends(path, ".ome")) cut_ending(path);
}

const char *export_frame_name(char to[32], const struct volume *volume, uint64_t frame)
{
    to[0] = 0;
    if (volume->frames > 1) snprintf(to, 32, "_frame%llu", (unsigned long long)frame);
    return to;
}

void export_free_name(char path[512], const char *name, const char *middle, const char *ending)
{
    char base[256], number[16] = "";
    snprintf(base, sizeof base, "%.255s", name);
    cut_endings(base);
    int n = *middle ? 0 : 1;
    do {
        if (n) snprintf(number, sizeof number, "_%d", n);
        snprintf(path, 512, "%s%s%s%s", base, middle, number, ending);
    } while (access(path, F_OK) == 0 && n++ < 100000);
}
