#include "dicom_made.h"

#include "dicom_join.h"
#include "dicom_log.h"
#include "text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct choice {
    size_t volume;              /* which one */
    uint64_t size;              /* number of slices; 0: nothing was chosen */
    struct dicom_slice *slices; /* owned; joined from several volumes; NULL: this volume alone */
};

/* ---- names --------------------------------------------------------------------------------------------------------- */

static bool is_volume(const char *name) { return text_ends(name, ".nii"); }

static int stem(const char *name) { return (int)strlen(name) - 4; }

static bool is_stem(const char *name, const char *text)
{
    return (int)strlen(text) == stem(name) && text_begins(name, text);
}

/* Whether the file belongs to the series: 3.nii belongs to "3", and so do its variants 3a.nii and 3_Tilt_1.nii. */
static bool is_series(const char *name, const char *series)
{
    const size_t n = strlen(series);
    return !strncmp(name, series, n) && !(name[n] >= '0' && name[n] <= '9');
}

const char *dicom_made_number(const struct dicom_made *made, size_t i, char *to, size_t size)
{
    const char *name = made->files.names[i];
    const size_t digits = strspn(name, "0123456789");
    snprintf(to, size, "%.*s", digits ? (int)digits : stem(name), name);
    return to;
}

static bool is_resampled(const char *name) { return strstr(name, "_Eq") != NULL; }

/* Finds the resampled variant of volume `i`, with equal slice distances. files.count: there is none. */
static size_t find_resampled(const struct dicom_made *made, size_t i)
{
    const char *name = made->files.names[i];
    size_t k = 0;
    for (; k < made->files.count; k++) {
        const char *other = made->files.names[k];
        if (!is_resampled(name) && !strncmp(other, name, (size_t)stem(name)) && other[stem(name)] == '_' &&
            is_resampled(other))
            break;
    }
    return k;
}

static bool is_replaced(const struct dicom_made *made, size_t i) { return find_resampled(made, i) < made->files.count; }

/* Finds the volume that `series` names: as 3a, or by its file name, 3a.nii. *alone: the latter. files.count: it is not a
 * name. */
static size_t find_named(const struct dicom_made *made, const char *series, bool *alone)
{
    for (size_t i = 0; i < made->files.count; i++) {
        *alone = !strcmp(made->files.names[i], series);
        if (*alone) return i;
    }
    for (size_t i = 0; i < made->files.count; i++)
        if (is_stem(made->files.names[i], series)) return is_replaced(made, i) ? find_resampled(made, i) : i;
    return made->files.count;
}

/* The volumes of the series of volume `i`. They are adjacent, as the list is ordered by number. */
static void find_series(const struct dicom_made *made, size_t i, size_t *first, size_t *end)
{
    char number[64];
    dicom_made_number(made, i, number, sizeof number);
    for (*first = i; *first > 0 && is_series(made->files.names[*first - 1], number);) --*first;
    for (*end = i + 1; *end < made->files.count && is_series(made->files.names[*end], number);) ++*end;
}

static size_t count_names(const struct dicom_made *made)
{
    size_t count = 0;
    for (size_t i = 0; i < made->files.count; i++) count += !is_replaced(made, i);
    return count;
}

/* Lists all names, such as "2, 3, 3a, 5", or "2, 3 and 7 more" if there is no room. */
static const char *list_names(const struct dicom_made *made, char *to, size_t size)
{
    size_t length = 0, left = count_names(made);
    const size_t more = strlen(" and 1000000 more");
    *to = 0;
    for (size_t i = 0; i < made->files.count; i++) {
        const char *name = made->files.names[i];
        if (is_replaced(made, i)) continue;
        if (length + (size_t)stem(name) + 2 + more >= size) {
            snprintf(to + length, size - length, " and %zu more", left);
            break;
        }
        length += (size_t)snprintf(to + length, size - length, "%s%.*s", length ? ", " : "", stem(name), name);
        left--;
    }
    return to;
}

/* ---- what was made ------------------------------------------------------------------------------------------------- */

