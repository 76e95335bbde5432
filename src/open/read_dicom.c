/* DICOM: converted to NIfTI by the program dcm2niix, which knows what the makers of scanners do, in a private folder that is
 * removed when the volume has been read. dcm2niix converts every series that it finds. Given a file, it is asked for this one
 * alone; if that is one slice, the series of the file is looked for in its folder. */
#include "read.h"

#include "child.h"
#include "folder.h"
#include "text.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_LOOKS 1000 /* files in which to look for the magic */

struct conversion {
    const char *name;     /* of the file or folder, for messages */
    char where[PATH_MAX]; /* real path of what is converted */
    char program[PATH_MAX], folder[PATH_MAX];
    struct folder files; /* volumes that were made */
    int status;          /* exit code */
};

/* ---- is it DICOM? -------------------------------------------------------------------------------------------------- */

bool dicom_probe(const uint8_t *head, size_t n) { return n >= 132 && !memcmp(head + 128, "DICM", 4); }

static bool is_dicom_file(const char *path)
{
    uint8_t head[132];
    struct source source;
    if (source_open(&source, path, NULL)) return false;
    const size_t n = source_read(&source, head, sizeof head);
    source_close(&source);
    return dicom_probe(head, n);
}

static _Thread_local int looks;

/* 1: found; 2: enough files seen. */
static int look(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    if (kind != FTW_F || path[place->base] == '.') return 0;
    if (is_dicom_file(path)) return 1;
    return ++looks < MOST_LOOKS ? 0 : 2;
}

bool dicom_is_in(const char *folder)
{
    looks = 0;
    return nftw(folder, look, 16, 0) == 1;
}

/* ---- dcm2niix ------------------------------------------------------------------------------------------------------ */

/* Creates the folder, readable to nobody else. */
static int make_folder(struct conversion *c, struct layout *layout, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    if (!tmp || *tmp != '/') tmp = "/tmp";
    if (snprintf(c->folder, sizeof c->folder, "%s/isoscope-dicom-XXXXXX", tmp) >= (int)sizeof c->folder ||
        !mkdtemp(c->folder))
        return err_set(err, ERR_FAILED, "%s: no temporary folder can be made in %s: %s", c->name, tmp, strerror(errno));
    layout->temporary = strdup(c->folder);
    if (layout->temporary) return ERR_NONE;
    rmdir(c->folder);
    return err_set(err, ERR_FAILED, "%s: no memory to convert it", c->name);
}

static bool is_volume(const char *name) { return text_ends(name, ".nii"); }

/* Copies the line of the log that says most: the first about an error, else the last. */
static void find_reason(const char *log, char reason[200])
{
    char line[1024];
    FILE *file = fopen(log, "r");
    bool found = false;
    snprintf(reason, 200, "it said nothing");
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        found = !strncmp(line, "Error", 5);
        if (*text_skip(line)) snprintf(reason, 200, "%.199s", text_skip(line));
    }
    if (file) fclose(file);
}

/* Converts what lies at `where`, and lists the volumes. `alone`: a file without the others of its series. */
static int convert(struct conversion *c, bool alone, const struct load_desc *desc, struct err *err)
{
    char log[PATH_MAX], reason[200];
    int status;
    /* defaults of the user are ignored; no sidecar, no gzip; the number of the series is the name */
    const char *const argv[] = { c->program,        "-g", "i",  "-b", "n",       "-z",     "n", "-s",
                                 alone ? "y" : "n", "-f", "%s", "-o", c->folder, c->where, NULL };
    if (snprintf(log, sizeof log, "%s/log.txt", c->folder) >= (int)sizeof log)
        return err_set(err, ERR_FAILED, "%s: the path of the temporary folder is too long", c->name);
    unlink(log);
    folder_free(&c->files);
    int code = child_run(argv, log, &desc->progress, &status, err);
    if (!code) code = folder_list(&c->files, c->folder, is_volume, err);
    if (code) return code;
    if (WIFSIGNALED(status))
        return err_set(err, ERR_FAILED, "%s: dcm2niix was ended by signal %d", c->name, WTERMSIG(status));
    c->status = WEXITSTATUS(status);
    if (c->files.count) return ERR_NONE;
    find_reason(log, reason);
    return err_set(err, ERR_INPUT, "%s: dcm2niix made no volume of it (exit code %d): %s", c->name, c->status, reason);
}

/* ---- one of its volumes -------------------------------------------------------------------------------------------- */

/* "3" of 3.nii, and of the variants 3a.nii and 3_Tilt_1.nii that dcm2niix makes. */
static bool is_series(const char *name, const char *series)
{
    const size_t n = strlen(series);
    return !strncmp(name, series, n) && !(name[n] >= '0' && name[n] <= '9');
}

