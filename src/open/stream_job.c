#include "stream_job.h"

#include "export_format.h"
#include "text.h"
#include "zarr.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

struct text {
    char *to;
    size_t used;
};

/* Adds a line. What does not fit is cut, in the same way for all parts. */
__attribute__((format(printf, 2, 3))) static void say(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text->to + text->used, LEDGER_JOB - text->used, format, list);
    va_end(list);
    if (n > 0) text->used += (size_t)n;
    if (text->used >= LEDGER_JOB) text->used = LEDGER_JOB - 1;
}

static int say_file(struct text *text, const char *what, const struct source *source, struct err *err)
{
    struct stat s;
    unsigned char head[4096];
    const int fd = fileno(source->file);
    const ssize_t n = fstat(fd, &s) ? -1 : pread(fd, head, sizeof head, 0);
    if (n < 0) return err_set(err, ERR_INPUT, "%s: cannot be read: %s", source_name(source), strerror(errno));
    say(text, "%s %s, %llu bytes, modified at %lld.%09ld, begins with %08x\n", what, source_name(source),
        (unsigned long long)s.st_size, (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec,
        (unsigned)crc32_z(0, head, (size_t)n));
    return ERR_NONE;
}

/* Describes the files of voxels that are packed or lie in many pieces by one number, as there may be a million of them.
 * What was converted for this process alone has a new name and time each time. */
static int say_parts(struct text *text, const struct store *store, struct err *err)
{
    const struct layout *layout = &store->layout;
    const bool lasts = !layout->temporary;
    uint32_t sum = 0;
    for (size_t i = 0; i < layout->part_count; i++) {
        struct stat s;
        const char *path = layout->parts[i].path, *slash = path ? strrchr(path, '/') : NULL;
        if (!path) continue; /* in the header's own file */
        if (stat(path, &s)) return err_set(err, ERR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
        const char *name = slash ? slash + 1 : path;
        const int64_t facts[] = { (int64_t)s.st_size, lasts ? s.st_mtim.tv_sec : 0, lasts ? s.st_mtim.tv_nsec : 0 };
        sum = (uint32_t)crc32_z(sum, (const Bytef *)name, strlen(name));
        sum = (uint32_t)crc32_z(sum, (const Bytef *)facts, sizeof facts);
    }
    say(text, "voxels in %zu pieces, whose files have the number %08x, component %llu, frame %llu\n", layout->part_count,
        (unsigned)sum, (unsigned long long)store->component, (unsigned long long)store->frame);
    return ERR_NONE;
}

/* A Zarr array may have millions of files as chunks, so only its folder is described. */
static int say_array(struct text *text, const struct store *store, struct err *err)
{
    const struct zarr *z = store->layout.zarr;
    struct stat s;
    if (fstat(z->folder, &s)) return err_set(err, ERR_INPUT, "%s: cannot be read: %s", z->name, strerror(errno));
    say(text, "input %s, array %s, modified at %lld.%09ld, component %llu, frame %llu\n", source_name(&store->header),
        z->name, (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec, (unsigned long long)store->component,
        (unsigned long long)store->frame);
    return ERR_NONE;
}

static int say_input(struct text *text, const struct store *store, struct err *err)
{
    int code = ERR_NONE;
    if (store->layout.zarr) return say_array(text, store, err);
    if (store->header.file) code = say_file(text, "input", &store->header, err);
    else say(text, "input folder %s\n", source_name(&store->header));
    if (code) return code;
    return store->part.file && !store->layout.temporary ? say_file(text, "voxels in", &store->part, err)
                                                        : say_parts(text, store, err);
}

/* The number looks the same in every locale, as that of other machines may differ. */
static void say_number(struct text *text, const char *before, double value)
{
    char number[32];
    say(text, "%s %s", before, text_print(number, value));
}

static void say_volume(struct text *text, const struct store *store)
{
    const struct volume *v = &store->volume;
    const struct zarr *z = store->layout.zarr;
    say(text, "%zu x %zu x %zu voxels of %s from byte %llu\n", v->grid.nx, v->grid.ny, v->grid.nz,
        voxel_type_name[v->grid.type], (unsigned long long)store->direct.offset);
    say(text, "stored as %s%s", (z ? z->type : store->direct.type)->name, store->direct.swap ? " swapped" : "");
    say_number(text, ", slope", v->slope);
    say_number(text, ", intercept", v->intercept);
    say(text, "\norigin");
    for (int a = 0; a < 3; a++) say_number(text, "", v->origin[a]);
    say(text, ", steps");
    for (int a = 0; a < 9; a++) say_number(text, "", v->direction[a / 3][a % 3]);
    say(text, " %s\n", v->unit);
}

/* Whether world coordinates are sums of several products. A GPU rounds those differently from a CPU. */
static bool is_oblique(const struct volume *v)
{
    bool oblique = false;
    for (int a = 0; a < 3; a++) {
        int terms = 0;
        for (int b = 0; b < 3; b++) terms += v->direction[a][b] != 0;
        oblique = oblique || terms > 1;
    }
    return oblique;
}

int stream_job(char to[LEDGER_JOB], const struct stream_desc *desc, double value, const struct iso *iso,
               const struct export_file *e, int parts, struct err *err)
{
    struct text text = { to, 0 };
    say(&text, "isoscope " ISO_VERSION "\n%d parts\n%s\n", parts, e->format->name);
    say_number(&text, "iso", value);
    say(&text, "\nlayers are shared %s", desc->holds ? "by samples" : "by what they own");
    say(&text, "\ntopology %s%s\n", topology_name[iso->topology], iso->exact ? ", exact positions" : "");
    if (iso->exec.backend != BACKEND_CPU && is_oblique(&desc->store->volume))
        say(&text, "coordinates by %s\n", iso->ops->name);
    const int code = say_input(&text, desc->store, err);
    say_volume(&text, desc->store);
    return code;
}
