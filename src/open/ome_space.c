#include "ome_space.h"

#include "vector.h"

#include <math.h>
#include <string.h>

#define SPACE "space"
#define DIRECTIONS "space directions"
#define ORIGIN "space origin"
#define LPS "left-posterior-superior"

/* ---- writing ----------------------------------------------------------------------------------------------------- */

bool ome_space_needed(const struct volume *v)
{
    bool straight = true;
    for (int i = 0; i < 9; i++)
        straight = straight && (i % 4 ? v->direction[i / 3][i % 3] == 0 : v->direction[i / 3][i % 3] > 0);
    return !straight || v->world == WORLD_LPS;
}

static json_t *column(const struct volume *v, int axis)
{
    return json_pack("[f,f,f]", v->direction[0][axis], v->direction[1][axis], v->direction[2][axis]);
}

json_t *ome_space_json(const struct volume *v)
{
    json_t *json = json_pack("{s:[o,o,o],s:[f,f,f]}", DIRECTIONS, column(v, 0), column(v, 1), column(v, 2), ORIGIN,
                             v->origin[0], v->origin[1], v->origin[2]);
    if (v->world != WORLD_LPS || (json && !json_object_set_new(json, SPACE, json_string(LPS)))) return json;
    json_decref(json);
    return NULL;
}

/* Tells how the axes differ from straight ones. Gram-Schmidt splits them into q * r: q is orthonormal, a rotation that may
 * include a mirror; r is triangular, a shear. The trace of q is 1 + 2 cos(angle), less 2 for the mirror. */
const char *ome_space_seen(const struct volume *v)
{
    /* clang-format off */
    static const char *const words[] = {
        NULL, "mirrored", "turned", "mirrored and turned",
        "sheared", "mirrored and sheared", "turned and sheared", "mirrored, turned and sheared"
    };
    /* clang-format on */
    const bool mirrored = volume_handedness(v) < 0;
    double q[3][3], trace = mirrored ? 2 : 0;
    bool sheared = false;
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 3; i++) q[a][i] = v->direction[i][a] / volume_spacing(v, a);
        for (int b = 0; b < a; b++) {
            const double along = vector_dot(q[a], q[b]);
            sheared = sheared || fabs(along) > 1e-6;
            for (int i = 0; i < 3; i++) q[a][i] -= along * q[b][i];
        }
        const double length = sqrt(vector_dot(q[a], q[a]));
        for (int i = 0; i < 3; i++) q[a][i] /= length;
        trace += q[a][a];
    }
    const bool turned = trace < 3 - 1e-12; /* by more than 1e-6 */
    return words[mirrored + 2 * turned + 4 * sheared];
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int refuse(const char *name, const char *key, const char *expected, struct err *err)
{
    err_set(err, ERR_INPUT, "%s: '%s' in its attribute '" OME_SPACE "' is not %s", name, key, expected);
    err_advise(err, "correct it, or leave the attribute out for axes without rotation");
    return ERR_INPUT;
}

/* No check for NaN or infinity, which JSON does not have. */
static bool read_vector(const json_t *list, double vector[3])
{
    bool is = json_array_size(list) == 3;
    for (size_t i = 0; i < 3 && is; i++) {
        const json_t *number = json_array_get(list, i);
        is = json_is_number(number);
        vector[i] = json_number_value(number);
    }
    return is;
}

/* Sets directions, origin and world of `at`. Its axes must span a volume. */
static int read_space(struct volume *at, const json_t *own, const char *name, struct err *err)
{
    const json_t *space = json_object_get(own, SPACE), *steps = json_object_get(own, DIRECTIONS);
    bool is = json_array_size(steps) == 3;
    double box = 1;
    for (int a = 0; a < 3 && is; a++) {
        double step[3];
        is = read_vector(json_array_get(steps, (size_t)a), step);
        for (int row = 0; row < 3 && is; row++) at->direction[row][a] = step[row];
        box *= volume_spacing(at, a);
    }
    if (!is || !(fabs(volume_handedness(at)) > 1e-9 * box)) /* also false for NaN */
        return refuse(name, DIRECTIONS, "three vectors of three numbers that span a volume", err);
    if (!read_vector(json_object_get(own, ORIGIN), at->origin)) return refuse(name, ORIGIN, "three numbers", err);
    const char *known = json_string_value(space);
    if (space && !(known && !strcmp(known, LPS))) return refuse(name, SPACE, "'" LPS "', the only one known", err);
    at->world = space ? WORLD_LPS : WORLD_OTHER;
    return ERR_NONE;
}

int ome_space_take(struct layout *layout, const json_t *attributes, double unit, const char *name, struct err *err)
{
    const json_t *own = json_object_get(attributes, OME_SPACE);
    struct volume at = { .world = WORLD_OTHER };
    double voxel[3]; /* position of this level's first voxel, in voxels of the finest level */
    if (!own) return ERR_NONE;
    const int code = read_space(&at, own, name, err);
    if (code) return code;
    for (int a = 0; a < 3; a++) {
        const double length = volume_spacing(&at, a), scale = layout->direction[a][a] / length;
        at.origin[a] *= unit;
        voxel[a] = (layout->origin[a] - at.origin[a]) / length;
        for (int row = 0; row < 3; row++) layout->direction[row][a] = at.direction[row][a] * scale;
    }
    volume_to_world(&at, voxel, layout->origin);
    layout->world = at.world;
    return ERR_NONE;
}
