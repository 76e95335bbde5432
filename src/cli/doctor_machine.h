/* Facts on the processor and the GPU, for `doctor`: the numbers that limit a rung's speed. */
#ifndef ISO_DOCTOR_MACHINE_H
#define ISO_DOCTOR_MACHINE_H

#include "report.h"

/* Prints the facts: in JSON as members that begin with "cpu_" or "cuda_", otherwise as two lists. Leaves out what the
 * system does not tell. */
void doctor_machine(struct report *report);

#endif