/* Assigns dcm2niix's warnings to volumes: those that come before the line about a volume belong to it. */
static void read_warnings(struct dicom_made *made, const char *path)
{
    static const char *const known[] = { "Interslice distance varies", "Missing images",
                                         "Unable to determine slice thickness", "Unable to determine slice direction" };
    struct dicom_log log = { .path = path };
    char *const line = log.line, said[256] = "";
    while (dicom_log_next(&log)) {
        const char *text = text_begins(line, "Warning: ") ? line + 9 : line;
        for (int i = 0; i < 4; i++)
            if (text_begins(text, known[i]) && !strstr(said, known[i])) text_note(said, "%s", text);
        char *name = strrchr(line, '/'), *end = strrchr(line, '(');
        if (!text_begins(line, "Convert ") || !name || !end || end - name < 3) continue;
        end[-1] = 0;
        for (size_t i = 0; i < made->files.count; i++) {
            if (!is_stem(made->files.names[i], name + 1)) continue;
            memcpy(made->warnings[i], said, sizeof said);
            if (is_replaced(made, i)) memcpy(made->warnings[find_resampled(made, i)], said, sizeof said);
        }
        *said = 0;
    }
}

int dicom_made_list(struct dicom_made *made, const char *folder, const char *log, struct err *err)
{
    made->folder = folder;
    const int code = folder_list(&made->files, folder, is_volume, err);
    if (code || !made->files.count) return code;
    made->heads = calloc(made->files.count, sizeof *made->heads);
    made->warnings = calloc(made->files.count, sizeof *made->warnings);
    if (made->heads && made->warnings) {
        read_warnings(made, log);
        return ERR_NONE;
    }
    const size_t n = made->files.count;
    dicom_made_free(made);
    return err_set(err, ERR_FAILED, "not enough memory for the headers of %zu volumes", n);
}

void dicom_made_free(struct dicom_made *made)
{
    for (size_t i = 0; i < made->files.count && made->heads; i++) layout_free(&made->heads[i]);
    free(made->heads);
    free(made->warnings);
    folder_free(&made->files);
    *made = (struct dicom_made){ .read = made->read };
}

int dicom_made_read(struct dicom_made *made, size_t i, const char *name, struct err *err)
{
    static const struct load_desc nothing;
    struct layout *layout = &made->heads[i];
    char path[PATH_MAX];
    struct source source;
    if (layout->part_count) return ERR_NONE;
    if (snprintf(path, sizeof path, "%s/%s", made->folder, made->files.names[i]) >= (int)sizeof path)
        return err_set(err, ERR_FAILED, "%s: the path of the temporary folder is too long", name);
    int code = source_open(&source, path, err);
    if (code) return code;
    code = made->read(layout, &source, &nothing, err);
    for (size_t k = 0; k < layout->part_count && !code; k++) {
        if (layout->parts[k].path) continue; /* NULL is the header's own file, and the caller's header is another */
        layout->parts[k].path = strdup(path);
        if (!layout->parts[k].path) code = err_set(err, ERR_FAILED, "%s: not enough memory for a path", name);
    }
    source_close(&source);
    if (code) layout_free(layout);
    return code;
}

/* ---- the choice ---------------------------------------------------------------------------------------------------- */

/* Takes the volume, joined with others if possible, if it has more slices than the choice so far. */
static int weigh(const struct dicom_made *made, size_t i, bool alone, struct choice *choice, struct err *err)
{
    struct dicom_slice *slices = NULL;
    size_t first, end, count = 0;
    find_series(made, i, &first, &end);
    const int code = alone ? ERR_NONE : dicom_join(&slices, &count, made->heads + first, end - first, i - first, err);
    const uint64_t size = count ? count : made->heads[i].size[AXIS_Z];
    if (!code && size > choice->size) {
        free(choice->slices);
        *choice = (struct choice){ i, size, count ? slices : NULL };
        if (count) return ERR_NONE;
    }
    free(slices);
    return code;
}

/* Reads the headers that may be needed. *held: one of them holds the slice. A volume that is replaced by its resampled
 * variant gives wrong positions for its slices, so it is not joined with others. */
static int read_heads(struct dicom_made *made, const char *series, const char *name, const struct layout *slice, bool *held,
                      struct err *err)
{
    int code = ERR_NONE;
    *held = false;
    for (size_t i = 0; i < made->files.count && !code; i++) {
        const bool named = series && !strcmp(made->files.names[i], series);
        if (!named && (is_replaced(made, i) || (series && !is_series(made->files.names[i], series)))) continue;
        code = dicom_made_read(made, i, name, err);
        *held = *held || (!code && slice && !is_replaced(made, i) && dicom_holds(&made->heads[i], slice));
    }
    return code;
}

