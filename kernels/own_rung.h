/* A rung of one's own: a source file that the program compiles, checks in a process of its own, and puts behind the
 * built-in rungs of the op, as "mine".
 *
 * The file includes the header of its op, which says what a rung must do, and this one; and it says, once and outside
 * functions,
 *
 *    ISO_MINE(classify) = { { "mine", "what is new about it", false }, run, 32 };
 *
 * with the members of struct classify_rung. A file .c is a rung for the CPU, a file .cu one for CUDA. That takes nvcc;
 * where there is none, a file .cu may have a single kernel in its place (own_kernel.h).
 * `isoscope ladder OP --template` prints a file to start from. */
#ifndef ISO_OWN_RUNG_H
#define ISO_OWN_RUNG_H

#ifdef __cplusplus
#define ISO_MINE(op)                             \
    extern "C" const struct op##_rung op##_mine; \
    const struct op##_rung op##_mine
#else
#define ISO_MINE(op)                         \
    extern const struct op##_rung op##_mine; \
    const struct op##_rung op##_mine
#endif

#endif
