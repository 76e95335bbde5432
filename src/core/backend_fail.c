#include "backend_fail.h"

int backend_fail(const struct backend_ops *ops, int code, const char *doing, struct err *err)
{
    err_set(err, ERR_FAILED, "%s failed on the %s backend: %s", doing, ops->name, ops->explain(code));
    return err_blame(err, ERR_FAILED, CAUSE_BACKEND);
}
