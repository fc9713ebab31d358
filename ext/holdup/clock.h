/*
 * The time base. The hook reads ticks and nothing else; ticks become nanoseconds when a unit ends.
 *
 * Ticks are the TSC where the kernel itself trusts it (its clocksource is "tsc" and the CPU says constant and
 * nonstop), the virtual counter on arm64, and CLOCK_MONOTONIC elsewhere. Three TSC reads cost little against
 * three vDSO calls.
 */
#ifndef HOLDUP_CLOCK_H
#define HOLDUP_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "shared.h"

#if defined(__x86_64__)
/* <x86intrin.h>, which names it __rdtsc, is so large that most files would take twice as long to compile. */
#define CLK_COUNTER() __builtin_ia32_rdtsc()
#elif defined(__aarch64__)
static inline uint64_t clk_cntvct(void)
{
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}
#define CLK_COUNTER() clk_cntvct()
#endif

#define CLK_UNIT (UINT64_C(1) << 32) /* rates are 32.32 fixed point: nanoseconds per tick */

struct clk {
    bool counter;          /* ticks come from the CPU's counter */
    uint64_t rate;         /* ns per tick, 32.32; atomic */
    double us;             /* the same in us per tick */
    uint64_t base_ticks;   /* one instant in all three clocks */
    uint64_t base_mono_ns;
    uint64_t base_real_ns;
};

SHARED struct clk clk;

/* The function is out of line: inside the hook its room would cost each event. */
uint64_t clk_read_ns(clockid_t id);

static inline uint64_t clk_now(void)
{
#ifdef CLK_COUNTER
    if (__builtin_expect(clk.counter, 1)) return CLK_COUNTER();
#endif
    return clk_read_ns(CLOCK_MONOTONIC);
}

/* A duration in ticks, as nanoseconds. */
static inline uint64_t clk_ns(uint64_t ticks)
{
    return (uint64_t)(((unsigned __int128)ticks * __atomic_load_n(&clk.rate, __ATOMIC_RELAXED)) >> 32);
}

/*
 * A sum of differences. Their ends may be read in another order than they are counted (an edge reads its time
 * before the ledger; CPUs differ): a sum below zero is 0, not a huge number.
 */
static inline uint64_t clk_sum_ns(uint64_t ticks)
{
    return (int64_t)ticks > 0 ? clk_ns(ticks) : 0;
}

static inline uint64_t clk_cpu_ns(void)
{
    return clk_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The clock is started before its first use. Takes 2 ms the first time, for a first rate. */
void clk_start(void);

bool clk_counter_is_safe(void);

uint64_t clk_realtime_ns(uint64_t ticks);

/* The ticks of a moment of CLOCK_MONOTONIC that is not long ago. */
uint64_t clk_ticks_at(uint64_t mono_ns);

/* Called at every tick: the longer the base, the better the rate (50 ns over 1 s is 0.05 ppm). */
void clk_calibrate(void);

/* NTP may step real time; the base follows it at each tick, so that no unit is dated by an old base. */
void clk_follow_realtime(void);

#endif
