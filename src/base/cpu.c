/* Which instruction sets this CPU has, and which one to use. */
#include <kelvin/base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#define BASELINE "x86-64"
#elif defined(__aarch64__)
#define BASELINE "neon"
#else
#define BASELINE "baseline"
#endif

static const char *const names[KELVIN_ISA_COUNT] = {
    [KELVIN_ISA_BASELINE] = BASELINE, [KELVIN_ISA_X86_64_V3] = "x86-64-v3", [KELVIN_ISA_X86_64_V4] = "x86-64-v4"};

const char *kelvin_isa_name(kelvin_isa isa)
{
    return names[isa];
}

bool kelvin_isa_supported(kelvin_isa isa)
{
    if (isa == KELVIN_ISA_BASELINE) return true;
#if defined(__x86_64__)
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
    if (!v3 || isa == KELVIN_ISA_X86_64_V3) return v3;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

kelvin_status kelvin_isa_choose(kelvin_isa *isa)
{
    const char *wanted = getenv("KELVIN_ISA");
    const bool best = !wanted || !*wanted;
    char known[128] = "";
    for (int i = KELVIN_ISA_COUNT - 1; i >= 0; i--) {
        *isa = (kelvin_isa)i;
        const bool supported = kelvin_isa_supported(*isa);
        if (best ? supported : strcmp(wanted, names[i]) == 0)
            return supported ? KELVIN_OK
                             : kelvin_fail(KELVIN_EUSAGE, "KELVIN_ISA=%s: this CPU does not have it", wanted);
    }
    for (int i = 0; i < KELVIN_ISA_COUNT; i++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    }
    return kelvin_fail(KELVIN_EUSAGE, "KELVIN_ISA=%s is not an instruction set known here; expected one of %s", wanted,
                       known);
}

size_t kelvin_cpu_count(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

const char *kelvin_cpu_name(void)
{
#if defined(__x86_64__)
    static _Thread_local char name[64];
    unsigned int r[12];
    if ((unsigned int)__get_cpuid_max(0x80000000u, NULL) < 0x80000004u) return BASELINE;
    for (unsigned int i = 0; i < 3; i++)
        __get_cpuid(0x80000002u + i, &r[4 * i], &r[4 * i + 1], &r[4 * i + 2], &r[4 * i + 3]);
    memcpy(name, r, sizeof r);
    name[sizeof r] = '\0';
    for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--) name[n - 1] = '\0';
    return name;
#else
    return BASELINE;
#endif
}
