/* Feeds damaged files to every reader: the seeds of make_seeds.py, each changed many times in a fixed sequence. A broken
 * promise aborts (fuzz_load.c); sanitizers also find invalid reads and writes.
 *
 * Usage: test_fuzz SEEDS        SEEDS: what make_seeds.py has written
 *        test_fuzz SEEDS FOLDER writes the readers' inputs to FOLDER/READER instead, for libFuzzer (.ci/fuzz) */
#include "fuzz_load.h"

#include "load_util.h"

#include <dirent.h>
#include <sys/stat.h>

enum { CHANGED = 4000, SEEDS = 64, LARGEST = 8192 };

static struct bytes seed[SEEDS]; /* of the present reader */
static int seeds;

static void add_seed(const char *path, const char *name)
{
    uint8_t data[LARGEST];
    FILE *file = fopen(path, "rb");
    if (!CHECK(file != NULL)) return;
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    if (!CHECK(size > 0 && size < sizeof data / 2) || !CHECK(seeds < SEEDS)) return;
    struct bytes *s = &seed[seeds++];
    if (!fuzz_reader->file && !fuzz_reader->folder) append_text(s, "%s\n", name);
    append(s, data, size);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

/* In an order that is the same everywhere. */
static void read_seeds(const char *from)
{
    char path[4096];
    struct dirent **entries = NULL;
    snprintf(path, sizeof path, "%s/%s", from, fuzz_reader->name);
    const int n = scandir(path, &entries, NULL, by_name);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", from, fuzz_reader->name, entries[i]->d_name);
        if (*entries[i]->d_name != '.') add_seed(path, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    CHECK(seeds > 0);
}

static void write_seeds(const char *to)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", to, fuzz_reader->name);
    CHECK(mkdir(path, 0777) == 0);
    for (int i = 0; i < seeds; i++) {
        snprintf(path, sizeof path, "%s/%s/%02d", to, fuzz_reader->name, i);
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
    static const char *const words[] = {
        "-1", "0",    "4294967296", "18446744073709551615", "1e999", "nan", "\n\n",
        ":",  "../x", "sizes: ",    "data file: ",          "\"",    "<",   "\x7f\xff\xff\xff"
    };
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
    const long before = fuzz_accepted;
    for (int i = 0; i < CHANGED; i++) {
        uint8_t data[LARGEST];
        const struct bytes *s = &seed[i % seeds];
        size_t size = s->size;
        memcpy(data, s->data, size);
        for (size_t n = 1 + below(4); n && size; n--) size = change(data, size);
        LLVMFuzzerTestOneInput(data, size);
    }
    printf("%s: %d changed inputs of %d seeds, %ld were volumes\n", fuzz_reader->name, CHANGED, seeds,
           fuzz_accepted - before);
    const long read = (long)fuzz_turns(fuzz_reader) * CHANGED;
    CHECK(fuzz_accepted > before && fuzz_accepted - before < read); /* both sides are tested */
}

static void test_reader(const char *from)
{
    check_subject(fuzz_reader->name);
    read_seeds(from);
    const long before = fuzz_accepted;
    for (int i = 0; i < seeds; i++) LLVMFuzzerTestOneInput(seed[i].data, seed[i].size);
    CHECK(fuzz_accepted > before || !strcmp(fuzz_reader->name, "qvis")); /* whose data is always in another file */
    if (fuzz_accepted > before) change_seeds();
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) return fprintf(stderr, "usage: test_fuzz SEEDS [FOLDER]\n"), 2;
    check_seed(20250607);
    for (fuzz_reader = fuzz_readers; fuzz_reader->name; fuzz_reader++) {
        if (argc == 2) test_reader(argv[1]);
        else read_seeds(argv[1]), write_seeds(argv[2]);
        for (int i = 0; i < seeds; i++) drop(&seed[i]);
        seeds = 0;
    }
    return check_summary("test_fuzz");
}
