/* Chooses the level of the hot loops for this processor. */
#include "gersh/base.h"
#include "linalg/kernels.h"

extern const gersh__kernels gersh__kernels_baseline;

#if defined(__x86_64__)

extern const gersh__kernels gersh__kernels_avx2;
extern const gersh__kernels gersh__kernels_avx512;

const gersh__kernels *gersh__kernels_here(void)
{
    /* The sets of instructions that -march=x86-64-v4 and -v3 let the compiler use. */
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd"))
        return &gersh__kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        return &gersh__kernels_avx2;
    return &gersh__kernels_baseline;
}

#else

const gersh__kernels *gersh__kernels_here(void)
{
    return &gersh__kernels_baseline;
}

#endif

const char *gersh_cpu_level(void)
{
    return gersh__kernels_here()->level;
}
