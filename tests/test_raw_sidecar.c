/* RAW files described by a file beside them: options win, then that file, then the name. */
#include "format_util.h"

#define UINT8 (&stored_types[STORED_UINT8])
#define INT16 (&stored_types[STORED_INT16])
#define INI "dimx:5\ndimy:4\ndimz:3\n"

static void write_voxels(const char *name, const struct stored_type *type, bool big, const char *before)
{
    struct bytes file = { 0 };
    append_text(&file, "%s", before);
    append_samples(&file, type, N, big);
    write_file(name, file.data, file.size);
    drop(&file);
}

static void loads(const char *name, const struct load_desc *desc, const struct stored_type *type, const char *note)
{
    struct volume volume;
    struct err err = { 0 };
    if (is_fine(load_volume(&volume, in_folder(name), desc, &err), &err)) {
        has_samples(&volume, type, 0, x_fastest);
        is_said(volume.note, note);
    }
    volume_free(&volume);
}

static void forget(const char *name) { CHECK(remove(in_folder(name)) == 0); }

static void ini_describes(void)
{
    static const struct {
        const char *ini;
        int stored;
        bool big;
        const char *before;
    } cases[] = {
        { INI "skip:0\nformat:uint8\n", STORED_UINT8, false, "" },
        { INI, STORED_UINT8, false, "" }, /* the type follows from the size */
        { "dimx: 5\r\ndimy: 4\r\ndimz: 3\r\nskip: 6\r\nformat: Int16\r\nendianness: LittleEndian\r\n", STORED_INT16, false,
          "header" },
        { "[volume]\nDimX = 5\nDimY = 4\nDimZ = 3\nformat = uint16\nendianness = BigEndian\nrMin = 1\n", STORED_UINT16,
          true, "" },
        { INI "format:float16\nendianness:big\n", STORED_FLOAT16, true, "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct stored_type *type = &stored_types[cases[i].stored];
        write_voxels("a.raw", type, cases[i].big, cases[i].before);
        check_subject(cases[i].ini);
        write_text("a.raw.ini", cases[i].ini);
        loads("a.raw", NULL, type, "described by a.raw.ini");
        forget("a.raw.ini");
        write_text("a.ini", cases[i].ini);
        loads("a.raw", NULL, type, "described by a.ini");
        forget("a.ini");
    }
}

static void json_describes(void)
{
    static const char *const texts[] = {
        "{\"name\":\"Fuel\",\"type\":\"uint8\",\"size\":[5,4,3],\"spacing\":[1,2,4]}",
        "{\n  \"description\": \"a 5\\\" disk, \\\\ {\",\n  \"url\": [\"size\", {\"size\": [7, 7, 7]}],\n"
        "  \"size\" : [ 5 , 4 , 3 ] ,\n  \"spacing\" : [ 1.0 , 2e0 , 4 ] ,\n  \"type\" : \"uint8\"\n}\n",
    };
    write_voxels("a.raw", UINT8, false, "");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct volume volume;
        struct err err = { 0 };
        write_text("a.json", texts[i]);
        check_subject(texts[i]);
        is_fine(load_volume(&volume, in_folder("a.raw"), NULL, &err), &err);
        has_samples(&volume, UINT8, 0, x_fastest);
        CHECK(volume.direction[0][0] == 1 && volume.direction[1][1] == 2 && volume.direction[2][2] == 4);
        CHECK(!strcmp(volume.note, "described by a.json"));
        volume_free(&volume);
    }
    forget("a.json");
}

static void options_win_then_the_file_then_the_name(void)
{
    check_subject("precedence");
    write_voxels("b_3x4x5_uint8.raw", UINT8, false, "");
    loads("b_3x4x5_uint8.raw", &(struct load_desc){ .dims = { 5, 4, 3 } }, UINT8, "");
    write_text("b_3x4x5_uint8.ini", INI "format:uint8\n");
    loads("b_3x4x5_uint8.raw", NULL, UINT8, "described by");
    write_text("b_3x4x5_uint8.json", "{\"type\": \"int16\", \"size\": [1, 2, 3]}"); /* the .ini comes first */
    loads("b_3x4x5_uint8.raw", NULL, UINT8, "described by b_3x4x5_uint8.ini");
    write_text("b_3x4x5_uint8.ini", "dimx:9\ndimy:9\ndimz:9\nformat:int16\nskip:7\n");
    loads("b_3x4x5_uint8.raw", &(struct load_desc){ .dims = { 5, 4, 3 }, .type = "uint8" }, UINT8, "");
    write_voxels("c.raw", INT16, false, "abc");
    write_text("c.ini", INI "format:int16\nskip:100\nendianness:big\n");
    loads("c.raw", &(struct load_desc){ .dims = { 5, 4, 3 }, .offset = 3, .offset_given = true, .endian = "little" }, INT16,
          "");
}

