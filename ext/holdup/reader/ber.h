/*
 * Numbers as varints, BER-compressed integers (pack "w" in Ruby): seven bits in each byte, the highest first,
 * and the eighth bit in all but the last. The one encoding of histograms in stores and of checkpoints.
 */
#ifndef HOLDUP_BER_H
#define HOLDUP_BER_H

#include <stdbool.h>
#include <stdint.h>

#define BER_MOST_BYTES 10

/* Writes a number; returns where the next one begins. */
static inline uint8_t *ber_put(uint8_t *at, uint64_t number)
{
    int shift = 0;
    while (shift < 63 && number >> shift >> 7) shift += 7;
    for (; shift > 0; shift -= 7) *at++ = 0x80 | ((number >> shift) & 0x7f);
    *at++ = number & 0x7f;
    return at;
}

/* Reads a number and moves `at` behind it. False where it ends early or has more than 64 bits. */
static inline bool ber_take(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    *number = 0;
    while (*at < end) {
        uint8_t byte = *(*at)++;
        if (*number >> 57) return false;
        *number = *number << 7 | (byte & 0x7f);
        if (!(byte & 0x80)) return true;
    }
    return false;
}

#endif
