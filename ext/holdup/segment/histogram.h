/*
 * Base-2 exponential histogram, fixed scale 4 (16 buckets an octave, error <= 2.2 %): bucket i counts values
 * in (2^(i/16), 2^((i+1)/16)], OpenTelemetry's rule and Prometheus' native schema 4. Kept from 2^10 ns (1 us)
 * to 2^42 ns (73 min); below is the zero count, above the last bucket. Merging is addition.
 * lib/holdup/model/histogram.rb is the oracle.
 */
#ifndef HOLDUP_HISTOGRAM_H
#define HOLDUP_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HIST_SCALE 4
#define HIST_BUCKETS 512
#define HIST_MIN_INDEX 160
#define HIST_ZERO_MAX UINT64_C(1024)
/* First bytes of the two forms in which stores keep one: Histogram::Codec. */
#define HIST_DENSE 1
#define HIST_SPARSE 0x11

typedef struct {
    uint64_t count, sum, min, max, zero, lo, hi, spare;
    uint64_t buckets[HIST_BUCKETS];
} histogram_t;

/*
 * floor(2^(63 + k/16)). A normalised integer lies above the irrational 2^(63 + k/16) exactly when it exceeds
 * this.
 */
static const uint64_t hist_bounds[17] = {
    0x8000000000000000ULL, 0x85aac367cc487b14ULL, 0x8b95c1e3ea8bd6e6ULL, 0x91c3d373ab11c336ULL,
    0x9837f0518db8a96fULL, 0x9ef5326091a111adULL, 0xa5fed6a9b15138eaULL, 0xad583eea42a14ac6ULL,
    0xb504f333f9de6484ULL, 0xbd08a39f580c36beULL, 0xc5672a115506daddULL, 0xce248c151f8480e3ULL,
    0xd744fccad69d6af4ULL, 0xe0ccdeec2a94e111ULL, 0xeac0c6e7dd24392eULL, 0xf5257d152486cc2cULL,
    UINT64_MAX, /* no value is above it */
};

/* How many bounds lie below each 32nd part of an octave, in which there is one more at most. */
static const uint8_t hist_below_part[32] = {
    0, 1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8, 9, 9,
    10, 10, 11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 15, 16, 16,
};

/* Index of a value > 0: ceil(log2(value) * 16) - 1, in integers. */
static inline int64_t hist_index(uint64_t value)
{
    int exponent = 63 - __builtin_clzll(value);
    uint64_t normal = value << (63 - exponent);
    int above = hist_below_part[(normal >> 58) & 31]; /* how many bounds lie below */
    above += normal > hist_bounds[above];
    return (int64_t)exponent * 16 + above - 1;
}

/* The largest integer below a slot, which is also the largest in the slot before it. */
static inline uint64_t hist_below(uint64_t slot)
{
    uint64_t index = HIST_MIN_INDEX + slot;
    return hist_bounds[index % 16] >> (63 - index / 16);
}

/* Slot of a value > HIST_ZERO_MAX in `buckets`. */
static inline uint64_t hist_slot(uint64_t value)
{
    int64_t slot = hist_index(value) - HIST_MIN_INDEX;
    return slot < HIST_BUCKETS ? (uint64_t)slot : HIST_BUCKETS - 1;
}

static inline void hist_store(uint64_t *word, uint64_t value)
{
    *word = value;
}

/*
 * Adds one value. `set` changes a word: hist_store, or, in the segment, by the redo log. Inlined, so that
 * `set` is inlined too.
 */
static inline __attribute__((always_inline)) void hist_observe(histogram_t *h, uint64_t value,
                                                               void (*set)(uint64_t *word, uint64_t value))
{
    bool first = h->count == 0;
    set(&h->count, h->count + 1);
    if (value) set(&h->sum, h->sum + value);
    if (first || value < h->min) set(&h->min, value);
    if (value > h->max) set(&h->max, value);
    if (value <= HIST_ZERO_MAX) {
        set(&h->zero, h->zero + 1);
        return;
    }
    uint64_t slot = hist_slot(value);
    set(&h->buckets[slot], h->buckets[slot] + 1);
    if (slot < h->lo) set(&h->lo, slot);
    if (slot > h->hi) set(&h->hi, slot);
}

#endif
