/* All quick cases of an op for each rung, in this process; mine_child.h does so for a rung of one's own, in another. */
#ifndef ISO_LADDER_CASES_H
#define ISO_LADDER_CASES_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks the rungs of rows[0 .. count - 1] with the cases. Writes to each row how many were right, and where one goes wrong
 * the outcome with a clause that begins with its name: that case is the row's last. Rungs that are wrong by design are left
 * out, and so are cases that a rung refuses or that memory cannot hold. `x` is as it was afterwards. */
void ladder_cases(struct rung_row *rows, size_t count, const struct op *op, const struct backend_ops *ops, struct exec *x);

#ifdef __cplusplus
}
#endif
#endif
