/*
 * The numbers of a unit: the one list of its states, sums and histograms. From it come measurement_t
 * (unit/measurement.h), the counters and histograms of a series in the segment, and by `bin/generate`
 * lib/holdup/model/unit_numbers.rb, from which Ruby has measurements, windows, columns of stores and JSON.
 *
 * Each row is X(constant, name). The order is that of the segment: a change here is a new SEG_VERSION.
 */
#ifndef HOLDUP_UNIT_NUMBERS_H
#define HOLDUP_UNIT_NUMBERS_H

/*
 * The states of a unit add up to its elapsed time. Those in which it holds the GVL, then stalled, of which
 * there is a histogram, then those in which it neither holds nor wants it.
 */
#define UNIT_RUNNING_STATES(X)                                                                               \
    X(SEG_CPU, cpu_ns)                                                                                       \
    X(SEG_STARVED, starved_ns)

#define UNIT_IDLE_STATES(X)                                                                                  \
    X(SEG_IO, io_ns)                                                                                         \
    X(SEG_LOCK, lock_ns)                                                                                     \
    X(SEG_SLEEP, sleep_ns)                                                                                   \
    X(SEG_NATIVE, native_ns)

/*
 * hold_squares_us2: sum over the holds of (length in microseconds) squared. pool_wait_ns: the part of sleep
 * or lock in which it waited for a database connection; pool_held_ns: for how long it kept connections from
 * others. objects to slot_objects: see hook/allocations.h.
 */
#define UNIT_SUMS(X)                                                                                         \
    UNIT_RUNNING_STATES(X)                                                                                   \
    UNIT_IDLE_STATES(X)                                                                                      \
    X(SEG_GC, gc_ns)                                                                                         \
    X(SEG_CAUSED, caused_ns)                                                                                 \
    X(SEG_ACQUISITIONS, acquisitions)                                                                        \
    X(SEG_PREEMPTIONS, preemptions)                                                                          \
    X(SEG_SQUARES, hold_squares_us2)                                                                         \
    X(SEG_POOL_WAIT, pool_wait_ns)                                                                           \
    X(SEG_POOL_HELD, pool_held_ns)                                                                           \
    X(SEG_OBJECTS, objects)                                                                                  \
    X(SEG_OBJECTS_OWN, objects_own_ns)                                                                       \
    X(SEG_OBJECTS_OTHERS, objects_others_ns)                                                                 \
    X(SEG_MALLOC, malloc_bytes)                                                                              \
    X(SEG_SLOT_BYTES, slot_bytes)                                                                            \
    X(SEG_SLOT_OBJECTS, slot_objects)

/* Durations in ns. Of the times, threads outside of units have sums without a distribution. */
#define UNIT_TIMES(X)                                                                                        \
    X(SEG_WALL, wall)                                                                                        \
    X(SEG_RUNNING, running)                                                                                  \
    X(SEG_STALLED, stalled)                                                                                  \
    X(SEG_IDLE, idle)

#define UNIT_HISTOGRAMS(X)                                                                                   \
    UNIT_TIMES(X)                                                                                            \
    X(SEG_QUEUED, queued)                                                                                    \
    X(SEG_LONGEST, longest_hold)

#define UNIT_CONSTANT(constant, name) constant,
#define UNIT_ONE(constant, name) +1
#define UNIT_SUM_MEMBER(constant, name) uint64_t name;
#define UNIT_HISTOGRAM_MEMBER(constant, name) uint64_t name##_ns;

enum seg_counter { UNIT_SUMS(UNIT_CONSTANT) SEG_SUMS };
enum seg_histogram { UNIT_HISTOGRAMS(UNIT_CONSTANT) SEG_HISTOGRAMS };
enum { SEG_TIMES = 0 UNIT_TIMES(UNIT_ONE) };

#endif
