/* The team of a program that is linked without MPI: one process. If mpirun starts many of them, each would make the same
 * file, unless ISOSCOPE_ALONE=1 says that each has work of its own. */
#include "launcher.h"
#include "team.h"

#include <stdlib.h>
#include <string.h>

int team_begin(struct team *team, struct err *err)
{
    const char *alone = getenv("ISOSCOPE_ALONE");
    team_alone(team);
    if (alone && !strcmp(alone, "1")) return ERR_NONE;
    return launcher_refuse("this program works alone", "start isoscope-mpi, or give each process its --part", err);
}

void team_end(struct team *team) { (void)team; }
