#include "options_parts.h"

#include "stream.h"
#include "team.h"
#include "text.h"

#include <string.h>

enum { MOST_PARTS = 100000 };

static const struct {
    const char *name;
    unsigned phase;
} phases[] = { { "count", STREAM_COUNT }, { "write", STREAM_WRITE }, { "finish", STREAM_FINISH } };

/* "3/8", or "8" */
int parse_part(struct options *o, const char *option, const char *value, struct err *err)
{
    const char *end;
    uint64_t part = 0, parts = 0;
    bool fine = text_uint(value, &end, &parts);
    if (fine && *end == '/') part = parts, fine = part && text_uint(end + 1, &end, &parts);
    if (!fine || *end || part > parts || !parts || parts > MOST_PARTS)
        return err_set(err, ERR_USAGE, "--%s %s: expected a part of many, like 3/8, from 1/8 to 8/8; at most %d", option,
                       value, MOST_PARTS);
    o->part = (int)part - 1, o->parts = (int)parts;
    return ERR_NONE;
}

int parse_phase(struct options *o, const char *option, const char *value, struct err *err)
{
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        if (!strcmp(value, phases[i].name)) {
            o->phases = phases[i].phase;
            return ERR_NONE;
        }
    return err_set(err, ERR_USAGE, "--%s %s: expected count, write or finish", option, value);
}

int options_check_parts(const struct options *o, struct err *err)
{
    if (!o->parts != !o->phases) return err_set(err, ERR_USAGE, "--part and --phase need each other: give both or neither");
    if (o->parts && o->part < 0 && o->phases != STREAM_FINISH)
        return err_set(err, ERR_USAGE, "--part %d: which one? --phase count and --phase write take one like 1/%d", o->parts,
                       o->parts);
    if (o->parts && o->team && o->team->size > 1)
        return err_set(err, ERR_USAGE, "--part is for processes that you start yourself: leave it out under mpirun");
    return ERR_NONE;
}
