#include "dicom_join.h"

#include "vector.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE \
    0.01           /* of a pixel, or of the distance between slices: positions are decimal fractions, stored as float32 */
#define ANGLE 1e-4 /* rad */

static void column(const struct layout *volume, int axis, double to[3])
{
    for (int row = 0; row < 3; row++) to[row] = volume->direction[row][axis];
}

/* The unit normal of the volume's slices, in the direction of later slices. */
static void find_normal(const struct layout *volume, double normal[3])
{
    double x[3], y[3], z[3];
    column(volume, 0, x);
    column(volume, 1, y);
    column(volume, 2, z);
    vector_cross(x, y, normal);
    const double length = copysign(sqrt(vector_dot(normal, normal)), vector_dot(normal, z));
    for (int i = 0; i < 3; i++) normal[i] /= length;
}

/* Where slice k of the volume begins, relative to the first slice of `seed`. */
static void find_place(const struct layout *volume, size_t k, const struct layout *seed, double place[3])
{
    for (int row = 0; row < 3; row++)
        place[row] = volume->origin[row] + (double)k * volume->direction[row][2] - seed->origin[row];
}

static double pixel(const struct layout *volume)
{
    double x[3], y[3];
    column(volume, 0, x);
    column(volume, 1, y);
    return sqrt(fmin(vector_dot(x, x), vector_dot(y, y)));
}

/* Whether both have equally many pixels of the same size, along the same directions. */
static bool is_parallel(const struct layout *a, const struct layout *b)
{
    bool parallel = a->size[AXIS_X] == b->size[AXIS_X] && a->size[AXIS_Y] == b->size[AXIS_Y];
    for (int i = 0; i < 6; i++)
        parallel = parallel && fabs(a->direction[i / 2][i % 2] - b->direction[i / 2][i % 2]) <= ANGLE * pixel(a);
    return parallel;
}

/* Whether the place lies on the normal, within a small part of a pixel. */
static bool is_above(const double place[3], const double normal[3], double most)
{
    const double at = vector_dot(place, normal);
    double aside[3];
    for (int i = 0; i < 3; i++) aside[i] = place[i] - at * normal[i];
    return vector_dot(aside, aside) <= most * most;
}

static bool fits(const struct layout *a, const struct layout *b, const double normal[3])
{
    double place[3];
    find_place(a, 0, b, place);
    return a->part_count == 1 && a->size[AXIS_FRAME] == 1 && a->size[AXIS_COMPONENT] == 1 && a->type == b->type &&
           a->big_endian == b->big_endian && a->slope == b->slope && a->intercept == b->intercept && is_parallel(a, b) &&
           is_above(place, normal, TOLERANCE * pixel(b));
}

static int compare_places(const void *a, const void *b)
{
    const struct dicom_slice *p = a, *q = b;
    return (p->at > q->at) - (p->at < q->at);
}

/* The slice distance. It is close to the smallest gap, but derived from the whole length. 0: two slices lie at one
 * place. */
static double find_step(const struct dicom_slice *slices, size_t count)
{
    const double all = slices[count - 1].at - slices[0].at;
    double least = INFINITY;
    for (size_t i = 1; i < count; i++) least = fmin(least, slices[i].at - slices[i - 1].at);
    return least > 0 ? all / round(all / least) : 0;
}

/* Whether every slice lies at a whole number of steps. */
static bool is_even(const struct dicom_slice *slices, size_t count, double step)
{
    bool even = step > 0;
    for (size_t i = 0; i < count && even; i++) {
        const double place = (slices[i].at - slices[0].at) / step;
        even = fabs(place - round(place)) <= TOLERANCE;
    }
    return even;
}

