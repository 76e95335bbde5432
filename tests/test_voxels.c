/* From a layout to voxels: every order of the five axes, every frame and component, data in parts, in memory and in a file,
 * compressed, swapped, converted, negated; whole, thinned, slice by slice; a file that is cut off while it is read; the
 * budget; cancelling. */
#include "load_util.h"

#include "direct.h"
#include "voxels.h"

enum { NX = 3, NY = 4, NZ = 5, COMPONENTS = 2, FRAMES = 3, VALUES = NX * NY * NZ * COMPONENTS * FRAMES };

static const uint64_t sizes[AXIS_COUNT] = { NX, NY, NZ, COMPONENTS, FRAMES };

static void name_subject(const char *format, ...)
{
    static char name[128];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    check_subject(name);
}

/* A different value for each place, below 2^9, so that every type holds it once halved. */
static unsigned place(const uint64_t at[AXIS_COUNT])
{
    return (unsigned)((((at[4] * COMPONENTS + at[3]) * NZ + at[2]) * NY + at[1]) * NX + at[0]);
}

static void put(uint8_t *to, const struct stored_type *type, unsigned value, bool swap)
{
    const uint8_t one = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = value;
    const uint64_t eight = value;
    const float single = (float)value;
    const double twice = value;
    const void *from = type == &stored_types[STORED_FLOAT32]   ? (const void *)&single
                       : type == &stored_types[STORED_FLOAT64] ? (const void *)&twice
                       : type->bytes == 1                      ? (const void *)&one
                       : type->bytes == 2                      ? (const void *)&two
                       : type->bytes == 4                      ? (const void *)&four
                                                               : (const void *)&eight;
    for (size_t i = 0; i < type->bytes; i++) to[i] = ((const uint8_t *)from)[swap ? type->bytes - 1 - i : i];
}

/* The value that is stored: int8 holds half of them. */
static unsigned stored(const struct stored_type *type, unsigned value)
{
    return type == &stored_types[STORED_INT8] || type == &stored_types[STORED_UINT8] ? value % 128 : value;
}

/* All values in this order of the axes. */
static void make_values(uint8_t *to, const uint8_t order[AXIS_COUNT], const struct stored_type *type, bool swap)
{
    uint64_t at[AXIS_COUNT] = { 0 };
    for (int i = 0; i < VALUES; i++) {
        put(to + (size_t)i * type->bytes, type, stored(type, place(at)), swap);
        for (int a = 0; a < AXIS_COUNT && ++at[order[a]] == sizes[order[a]]; a++) at[order[a]] = 0;
    }
}

static void begin(struct layout *layout, const uint8_t order[AXIS_COUNT], const struct stored_type *type, bool big)
{
    layout_begin(layout);
    memcpy(layout->size, sizes, sizeof sizes);
    memcpy(layout->order, order, AXIS_COUNT);
    layout->type = type;
    layout->big_endian = big;
}

static bool has_voxels(const struct volume *v, const struct load_desc *desc, const struct stored_type *type, double sign)
{
    const struct grid *g = &v->grid;
    const uint64_t step = v->step ? v->step : 1;
    size_t wrong = 0;
    if (!CHECK(g->nx == (NX - 1) / step + 1 && g->ny == (NY - 1) / step + 1 && g->nz == (NZ - 1) / step + 1)) return false;
    for (size_t i = 0; i < grid_voxels(g); i++) {
        const uint64_t at[AXIS_COUNT] = { i % g->nx * step, i / g->nx % g->ny * step, i / (g->nx * g->ny) * step,
                                          desc->component, desc->frame };
        wrong += !(volume_real(v, (double)grid_value(g, i)) == sign * stored(type, place(at)));
    }
    return CHECK(wrong == 0);
}

/* Every 2nd and 3rd voxel, as asked for or because memory holds no more, where x and y vary fastest. */
static void thins(const struct layout *layout, struct source *source, const struct load_desc *all, double sign)
{
    const bool ordered = voxels_are_ordered(layout);
    for (uint64_t step = 2; step < 4; step++)
        for (int by_memory = 0; by_memory < 2; by_memory++) {
            const uint64_t voxels = ((NX - 1) / step + 1) * ((NY - 1) / step + 1) * ((NZ - 1) / step + 1);
            const size_t bytes = layout->type->convert || sign < 0 ? sizeof(float) : layout->type->bytes;
            struct load_desc desc = *all;
            struct volume v;
            struct err err = { 0 };
            desc.thins = by_memory;
            if (by_memory) desc.memory = 2 * voxels * bytes;
            else desc.step = step;
            const int code = voxels_read(&v, layout, source, &desc, &err);
            if (by_memory && !ordered) CHECK(code == ERR_FAILED && strstr(err.text, "of memory"));
            else if (CHECK(!code)) {
                CHECK(v.step == (ordered ? step : 1) && (v.step == 1 || strstr(v.note, step == 2 ? "2nd" : "3rd")));
                CHECK(!by_memory || strstr(v.note, "all would need"));
                has_voxels(&v, &desc, layout->type, sign);
            }
            volume_free(&v);
        }
}