static void other_files_are_passed_over(void)
{
    check_subject("other files");
    write_voxels("d_5x4x3_uint8.raw", UINT8, false, "");
    write_text("d_5x4x3_uint8.raw.ini", "[.ShellClassInfo]\nIconIndex=0\n");
    write_text("d_5x4x3_uint8.json", "{\"a\": {\"type\": \"int8\", \"size\": [1, 2, 3]}, \"size\": 7}");
    loads("d_5x4x3_uint8.raw", NULL, UINT8, "");
    for (int i = 0; i < 6; i++) {
        static const char *const broken[] = { "", "{", "[\"size\"", "{\"size", "{\"size\\", "{\"type\":\"x\",\"size\":" };
        write_text("d_5x4x3_uint8.json", broken[i]);
        check_subject(broken[i]);
        if (i < 5) loads("d_5x4x3_uint8.raw", NULL, UINT8, "");
        else file_is_refused("d_5x4x3_uint8.raw", "'size'");
    }
}

static void nonsense_is_refused(void)
{
    static const struct {
        const char *file, *text, *says;
    } cases[] = {
        { "e.ini", "dimx:5\ndimy:4\n", "e.ini: 'dimz'" },
        { "e.ini", "dimx:5\ndimy:4\ndimz:0\n", "e.ini: 'dimz'" },
        { "e.ini", "dimx:5\ndimy:-4\ndimz:3\n", "'dimy' is '-4'" },
        { "e.ini", "dimx:5\ndimx:6\ndimy:4\ndimz:3\n", "contradicts" },
        { "e.ini", INI "format:uint12\n", "uint12" },
        { "e.ini", INI "skip:x\n", "'skip' is 'x'" },
        { "e.ini", INI "skip:100\n", "skip 100 is past its end" },
        { "e.ini", INI "skip:1\nformat:uint8\n", "found 59 bytes" },
        { "e.ini", INI "endianness:middle\n", "middle" },
        { "e.ini", "dimx:5\ndimy:4\ndimz:4\nformat:uint8\n", "found 60 bytes, expected 80" },
        { "e.ini", "dimx:18446744073709551615\ndimy:4\ndimz:4\nformat:uint8\n", "63 bits" },
        { "e.json", "{\"type\":\"uint8\",\"size\":[5,4]}", "e.json: 'size'" },
        { "e.json", "{\"type\":\"uint8\",\"size\":[5,4,3.5]}", "whole" },
        { "e.json", "{\"type\":\"uint8\",\"size\":[5,4,1e99]}", "whole" },
        { "e.json", "{\"type\":\"uint8\",\"size\":[5,4,-3]}", "'size'" },
        { "e.json", "{\"type\":\"uint8\",\"size\":\"5x4x3\"}", "'size'" },
        { "e.json", "{\"type\":\"rgb\",\"size\":[5,4,3]}", "rgb" },
        { "e.json", "{\"type\":7,\"size\":[5,4,3]}", "'type' is '7'" },
        { "e.json", "{\"type\":\"uint8\",\"size\":[5,4,3],\"spacing\":[1,1,0]}", "'spacing'" },
        { "e.json", "{\"type\":\"uint8\",\"size\":[5,4,3],\"spacing\":[1,1,nan]}", "'spacing'" },
    };
    write_voxels("e.raw", UINT8, false, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(cases[i].file, cases[i].text);
        file_is_refused("e.raw", cases[i].says);
        forget(cases[i].file);
    }
}

/* Whatever is cut off or changed, the file is read or refused. */
static void damage_does_no_harm(void)
{
    static const char *const texts[][2] = {
        { "f.ini", "dimx:5\ndimy:4\ndimz:3\nskip:0\nformat:uint8\nendianness:big\n" },
        { "f.json",
          "{\"a\": [\"\\\"\", {\"size\": 1}], \"type\": \"uint8\", \"size\": [5, 4, 3], \"spacing\": [1, 2e0, .5]}" },
    };
    struct bytes voxels = { 0 };
    char name[512];
    append_samples(&voxels, UINT8, N, false);
    snprintf(name, sizeof name, "%s", in_folder("f.raw"));
    check_seed(20251122);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t size = strlen(texts[i][1]);
        check_subject(texts[i][0]);
        for (size_t n = 0; n < size + 2000; n++) {
            char text[256];
            memcpy(text, texts[i][1], size);
            if (n > size) text[check_random() % size] = "0123456789-+.:,[]{}\"\\ \n"[check_random() % 23];
            write_file(texts[i][0], text, n < size ? n : size);
            is_harmless(read_raw, voxels.data, voxels.size, name);
        }
        forget(texts[i][0]);
    }
    drop(&voxels);
}

int main(void)
{
    if (!make_folder()) return 1;
    ini_describes();
    json_describes();
    options_win_then_the_file_then_the_name();
    other_files_are_passed_over();
    nonsense_is_refused();
    damage_does_no_harm();
    remove_folder();
    return check_summary("test_raw_sidecar");
}
