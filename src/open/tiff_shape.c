#include "tiff_shape.h"

#include "text.h"

#include <jansson.h>
#include <string.h>
#include <tiffio.h>

#define MOST_AXES 16

/* The axes of the array that extend across pages, slowest varying first. */
struct across {
    int count;
    uint64_t size[MOST_AXES];
    int axis[MOST_AXES]; /* AXIS_Z, AXIS_COMPONENT or AXIS_FRAME; -1: not given */
};

static int axis_of(char letter)
{
    static const char letters[] = { 'Z', 'C', 'T' };
    static const int axes[] = { AXIS_Z, AXIS_COMPONENT, AXIS_FRAME };
    for (int i = 0; i < 3; i++)
        if (letter == letters[i]) return axes[i];
    return -1;
}

/* How many axes lie within the page: y and x, and components before or after them. 0: the shape does not match such
 * pages. */
static size_t axes_inside(const json_t *shape, TIFF *tiff)
{
    uint32_t page[2] = { 0, 0 };
    uint16_t components;
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page[0]);
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page[1]);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &components);
    const size_t rank = json_array_size(shape), inside = components > 1 ? 3 : 2;
    for (size_t behind = 0; behind + 2 <= inside && inside <= rank; behind++) {
        const size_t y = rank - behind - 2;
        if (json_integer_value(json_array_get(shape, y)) == page[0] &&
            json_integer_value(json_array_get(shape, y + 1)) == page[1])
            return inside;
    }
    return 0;
}

/* Finds the axes across pages, without those of one value. False: the shape is not one of several pages. */
static bool find_across(struct across *across, const json_t *array, TIFF *tiff)
{
    const json_t *shape = json_object_get(array, "shape");
    const char *axes = json_string_value(json_object_get(array, "axes"));
    const size_t rank = json_array_size(shape), inside = axes_inside(shape, tiff);
    if (!inside || rank - inside > MOST_AXES) return false;
    if (axes && strlen(axes) != rank) axes = NULL;
    for (size_t i = 0; i < rank - inside; i++) {
        const json_int_t n = json_integer_value(json_array_get(shape, i));
        if (n < 1 || n > LAYOUT_MAX_AXIS) return false;
        if (n == 1) continue;
        across->size[across->count] = (uint64_t)n;
        across->axis[across->count++] = axes ? axis_of(axes[i]) : -1;
    }
    return across->count > 0;
}

/* Names axes without a name: the fastest holds slices, the others frames, as in .npy files. */
static void name_axes(struct across *across, char note[256])
{
    bool slices = false, guessed = false;
    for (int i = 0; i < across->count; i++) slices = slices || across->axis[i] == AXIS_Z;
    for (int i = across->count - 1; i >= 0; i--) {
        if (across->axis[i] >= 0) continue;
        guessed = guessed || slices;
        across->axis[i] = slices ? AXIS_FRAME : AXIS_Z;
        slices = true;
    }
    if (guessed) text_note(note, "its shape does not say what all axes are: taken for frames of slices");
}

/* Merges adjacent axes of the same name. False: axes of the same name have others between them. */
static bool set_axes(struct tiff_meta *meta, const struct across *across)
{
    uint64_t size[AXIS_COUNT] = { [AXIS_Z] = 1, [AXIS_COMPONENT] = 1, [AXIS_FRAME] = 1 };
    uint8_t order[3];
    int n = 0;
    for (int i = across->count - 1; i >= 0; i--) {
        const int axis = across->axis[i];
        if (size[axis] > 1 && order[n - 1] != axis) return false;
        if (size[axis] == 1) order[n++] = (uint8_t)axis;
        if (__builtin_mul_overflow(size[axis], across->size[i], &size[axis])) return false;
    }
    for (int a = 0; a < AXIS_COUNT && n < 3; a++)
        if (size[a] == 1) order[n++] = (uint8_t)a;
    memcpy(meta->size, size, sizeof size);
    memcpy(meta->order, order, sizeof order);
    return true;
}

void tiff_shape_parse(struct tiff_meta *meta, const struct tiff_file *file, const char *description, char note[256])
{
    struct across across = { .count = 0 };
    if (!description || meta->kind != TIFF_PLAIN || !text_begins(description, "{\"shape\":")) return;
    json_t *array = json_loads(description, 0, NULL);
    if (find_across(&across, array, file->tiff)) {
        name_axes(&across, note);
        if (set_axes(meta, &across)) meta->kind = TIFF_SHAPED;
        else text_note(note, "axes of one kind with others between them: all pages are shown as slices");
    }
    json_decref(array);
}
