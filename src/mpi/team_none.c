/* The team of a program that is linked without MPI: one. Many of them, started by mpirun, would each make the same file. */
#include "team.h"

#include <stdlib.h>
#include <string.h>

/* A variable by which a launcher tells its processes how many they are, or which one this is; NULL: there is none, or no
 * more than one process. */
static const char *launcher(void)
{
    const char *ompi = getenv("OMPI_COMM_WORLD_SIZE"), *pmi = getenv("PMI_SIZE"), *pmix = getenv("PMIX_RANK");
    if (ompi && atol(ompi) > 1) return "OMPI_COMM_WORLD_SIZE";
    if (pmi && atol(pmi) > 1) return "PMI_SIZE";
    return pmix && atol(pmix) > 0 ? "PMIX_RANK" : NULL;
}

int team_begin(struct team *team, struct err *err)
{
    const char *name = launcher();
    team_alone(team);
    if (!name) return ERR_NONE;
    err_set(err, ERR_USAGE, "several processes were started together (%s=%s), and this program works alone", name,
            getenv(name));
    err_advise(err, "start isoscope-mpi, or give each process its --part");
    return ERR_USAGE;
}

void team_end(struct team *team) { (void)team; }
