#include "backend.h"

const struct backend_ops *const backends[BACKEND_COUNT] = { &backend_cpu, &backend_cuda };
