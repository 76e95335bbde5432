/* DICOM: the program dcm2niix, which knows what the makers of scanners do, converts it to NIfTI in a private folder. The
 * folder is removed when the volume has been read. dcm2niix converts every series that it finds. If the input is a file,
 * only this file is converted at first. If that gives a single slice, its series is looked for in its folder. */
#include "read.h"

#include "child.h"
#include "dicom_log.h"
#include "dicom_made.h"
#include "folder.h"
#include "leftover.h"
#include "text.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEAD 1024         /* bytes of a file that are examined */
#define MOST_LOOKS 1000   /* files that are examined for the magic */
#define MOST_FILES 100000 /* files in all, with pictures */

struct conversion {
    const char *name;     /* of the file or folder, for messages */
    char where[PATH_MAX]; /* real path of the input */
    char program[PATH_MAX], folder[PATH_MAX];
    struct dicom_made made;
};

/* ---- is it DICOM? -------------------------------------------------------------------------------------------------- */

bool dicom_probe(const uint8_t *head, size_t n) { return n >= 132 && !memcmp(head + 128, "DICM", 4); }

/* Old files have no magic and begin with their first data element, of group 2 or 8. They are accepted only if their name
 * says DICOM. */
static bool is_bare(const uint8_t *head, size_t n, const char *name)
{
    const bool named = text_ends(name, ".dcm") || text_ends(name, ".dicom") || text_ends(name, ".ima");
    return named && n >= 132 && (head[0] == 2 || head[0] == 8) && !head[1] && !head[3];
}

/* Whether it is RT Dose Storage. The class is among the first elements; the padding tells it from longer numbers. */
static bool is_dose(const uint8_t *head, size_t n)
{
    static const char class[] = "1.2.840.10008.5.1.4.1.1.481.2";
    return memmem(head, n, class, sizeof class) != NULL;
}

static size_t read_head(const char *path, uint8_t head[HEAD])
{
    struct source source;
    if (source_open(&source, path, NULL)) return 0;
    const size_t n = source_read(&source, head, HEAD);
    source_close(&source);
    return n;
}

struct look {
    size_t files, looks; /* found, and examined */
    size_t images, doses;
    bool all; /* do not stop at the first */
};

static _Thread_local struct look seen;

/* Returns 1: found; 2: enough files seen. */
static int look(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    uint8_t head[HEAD];
    (void)status;
    if (kind != FTW_F || path[place->base] == '.') return 0;
    if (++seen.files > MOST_FILES) return 2;
    if (slice_is_named(path)) return 0; /* a preview */
    const size_t n = read_head(path, head);
    if (dicom_probe(head, n) || is_bare(head, n, path)) {
        if (is_dose(head, n)) seen.doses++;
        else seen.images++;
        if (!seen.all) return 1;
    }
    return ++seen.looks < MOST_LOOKS ? 0 : 2;
}

bool dicom_is_in(const char *folder)
{
    seen = (struct look){ .all = false };
    return nftw(folder, look, 16, 0) == 1;
}

bool dicom_takes(const char *path, const char *other)
{
    char folder[PATH_MAX];
    uint8_t head[HEAD];
    struct stat status;
    const size_t n = read_head(other, head);
    if (!dicom_probe(head, n) && !is_bare(head, n, other)) return false;
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!stat(path, &status) && !S_ISDIR(status.st_mode)) snprintf(slash ? slash + 1 : folder, 2, ".");
    return folder_is_above(folder, other);
}

/* Refuses or notes RT dose: dcm2niix knows neither the positions of its slices nor its unit. */
static int check_dose(const struct source *source, char note[256], struct err *err)
{
    uint8_t head[HEAD];
    seen = (struct look){ .all = true };
    if (source->folder) nftw(source->path, look, 16, 0);
    else if (is_dose(head, read_head(source->path, head))) seen.doses = 1;
    if (seen.doses && !seen.images) {
        err_set(err, ERR_INPUT, "%s: this is an RT dose file, whose slice spacing and unit cannot be read",
                source_name(source));
        err_advise(err, "convert it to NRRD with a radiotherapy program, such as 3D Slicer with SlicerRT");
        return ERR_INPUT;
    }
    if (seen.doses) text_note(note, "the folder has RT dose, too, whose distances and values cannot be read");
    return ERR_NONE;
}

/* ---- dcm2niix ------------------------------------------------------------------------------------------------------ */

/* Creates the folder; nobody else can read it. */
static int make_folder(struct conversion *c, struct layout *layout, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    if (!tmp || *tmp != '/') tmp = "/tmp";
    const int n = snprintf(c->folder, sizeof c->folder, "%s/isoscope-dicom-XXXXXX", tmp);
    leftover_hold();
    const bool made = n < (int)sizeof c->folder && mkdtemp(c->folder);
    if (made) leftover_add_folder(c->folder);
    leftover_release();
    if (!made)
        return err_set(err, ERR_FAILED, "%s: cannot make a temporary folder in %s: %s", c->name, tmp, strerror(errno));
    layout->temporary = strdup(c->folder);
    if (layout->temporary) return ERR_NONE;
    rmdir(c->folder);
    leftover_drop(c->folder);
    return err_set(err, ERR_FAILED, "%s: not enough memory to convert it", c->name);
}

