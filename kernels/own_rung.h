/* A user's own rung: a source file that the program compiles, checks in a separate process, and lists after the
 * built-in rungs of the op, as "mine".
 *
 * The file includes this header and the header of its op, which says what a rung must do. Once, outside functions, it
 * says
 *
 *    ISO_MINE(classify) = { { "mine", "what is new about it", false }, run, 32 };
 *
 * with the members of struct classify_rung. A file .c is a rung for the CPU, a file .cu one for CUDA. The latter takes
 * nvcc; without nvcc, a file .cu may have a single kernel instead (own_kernel.h).
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
