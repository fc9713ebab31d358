/*
 * The time base. The hook reads ticks and nothing else; ticks become nanoseconds when a unit ends.
 *
 * Ticks are the TSC where the kernel itself trusts it (its clocksource is "tsc" and the CPU says constant and nonstop),
 * the virtual counter on arm64, and CLOCK_MONOTONIC elsewhere. Three TSC reads are nearly free beside three vDSO calls.
 */
#ifndef HOLDUP_CLOCK_H
#define HOLDUP_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#define CLK_COUNTER() __rdtsc()
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
#define CLK_FIRST_SPAN_NS UINT64_C(2000000)

static struct {
    bool counter;          /* ticks come from the CPU's counter */
    uint64_t rate;         /* ns per tick, 32.32 */
    double us;             /* the same in us per tick */
    uint64_t base_ticks;   /* one instant in all three clocks */
    uint64_t base_mono_ns;
    uint64_t base_real_ns;
} clk = {false, CLK_UNIT, 1e-3, 0, 0, 0};

static inline uint64_t clk_read_ns(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clk_now(void)
{
#ifdef CLK_COUNTER
    if (clk.counter) return CLK_COUNTER();
#endif
    return clk_read_ns(CLOCK_MONOTONIC);
}

/* A duration in ticks, as nanoseconds. */
static inline uint64_t clk_ns(uint64_t ticks)
{
    return (uint64_t)(((unsigned __int128)ticks * __atomic_load_n(&clk.rate, __ATOMIC_RELAXED)) >> 32);
}

/*
 * A sum of differences whose ends may be taken in the other order than they are counted (an edge's time before the ledger is read,
 * those of two CPUs): while it is less than nothing it is told as nothing, not as the largest number there is.
 */
static inline uint64_t clk_sum_ns(uint64_t ticks)
{
    return (int64_t)ticks > 0 ? clk_ns(ticks) : 0;
}

static inline uint64_t clk_cpu_ns(void)
{
    return clk_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t clk_realtime_ns(uint64_t ticks)
{
    return clk.base_real_ns + clk_ns(ticks - clk.base_ticks);
}

#ifdef __x86_64__
static bool clk_file_has(const char *path, const char *word)
{
    char text[4096];
    FILE *file = fopen(path, "r");
    if (!file) return false;
    size_t length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    return strstr(text, word) != NULL;
}
#endif

static bool clk_counter_is_safe(void)
{
#if defined(__x86_64__)
    return clk_file_has("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc") &&
           clk_file_has("/proc/cpuinfo", "constant_tsc") && clk_file_has("/proc/cpuinfo", "nonstop_tsc");
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

#ifdef CLK_COUNTER
/* Both clocks at one instant: the tightest of a few tries, so a preemption in between does not spoil the rate. */
static void clk_pair(uint64_t *ticks, uint64_t *mono_ns)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = CLK_COUNTER();
        uint64_t ns = clk_read_ns(CLOCK_MONOTONIC);
        uint64_t after = CLK_COUNTER();
        if (after - before >= best) continue;
        best = after - before;
        *ticks = before + best / 2;
        *mono_ns = ns;
    }
}
#endif

/* The ticks of a moment of CLOCK_MONOTONIC that is not long ago. */
static uint64_t clk_ticks_at(uint64_t mono_ns)
{
#ifdef CLK_COUNTER
    uint64_t ticks = 0, now_ns = 0;
    if (clk.counter) {
        clk_pair(&ticks, &now_ns);
        return ticks - (uint64_t)(((unsigned __int128)(now_ns - mono_ns) << 32) / clk.rate);
    }
#endif
    return mono_ns;
}

/* Again at every tick: the longer the base, the better the rate (50 ns over 1 s is 0.05 ppm). */
static void clk_calibrate(void)
{
#ifdef CLK_COUNTER
    uint64_t ticks = 0, mono_ns = 0;
    if (!clk.counter) return;
    clk_pair(&ticks, &mono_ns);
    if (ticks <= clk.base_ticks) return;
    unsigned __int128 span = (unsigned __int128)(mono_ns - clk.base_mono_ns) << 32;
    uint64_t rate = (uint64_t)(span / (ticks - clk.base_ticks));
    __atomic_store_n(&clk.rate, rate, __ATOMIC_RELAXED);
    clk.us = (double)rate / (double)CLK_UNIT / 1000.0;
#endif
}

static void clk_start(void)
{
    if (clk.base_ticks) return;
#ifdef CLK_COUNTER
    clk.counter = clk_counter_is_safe();
    if (clk.counter) {
        clk_pair(&clk.base_ticks, &clk.base_mono_ns);
        clk.base_real_ns = clk_read_ns(CLOCK_REALTIME);
        while (clk_read_ns(CLOCK_MONOTONIC) - clk.base_mono_ns < CLK_FIRST_SPAN_NS) { }
        clk_calibrate();
        return;
    }
#endif
    clk.base_ticks = clk.base_mono_ns = clk_read_ns(CLOCK_MONOTONIC);
    clk.base_real_ns = clk_read_ns(CLOCK_REALTIME);
}

/* Real time may be stepped by NTP; the base follows it at each tick, so that no unit is dated by an old base. */
static void clk_follow_realtime(void)
{
    uint64_t now = clk_now();
    clk.base_real_ns = clk_read_ns(CLOCK_REALTIME) - clk_ns(now - clk.base_ticks);
}

#endif
