// Choice of instruction set. A kernel file (*_kernel.c) is compiled once per set with DV_ISA
// defined, and exports its functions in a table named with DV_KERNEL_NAME:
//
//   const dvSpringKernels DV_KERNEL_NAME(dv_spring_kernels) = {.force = spring_force};
//
// Elsewhere: DV_KERNEL_DECLARE(dvSpringKernels, dv_spring_kernels);
//            const dvSpringKernels *k = DV_KERNEL_CHOOSE(dv_spring_kernels);
#ifndef DV_BASE_ISA_H
#define DV_BASE_ISA_H

#include <stdbool.h>

#define DV_KERNEL_GLUE_(name, isa) name##_##isa
#define DV_KERNEL_GLUE(name, isa) DV_KERNEL_GLUE_(name, isa)
#define DV_KERNEL_NAME(name) DV_KERNEL_GLUE(name, DV_ISA)

#ifdef DV_HAVE_V3
#define DV_KERNEL_DECLARE(type, name) extern const type name##_base, name##_v3
#define DV_KERNEL_CHOOSE(name) (dv_isa_fast() ? &name##_v3 : &name##_base)
// For kernels that are worth a third set, with AVX-512 (CMakeLists.txt names their files).
#define DV_KERNEL_DECLARE_WIDE(type, name) extern const type name##_base, name##_v3, name##_v4
#define DV_KERNEL_CHOOSE_WIDE(name) (dv_isa_wide() ? &name##_v4 : DV_KERNEL_CHOOSE(name))
#else
#define DV_KERNEL_DECLARE(type, name) extern const type name##_base
#define DV_KERNEL_CHOOSE(name) (&name##_base)
#define DV_KERNEL_DECLARE_WIDE DV_KERNEL_DECLARE
#define DV_KERNEL_CHOOSE_WIDE DV_KERNEL_CHOOSE
#endif

// True when the processor has AVX2 and FMA and DIVAN_ISA is not set to "base".
bool dv_isa_fast(void);
// True when it has AVX-512 too and DIVAN_ISA is set to neither "base" nor "v3".
bool dv_isa_wide(void);
const char *dv_isa_name(void);

#endif
