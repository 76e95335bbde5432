/* NumPy arrays: every type and order loads exactly; headers that are no dictionary of an array are refused. */
#include "format_util.h"

#define UINT8 (&stored_types[STORED_UINT8])
#define DICT "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4, 5), }"

/* Padded as NumPy does, to a multiple of 64. */
static struct bytes write_array(int version, const char *dictionary, const struct stored_type *type, size_t values,
                                bool big)
{
    struct bytes file = { 0 };
    const size_t start = version == 1 ? 10 : 12, n = strlen(dictionary);
    const size_t padded = (start + n + 1 + 63) / 64 * 64, length = padded - start;
    append(&file, "\x93NUMPY", 6);
    append(&file, (uint8_t[]){ (uint8_t)version, 0, length & 255, (uint8_t)(length >> 8), 0, 0 }, start - 6);
    append(&file, dictionary, n);
    while (file.size + 1 < padded) append(&file, " ", 1);
    append(&file, "\n", 1);
    append_samples(&file, type, values, big);
    return file;
}

static void every_type_loads(void)
{
    static const struct {
        const char *descr;
        int stored;
    } types[] = {
        { "|b1", STORED_UINT8 },   { "|u1", STORED_UINT8 },   { "|i1", STORED_INT8 },    { "<u2", STORED_UINT16 },
        { ">u2", STORED_UINT16 },  { "<i2", STORED_INT16 },   { ">i2", STORED_INT16 },   { "=i2", STORED_INT16 },
        { "<u4", STORED_UINT32 },  { ">i4", STORED_INT32 },   { ">u8", STORED_UINT64 },  { "<i8", STORED_INT64 },
        { "<f2", STORED_FLOAT16 }, { ">f2", STORED_FLOAT16 }, { "<f4", STORED_FLOAT32 }, { ">f4", STORED_FLOAT32 },
        { "<f8", STORED_FLOAT64 }, { ">f8", STORED_FLOAT64 }, { "f4", STORED_FLOAT32 },
    };
    for (size_t i = 0; i < 2 * sizeof types / sizeof *types; i++) {
        const struct stored_type *type = &stored_types[types[i / 2].stored];
        const bool fortran = i % 2;
        char dictionary[128];
        snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", types[i / 2].descr,
                 fortran ? "True" : "False", fortran ? "5, 4, 3" : "3, 4, 5");
        struct bytes file = write_array(1 + (int)(i % 3), dictionary, type, N, types[i / 2].descr[0] == '>');
        check_subject(dictionary);
        struct volume volume = must_load(read_npy, &file, "a.npy");
        has_samples(&volume, type, 0, x_fastest);
        CHECK(!*volume.unit && volume.world == WORLD_OTHER && volume_handedness(&volume) == 1);
        CHECK(fortran == !!strstr(volume.note, "Fortran"));
        volume_free(&volume);
        drop(&file);
    }
}

static void frames_vary_slowest(void)
{
    static const char *const dictionaries[] = { "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4, 5)}",
                                                "{'descr': '|u1', 'fortran_order': True, 'shape': (5, 4, 3, 2)}" };
    for (int i = 0; i < 2; i++) {
        struct bytes file = write_array(1, dictionaries[i], UINT8, 2 * N, false);
        struct source source;
        struct volume volume;
        struct err err = { 0 };
        source_memory(&source, file.data, file.size, "a.npy");
        check_subject(dictionaries[i]);
        CHECK(!read_with(read_npy, &volume, &source, &(struct load_desc){ .frame = 1 }, &err));
        has_samples(&volume, UINT8, N, x_fastest);
        CHECK(volume.frames == 2);
        volume_free(&volume);
        drop(&file);
    }
}

static void spellings_are_python(void)
{
    static const char *const dictionaries[] = {
        DICT,
        "{'shape':(3,4,5),'fortran_order':False,'descr':'|u1'}",
        "{ \"descr\" : \"|u1\" , \"fortran_order\" : False , \"shape\" : ( 3 , 4 , 5 , ) , } ",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3L, 4L, 5L), }",
    };
    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++) {
        struct bytes file = write_array(2, dictionaries[i], UINT8, N, false);
        check_subject(dictionaries[i]);
        struct volume volume = must_load(read_npy, &file, "a.npy");
        has_samples(&volume, UINT8, 0, x_fastest);
        volume_free(&volume);
        drop(&file);
    }
}

