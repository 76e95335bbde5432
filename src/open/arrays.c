#include "arrays.h"

#include "text.h"

#include <string.h>

void arrays_add(struct array_list *list, const char *name)
{
    static const char more[] = ", ...";
    const size_t length = strlen(list->names), room = sizeof list->names - sizeof more - length;
    const bool full = length > 3 && !strcmp(list->names + length - 3, "...");
    char next[64];
    snprintf(next, sizeof next, "%s'%.40s'", list->count++ ? ", " : "", name);
    if (!full) snprintf(list->names + length, sizeof list->names - length, "%s", strlen(next) <= room ? next : more);
}

void arrays_note(const struct array_list *list, const char *chosen, char note[256])
{
    if (list->count > 1) text_note(note, "array '%.40s' of %s", chosen, list->names);
}

int arrays_refuse(const struct array_list *list, const char *file, const char *wanted, struct err *err)
{
    if (!list->count)
        return err_set(err, ERR_USAGE, "%s: no array '%.80s': the file has no arrays of numbers", file, wanted);
    return err_set(err, ERR_USAGE, "%s: no array '%.80s'; the file has %s", file, wanted, list->names);
}
