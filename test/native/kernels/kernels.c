/*
 * What of the extension needs no Ruby, as a program: the clock, the arithmetic of units, histograms, the
 * segment and the replay. architectures_test.rb builds it for other CPUs and C libraries and compares what it
 * prints.
 *
 *   kernels FOLDER   writes FOLDER/segment and prints a line for each kernel
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "reader/replay.h"
#include "segment/segment_file.h"
#include "segment/segment_record.h"

#define NS_PER_S UINT64_C(1000000000)
#define UNITS 2000

static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

/* xorshift64: Marsaglia 2003, "Xorshift RNGs" */
static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t checksum(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x100000001b3); /* FNV-1a, by words */
}

/* Ticks against the system's clock, over spans of 20 ms: the worst ratio, and what ran backwards. */
static void clocks(void)
{
    clk_start();
    double worst = 1;
    uint64_t backwards = 0, last = clk_now();
    for (int i = 0; i < 10; i++) {
        uint64_t ticks = clk_now(), ns = clk_read_ns(CLOCK_MONOTONIC), passed;
        do {
            uint64_t now = clk_now();
            if (now < last) backwards++;
            last = now;
            passed = clk_read_ns(CLOCK_MONOTONIC) - ns;
        } while (passed < NS_PER_S / 50);
        double ratio = (double)clk_ns(clk_now() - ticks) / (double)(clk_read_ns(CLOCK_MONOTONIC) - ns);
        if (ratio > worst || 1 / ratio > worst) worst = ratio > 1 ? ratio : 1 / ratio;
        clk_calibrate();
    }
    printf("clock_counter %d\n", clk.counter);
    printf("clock_worst_ratio %.4f\n", worst);
    printf("clock_backwards %" PRIu64 "\n", backwards);
}

/* Values of all sizes, each octave alike. */
static uint64_t value(void)
{
    return (draw() >> (draw() % 64)) | 1;
}

static void histograms(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t one = value();
        if (one > HIST_ZERO_MAX) sum = checksum(sum, hist_slot(one));
    }
    printf("histogram_slots %" PRIu64 "\n", sum);
}

static measurement_t unit(void)
{
    totals_t span = {.running = draw() >> 40, .stalled = draw() >> 38, .caused = draw() >> 40,
                     .idle = {draw() >> 37, draw() >> 42, draw() >> 45}, .gc = draw() >> 46,
                     .native_ns = draw() >> 43, .acquisitions = draw() >> 58, .squares = draw() >> 50};
    measurement_t m = {.queued_ns = draw() >> 42, .in_flight_milli = 1000, .started_ns = 1};
    unit_convert(&span, draw() >> 40, &m);
    return m;
}

/* Parts of a unit that do not add up to it. */
static void units_add_up(void)
{
    uint64_t wrong = 0;
    for (int i = 0; i < 100000; i++) {
        measurement_t m = unit();
        wrong += m.running_ns + m.stalled_ns + m.idle_ns != m.wall_ns;
        wrong += m.io_ns + m.lock_ns + m.sleep_ns + m.native_ns != m.idle_ns;
        wrong += m.cpu_ns + m.starved_ns != m.running_ns;
    }
    printf("units_wrong %" PRIu64 "\n", wrong);
}

/* Units of three endpoints; what the segment has to say of them. */
static void segments(const char *folder)
{
    static const char *const names[] = {"GET /orders", "GET /caf\xc3\xa9", "ReportJob"};
    char path[4096];
    snprintf(path, sizeof(path), "%s/segment", folder);
    int failed = seg_open(path, false, (seg_room_t){16, 256, SEG_PAIRS}, 0, 1);
    if (failed) {
        printf("segment_failed %s\n", strerror(failed));
        return;
    }
    uint64_t wall[3] = {0}, count[3] = {0};
    for (int i = 0; i < UNITS; i++) {
        int which = (int)(draw() % 3);
        measurement_t m = unit();
        const seg_key_t key = {which == 2 ? SEG_JOB : SEG_REQUEST, seg_text(names[which]),
                               seg_text(which == 2 ? "low" : ""), seg_text(""), seg_text("")};
        seg_lock();
        seg_record(&key, seg_text(""), &m, i % 10 == 0);
        seg_commit();
        seg_unlock();
        wall[which] += m.wall_ns;
        count[which]++;
    }
    seg_close();
    for (int i = 0; i < 3; i++)
        printf("segment %s,%" PRIu64 ",%" PRIu64 "\n", names[i], count[i], wall[i]);
}

/* One process with five threads, 80 % busy: means in microseconds. */
static void replays(void)
{
    static rp_unit_t trace[UNITS];
    static rp_result_t results[UNITS];
    static rp_live_t live[UNITS];
    static rp_io_t heap[UNITS];
    uint64_t at = 0;
    for (int i = 0; i < UNITS; i++) {
        at += draw() % (2 * 25 * NS_PER_S / 1000);
        trace[i] = (rp_unit_t){.arrival_ns = at, .held_ns = 20000000, .idle_ns = 30000000, .holds = 11,
                               .gaps = 10, .in_flight_milli = 1000};
    }
    rp_group_t group = {.processes = 1, .pools = 1, .slice = 1e8};
    rp_process_t process = {.holder = RP_NONE, .ends_at = RP_NEVER, .handoff_at = RP_NEVER,
                            .slice_at = RP_NEVER};
    rp_pool_t pool = {.threads = 5};
    rp_t replay = {.options = {.vcpus = 1, .recorded_processes = 1, .rest_half = 1, .own = UNITS,
                               .limit = UNITS},
                   .units = trace, .results = results, .live = live, .count = UNITS,
                   .groups = &group, .processes = &process, .pools = &pool, .process_count = 1, .heap = heap,
                   .random = 1};
    for (int i = 0; i < RP_HANDOFFS; i++) replay.options.handoff[i] = 5000;
    replay.arrived[1] = UNITS;
    rp_run(&replay);
    double stalled = 0, response = 0;
    for (int i = 0; i < UNITS; i++) {
        stalled += (double)results[i].stalled_ns;
        response += (double)results[i].response_ns;
    }
    printf("replay_done %" PRIu32 "\n", replay.done);
    printf("replay_stalled_us %.3f\n", stalled / UNITS / 1000);
    printf("replay_response_us %.3f\n", response / UNITS / 1000);
}

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: kernels FOLDER\n");
        return 2;
    }
    clocks();
    histograms();
    units_add_up();
    segments(words[1]);
    replays();
    return 0;
}
