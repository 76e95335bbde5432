/* Volumes on the disk and surfaces of them, for the tests of files that are made slab by slab. */
#ifndef ISO_STREAM_UTIL_H
#define ISO_STREAM_UTIL_H

#include "check.h"

#include "export_format.h"
#include "load.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_stream_XXXXXX";
static struct iso iso; /* for all surfaces of a test */

/* Makes the folder, and the pipeline with `threads`; ends the program if it cannot. */
static inline void set_up(uint64_t seed, int threads)
{
    struct err err = { 0 };
    if (!mkdtemp(folder) || iso_open(&iso, BACKEND_CPU, -1, threads, &err)) abort();
    check_seed(seed);
}

static inline int tear_down(const char *name)
{
    iso_close(&iso);
    check_remove(folder);
    return check_summary(name);
}

static inline char *path_of(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file)) abort();
}

/* Reads a file; NULL: there is none. */
static inline char *read_file(const char *path, size_t *n)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    *n = 0;
    if (!file) return NULL;
    if (fstat(fileno(file), &status)) abort();
    char *bytes = malloc((size_t)status.st_size + 1);
    if (!bytes || fread(bytes, 1, (size_t)status.st_size, file) != (size_t)status.st_size) abort();
    *n = (size_t)status.st_size;
    fclose(file);
    return bytes;
}

/* Bytes that this process has read so far; 0: not to be known here. */
static inline unsigned long long bytes_read(void)
{
    unsigned long long bytes = 0;
    FILE *file = fopen("/proc/self/io", "r");
    if (!file || fscanf(file, "rchar: %llu", &bytes) != 1) bytes = 0;
    if (file) fclose(file);
    return bytes;
}

struct subject {
    const char *header; /* of an NRRD, before its data; NULL: RAW */
    const char *type;
    size_t bytes; /* of a value */
    uint64_t n[3];
    double value;
};

/* Values 0 to 5 in every type, as little-endian integers or halves of them as floats. */
static inline void write_volume(const char *path, const struct subject *s)
{
    char head[512] = "";
    const size_t n = (size_t)(s->n[0] * s->n[1] * s->n[2]);
    if (s->header)
        snprintf(head, sizeof head, "NRRD0004\ntype: %s\ndimension: 3\nsizes: %d %d %d\nencoding: raw\n%s\n", s->type,
                 (int)s->n[0], (int)s->n[1], (int)s->n[2], s->header);
    char *bytes = calloc(strlen(head) + n * s->bytes, 1);
    if (!bytes) abort();
    char *at = bytes + strlen(head);
    memcpy(bytes, head, strlen(head));
    const bool big = s->header && strstr(s->header, "endian: big");
    for (size_t i = 0; i < n; i++) {
        const unsigned value = (unsigned)(check_random() >> 33) % 6;
        const float f = (float)value + (float)(check_random() >> 40) * 0x1p-24f;
        const double d = (double)f;
        char *to = at + i * s->bytes;
        if (!strcmp(s->type, "float")) memcpy(to, &f, 4);
        else if (!strcmp(s->type, "double")) memcpy(to, &d, 8);
        else to[big ? s->bytes - 1 : 0] = (char)value;
    }
    write_file(path, bytes, strlen(head) + n * s->bytes);
    free(bytes);
}

/* Where the volume of a subject is. */
static inline char *volume_of(char path[256], const struct subject *s)
{
    return path_of(path, s->header ? "volume.nrrd" : "volume.raw");
}

static inline void open_store(struct store *store, const char *path, const struct load_desc *load)
{
    struct err err = { 0 };
    bool is;
    if (load_store(store, path, load, &is, &err) || !is) printf("%s: %s\n", path, err.text), abort();
}

static inline int extract_whole(const char *from, const char *to, const struct subject *s,
                                const struct export_format *format, const struct load_desc *load, struct err *err)
{
    struct volume volume;
    struct export_file e = { .count = 0 };
    const struct progress silent = { NULL, NULL };
    int code = load_volume(&volume, from, load, err);
    if (!code) code = iso_set_volume(&iso, &volume.grid, err);
    if (!code) code = export_open(&e, &iso, &volume, err);
    if (!code) code = export_add(&e, &iso, &volume, s->value, err);
    e.format = format;
    if (!code && e.count) code = export_write(&e, to, &silent, err);
    export_free(&e);
    volume_free(&volume);
    return code;
}

/* Whether the file `made` has the bytes of the file `whole`, or there is none of both; removes it. how: for a failure's
 * message. */
static inline void check_like(const char *whole, const char *made, const struct subject *s,
                              const struct export_format *format, const char *how)
{
    size_t n[2];
    char *a = read_file(whole, &n[0]), *b = read_file(made, &n[1]);
    if (!CHECK(!a == !b && n[0] == n[1] && (!a || !memcmp(a, b, n[0]))))
        printf("  %s, %s of %s %d x %d x %d at %g: %zu and %zu bytes\n", how, format->name, s->type, (int)s->n[0],
               (int)s->n[1], (int)s->n[2], s->value, n[0], n[1]);
    free(a);
    free(b);
    unlink(made);
}

/* The same with the surface at s->value of the whole volume in `from`. whole: a name for the other file. */
static inline void check_like_whole(const char *from, const char *whole, const char *made, const struct subject *s,
                                    const struct export_format *format, const struct load_desc *load, const char *how)
{
    struct err err = { 0 };
    unlink(whole);
    CHECK(!extract_whole(from, whole, s, format, load, &err));
    check_like(whole, made, s, format, how);
}

/* Makes one file. */
static inline int extract_one(const struct stream_desc *desc, double value, struct export_file *e, const char *path,
                              struct err *err)
{
    struct stream_file file = { value, path, e, 0 };
    return stream_extract(desc, &iso, &file, 1, err);
}

/* Types with and without conversion, both byte orders, mirrored axes, odd shapes, no surface, no cells, coordinates as
 * doubles. */
static const struct subject subjects[] = {
    { NULL, "uint8", 1, { 33, 9, 17 }, 2.5 },
    { NULL, "uint8", 1, { 70, 31, 41 }, 3 },
    { NULL, "uint8", 1, { 9, 8, 4 }, 2.5 },
    { NULL, "uint8", 1, { 9, 8, 2 }, 2.5 },
    { NULL, "uint8", 1, { 9, 8, 5 }, 7 }, /* no surface */
    { NULL, "uint8", 1, { 9, 8, 1 }, 3 }, /* no cells */
    { "endian: big\nspace directions: (0,2,0) (1,0,0) (0.5,0,3)\nspace: left-posterior-superior\nspace origin: "
      "(7,8,9)\n",
      "int16",
      2,
      { 31, 12, 26 },
      2.5 },
    { "spacings: 1 1 2\n", "int8", 1, { 31, 5, 13 }, 1.5 },
    { "endian: little\n", "uint16", 2, { 64, 4, 16 }, 3 },
    { "endian: little\n", "float", 4, { 34, 11, 30 }, 2.7 },
    { "endian: little\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nspace: left-posterior-superior\nspace origin: "
      "(1e6,0,0)\n",
      "double",
      8,
      { 21, 11, 22 },
      2.7 }, /* converted, and far away: coordinates as doubles */
};

static const size_t subject_count = sizeof subjects / sizeof subjects[0];

/* What loads a subject. */
static inline struct load_desc load_of(const struct subject *s)
{
    struct load_desc load = { .threads = 2 };
    if (!s->header) memcpy(load.dims, s->n, sizeof load.dims), load.type = s->type, load.spacing[1] = 0.3;
    return load;
}

#endif
