#include "row.h"

#include "text.h"

int row_find(const char *name, const void *rows, size_t row_bytes, const char *kind, struct err *err)
{
    char list[256];
    const int found = name ? text_row(name, rows, row_bytes) : 0;
    if (found < 0)
        err_set(err, ERR_USAGE, "unknown %s '%.40s'; expected one of:%s", kind, name,
                text_names(list, sizeof list, rows, row_bytes));
    return found;
}
