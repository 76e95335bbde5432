/* NVIDIA's driver: the version on this machine, and the version a build needs. */
#ifndef ISO_DRIVER_H
#define ISO_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRIVER_FILE "/proc/driver/nvidia/version" /* where the driver reports its version */

/* Finds the version, such as "580.95.05", in the driver's file. Returns false and sets "" if there is none. */
bool driver_version(char version[32], const char *path);

/* Writes a sentence for `doctor`: the version found ("": none) and the one that this build needs. toolkit: the CUDA
 * version of the build, 11080 for 11.8; 0: built without CUDA. */
void driver_explain(char *text, size_t size, const char *version, int toolkit);

#ifdef __cplusplus
}
#endif
#endif
