/* Feeds damaged files to the readers: seeds made by synth, each changed thousands of times in a fixed sequence. A broken
 * promise aborts (fuzz_load.c); sanitizers also find invalid reads and writes.
 *
 * Usage: test_fuzz [FOLDER]   FOLDER: writes the seeds there instead, for libFuzzer (.ci/fuzz) */
#include "fuzz_load.h"

#include "load_util.h"

#include "save_nrrd.h"
#include "synth.h"

enum { CHANGED = 20000, SEEDS = 64, LARGEST = 4096 };

static struct bytes seed[SEEDS];
static int seeds;

static void add_seed(int reader, const char *name, const void *file, size_t size)
{
    if (!CHECK(seeds < SEEDS)) return;
    struct bytes *s = &seed[seeds++];
    append(s, &(uint8_t){ (uint8_t)reader }, 1);
    append_text(s, "%s\n", name);
    append(s, file, size);
}

static void add_file(const char *path)
{
    uint8_t data[LARGEST];
    FILE *file = fopen(path, "rb");
    if (!CHECK(file != NULL)) return;
    const size_t size = fread(data, 1, sizeof data, file);
    CHECK(size > 0 && size < sizeof data);
    fclose(file);
    add_seed(FUZZ_NRRD, "a.nrrd", data, size);
}

#define VTI_FILE "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\""
#define VTI_START                                                                             \
    "><ImageData WholeExtent=\"0 1 0 1 0 1\" Origin=\"1 2 3\"><Piece Extent=\"0 1 0 1 0 1\">" \
    "<PointData><DataArray type=\"UInt8\" Name=\"p\" "
#define VTI_END "</DataArray></PointData></Piece></ImageData>"

#define VTK_START "# vtk DataFile Version 3.0\ntitle\n"

/* Two pages of 4 x 3 bytes, uncompressed (1) or with a deflate stream each (8). */
static void add_tiff(uint32_t compression, const char *description)
{
    uint8_t pixels[12], packed[64];
    uLongf n = sizeof packed;
    struct bytes file = { 0 };
    const uint32_t words = (uint32_t)strlen(description) + 1;
    for (uint8_t i = 0; i < 12; i++) pixels[i] = i;
    CHECK(compress(packed, &n, pixels, 12) == Z_OK);
    if (compression == 1) memcpy(packed, pixels, n = 12);
    append(&file, "II*\0\x50\0\0\0", 8);
    append(&file, packed, n);
    file.data = realloc(file.data, 80);
    memset(file.data + file.size, 0, 80 - file.size);
    file.size = 80; /* where the first directory begins */
    for (uint32_t page = 0; page < 2; page++) {
        const uint32_t after = page ? 0 : (uint32_t)file.size + 2 + 9 * 12 + 4; /* the next directory */
        const uint32_t end = 80 + 2 * (2 + 9 * 12 + 4);                         /* of both */
        const uint32_t entries[9][4] = { { 256, 4, 1, 4 },           { 257, 4, 1, 3 }, { 258, 3, 1, 8 },
                                         { 259, 3, 1, compression }, { 262, 3, 1, 1 }, { 270, 2, words, end },
                                         { 273, 4, 1, 8 },           { 278, 4, 1, 3 }, { 279, 4, 1, (uint32_t)n } };
        append(&file, &(uint16_t){ 9 }, 2);
        for (int i = 0; i < 9; i++) {
            append(&file, (uint16_t[]){ (uint16_t)entries[i][0], (uint16_t)entries[i][1] }, 4);
            append(&file, &entries[i][2], 8);
        }
        append(&file, &after, 4);
    }
    append(&file, description, words);
    add_seed(FUZZ_TIFF, "a.tif", file.data, file.size);
    drop(&file);
}

static void make_tiff_seeds(void)
{
    static const char ome[] =
        "<OME><Image><Pixels SizeZ=\"1\" SizeC=\"2\" SizeT=\"1\" DimensionOrder=\"XYZCT\" PhysicalSizeX=\"2\">"
        "<TiffData IFD=\"1\" FirstC=\"1\"/></Pixels></Image></OME>";
    add_tiff(1, "ImageJ=1\nimages=2\nslices=2\nunit=um\nspacing=3\n");
    add_tiff(8, ome);
}

