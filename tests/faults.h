/* Injects faults, for tests/faults*.c. ISO_FAULT lists them, separated by spaces:
 *
 *    malloc:N  gl:N  cuda:N   the N-th call that can run out of memory fails; N+: so do all later calls
 *    disk:N                   the N-th pread, pwrite, fallocate or fsync of a file fails; N+: so do all later ones
 *    folder:N                 the N-th fsync of a folder fails; N+: so do all later ones
 *    kill:N                   the process is killed (SIGKILL) at its N-th such call, or of rename, unlink, mkdir or rmdir
 *    signal=K                 ... by signal K in place of SIGKILL
 *    named=1                  the file system has no files without a name (O_TMPFILE), as NFS
 *    lost:N                   all CUDA calls from the N-th on report a lost GPU (719)
 *    astray:N                 the N-th CUDA kernel gets invalid arguments, and the GPU itself reports an error
 *    cudaSomeFunction=CODE    the function always returns CODE
 *    side=N                   OpenGL says that it has no textures larger than N x N
 *    pretended=K              simulates a CUDA device with K KiB; kernels do nothing
 *    slow=MS                  copies of a megabyte or more take MS on the simulated device
 *
 * ISO_FAULT_COUNT=FILE: receives the number of calls of each kind at exit.
 * ISO_FAULT_CALLERS=FILE: ... and, a line each, "KIND NUMBER CALLERS" of the calls that were the first or the last with
 * these callers, which are a hash of the functions on the stack. */
#ifndef ISO_FAULTS_H
#define ISO_FAULTS_H

#include <stdbool.h>

enum fault { FAULT_MALLOC, FAULT_GL, FAULT_CUDA, FAULT_DISK, FAULT_FOLDER, FAULT_KILL, FAULTS };

/* Counts a call of `kind`; returns whether the call must fail. */
bool fault_due(enum fault kind);

/* The value of `NAME=` or `NAME:` in ISO_FAULT; 0: absent. Sets *onward if a plus follows. */
long fault_asked(const char *name, char separator, bool *onward);

/* Calls of `kind` so far. */
long fault_calls(enum fault kind);

#endif
