#define FUSED_AVX512 fused_avx512
#include "fused_cpu_avx512.inc"
