/*
 * Prints the numbers and names of the segment's layout, a name and its value on each line. bin/generate
 * writes them into Ruby.
 */
#include <stdio.h>

#include "segment/segment_layout.h"

#define NUMBER(name, value) printf(name " %llu\n", (unsigned long long)(value))
#define OFFSET_IN_HEADER(name, member) NUMBER(name, offsetof(seg_header_t, member))
#define OFFSET_IN_SERIES(name, member) NUMBER(name, offsetof(seg_series_t, member))
#define OFFSET_IN_TABLE(name, member) NUMBER(name, offsetof(seg_open_table_t, member))
#define OFFSET_IN_SLOT(name, member) NUMBER(name, offsetof(seg_open_unit_t, member))
#define ROOM(name, member) NUMBER(name, sizeof(((seg_series_t *)0)->member))
#define PRINT_NAME(constant, name) printf(" " #name);
#define PRINT_LIST(name, list)                                                                               \
    printf(name);                                                                                            \
    list(PRINT_NAME) printf("\n")

static void print_header(void)
{
    printf("MAGIC %s\n", SEG_MAGIC);
    NUMBER("VERSION", SEG_VERSION);
    printf("DIGEST %s\n", SEG_DIGEST);
    NUMBER("HEADER_BYTES", SEG_HEADER_BYTES);
    OFFSET_IN_HEADER("PID", pid);
    OFFSET_IN_HEADER("SEQ", seq);
    OFFSET_IN_HEADER("SERIES_COUNT", series_count);
    OFFSET_IN_HEADER("RING_HEAD", ring_head);
    OFFSET_IN_HEADER("LOG_LENGTH", log_length);
    OFFSET_IN_HEADER("SETTING_SEQ", setting_seq);
    OFFSET_IN_HEADER("SETTING_LENGTH", setting_length);
    OFFSET_IN_HEADER("STATE", state);
    OFFSET_IN_HEADER("HEARTBEAT", heartbeat_ns);
    OFFSET_IN_HEADER("PROFILE_SEQ", profile_seq);
    OFFSET_IN_HEADER("PROFILE_LENGTH", profile_length);
    OFFSET_IN_HEADER("CAPTURE_REQUEST", capture_request);
    OFFSET_IN_HEADER("CAPTURE_RULE", capture_rule);
    OFFSET_IN_HEADER("TICK_SEQ", tick_seq);
    OFFSET_IN_HEADER("FOLDER", folder);
    OFFSET_IN_HEADER("COUNTERS_OFFSET", counters);
    OFFSET_IN_HEADER("GAUGES_OFFSET", gauges);
    NUMBER("CLOSED", SEG_CLOSED);
    NUMBER("LOCKED", SEG_LOCKED);
    NUMBER("MOVED", SEG_MOVED);
    NUMBER("COUNTER_SLOTS", SEG_PROCESS_COUNTERS);
    NUMBER("GAUGE_SLOTS", SEG_GAUGES);
    NUMBER("POOLS", SEG_POOLS);
    NUMBER("POOLS_BUSY_AT", SEG_P_POOLS_BUSY);
    PRINT_LIST("COUNTERS", SEG_PROCESS_COUNTS);
    NUMBER("PROFILE_OFFSET", SEG_PROFILE_OFFSET);
    NUMBER("PROFILE_BYTES", SEG_PROFILE_BYTES);
    NUMBER("SETTING_OFFSET", SEG_SETTING_OFFSET);
    NUMBER("SETTING_BYTES", SEG_SETTING_BYTES);
    NUMBER("LOG_OFFSET", SEG_LOG_OFFSET);
    NUMBER("LOG_PAIRS", SEG_LOG_ENTRIES);
    NUMBER("PAIRS_OFFSET", SEG_PAIRS_OFFSET);
    NUMBER("PAIRS", SEG_PAIRS);
    NUMBER("PAIR_BYTES", sizeof(seg_pair_t));
    PRINT_LIST("PAIR_KINDS", SEG_PAIR_KINDS);
    NUMBER("PAIR_UNRECORDED", SEG_PAIR_UNRECORDED);
    NUMBER("PAIR_HANDOFF", SEG_PAIR_HANDOFF);
    NUMBER("PAIR_OTHERS", SEG_PAIR_OTHERS);
    NUMBER("PAIR_UNKNOWN", SEG_PAIR_UNKNOWN);
    NUMBER("RING_OFFSET", SEG_RING_OFFSET);
    NUMBER("RING_ENTRY_BYTES", sizeof(seg_ring_t));
    NUMBER("SLOWEST", SEG_SLOWEST);
    NUMBER("SLOWEST_EACH", SEG_SLOWEST_EACH);
    NUMBER("SLOWEST_PARTS", SEG_SLOWEST_PARTS);
    NUMBER("SLOWEST_BYTES", sizeof(seg_slowest_t));
    NUMBER("SLOWEST_LIST_BYTES", sizeof(seg_slowest_list_t));
    NUMBER("SLOWEST_UNITS_AT", offsetof(seg_slowest_list_t, units));
    NUMBER("PART_CALL", SEG_PART_CALL);
    NUMBER("PART_PAIR", SEG_PART_PAIR);
    NUMBER("PART_OPEN", SEG_PART_OPEN);
    NUMBER("PAGE_BYTES", SEG_PAGE);
}