static int read_header(struct conversion *c, const char *name, struct layout *layout, struct err *err)
{
    static const struct load_desc nothing;
    char path[PATH_MAX];
    struct source source;
    if (snprintf(path, sizeof path, "%s/%s", c->folder, name) >= (int)sizeof path)
        return err_set(err, ERR_FAILED, "%s: the path of the temporary folder is too long", c->name);
    int code = source_open(&source, path, err);
    if (code) return code;
    code = read_nifti(layout, &source, &nothing, err);
    for (size_t i = 0; i < layout->part_count && !code; i++) {
        if (layout->parts[i].path) continue; /* the header's file, which another will be */
        layout->parts[i].path = strdup(path);
        if (!layout->parts[i].path) code = err_set(err, ERR_FAILED, "%s: no memory for a path", c->name);
    }
    source_close(&source);
    return code;
}

/* Reads the header of the volume with the most slices, of the series if one is given; *best: which. Errors: as readers. */
static int read_largest(struct conversion *c, const char *series, struct layout *layout, size_t *best, struct err *err)
{
    uint64_t most = 0;
    for (size_t i = 0; i < c->files.count; i++) {
        struct layout other = { 0 };
        if (series && !is_series(c->files.names[i], series)) continue;
        const int code = read_header(c, c->files.names[i], &other, err);
        if (code) {
            layout_free(&other);
            return code;
        }
        if (other.size[AXIS_Z] > most) {
            struct layout former = *layout;
            most = other.size[AXIS_Z];
            *best = i;
            *layout = other;
            other = former;
        }
        layout_free(&other);
    }
    return ERR_NONE;
}

/* The numbers of all series, as "2, 3 and 5". */
static void list_series(const struct conversion *c, char *to, size_t capacity)
{
    char before[PATH_MAX] = "";
    size_t length = 0;
    *to = 0;
    for (size_t i = 0; i < c->files.count && length < capacity; i++) {
        const char *name = c->files.names[i];
        const int n = (int)(strspn(name, "0123456789") ? strspn(name, "0123456789") : strcspn(name, "."));
        if (*before && is_series(name, before)) continue;
        snprintf(before, sizeof before, "%.*s", n, name);
        length += (size_t)snprintf(to + length, capacity - length, "%s%s", length ? ", " : "", before);
    }
}

static int choose(struct conversion *c, const char *series, struct layout *layout, struct err *err)
{
    char list[160];
    size_t best = 0;
    char *const temporary = layout->temporary;
    layout->temporary = NULL; /* kept while layouts come and go */
    int code = read_largest(c, series, layout, &best, err);
    layout->temporary = temporary;
    if (code) return code;
    list_series(c, list, sizeof list);
    if (!layout->part_count)
        return err_set(err, ERR_USAGE, "%s: there is no series %.40s; the series are %s", c->name, series ? series : "",
                       list);
    text_note(layout->note, "converted by dcm2niix");
    if (c->status) text_note(layout->note, "which ended with exit code %d: a part may be missing", c->status);
    if (c->files.count > 1)
        text_note(layout->note, "%.*s of the series %s", (int)strlen(c->files.names[best]) - 4, c->files.names[best], list);
    return ERR_NONE;
}

/* The series of a single file whose conversion made one slice; else "". */
static int convert_file(struct conversion *c, char series[64], const struct load_desc *desc, struct err *err)
{
    struct layout layout = { 0 };
    size_t best = 0;
    *series = 0;
    int code = convert(c, true, desc, err);
    if (!code) code = read_largest(c, NULL, &layout, &best, err);
    const bool slice = !code && layout.size[AXIS_Z] == 1;
    layout_free(&layout);
    if (!slice) return code;
    const char *name = c->files.names[best];
    snprintf(series, 64, "%.*s", (int)strspn(name, "0123456789"), name);
    for (size_t i = 0; i < c->files.count; i++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", c->folder, c->files.names[i]) < (int)sizeof path) unlink(path);
    }
    *strrchr(c->where, '/') = 0;
    if (!*c->where) snprintf(c->where, sizeof c->where, "/");
    return convert(c, false, desc, err);
}

int read_dicom(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct conversion c = { .name = source_name(source) };
    char series[64] = "";
    layout_begin(layout);
    if (!child_find(c.program, "dcm2niix")) {
        err_set(err, ERR_FAILED, "%s: DICOM is read by the program dcm2niix, which is not installed", c.name);
        err_advise(err, "sudo apt install dcm2niix");
        return ERR_FAILED;
    }
    if (source->partial || !realpath(source->path, c.where))
        return err_set(err, ERR_INPUT, "%s: DICOM can only be read from files, uncompressed", c.name);
    int code = make_folder(&c, layout, err);
    if (!code) code = source->folder ? convert(&c, false, desc, err) : convert_file(&c, series, desc, err);
    if (!code) code = choose(&c, desc->series ? desc->series : *series ? series : NULL, layout, err);
    folder_free(&c.files);
    return code;
}