/* Formats whose headers are text. */
static void make_text_seeds(void)
{
    static const struct {
        int reader;
        const char *name, *text;
    } texts[] = {
        { FUZZ_VTI, "a.vti", VTI_FILE VTI_START "format=\"ascii\">1 2 3 4 5 6 7 8" VTI_END "</VTKFile>" },
        { FUZZ_VTI, "a.vti", VTI_FILE VTI_START "format=\"binary\">CAAAAAECAwQFBgcI" VTI_END "</VTKFile>" },
        { FUZZ_VTI, "a.vti",
          VTI_FILE VTI_START "format=\"appended\" offset=\"0\">" VTI_END
                             "<AppendedData encoding=\"base64\">_CAAAAAECAwQFBgcI" },
        { FUZZ_VTI, "a.vti",
          VTI_FILE " compressor=\"vtkZLibDataCompressor\"" VTI_START "format=\"binary\">AgAAAAQAAAAAAAAADAAAAAwAAAA="
                   "eJxjZGJmAQAAGAALeJxjZWPnAAAAQAAb" VTI_END "</VTKFile>" },
        { FUZZ_VTK, "a.vtk",
          VTK_START "ASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 2\nSPACING 1 2 3\nPOINT_DATA 8\n"
                    "SCALARS a int\nLOOKUP_TABLE default\n1 2 3 4 5 6 7 8\n" },
        { FUZZ_VTK, "a.vtk",
          VTK_START "BINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 2\nPOINT_DATA 8\n"
                    "FIELD f 2\nb 1 1 int\nabcd\na 1 8 char\n12345678\nMETADATA\nINFORMATION 0\n\n" },
        { FUZZ_CUBE, "a.cube", "a\nb\n 1 0 0 0 1\n 2 1 0 0\n 2 0 1 0\n 2 0 0 1\n 1 1 0 0 0\n 1 2 3 4 5 6 7 8D+00\n" },
        { FUZZ_CUBE, "a.cube", "a\nb\n-1 0 0 0\n-2 1 0 0\n-1 0 1 0\n-1 0 0 1\n 1 1 0 0 0\n 2 5 6\n 1 2 3 4\n" },
        { FUZZ_DX, "a.dx",
          "# a\nobject 1 class gridpositions counts 2 2 2\norigin 0 0 0\ndelta 1 0 0\ndelta 0 1 0\ndelta 0 0 1\n"
          "object 2 class array type double rank 0 items 8 data follows\n1 2 3 4 5 6 7 8\nobject 3 class field\n" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_seed(texts[i].reader, texts[i].name, texts[i].text, strlen(texts[i].text));
}

/* Every field of synth as raw NRRD, gzip NRRD and RAW, and headers that synth does not write. */
static void make_seeds(void)
{
    const uint64_t dims[3] = { 5, 4, 3 };
    for (const struct synth *s = synths; s->name; s++) {
        struct volume v;
        struct err err;
        check_subject(s->name);
        if (!CHECK(synth_volume(&v, s->name, dims, 1, 1, NULL, &err) == ERR_NONE)) continue;
        for (int gzip = 0; gzip < 2; gzip++) {
            CHECK(save_nrrd(&v, in_folder("seed.nrrd"), gzip, &err) == ERR_NONE);
            add_file(in_folder("seed.nrrd"));
        }
        char name[64];
        snprintf(name, sizeof name, "a_5x4x3_%s.raw", voxel_type_name[v.grid.type]);
        add_seed(FUZZ_RAW, name, v.grid.voxels, 60 * voxel_bytes(v.grid.type));
        volume_free(&v);
    }
    static const char *const texts[] = {
        HEAD "spacings: 1 2 -4\nbyte skip: 2\nline skip: 1\n\nab\n..01234567",
        "NRRD0005\r\ntype: short\r\ndimension: 3\r\nsizes: 1 2 2\r\nendian: big\r\nencoding: raw\r\nspace: "
        "left-posterior-superior\r\n"
        "space origin: (1,2,3)\r\nspace directions: (1,0,0) (0,2,0) (0,0,3)\r\nkey:=value\r\n# comment\r\n\r\n01234567",
        HEAD "byte skip: -1\ndata file: a.raw\n", /* absent */
        "NRRD0001\ntype: double\ndimension: 3\nsizes: 1 1 1\nendian: little\nencoding: raw\n\n01234567",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) add_seed(FUZZ_NRRD, "b.nrrd", texts[i], strlen(texts[i]));
    add_seed(FUZZ_NRRD | FUZZ_Z_FASTEST, "b.nrrd", texts[0], strlen(texts[0]));
    add_seed(FUZZ_RAW | FUZZ_Z_FASTEST, "b_2x2x2_uint16be.raw", "0123456789abcdef", 16);
    add_seed(FUZZ_RAW, "c_2x2x2.raw", "01234567", 8);
    make_text_seeds();
    make_tiff_seeds();
}

static void write_seeds(const char *to)
{
    for (int i = 0; i < seeds; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/seed_%02d", to, i);
        FILE *file = fopen(path, "wb");
        if (!CHECK(file != NULL)) return;
        CHECK(fwrite(seed[i].data, 1, seed[i].size, file) == seed[i].size);
        CHECK(fclose(file) == 0);
    }
}

static size_t below(size_t n) { return n ? (size_t)(check_random() % n) : 0; }

/* Changes the input once, in place; returns the new size. */
static size_t change(uint8_t *data, size_t size)
{
    static const char *const words[] = { "-1", "0",    "4294967296", "18446744073709551615", "1e999", "nan", "\n\n",
                                         ":",  "../x", "sizes: ",    "data file: " };
    const size_t at = below(size), length = below(size - at < 16 ? size - at : 16);
    const char *word = words[below(sizeof words / sizeof *words)];
    const struct bytes *other = &seed[below((size_t)seeds)];
    const size_t from = below(other->size), left = other->size - from;
    switch (below(6)) {
    case 0: data[at] ^= (uint8_t)(1u << below(8)); return size;
    case 1: data[at] = (uint8_t)check_random(); return size;
    case 2: memmove(data + at, data + at + length, size - at - length); return size - length; /* cut out */
    case 3: return at;                                                                        /* cut off */
    case 4: /* overwrite with a number or word */
        if (at + strlen(word) <= size) memcpy(data + at, word, strlen(word));
        return size;
    default: /* the rest of another seed */
        if (at + left > LARGEST) return size;
        memcpy(data + at, other->data + from, left);
        return at + left;
    }
}

static void change_seeds(void)
{
    check_seed(20250607);
    const long before = fuzz_accepted;
    for (int i = 0; i < CHANGED; i++) {
        uint8_t data[LARGEST];
        const struct bytes *s = &seed[i % seeds];
        size_t size = s->size;
        memcpy(data, s->data, size);
        for (size_t n = 1 + below(4); n && size; n--) size = change(data, size);
        LLVMFuzzerTestOneInput(data, size);
    }
    printf("%d changed inputs of %d seeds: %ld were volumes\n", CHANGED, seeds, fuzz_accepted - before);
    CHECK(fuzz_accepted - before > CHANGED / 20 && fuzz_accepted - before < CHANGED / 2); /* both sides are tested */
}

int main(int argc, char **argv)
{
    if (!make_folder()) return check_summary("test_fuzz");
    make_seeds();
    check_subject("");
    if (argc > 1) write_seeds(argv[1]);
    else {
        for (int i = 0; i < seeds; i++) LLVMFuzzerTestOneInput(seed[i].data, seed[i].size);
        CHECK(fuzz_accepted == seeds - 1); /* the data file of one is absent */
        change_seeds();
    }
    for (int i = 0; i < seeds; i++) drop(&seed[i]);
    remove_folder();
    return check_summary("test_fuzz");
}