/* Slices forwards, backwards and several at once are those of the volume. */
static void gives_slices(const struct layout *layout, struct source *source, const struct load_desc *desc,
                         const struct volume *v)
{
    static const size_t from[] = { 0, 1, 3, 2, 0, 4, 0 }, n[] = { 1, 2, 2, 1, 1, 1, NZ };
    const size_t slice = NX * NY * voxel_bytes(v->grid.type);
    struct voxels_slices *slices;
    struct err err = { 0 };
    char *const to = malloc(NZ * slice);
    if (!to || !CHECK(!voxels_slices_open(&slices, layout, source, desc, (uint64_t)1 << 20, &err))) abort();
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        memset(to, 0x5a, NZ * slice);
        CHECK(!voxels_slices_read(slices, from[i], n[i], to, &err));
        CHECK(!memcmp(to, (const char *)v->grid.voxels + from[i] * slice, n[i] * slice));
    }
    voxels_slices_close(slices);
    free(to);
}

/* Reads each frame and component of a layout of `source`. */
static void reads(struct layout *layout, struct source *source, double sign)
{
    for (uint64_t f = 0; f < FRAMES; f++)
        for (uint64_t c = 0; c < COMPONENTS; c++) {
            const struct load_desc desc = { .frame = f, .component = c };
            struct volume v;
            struct err err = { 0 };
            if (!CHECK(layout_check(layout, "test", &err) == ERR_NONE) ||
                !CHECK(voxels_read(&v, layout, source, &desc, &err) == ERR_NONE)) {
                printf("  it says: %s\n", err.text);
                continue;
            }
            has_voxels(&v, &desc, layout->type, sign);
            CHECK(v.frames == FRAMES && v.components == COMPONENTS);
            if (voxels_are_ordered(layout)) gives_slices(layout, source, &desc, &v);
            volume_free(&v);
            thins(layout, source, &desc, sign);
        }
}

/* ---- orders -------------------------------------------------------------------------------------------------------- */

static void one_order(const uint8_t order[AXIS_COUNT])
{
    static const int types[] = { STORED_INT16, STORED_FLOAT64 }; /* as it is, and converted */
    uint8_t values[VALUES * 8];
    struct source source;
    struct layout layout;
    struct err err;
    for (int t = 0; t < 2; t++) {
        const struct stored_type *type = &stored_types[types[t]];
        name_subject("%s, axes %d%d%d%d%d", type->name, order[0], order[1], order[2], order[3], order[4]);
        make_values(values, order, type, !t);
        begin(&layout, order, type, !t);
        source_memory(&source, values, VALUES * type->bytes, "values.raw");
        CHECK(layout_add_self(&layout, &source, 0, &err) == ERR_NONE);
        reads(&layout, &source, 1);
        if (order[0] == AXIS_X &&
            order[1] == AXIS_Y) { /* from a file by all threads, where frames and components allow it */
            write_file("values.raw", values, VALUES * type->bytes);
            CHECK(source_open(&source, in_folder("values.raw"), &err) == ERR_NONE);
            reads(&layout, &source, 1);
            source_close(&source);
        }
        layout_free(&layout);
    }
}

/* Every permutation, by Heap's way of exchanges. */
static void all_orders(void)
{
    uint8_t order[AXIS_COUNT] = { 0, 1, 2, 3, 4 }, count[AXIS_COUNT] = { 0 };
    one_order(order);
    for (int i = 0; i < AXIS_COUNT;) {
        if (count[i] >= i) {
            count[i++] = 0;
            continue;
        }
        const int j = i % 2 ? count[i] : 0;
        const uint8_t swapped = order[j];
        order[j] = order[i], order[i] = swapped;
        count[i]++;
        i = 0;
        one_order(order);
    }
}

/* ---- parts, compression, sign -------------------------------------------------------------------------------------- */

static void one_way(int parts, enum compression compression, int type_row, double slope)
{
    static const uint8_t order[AXIS_COUNT] = { AXIS_X, AXIS_Y, AXIS_Z, AXIS_COMPONENT, AXIS_FRAME };
    const struct stored_type *type = &stored_types[type_row];
    uint8_t values[VALUES * 8];
    struct layout layout;
    struct source header;
    struct err err;
    const size_t bytes = VALUES * type->bytes / (size_t)parts;
    name_subject("%d parts, compression %d, %s, slope %g", parts, (int)compression, type->name, slope);
    make_values(values, order, type, false);
    begin(&layout, order, type, false);
    layout.compression = compression;
    layout.slope = slope;
    layout.skip = 2;
    CHECK(source_open(&header, in_folder("values.raw"), &err) == ERR_NONE);
    for (int p = 0; p < parts; p++) {
        struct bytes file = { 0 }, plain = { 0 };
        char name[32];
        append(&plain, "..", 2); /* the bytes to skip */
        append(&plain, values + (size_t)p * bytes, bytes);
        if (compression == COMPRESSION_DEFLATE) append_gzip(&file, plain.data, plain.size);
        else append(&file, plain.data, plain.size);
        snprintf(name, sizeof name, "part%d", p);
        write_file(name, file.data, file.size);
        const struct layout_file part = { .name = name, .field = "data file" };
        CHECK(layout_add_file(&layout, &header, &part, &err) == ERR_NONE);
        drop(&file);
        drop(&plain);
    }
    reads(&layout, &header, slope);
    source_close(&header);
    layout_free(&layout);
}

