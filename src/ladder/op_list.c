#include "op.h"

#include "kernels/ladders.h"

#define ROW(name, job, alias) extern const struct op op_##name;
LADDERS(ROW)
#undef ROW

#define ROW(name, job, alias) &op_##name,
const struct op *const op_list[] = { LADDERS(ROW) NULL };
#undef ROW

const struct op *op_of(const char *op)
{
    const struct ladder *ladder = ladder_of(op);
    return ladder ? op_list[ladder - ladders] : NULL;
}
