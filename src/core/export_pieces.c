#include "export_pieces.h"

#include "file_io.h"
#include "leftover.h"
#include "replace.h"
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAMES = 64, /* bytes that folder and file names add to the target's path, at most */
    LONGER = 4  /* than the target's name is the folder's: _01234567 in place of .pvtp */
};

const struct export_format export_pvtp = { .name = "PVTP", .ending = ".pvtp", .single = true, .fixed = true };

/* Whether XML 1.0 can hold the text: no U+FFFE or U+FFFF, and no control characters except tab, line feed and return. */
static bool fits_xml(const char *text)
{
    size_t n = 1;
    for (; *text && n; text += n) {
        const unsigned char *c = (const unsigned char *)text;
        n = text_utf8(text);
        if ((*c < 0x20 && !strchr("\t\n\r", *c)) || (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe)) n = 0;
    }
    return n;
}

/* Where the file name in the path begins. */
static size_t name_at(const struct export_pieces *p)
{
    const char *slash = strrchr(p->target, '/');
    return slash ? (size_t)(slash + 1 - p->target) : 0;
}

int export_pieces_open(struct export_pieces *p, const char *path, uint32_t job, struct err *err)
{
    p->job = job;
    if (!replace_target(p->target, path)) return file_refuse(path, "written", err);
    if (!fits_xml(p->target + name_at(p)))
        return err_set(err, ERR_USAGE,
                       "%s: a PVTP file is XML, which cannot hold this name: choose one in UTF-8, "
                       "without control characters",
                       path);
    if (strlen(p->target) < PATH_MAX - NAMES && strlen(p->target + name_at(p)) + LONGER <= NAME_MAX) return ERR_NONE;
    errno = ENAMETOOLONG;
    return file_refuse(path, "written", err);
}

/* Writes the path of the folder of the pieces; with `slab`, that of its piece. Returns where the file name in the path
 * begins. */
static size_t name(char to[PATH_MAX], const struct export_pieces *p, const uint64_t slab[2])
{
    const int n = (int)(strlen(p->target) - (strlen(p->target) > 5 ? 5 : 0)); /* without .pvtp */
    const int used = snprintf(to, PATH_MAX, "%.*s_%08" PRIx32, n < PATH_MAX - NAMES ? n : PATH_MAX - NAMES, p->target,
                              p->job);
    if (slab) snprintf(to + used, PATH_MAX - (size_t)used, "/%08" PRIu64 "-%08" PRIu64 ".vtp", slab[0], slab[1]);
    return name_at(p);
}

/* Cuts the mesh to its own triangles and the vertices that they use, some of which the next slab owns. */
static struct mesh_host cut(const struct slab_mesh *m, uint32_t *number)
{
    struct mesh_host piece = { m->mesh.vertices + m->skip.vertices, m->mesh.indices + 3 * m->skip.triangles, 0,
                               m->slab.own.triangles };
    for (uint64_t i = 0; i < 3 * piece.triangle_count; i++) {
        piece.indices[i] -= (uint32_t)m->skip.vertices;
        if (piece.indices[i] >= piece.vertex_count) piece.vertex_count = (uint64_t)piece.indices[i] + 1;
    }
    mesh_host_drop_unused(&piece, number);
    return piece;
}

int export_pieces_place(struct export_file *e, struct slab_mesh *m, const struct grid *block, struct iso *iso,
                        const struct volume *volume, struct err *err)
{
    m->mesh = cut(m, (uint32_t *)m->normals);
    m->skip = (struct iso_layer){ 0, 0, 0 };
    struct export_part part = { .mesh = m->mesh, .normals = m->normals };
    export_normals_from(e, &part, block, 0, part.mesh.vertex_count);
    return export_transform(e, &part, iso, volume, err);
}