/* ---- what goes wrong ----------------------------------------------------------------------------------------------- */

/* A file that shrinks after its header was read: a sentence, not a signal. */
static void shrinking_file(void)
{
    static const uint8_t order[AXIS_COUNT] = { AXIS_X, AXIS_Y, AXIS_Z, AXIS_COMPONENT, AXIS_FRAME };
    const struct load_desc desc = { .frame = FRAMES - 1 };
    uint8_t values[VALUES];
    struct layout layout;
    struct source source;
    struct volume v;
    struct err err;
    check_subject("a file that shrinks");
    make_values(values, order, &stored_types[STORED_UINT8], false);
    write_file("values.raw", values, sizeof values);
    CHECK(source_open(&source, in_folder("values.raw"), &err) == ERR_NONE);
    begin(&layout, order, &stored_types[STORED_UINT8], false);
    CHECK(layout_add_self(&layout, &source, 0, &err) == ERR_NONE);
    CHECK(truncate(in_folder("values.raw"), VALUES / 2) == 0);
    refused(voxels_read(&v, &layout, &source, &desc, &err), &v, &err);
    CHECK(strstr(err.text, "shorter") != NULL);
    source_close(&source);
    layout_free(&layout);
}

static bool stop(void *context, double fraction)
{
    *(double *)context = fraction;
    return false;
}

/* The budget, and a progress that cancels, leave no volume. */
static void refusals(void)
{
    const uint8_t values[64] = { 0 };
    struct volume v;
    struct err err;
    double seen = -1;
    struct load_desc desc = { .memory = 63 };
    write_file("v_4x4x4_uint8.raw", values, sizeof values);
    check_subject("a budget of a byte too little");
    CHECK(load_volume(&v, in_folder("v_4x4x4_uint8.raw"), &desc, &err) == ERR_FAILED && strstr(err.advice, "--memory"));
    CHECK(!v.grid.voxels);
    desc.memory = 64;
    CHECK(load_volume(&v, in_folder("v_4x4x4_uint8.raw"), &desc, &err) == ERR_NONE);
    volume_free(&v);
    check_subject("cancelled");
    desc.progress = (struct progress){ stop, &seen };
    CHECK(load_volume(&v, in_folder("v_4x4x4_uint8.raw"), &desc, &err) == ERR_FAILED && !v.grid.voxels);
    CHECK(seen > 0 && seen <= 1 && !strcmp(err.text, "cancelled"));
    check_subject("a frame that is not there");
    desc = (struct load_desc){ .frame = 1 };
    CHECK(load_volume(&v, in_folder("v_4x4x4_uint8.raw"), &desc, &err) == ERR_USAGE && strstr(err.text, "only one"));
}

/* Interleaved components that do not fit the buffer. Reading by slices would find no end. */
static void many_components(void)
{
    static const uint64_t size[AXIS_COUNT] = { 1, 1, 1, 262145, 1 }, most[AXIS_COUNT] = { 1, 1, 1, 262144, 1 };
    static const uint8_t order[AXIS_COUNT] = { AXIS_COMPONENT, AXIS_X, AXIS_Y, AXIS_Z, AXIS_FRAME }, values[262145];
    const struct load_desc desc = { .memory = 1 << 20 };
    struct source source;
    struct layout layout;
    struct direct direct;
    struct volume v;
    struct err err;
    check_subject("components that do not fit the buffer");
    begin(&layout, order, &stored_types[STORED_UINT8], false);
    source_memory(&source, values, sizeof values, "v");
    CHECK(layout_add_self(&layout, &source, 0, &err) == ERR_NONE);
    memcpy(layout.size, size, sizeof size);
    CHECK(voxels_read(&v, &layout, &source, &desc, &err) == ERR_INPUT && strstr(err.text, "at most 262144"));
    CHECK(voxels_describe(&v, &direct, &layout, &source, &desc, &err) == ERR_INPUT && strstr(err.text, "at most 262144"));
    memcpy(layout.size, most, sizeof most);
    CHECK(voxels_describe(&v, &direct, &layout, &source, &desc, &err) == ERR_NONE);
    layout_free(&layout);
    source_close(&source);
}

int main(void)
{
    static const int types[] = { STORED_UINT8, STORED_INT16, STORED_FLOAT32, STORED_INT32 };
    if (!make_folder()) return 1;
    all_orders();
    write_file("values.raw", "0", 1);
    for (int parts = 1; parts <= 6; parts += 2 + (parts > 2)) /* 1, 3 and 6: less than, as many as, more than frames */
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
            for (int sign = -1; sign <= 1; sign += 2) {
                one_way(parts, COMPRESSION_NONE, types[t], sign);
                one_way(parts, COMPRESSION_DEFLATE, types[t], sign);
            }
    shrinking_file();
    refusals();
    many_components();
    remove_folder();
    return check_summary("test_voxels");
}
