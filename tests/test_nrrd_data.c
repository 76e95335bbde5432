/* NRRD: every encoding, with lines and bytes to skip, and data in one file, in a list of files and in numbered files. */
#include "load_util.h"

#include <bzlib.h>
#include <sys/stat.h>

#define N 60 /* 3 x 4 x 5 voxels */

/* ---- encodings ----------------------------------------------------------------------------------------------------- */

static int16_t sample(int i) { return (int16_t)(i % 3 ? -311 * i : 517 * i); }

static struct bytes binary_samples(bool big)
{
    struct bytes data = { 0 };
    for (int i = 0; i < N; i++) {
        const uint16_t v = (uint16_t)sample(i);
        append(&data, (const uint8_t[2]){ (uint8_t)(big ? v >> 8 : v), (uint8_t)(big ? v : v >> 8) }, 2);
    }
    return data;
}

static void append_bzip2(struct bytes *to, const void *data, size_t size)
{
    char packed[4096];
    unsigned length = sizeof packed;
    CHECK(BZ2_bzBuffToBuffCompress(packed, &length, (char *)data, (unsigned)size, 1, 0, 0) == BZ_OK);
    append(to, packed, length);
}

static void append_decimal(struct bytes *to)
{
    static const char *const gaps[] = { " ", "\n", ", ", "\t", "\r\n", "  \n" };
    for (int i = 0; i < N; i++) append_text(to, "%d%s", sample(i), gaps[i % 6]);
}

static void append_hex(struct bytes *to, const struct bytes *data)
{
    for (size_t i = 0; i < data->size; i++)
        append_text(to, i % 2 ? "%02x%s" : "%02X%s", data->data[i], i % 35 == 34 ? "\n" : "");
}

static void append_encoded(struct bytes *to, const char *encoding, const struct bytes *data)
{
    if (*encoding == 'r') append(to, data->data, data->size);
    else if (*encoding == 'g') append_gzip(to, data->data, data->size);
    else if (*encoding == 'b') append_bzip2(to, data->data, data->size);
    else if (*encoding == 'h') append_hex(to, data);
    else append_decimal(to);
}

static const char *const encodings[] = { "raw", "RAW", "gzip", "gz", "bzip2", "bz2", "ascii", "text", "txt", "hex" };

/* Lines are skipped before data is uncompressed, bytes after that. */
static struct bytes encoded_file(const char *encoding, bool big, bool skips, bool detached)
{
    const bool packed = *encoding == 'g' || *encoding == 'b';
    struct bytes file = { 0 }, data = binary_samples(big), body = { 0 }, inner = { 0 };
    append_text(&file, "NRRD0004\ntype: short\ndimension: 3\nsizes: 3 4 5\nencoding: %s\nendian: %s\n%s", encoding,
                big ? "big" : "little", skips ? "line skip: 2\nbyte skip: 5\n" : "");
    if (skips) append_text(&body, "one\n%s\n", packed ? "\x1f\x8b" : "two");
    if (skips) append_text(packed ? &inner : &body, "\n\n123");
    append(&inner, data.data, data.size);
    append_encoded(&body, encoding, packed ? &inner : &data);
    if (detached) {
        write_file("body", body.data, body.size);
        append_text(&file, "data file: body\n");
    } else {
        append_text(&file, "\n");
        append(&file, body.data, body.size);
    }
    drop(&data), drop(&body), drop(&inner);
    return file;
}

static void has_samples(int code, struct volume *volume, const struct err *err)
{
    if (is_fine(code, err) && CHECK(volume->grid.nx == 3 && volume->grid.ny == 4 && volume->grid.nz == 5))
        for (int i = 0; i < N; i++) CHECK_NEAR(grid_value(&volume->grid, (size_t)i), sample(i), 0);
    volume_free(volume);
}

static void every_encoding_loads(void)
{
    for (size_t e = 0; e < sizeof encodings / sizeof *encodings; e++)
        for (int way = 0; way < 8; way++) {
            struct bytes file = encoded_file(*encodings[e] == 'R' ? "raw" : encodings[e], way & 1, way & 2, way & 4);
            struct volume volume;
            struct err err;
            check_subject(encodings[e]);
            const int code = read_bytes(read_nrrd, &volume, file.data, file.size, in_folder("x.nhdr"), &err);
            has_samples(code, &volume, &err);
            drop(&file);
        }
}

static void every_prefix_is_refused(void)
{
    for (size_t e = 2; e < sizeof encodings / sizeof *encodings; e++) {
        struct bytes file = encoded_file(encodings[e], true, true, false);
        const bool text = *encodings[e] == 't' || *encodings[e] == 'a';
        const size_t vague = text ? 7 : *encodings[e] == 'h'; /* what is left of "-18349  \n" would still be a number */
        check_subject(encodings[e]);
        cuts_are_refused(read_nrrd, &file, file.size - vague, "x.nrrd");
        drop(&file);
    }
}

