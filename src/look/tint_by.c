#include "tint_by.h"

#include "text.h"

const char *const tint_name[] = { "none", "x", "y", "z", "gradient", NULL };

int tint_find(const char *name, struct err *err)
{
    char list[64];
    const int found = name ? text_row(name, tint_name, sizeof *tint_name) : TINT_NONE;
    if (found < 0)
        err_set(err, ERR_USAGE, "surfaces cannot be coloured by '%s'; expected one of:%s", name,
                text_names(list, sizeof list, tint_name, sizeof *tint_name));
    return found;
}
