/* The most that a rung can reach, given its own cost: the bytes that it moves, or the share of the float units that its
 * loads leave it. Compared with the measured percentage, it shows whether a rung does what its comment claims. */
#ifndef ISO_ROOF_H
#define ISO_ROOF_H

#include "kernels/rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct roof {
    double moves; /* bytes through memory for each byte that must be moved (inputs read once, outputs written once) */
    double peak;  /* share of the arithmetic peak, from 0 to 1 */
};

/* Members are NAN if nothing is claimed. n: size as the ladder counts it; only some rungs of sort depend on it. */
struct roof roof_of(const char *op, enum backend backend, const struct rung *rung, double n);

/* For tests: calls `each` for every row of the table. */
void roof_each(void (*each)(void *context, const char *op, enum backend backend, const char *rung), void *context);

#ifdef __cplusplus
}
#endif
#endif
