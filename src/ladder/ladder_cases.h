/* Runs all quick cases of an op for each rung, in this process. mine_child.h does so in another process, for a rung of
 * the user's own. */
#ifndef ISO_LADDER_CASES_H
#define ISO_LADDER_CASES_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks the rungs of rows[0 .. count - 1] with the cases. Writes to each row how many cases were right. After the
 * first case that goes wrong, the row has its outcome and a clause that begins with the case's name, and no more cases
 * are checked. Leaves out rungs that are wrong by design, and cases that a rung refuses or that memory cannot hold.
 * Leaves `x` as it was. */
void ladder_cases(struct rung_row *rows, size_t count, const struct op *op, const struct backend_ops *ops, struct exec *x);

#ifdef __cplusplus
}
#endif
#endif