int export_pieces_add(const struct export_pieces *p, const struct export_file *e, const struct slab_mesh *m, bool *is_new,
                      struct err *err)
{
    static const struct progress silent;
    const uint64_t slices[2] = { m->slab.begin, m->slab.end };
    char path[PATH_MAX];
    struct export_part part = { .mesh = m->mesh, .normals = m->normals };
    struct export_file file = *e;
    file.format = &export_vtp, file.parts = &part, file.count = 1;
    file.vertices = part.mesh.vertex_count, file.triangles = part.mesh.triangle_count;
    name(path, p, NULL);
    leftover_hold();
    const bool is_first = !mkdir(path, 0777);
    if (is_first && !p->resumes) leftover_add(path);
    leftover_release();
    if (!is_first && errno != EEXIST) return file_refuse(path, "made", err);
    name(path, p, slices);
    *is_new = access(path, F_OK);
    if (*is_new && !p->resumes) leftover_add(path);
    return export_write(&file, path, &silent, err);
}

/* ---- pieces that are on no list ---------------------------------------------------------------------------------- */

void export_pieces_remove(const struct export_pieces *p, const uint64_t (*slab)[2], size_t n)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < n; i++) {
        name(path, p, slab[i]);
        unlink(path);
        leftover_drop(path);
    }
    name(path, p, NULL);
    if (!rmdir(path)) leftover_drop(path); /* else it is not empty */
}

void export_pieces_stay(const struct export_pieces *p)
{
    char path[PATH_MAX];
    name(path, p, NULL);
    leftover_drop(path);
}

/* Whether a file in the folder is the piece of a slab. Sets `slab` to which. */
static bool is_piece(const struct export_pieces *p, const char *file, uint64_t slab[2])
{
    char path[PATH_MAX];
    if (sscanf(file, "%" SCNu64 "-%" SCNu64, &slab[0], &slab[1]) != 2) return false;
    name(path, p, slab);
    return !strcmp(strrchr(path, '/') + 1, file);
}

void export_pieces_keep(const struct export_pieces *p, const uint64_t (*slab)[2], size_t n)
{
    char path[PATH_MAX];
    uint64_t one[1][2];
    name(path, p, NULL);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        size_t i = 0;
        if (!is_piece(p, entry->d_name, one[0])) continue;
        while (i < n && memcmp(slab[i], one[0], sizeof one[0]) != 0) i++;
        if (i == n) export_pieces_remove(p, (const uint64_t(*)[2])one, 1);
    }
    if (folder) closedir(folder);
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static void put_escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (strchr("&<>\"\t\n\r", *text)) fprintf(file, "&#%d;", *text);
        else fputc(*text, file);
    }
}

static void put_head(const struct export_file *e, FILE *file)
{
    fprintf(
        file,
        "<?xml version=\"1.0\"?>\n<!-- isoscope " ISO_VERSION " -->\n<VTKFile type=\"PPolyData\" version=\"1.0\" "
        "byte_order=\"%sEndian\" header_type=\"UInt64\">\n<PPolyData GhostLevel=\"0\">\n<PPointData Normals=\"Normals\">\n"
        "<PDataArray type=\"Float32\" Name=\"Normals\" NumberOfComponents=\"3\"/>\n</PPointData>\n<PPoints>\n"
        "<PDataArray type=\"%s\" Name=\"Points\" NumberOfComponents=\"3\"/>\n</PPoints>\n",
        __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "Big" : "Little", e->wide ? "Float64" : "Float32");
}

int export_pieces_list(const struct export_pieces *p, const struct export_file *e, const uint64_t (*slab)[2], size_t n,
                       FILE *file, uint64_t *bytes, struct err *err)
{
    char path[PATH_MAX];
    struct stat status;
    *bytes = 0;
    put_head(e, file);
    for (size_t i = 0; i < n; i++) {
        const size_t at = name(path, p, slab[i]);
        if (stat(path, &status)) return file_refuse(path, "read", err);
        *bytes += (uint64_t)status.st_size;
        fprintf(file, "<Piece Source=\"");
        put_escaped(file, path + at);
        fprintf(file, "\"/>\n");
    }
    fprintf(file, "</PPolyData>\n</VTKFile>\n");
    return ferror(file) ? file_refuse(p->target, "written", err) : ERR_NONE;
}