static int choose(struct dicom_made *made, const char *series, const char *name, const struct layout *slice,
                  struct choice *choice, struct err *err)
{
    bool alone = false, held;
    char number[64];
    const size_t named = series && !slice ? find_named(made, series, &alone) : made->files.count;
    const bool any = named == made->files.count;
    if (!any && !alone) series = dicom_made_number(made, named, number, sizeof number); /* what it may be joined with */
    int code = read_heads(made, series, name, slice, &held, err);
    for (size_t i = any ? 0 : named; i < (any ? made->files.count : named + 1) && !code; i++) {
        const bool fits = made->heads[i].part_count && (alone || !is_replaced(made, i));
        if (fits && (!held || dicom_holds(&made->heads[i], slice))) code = weigh(made, i, alone, choice, err);
    }
    return code;
}

struct tally {
    size_t joined, resampled; /* volumes of the series in the choice; those of them that are resampled */
    size_t others;            /* that are not, and are not replaced by a resampled variant */
};

static struct tally count_volumes(const struct dicom_made *made, const struct choice *choice)
{
    struct tally tally = { 0 };
    size_t first, end;
    find_series(made, choice->volume, &first, &end);
    for (size_t i = first; i < end; i++) {
        bool is_part = i == choice->volume;
        for (uint64_t k = 0; k < choice->size && choice->slices && !is_part; k++)
            is_part = choice->slices[k].volume == i - first;
        tally.joined += is_part;
        tally.resampled += is_part && is_resampled(made->files.names[i]);
        tally.others += !is_part && !is_replaced(made, i);
    }
    return tally;
}

static size_t count_missing(const struct choice *choice)
{
    size_t missing = 0;
    for (uint64_t k = 0; k < choice->size && choice->slices; k++) missing += choice->slices[k].missing;
    return missing;
}

static void describe_joined(const struct choice *choice, const struct tally *tally, char note[256])
{
    const size_t missing = count_missing(choice);
    text_note(note, "joined from %zu volumes, whose slices follow one another", tally->joined);
    if (tally->resampled) text_note(note, "%zu of them resampled by dcm2niix at equal distances", tally->resampled);
    if (missing)
        text_note(note, "%zu of its %zu slices %s missing: the nearest one stands in", missing, (size_t)choice->size,
                  text_word(missing, "is", "are"));
}

static void describe_name(const struct dicom_made *made, const struct choice *choice, char note[256])
{
    char list[128], number[64];
    const char *name = made->files.names[choice->volume];
    const struct tally tally = count_volumes(made, choice);
    dicom_made_number(made, choice->volume, number, sizeof number);
    list_names(made, list, sizeof list);
    if (choice->slices) describe_joined(choice, &tally, note);
    else if (is_resampled(name))
        text_note(note, "resampled by dcm2niix at equal distances (--series %.*s.nii: as scanned)", (int)strcspn(name, "_"),
                  name);
    if (tally.others)
        text_note(note, "%.*s, one of %zu volumes of series %s; --series takes %s", stem(name), name, tally.others + 1,
                  number, list);
    else if (count_names(made) > tally.joined) text_note(note, "%.*s of the series %s", stem(name), name, list);
}

static void describe(const struct dicom_made *made, const struct choice *choice, char note[256])
{
    const char *warning = made->warnings[choice->volume];
    text_note(note, "converted by dcm2niix");
    if (made->status) text_note(note, "which ended with exit code %d: a part may be missing", made->status);
    if (is_replaced(made, choice->volume)) text_note(note, "as if its slices, as scanned, were at equal distances");
    else describe_name(made, choice, note);
    if (*warning && !choice->slices) text_note(note, "dcm2niix warns: %s", warning);
}

int dicom_made_choose(struct dicom_made *made, struct layout *layout, const struct source *source, const char *series,
                      const struct layout *slice, struct err *err)
{
    struct choice choice = { 0 };
    size_t first, end;
    char list[512];
    char *const temporary = layout->temporary;
    int code = choose(made, series, source_name(source), slice, &choice, err);
    if (!code && !choice.size)
        code = err_set(err, ERR_USAGE, "%s: no series %.40s; the file has %s", source_name(source), series ? series : "",
                       list_names(made, list, sizeof list));
    if (code) {
        free(choice.slices);
        return code;
    }
    struct layout *head = &made->heads[choice.volume];
    find_series(made, choice.volume, &first, &end);
    if (choice.slices) code = dicom_join_layout(layout, source, made->heads + first, choice.slices, choice.size, err);
    else *layout = *head, *head = (struct layout){ 0 };
    layout->temporary = temporary;
    describe(made, &choice, layout->note);
    free(choice.slices);
    return code;
}
