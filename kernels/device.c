#include "device.h"

#include <math.h>

/* Multiply-adds per cycle and multiprocessor: "Throughput of Native Arithmetic Instructions", CUDA C++ Programming
 * Guide. */
static const struct {
    int capability, floats, doubles;
} lanes[] = {
    { 60, 64, 32 }, { 61, 128, 4 }, { 62, 128, 4 }, { 70, 64, 32 },  { 75, 64, 2 },
    { 80, 64, 32 }, { 86, 128, 2 }, { 89, 128, 2 }, { 90, 128, 64 },
};

static double tflops(int per_cycle, double multiprocessors, double mhz) { return 2e-6 * per_cycle * multiprocessors * mhz; }

struct device_peak device_peak_of(int capability, double multiprocessors, double mhz)
{
    for (unsigned i = 0; i < sizeof lanes / sizeof lanes[0]; i++)
        if (lanes[i].capability == capability)
            return (struct device_peak){ tflops(lanes[i].floats, multiprocessors, mhz),
                                         tflops(lanes[i].doubles, multiprocessors, mhz) };
    return (struct device_peak){ NAN, NAN };
}
