#include "team.h"

#include <stdio.h>
#include <string.h>

static int agree(struct team *team, int code, struct err *err)
{
    (void)team, (void)err;
    return code;
}

static int sum(struct team *team, uint64_t *values, size_t n, struct err *err)
{
    (void)team, (void)values, (void)n, (void)err;
    return ERR_NONE;
}

static int gather(struct team *team, uint64_t end, const void *bytes, size_t n, const struct team_take *take,
                  struct err *err)
{
    return take->take(take->context, team->rank, end, bytes, n, err);
}

void team_alone(struct team *team)
{
    static const struct team_ops ops = { agree, sum, gather };
    *team = (struct team){ .size = 1, .local = 1, .ops = &ops };
}

int team_share(struct team *team, uint64_t *values, size_t n, struct err *err)
{
    if (team->rank) memset(values, 0, n * sizeof *values);
    return team->ops->sum(team, values, n, err);
}

/* Lists missing parts, numbered from 1, such as "3 and 7"; only the first few if there are many. Returns how many there
 * are. */
static size_t list(char text[128], const bool *there, size_t n)
{
    enum { SHOWN = 8 };
    size_t missing = 0, said = 0;
    int used = 0;
    for (size_t i = 0; i < n; i++) missing += !there[i];
    for (size_t i = 0; i < n && said < SHOWN; i++) {
        if (there[i]) continue;
        const bool last = ++said == missing;
        used += snprintf(text + used, 128 - (size_t)used, "%s%zu", said == 1 ? "" : last ? " and " : ", ", i + 1);
    }
    if (missing > said) snprintf(text + used, 128 - (size_t)used, " and %zu more", missing - said);
    return missing;
}

int team_refuse_missing(const struct team *team, const bool *there, const char *phase, struct err *err)
{
    char text[128];
    size_t first = 0;
    const bool one = list(text, there, (size_t)team->size) == 1;
    while (there[first]) first++;
    err_set(err, ERR_FAILED, "part%s %s of %d ha%s not been %s", one ? "" : "s", text, team->size, one ? "s" : "ve",
            phase[0] == 'c' ? "counted" : "written");
    err_advise(err, "run --part %zu/%d --phase %s", first + 1, team->size, phase);
    return ERR_FAILED;
}
