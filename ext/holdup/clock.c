#include <stdio.h>
#include <string.h>

#include "clock.h"

#define CLK_FIRST_SPAN_NS UINT64_C(2000000)

struct clk clk = {.rate = CLK_UNIT, .us = 1e-3};

uint64_t clk_read_ns(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
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

bool clk_counter_is_safe(void)
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
/*
 * Both clocks at one instant: the tightest of a few tries, so a preemption in between does not spoil the
 * rate.
 */
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

uint64_t clk_ticks_at(uint64_t mono_ns)
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

void clk_calibrate(void)
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

void clk_start(void)
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

uint64_t clk_realtime_ns(uint64_t ticks)
{
    return clk.base_real_ns + clk_ns(ticks - clk.base_ticks);
}

void clk_follow_realtime(void)
{
    uint64_t now = clk_now();
    clk.base_real_ns = clk_read_ns(CLOCK_REALTIME) - clk_ns(now - clk.base_ticks);
}
