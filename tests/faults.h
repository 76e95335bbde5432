/* Faults made to order, for tests/faults*.c. ISO_FAULT says which, items apart by spaces:
 *
 *    malloc:N  gl:N  cuda:N   the N-th call that can run out of memory fails; N+: that one and all after it
 *    lost:N                   from the N-th CUDA call on every one says that the GPU is lost (719)
 *    astray:N                 the N-th CUDA kernel gets nonsense for arguments, so that the GPU itself reports an error
 *    cudaSomeFunction=CODE    that function always gives that code
 *    pretended=K              there is a CUDA device with K KiB, whose kernels do nothing
 *    slow=MS                  on it a copy of a megabyte or more takes so long
 *
 * ISO_FAULT_COUNT=FILE: how many calls of each kind there were is written there at the end. */
#ifndef ISO_FAULTS_H
#define ISO_FAULTS_H

#include <stdbool.h>

enum fault { FAULT_MALLOC, FAULT_GL, FAULT_CUDA, FAULTS };

/* Counts a call of that kind; whether it is to fail. */
bool fault_due(enum fault kind);

/* The value of `NAME=` or `NAME:` in ISO_FAULT; 0: it is not there. *onward: a plus follows. */
long fault_asked(const char *name, char separator, bool *onward);

/* Calls of that kind so far. */
long fault_calls(enum fault kind);

#endif