/* Gives every place a slice. If one is missing, the nearer of its neighbours replaces it. Error: ERR_FAILED. */
static int spread(struct dicom_slice **slices, size_t *count, size_t places, double step, struct err *err)
{
    const struct dicom_slice *const here = *slices;
    struct dicom_slice *const all = malloc(places * sizeof *all);
    if (!all) return err_set(err, ERR_FAILED, "not enough memory to join %zu slices", places);
    for (size_t i = 0, next = 0; i < places; i++) {
        const double at = here[0].at + (double)i * step;
        while (next < *count && here[next].at < at + 0.5 * step) next++;
        const double above = at - here[next - 1].at;
        const bool missing = above > 0.5 * step;
        all[i] = here[missing && here[next].at - at < above ? next : next - 1];
        all[i].missing = missing;
    }
    free(*slices);
    *slices = all;
    *count = places;
    return ERR_NONE;
}

/* Collects the slices that form a stack with those of `seed`, in order of position. */
static void gather(struct dicom_slice *slices, size_t count, const struct layout *volumes, size_t n, size_t seed,
                   const double normal[3])
{
    double place[3];
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_one = fits(&volumes[i], &volumes[seed], normal);
        for (size_t k = 0; is_one && k < volumes[i].size[AXIS_Z]; k++) {
            find_place(&volumes[i], k, &volumes[seed], place);
            slices[at++] = (struct dicom_slice){ i, k, vector_dot(place, normal), false };
        }
    }
    qsort(slices, count, sizeof *slices, compare_places);
}

int dicom_join(struct dicom_slice **slices, size_t *count, const struct layout *volumes, size_t n, size_t seed,
               struct err *err)
{
    double normal[3];
    uint64_t all = 0;
    *count = 0;
    *slices = NULL;
    find_normal(&volumes[seed], normal);
    for (size_t i = 0; i < n; i++)
        if (fits(&volumes[i], &volumes[seed], normal)) all += volumes[i].size[AXIS_Z];
    if (all <= volumes[seed].size[AXIS_Z] || all > LAYOUT_MAX_PARTS) return ERR_NONE;
    *slices = malloc(all * sizeof **slices);
    if (!*slices) return err_set(err, ERR_FAILED, "not enough memory to join %zu volumes", n);
    gather(*slices, all, volumes, n, seed, normal);
    const double step = find_step(*slices, all);
    if (!is_even(*slices, all, step)) return ERR_NONE;
    const double places = 1 + round(((*slices)[all - 1].at - (*slices)[0].at) / step);
    if (places > 2 * (double)all || places > (double)LAYOUT_MAX_PARTS) return ERR_NONE;
    *count = all;
    return (uint64_t)places > all ? spread(slices, count, (size_t)places, step, err) : ERR_NONE;
}

int dicom_join_layout(struct layout *layout, const struct source *source, const struct layout *volumes,
                      const struct dicom_slice *slices, size_t count, struct err *err)
{
    const struct layout *first = &volumes[slices[0].volume];
    double begin[3], end[3];
    int code = ERR_NONE;
    find_place(first, slices[0].slice, first, begin);
    find_place(&volumes[slices[count - 1].volume], slices[count - 1].slice, first, end);
    *layout = *first;
    layout->parts = NULL;
    layout->part_count = 0;
    layout->skip = 0;
    layout->size[AXIS_Z] = count;
    for (int row = 0; row < 3; row++) {
        layout->origin[row] += begin[row];
        layout->direction[row][2] = (end[row] - begin[row]) / (double)(count - 1);
    }
    const uint64_t bytes = layout_bytes(layout) / count;
    for (size_t i = 0; i < count && !code; i++) {
        const struct layout *volume = &volumes[slices[i].volume];
        const struct layout_file file = { .name = volume->parts[0].path,
                                          .field = "slice",
                                          .offset = volume->parts[0].offset + volume->skip + slices[i].slice * bytes,
                                          .anywhere = true };
        code = layout_add_file(layout, source, &file, err);
        if (!code) layout->parts[i].bytes = bytes;
    }
    return code;
}

bool dicom_holds(const struct layout *volume, const struct layout *slice)
{
    bool holds = false;
    if (!is_parallel(volume, slice)) return false;
    for (size_t k = 0; k < volume->size[AXIS_Z] && !holds; k++) {
        double place[3];
        find_place(volume, k, slice, place);
        holds = sqrt(vector_dot(place, place)) <= TOLERANCE * pixel(slice);
    }
    return holds;
}