/* The whole file is in gzip, so the reader sees only its beginning. */
static void packed_files_load(void)
{
    static const char *const inner[] = { "raw", "ascii", "hex" };
    for (size_t i = 0; i < 3; i++) {
        struct bytes file = encoded_file(inner[i], false, true, false), packed = { 0 };
        append_gzip(&packed, file.data, file.size);
        write_file("p.nrrd.gz", packed.data, packed.size);
        struct volume volume;
        struct err err = { 0 };
        check_subject(inner[i]);
        const int code = load_volume(&volume, in_folder("p.nrrd.gz"), NULL, &err);
        has_samples(code, &volume, &err);
        drop(&file), drop(&packed);
    }
    struct bytes file = { 0 }, packed = { 0 };
    append_text(&file, HEAD "byte skip: -1\n\n..01234567");
    append_gzip(&packed, file.data, file.size);
    write_file("q.nrrd.gz", packed.data, packed.size);
    file_is_refused("q.nrrd.gz", "only raw data can be found from its end");
    drop(&file), drop(&packed);
    append_text(&file, HEAD "byte skip: 18446744073709551615\n\n1234567"); /* the sum would be the newline's place */
    append_gzip(&packed, file.data, file.size);
    write_file("q.nrrd.gz", packed.data, packed.size);
    file_is_refused("q.nrrd.gz", "its data should begin past");
    drop(&file), drop(&packed);
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

/* Each file holds a line and 4 of 24 values: 2 x 2 of 2 x 2 x 3 x 2 in all. */
static void write_slices(void)
{
    for (int i = 0; i < 6; i++) {
        char name[32], text[16];
        snprintf(name, sizeof name, "s%02d.raw", 2 * i + 5);
        snprintf(text, sizeof text, "line\n%c%c%c%c", 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
        write_file(name, text, 9);
    }
    uint8_t big[2][12];
    for (int i = 0; i < 24; i++) big[i / 12][i % 12] = (uint8_t)i;
    write_file("half 1%d.raw", big[0], 12);
    write_file("half2.raw", big[1], 12);
    write_file("LIST.raw", big, 24);
}

#define ALL "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 6\nencoding: raw\n"
#define ALL4 "NRRD0004\ntype: uint8\ndimension: 4\nsizes: 2 2 3 2\nencoding: raw\n"

static const struct {
    const char *what, *header;
} good_files[] = {
    { "pattern", ALL "line skip: 1\ndata file: s%02d.raw 5 15 2\n" },
    { "pattern with subdim", ALL "line skip: 1\ndata file: s%02d.raw 5 15 2 2\n\n" },
    { "pattern, last number between two", ALL "line skip: 1\ndatafile: s%02d.raw  5\t16 2 2\n\n" },
    { "pattern of two dimensions of four", ALL4 "byte skip: 5\ndata file: s%02d.raw 5 15 2 2\n" },
    { "pattern in a folder", ALL "byte skip: -1\ndata file: ./s%02d.raw +5 15 2\n" },
    { "list", ALL "line skip: 1\ndata file: LIST\ns05.raw\ns07.raw\ns09.raw\ns11.raw\ns13.raw\ns15.raw\n" },
    { "list with CRLF",
      "NRRD0004\r\ntype: uint8\r\ndimension: 3\r\nsizes: 2 2 6\r\nencoding: raw\r\nline skip: 1\r\ndata file: "
      "LIST\r\ns05.raw\r\n s07.raw \r\ns09.raw\r\ns11.raw\r\ns13.raw\r\ns15.raw\r\n\r\n" },
    { "list without an end", ALL "byte skip: -1\ndata file: LIST 2\ns05.raw\ns07.raw\ns09.raw\ns11.raw\ns13.raw\ns15.raw" },
    { "list of two dimensions of four", ALL4 "byte skip: -1\ndata file: LIST 2\ns05.raw\ns07.raw\ns09.raw\ns11.raw\n"
                                             "s13.raw\ns15.raw\n" },
    { "list of halves", ALL "data file: LIST 3\nhalf 1%d.raw\nhalf2.raw\n" },
    { "list of volumes", ALL4 "data file: LIST\nhalf 1%d.raw\nhalf2.raw\n" },
    { "a name like LIST", ALL "data file: LIST.raw\n" },
    { "a list of one", ALL "data file: LIST 3\nLIST.raw\n" },
};

static void files_load(void)
{
    for (size_t i = 0; i < sizeof good_files / sizeof *good_files; i++) {
        struct volume v;
        struct err err = { 0 };
        for (uint64_t frame = 0; frame < 2; frame++) {
            const struct load_desc desc = { .frame = frame };
            const bool four = strstr(good_files[i].header, "dimension: 4") != NULL;
            if (frame && !four) break;
            check_subject(good_files[i].what);
            write_text("list.nhdr", good_files[i].header);
            if (CHECK(!load_volume(&v, in_folder("list.nhdr"), &desc, &err)))
                for (size_t k = 0; k < (four ? 12 : 24); k++)
                    CHECK_NEAR(grid_value(&v.grid, k), (double)k + 12 * (double)frame, 0);
            else printf("  it says: %s\n", err.text);
            volume_free(&v);
        }
    }
    write_text("percent.nhdr",
               "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 3\nencoding: raw\ndata file: half 1%d.raw\n");
    file_loads("percent.nhdr", 2);
}

static const struct {
    const char *header, *says;
} bad_files[] = {
    { ALL "data file: s%02d.raw 5 13 2\n", "the number of its data files is 5; expected 6 of 2 dimensions" },
    { ALL "data file: s%02d.raw 5 15 2 1\n", "12 of 1 dimensions" },
    { ALL "data file: s%02d.raw 5 15 2 0\n", "a pattern with first number" },
    { ALL "data file: s%02d.raw 5 15 2 4\n", "a pattern with first number" },
    { ALL "data file: s%02d.raw 5 15 0\n", "a pattern with first number" },
    { ALL "data file: s%02d.raw 5 15\n", "a pattern with first number" },
    { ALL "data file: s%02d.raw 15 5 2\n", "the number of its data files is 0" },
    { ALL "data file: s%02d.raw 5 6 -5\n", "the number of its data files is 0" },
    { ALL "data file: s%02d.raw 1 -2147483648 1\n", "a pattern with first number" },
    { ALL "data file: s%02d.raw 1 99999999999999999999 1\n", "a pattern with first number" },
    { ALL "data file: s%02d.raw -2147483647 2147483647 1 3\n", "cannot share" },
    { ALL "data file: s%02d.raw 5 10 1\n", "s06.raw' cannot be opened" },
    { ALL "data file: s%02d%d.raw 5 10 1\n", "a pattern with one number" },
    { ALL "data file: %n%s%d 5 10 1\n", "a pattern with one number" },
    { ALL "data file: %s 5 10 1\n", "a pattern with one number" },
    { ALL "data file: ../s%02d.raw 5 15 2\n", "not a path inside" },
    { ALL "data file: /s%02d.raw 5 15 2\n", "not a path inside" },
    { ALL "data file: LIST\n", "the number of its data files is 0" },
    { ALL "data file: LIST x\nLIST.raw\n", "LIST and the dimension" },
    { ALL "data file: LIST 9\nLIST.raw\n", "LIST and the dimension" },
    { ALL "data file: LIST\ns05.raw\n", "the number of its data files is 1; expected 6" },
    { ALL "data file: LIST 3\nLIST.raw\nLIST.raw\nLIST.raw\nLIST.raw\n", "4 data files cannot share 6 slices" },
    { ALL "data file: LIST 3\nLIST.raw\n\nLIST.raw\n", "names no file" },
    { ALL "data file: LIST 3\nhalf2.raw\n/etc/passwd\n", "not a path inside" },
    { ALL "data file: LIST 3\nhalf2.raw\nlist.nhdr\n", "names the header itself" },
    { ALL "data file: LIST 3\nhalf2.raw\n..\n", "not a path inside" },
    { ALL "data file: LIST 3\nhalf2.raw\nfolder\n", "this is a folder" },
    { ALL "data file: list.nhdr\n", "names the header itself" },
    { ALL "data file: ./list.nhdr\n", "names the header itself" },
    { ALL "data file: link\n", "names the header itself" },
    { ALL "data file: LIST 3\nhalf 1%d.raw\ns05.raw\n", "need 12 bytes in part 2 of 2, but 9" },
    { ALL "line skip: 3\ndata file: s%02d.raw 5 15 2\n", "line skip is 3, but the data has only 1" },
    { ALL "byte skip: -1\nencoding: ascii\n", "twice" },
};

static void other_files_are_refused(void)
{
    char target[600];
    CHECK(mkdir(in_folder("folder"), 0700) == 0);
    snprintf(target, sizeof target, "%s", in_folder("link"));
    CHECK(symlink("list.nhdr", target) == 0);
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        write_text("list.nhdr", bad_files[i].header);
        file_is_refused("list.nhdr", bad_files[i].says);
    }
}

/* Names as long as they can be, and as many as a header holds. */
static void long_names_are_refused(void)
{
    char name[6000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    struct bytes file = { 0 };
    append_text(&file, ALL "data file: %s\n", name);
    write_file("list.nhdr", file.data, file.size);
    file_is_refused("list.nhdr", "too long");
    drop(&file);
    append_text(&file, ALL "data file: %s%%d 1 6 1\n", name);
    write_file("list.nhdr", file.data, file.size);
    file_is_refused("list.nhdr", "too long");
    drop(&file);
    append_text(&file, ALL "data file: LIST\n");
    static char many[1 << 20];
    for (size_t i = 0; i < sizeof many; i++) many[i] = i % 2 ? '\n' : 'a';
    append(&file, many, sizeof many);
    write_file("list.nhdr", file.data, file.size);
    file_is_refused("list.nhdr", "1048576 bytes");
    drop(&file);
}

int main(void)
{
    if (!make_folder()) return 1;
    every_encoding_loads();
    every_prefix_is_refused();
    packed_files_load();
    write_slices();
    files_load();
    other_files_are_refused();
    long_names_are_refused();
    remove_folder();
    return check_summary("test_nrrd_data");
}
