/* The team of a program that is linked without MPI: one. Many of them, started by mpirun, would each make the same file. */
#include "launcher.h"
#include "team.h"

int team_begin(struct team *team, struct err *err)
{
    team_alone(team);
    return launcher_refuse("this program works alone", "start isoscope-mpi, or give each process its --part", err);
}

void team_end(struct team *team) { (void)team; }