static void print_open_units(void)
{
    NUMBER("OPEN_UNITS", SEG_OPEN_UNITS);
    NUMBER("OPEN_TABLE_BYTES", sizeof(seg_open_table_t));
    OFFSET_IN_TABLE("OPEN_HOLDER_SEQ", holder_seq);
    OFFSET_IN_TABLE("OPEN_HOLDERS_AT", holders);
    NUMBER("OPEN_HOLDER_BYTES", sizeof(seg_open_holder_t));
    OFFSET_IN_TABLE("OPEN_SLOTS_AT", units);
    NUMBER("OPEN_SLOT_BYTES", sizeof(seg_open_unit_t));
    OFFSET_IN_SLOT("OPEN_HEAD_BYTES", queue);
    OFFSET_IN_SLOT("OPEN_QUEUE_AT", queue);
    OFFSET_IN_SLOT("OPEN_POOL_AT", pool);
    OFFSET_IN_SLOT("OPEN_REQUEST_AT", request);
    OFFSET_IN_SLOT("OPEN_JOB_AT", job);
    OFFSET_IN_SLOT("OPEN_TRACE_AT", trace);
    OFFSET_IN_SLOT("OPEN_NAMES_AT", names);
    NUMBER("OPEN_NAME_BYTES", sizeof(seg_open_name_t));
    OFFSET_IN_SLOT("OPEN_PLACES_AT", places);
    NUMBER("OPEN_PLACE_BYTES", sizeof(seg_open_place_t));
    OFFSET_IN_SLOT("OPEN_SEEN_AT", seen);
    NUMBER("OPEN_SEEN_BYTES", sizeof(seg_open_seen_t));
    NUMBER("ID_BYTES", SEG_ID_BYTES);
    PRINT_LIST("OPEN_STATES", SEG_OPEN_STATES);
}

static void print_series(void)
{
    NUMBER("SERIES_BYTES", sizeof(seg_series_t));
    PRINT_LIST("KINDS", SEG_KINDS);
    OFFSET_IN_SERIES("NAME_AT", name);
    ROOM("NAME_BYTES", name);
    OFFSET_IN_SERIES("QUEUE_AT", queue);
    ROOM("QUEUE_BYTES", queue);
    OFFSET_IN_SERIES("POOL_AT", pool);
    ROOM("POOL_BYTES", pool);
    OFFSET_IN_SERIES("PRIORITY_AT", priority);
    ROOM("PRIORITY_BYTES", priority);
    OFFSET_IN_SERIES("COUNT_OFFSET", count);
    OFFSET_IN_SERIES("ERRORS_OFFSET", errors);
    OFFSET_IN_SERIES("SUMS_OFFSET", counters);
    OFFSET_IN_SERIES("GENERATION_OFFSET", generation);
    OFFSET_IN_SERIES("FORMER_OFFSET", former);
    NUMBER("FORMER_HISTOGRAMS", SEG_TIMES);
    printf("ENDED_THREADS %s\n", SEG_ENDED_THREADS);
    OFFSET_IN_SERIES("HISTOGRAMS_OFFSET", histograms);
    NUMBER("HISTOGRAM_BYTES", sizeof(histogram_t));
    NUMBER("BUCKETS_OFFSET", offsetof(histogram_t, buckets));
    NUMBER("BUCKETS", HIST_BUCKETS);
    OFFSET_IN_SERIES("PATH_OFFSET", path_bytes);
    NUMBER("PATH_BYTES", SEG_PATH_BYTES);
}

int main(void)
{
    print_header();
    print_open_units();
    print_series();
    PRINT_LIST("RUNNING_STATES", UNIT_RUNNING_STATES);
    PRINT_LIST("IDLE_STATES", UNIT_IDLE_STATES);
    PRINT_LIST("SUMS", UNIT_SUMS);
    PRINT_LIST("HISTOGRAMS", UNIT_HISTOGRAMS);
    return 0;
}
