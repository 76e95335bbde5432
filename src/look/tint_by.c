#include "tint_by.h"

#include <string.h>

const char *const tint_name[TINT_WAYS] = { "none", "x", "y", "z", "gradient" };

int tint_find(const char *name, struct err *err)
{
    for (int i = 0; i < TINT_WAYS; i++)
        if (!strcmp(name ? name : "none", tint_name[i])) return i;
    err_set(err, ERR_USAGE, "surfaces have no colours by '%s'; there are: none x y z gradient", name);
    return -1;
}
