/* NVIDIA's driver: which one this machine has, and which a build needs. */
#ifndef ISO_DRIVER_H
#define ISO_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRIVER_FILE "/proc/driver/nvidia/version" /* where the driver tells its version */

/* Finds the version, as "580.95.05", in the driver's file. Returns false, and sets "", if there is none. */
bool driver_version(char version[32], const char *path);

/* Writes a sentence for `doctor`: the driver found ("": none), and what a build with CUDA `toolkit` (11080: 11.8, 0: built
 * without) needs. */
void driver_explain(char *text, size_t size, const char *version, int toolkit);

#ifdef __cplusplus
}
#endif
#endif