/* Copies the most telling line of the log: the first about an error or unreadable files, else the last. */
static void find_reason(const char *path, char reason[200])
{
    struct dicom_log log = { .path = path };
    bool found = false;
    snprintf(reason, 200, "it said nothing");
    while (dicom_log_next(&log)) {
        if (!found && *text_skip(log.line)) snprintf(reason, 200, "%.199s", text_skip(log.line));
        found = found || text_begins(log.line, "Error") || text_begins(log.line, "Warning: Unsupported transfer syntax");
    }
}

static bool has_line(const char *path, const char *begin)
{
    struct dicom_log log = { .path = path };
    bool found = false;
    while (dicom_log_next(&log)) found = found || text_begins(log.line, begin);
    return found;
}

static void remove_volumes(struct conversion *c)
{
    for (size_t i = 0; i < c->made.files.count; i++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", c->folder, c->made.files.names[i]) < (int)sizeof path) unlink(path);
    }
    dicom_made_free(&c->made);
}

/* Runs dcm2niix and lists the volumes. It names them by `pattern`. */
static int run(struct conversion *c, bool alone, const char *pattern, const char *log, const struct load_desc *desc,
               struct err *err)
{
    int status;
    /* ignore the user's defaults; no sidecar, no gzip */
    const char *const argv[] = { c->program,        "-g", "i",     "-b", "n",       "-z",     "n", "-s",
                                 alone ? "y" : "n", "-f", pattern, "-o", c->folder, c->where, NULL };
    unlink(log);
    remove_volumes(c);
    int code = child_run(argv, log, &desc->progress, &status, err);
    if (!code) code = dicom_made_list(&c->made, c->folder, log, err);
    if (code) return code;
    if (WIFSIGNALED(status))
        return err_set(err, ERR_FAILED, "%s: dcm2niix was killed by signal %d", c->name, WTERMSIG(status));
    c->made.status = WEXITSTATUS(status);
    return ERR_NONE;
}

/* Converts what lies at `where`, and lists the volumes. `alone`: converts a file without the others of its series. The name
 * is the number of the series. dcm2niix can append one of 26 letters; if these do not suffice, the number of the first
 * slice is appended. */
static int convert(struct conversion *c, bool alone, const struct load_desc *desc, struct err *err)
{
    char log[PATH_MAX], reason[200];
    if (snprintf(log, sizeof log, "%s/log.txt", c->folder) >= (int)sizeof log)
        return err_set(err, ERR_FAILED, "%s: the path of the temporary folder is too long", c->name);
    int code = run(c, alone, "%s", log, desc, err);
    if (!code && c->made.status && has_line(log, "Error: Too many NIFTI images"))
        code = run(c, alone, "%s_%r", log, desc, err);
    if (code || c->made.files.count) return code;
    find_reason(log, reason);
    return err_set(err, ERR_INPUT, "%s: dcm2niix made no volume of it (exit code %d): %s", c->name, c->made.status, reason);
}

/* Converts a file. If the result is a single slice, sets *slice to it and *number to that of its series, and converts the
 * file's folder. Otherwise *number is "". */
static int convert_file(struct conversion *c, struct layout *slice, char number[64], const struct load_desc *desc,
                        struct err *err)
{
    size_t largest = 0;
    *number = 0;
    int code = convert(c, true, desc, err);
    for (size_t i = 0; i < c->made.files.count && !code; i++) {
        code = dicom_made_read(&c->made, i, c->name, err);
        if (!code && c->made.heads[i].size[AXIS_Z] > c->made.heads[largest].size[AXIS_Z]) largest = i;
    }
    if (code || c->made.heads[largest].size[AXIS_Z] > 1) return code;
    dicom_made_number(&c->made, largest, number, 64);
    *slice = c->made.heads[largest];
    c->made.heads[largest] = (struct layout){ 0 };
    *strrchr(c->where, '/') = 0;
    if (!*c->where) snprintf(c->where, sizeof c->where, "/");
    remove_volumes(c);
    return convert(c, false, desc, err);
}

int read_dicom(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err)
{
    struct conversion c = { .name = source_name(source), .made.read = read_nifti };
    struct layout slice = { 0 };
    char number[64] = "", dose[256] = "";
    layout_begin(layout);
    if (!child_find(c.program, "dcm2niix")) {
        err_set(err, ERR_FAILED, "%s: reading DICOM needs the program dcm2niix, which is not installed", c.name);
        err_advise(err, "sudo apt install dcm2niix");
        return ERR_FAILED;
    }
    if (source->partial || !realpath(source->path, c.where))
        return err_set(err, ERR_INPUT, "%s: DICOM can only be read from files, uncompressed", c.name);
    int code = check_dose(source, dose, err);
    if (!code) code = make_folder(&c, layout, err);
    if (!code) code = source->folder ? convert(&c, false, desc, err) : convert_file(&c, &slice, number, desc, err);
    const bool named = desc->series || !*number;
    if (!code) code = dicom_made_choose(&c.made, layout, source, named ? desc->series : number, named ? NULL : &slice, err);
    if (!code && *dose) text_note(layout->note, "%s", dose);
    if (!code && source->folder && slices_are_in(source->path)) text_note(layout->note, "pictures beside it ignored");
    layout_free(&slice);
    dicom_made_free(&c.made);
    return code;
}
