#include "watched.h"

#include <sys/stat.h>

bool watched_look(struct watched *watched, const char *path, bool *changed)
{
    struct stat status;
    if (stat(path, &status)) return false;
    *changed = watched->bytes != (uint64_t)status.st_size || watched->modified.tv_sec != status.st_mtim.tv_sec ||
               watched->modified.tv_nsec != status.st_mtim.tv_nsec;
    watched->bytes = (uint64_t)status.st_size;
    watched->modified = status.st_mtim;
    return true;
}