static void bad_headers_are_refused(void)
{
    static const struct {
        const char *dictionary, *says;
    } bad[] = {
        { "", "a dictionary" },
        { "[]", "a dictionary" },
        { "{}", "descr" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4, 5)", "a comma" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4, 5", "a comma" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4, 5)} 7", "the end" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4, 5), 'x': 1}", "'x'" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4, 5), 'descr': '|u1'}", "twice" },
        { "{'descr': '|u1', 'fortran_order': False}", "shape" },
        { "{'descr': '|u1', 'shape': (3, 4, 5)}", "fortran_order" },
        { "{'descr' '|u1'}", "a colon" },
        { "{'descr': '|u1' 'fortran_order': False}", "a comma" },
        { "{'descr': u1}", "a string" },
        { "{'descr': '|u1", "a string" },
        { "{'fortran_order': 0}", "True or False" },
        { "{'shape': 3}", "a tuple" },
        { "{'shape': (3, -4)}", "a length" },
        { "{'shape': (3, 4.5)}", "a comma" },
        { "{'shape': (99999999999999999999,)}", "a length" },
        { "{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}", "16 axes" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': ()}", "0 axes" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (60,)}", "1 axis;" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (12, 5)}", "2 axes" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 3, 4, 5)}", "5 axes" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 0, 5)}", "0 values along y" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 4, 5)}", "cut off" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (2147483647, 2147483647, 2147483647)}", "63 bits" },
        { "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 4, 5)}", "structures" },
        { "{'descr': '|V8', 'fortran_order': False, 'shape': (3, 4, 5)}", "structures" },
        { "{'descr': '|O', 'fortran_order': False, 'shape': (3, 4, 5)}", "Python objects" },
        { "{'descr': '<c8', 'fortran_order': False, 'shape': (3, 4, 5)}", "complex" },
        { "{'descr': '<f16', 'fortran_order': False, 'shape': (3, 4, 5)}", "long doubles" },
        { "{'descr': '<U4', 'fortran_order': False, 'shape': (3, 4, 5)}", "strings" },
        { "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (3, 4, 5)}", "times" },
        { "{'descr': '<i3', 'fortran_order': False, 'shape': (3, 4, 5)}", "not a NumPy type" },
        { "{'descr': '', 'fortran_order': False, 'shape': (3, 4, 5)}", "not a NumPy type" },
        { "{'descr': '\x1b[31m', 'fortran_order': False, 'shape': (3, 4, 5)}", "not a NumPy type" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bytes file = write_array(1, bad[i].dictionary, UINT8, N, false);
        check_subject(bad[i].dictionary);
        must_refuse(read_npy, &file, "a.npy", bad[i].says);
        drop(&file);
    }
    struct bytes file = write_array(1, DICT, UINT8, N, false);
    check_subject("version and length");
    file.data[6] = 4;
    must_refuse(read_npy, &file, "a.npy", "version 4");
    file.data[6] = 2; /* the length is then 4 bytes, two of them text */
    must_refuse(read_npy, &file, "a.npy", "cut off");
    file.data[0] = 0;
    must_refuse(read_npy, &file, "a.npy", "NumPy");
    drop(&file);
    file = write_array(1, DICT, UINT8, N, false);
    file.data[40] = 0;
    must_refuse(read_npy, &file, "a.npy", "expected");
    drop(&file);
}

static void gzip_goes_round_it(void)
{
    struct bytes file = write_array(1, DICT, UINT8, N, false), packed = { 0 };
    append_gzip(&packed, file.data, file.size);
    write_file("a.npy.gz", packed.data, packed.size);
    file_loads("a.npy.gz", NX);
    drop(&file);
    drop(&packed);
}

static void damage_does_no_harm(void)
{
    for (int version = 1; version < 3; version++) {
        struct bytes file = write_array(version, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3, 4, 5), }",
                                        &stored_types[STORED_INT16], 2 * N, false);
        const size_t header = file.size - 4 * N;
        check_subject("a damaged header");
        cuts_are_refused(read_npy, &file, file.size, "a.npy");
        damaged_numbers_do_no_harm(read_npy, &file, header, "a.npy");
        damaged_words_do_no_harm(read_npy, &file, header, "a.npy");
        drop(&file);
    }
}

int main(void)
{
    if (!make_folder()) return 1;
    every_type_loads();
    frames_vary_slowest();
    spellings_are_python();
    bad_headers_are_refused();
    gzip_goes_round_it();
    damage_does_no_harm();
    remove_folder();
    return check_summary("test_read_npy");
}
