/* What a CUDA device is made of, as numbers: for people who compare it with the limits that rungs run into. */
#ifndef ISO_DEVICE_H
#define ISO_DEVICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct device_fact {
    const char *name; /* a stable word, as in JSON, with the unit at its end if there is one */
    double value;
    int decimals; /* worth to show */
};

enum { DEVICE_FACTS = 32 };

struct device_peak {
    double float_tflops, double_tflops; /* a multiply-add is two operations; NAN: unknown for this compute capability */
};

/* What the lanes of a device could compute if each of them were busy in every cycle. capability: 90 is 9.0. */
struct device_peak device_peak_of(int capability, double multiprocessors, double mhz);

/* Writes what is known of the device to `facts` and returns how many; 0 without a device or without CUDA. */
size_t cuda_device_facts(struct device_fact facts[DEVICE_FACTS], int device);

#ifdef __cplusplus
}
#endif
#endif
